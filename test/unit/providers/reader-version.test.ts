import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { cardMapping } from '../../../src/providers/carddav/card/card-mapping.ts';
import { parseLines } from '../../../src/providers/carddav/card/content-line.ts';
import { createRecords } from '../../../src/providers/carddav/mapper.ts';
import { READER as GOOGLE_READER } from '../../../src/providers/google/fields.ts';
import { readPerson } from '../../../src/providers/google/mapper.ts';
import { contactSchema, READER as SERVICE_READER } from '../../../src/providers/service/api/schemas-contacts.ts';
import { recordOf } from '../../../src/providers/service/mapper.ts';

// A known row is not read again, so a reader with other results must not know the rows of an earlier reader. If one of
// these records changes, raise the READER of that provider. Each row has the READER and the hash of a record.

const OWN = { metadata: { primary: true, source: { type: 'CONTACT', id: '1f' } } };

const PERSON = {
  resourceName: 'people/c31',
  etag: '%EgUBAj',
  metadata: {
    objectType: 'PERSON',
    sources: [
      { type: 'PROFILE', id: '9', etag: '#p' },
      { type: 'CONTACT', id: '1f', etag: '#31', updateTime: '2026-01-01T00:00:00.123456Z' },
    ],
  },
  names: [
    { metadata: { source: { type: 'PROFILE', id: '1f' } }, givenName: 'Not', familyName: 'Own' },
    { ...OWN, givenName: ' Ann ', familyName: 'Le\u0301e', middleName: 'B.', displayName: 'Ann B. Lee' },
  ],
  organizations: [
    { ...OWN, name: 'Former', title: 'Intern', current: false },
    { ...OWN, name: 'KDE', title: 'Chief  Analyst', current: true, department: 'PIM' },
  ],
  emailAddresses: [
    { ...OWN, value: 'Ann@KDE.example ', type: 'work', formattedType: 'Work' },
    { ...OWN, value: 'ann@kde.example' },
    { ...OWN, value: ' ' },
  ],
  phoneNumbers: [{ ...OWN, value: '666 12 34 90', canonicalForm: '+34666123490', type: 'mobile' }],
  addresses: [
    { ...OWN, streetAddress: 'Main St 1', extendedAddress: 'Apt 4', city: 'Bonn', postalCode: '5' },
    { ...OWN, formattedValue: 'Side St 2\nBonn', type: 'home' },
  ],
  urls: [{ ...OWN, value: 'https://ann.example/', type: 'blog' }],
  memberships: [
    { ...OWN, contactGroupMembership: { contactGroupResourceName: 'contactGroups/a1' } },
    { ...OWN, contactGroupMembership: { contactGroupResourceName: 'contactGroups/myContacts' } },
    { ...OWN, contactGroupMembership: { contactGroupId: '0b' } },
  ],
  clientData: [{ ...OWN, key: 'contact-sync.service-id', value: 'contact_7' }],
};

const CONTACT = {
  id: 'contact_7',
  created_at: '2026-01-01 00:00:00 UTC',
  updated_at: '2026-02-01 10:20:30 UTC',
  first_name: ' Ann ',
  last_name: 'Le\u0301e',
  title: 'Chief  Analyst',
  company: 'KDE',
  avatar_url: 'https://example.org/a.png',
  tags: ['Golf'],
  addresses: [
    { id: 'a1', label: 'Work', street_1: 'Main St 1', street_2: 'Apt 4', city: 'Bonn', zip: '5', country: 'DE' },
    { id: 'a2', label: '', full_address: 'Side St 2, Bonn' },
  ],
  email_addresses: [
    { id: 'e1', label: ' Work ', address: 'Ann@KDE.example ' },
    { id: 'e2', label: null, address: 'ann@kde.example' },
    { id: 'e3', address: null },
  ],
  websites: [{ id: 'w1', label: 'blog', address: 'https://ann.example/', note: 'kept' }],
  phone_numbers: [{ id: 'p1', label: 'Mobile', number: 666123490 }],
  extra_data: { buckets: ['bucket_2', 'bucket_1'].map((id) => ({ id, name: 'Friends' })) },
};

const CARD = [
  'BEGIN:VCARD',
  'VERSION:3.0',
  'UID:31',
  'FN:Ann B. Lée',
  'N:Le\u0301e; Ann ;B.;;',
  'ORG:KDE;PIM',
  'TITLE:Chief  Analyst',
  'EMAIL;TYPE=work,pref:Ann@KDE.example ',
  'EMAIL:ann@kde.example',
  'item1.TEL:666 12 34 90',
  'item1.X-ABLabel:_$!<Mobile>!$_',
  'ADR;TYPE=HOME:;Apt 4;Main St 1\\nLine 2;Bonn;;5;',
  'URL:https://ann.example/',
  'CATEGORIES:Golf,Chess',
  'END:VCARD',
].join('\r\n');

const cards = cardMapping(USUAL_FIELDS);
const STORED = { id: '31.vcf', etag: '"1"', modifiedAtMs: 1_769_904_000_000, card: parseLines(CARD) };

test.each<[string, string, () => unknown, string, string]>([
  ['a Person', GOOGLE_READER, () => readPerson(PERSON), '8', '9d91556dda63b012'],
  ['a contact of the service', SERVICE_READER, () => recordOf(contactSchema.parse(CONTACT)), '7', '5ca024d6799a6106'],
  [
    'a card',
    cards.reader,
    () => createRecords(cards).recordOf(STORED, ['group.vcf']),
    '3 2jmj7l5r',
    '417d475768251505',
  ],
])('a record of %s does not change within one version of its reader', (_, reader, read, version, hash) => {
  const text = inspect(read(), { sorted: true, depth: null, breakLength: Infinity });
  expect([reader, createHash('sha256').update(text).digest('hex').slice(0, 16)], text).toEqual([version, hash]);
});
