import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../src/core/contact/contact.ts';
import { cardMapping } from '../../../src/providers/carddav/card/card-mapping.ts';
import { parseLines } from '../../../src/providers/carddav/card/content-line.ts';
import { createRecords } from '../../../src/providers/carddav/mapper.ts';
import { READER as GOOGLE_READER } from '../../../src/providers/google/fields.ts';
import { readPerson } from '../../../src/providers/google/mapper.ts';
import { READER as SERVICE_READER } from '../../../src/providers/service/fields.ts';
import { readContact } from '../../../src/providers/service/mapper.ts';

// A known row is not read again, so a reader with other results must not know the rows of an earlier reader. If one of
// these records changes, raise the READER of that provider. Each expectation contains the READER and a digest of a record.

const source = (type: string) => ({ metadata: { primary: true, source: { type, id: '1f' } } });

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
    { ...source('PROFILE'), givenName: 'Not', familyName: 'Own' },
    { ...source('CONTACT'), givenName: ' Ann ', familyName: 'Le\u0301e', middleName: 'B.', displayName: 'Ann B. Lee' },
  ],
  organizations: [
    { ...source('CONTACT'), name: 'Former', title: 'Intern', current: false },
    { ...source('CONTACT'), name: 'KDE', title: 'Chief  Analyst', current: true, department: 'PIM' },
  ],
  emailAddresses: [
    { ...source('CONTACT'), value: 'Ann@KDE.example ', type: 'work', formattedType: 'Work' },
    { ...source('CONTACT'), value: 'ann@kde.example' },
    { ...source('CONTACT'), value: ' ' },
  ],
  phoneNumbers: [{ ...source('CONTACT'), value: '666 12 34 90', canonicalForm: '+34666123490', type: 'mobile' }],
  addresses: [
    { ...source('CONTACT'), streetAddress: 'Main St 1', extendedAddress: 'Apt 4', city: 'Bonn', postalCode: '5' },
    { ...source('CONTACT'), formattedValue: 'Side St 2\nBonn', type: 'home' },
  ],
  urls: [{ ...source('CONTACT'), value: 'https://ann.example/', type: 'blog' }],
  memberships: [
    { ...source('CONTACT'), contactGroupMembership: { contactGroupResourceName: 'contactGroups/a1' } },
    { ...source('CONTACT'), contactGroupMembership: { contactGroupResourceName: 'contactGroups/myContacts' } },
    { ...source('CONTACT'), contactGroupMembership: { contactGroupId: '0b' } },
  ],
  clientData: [{ ...source('CONTACT'), key: 'contact-sync.origin', value: 'account-1 contact_7' }],
};

const STREET = { street_1: 'Main St 1', street_2: 'Apt 4' };
const BUCKETS = ['2 Friends', '1 Golf'].map((words) => ({ id: `bucket_${words[0]}`, name: words.slice(2) }));

const CONTACT = {
  id: 'contact_7',
  created_at: '2026-01-01 00:00:00 UTC',
  updated_at: '2026-02-01 10:20:30 UTC',
  first_name: ' Ann ',
  last_name: 'Le\u0301e',
  title: 'Chief  Analyst',
  company: 'KDE',
  location: null,
  avatar_url: 'https://example.org/a.png',
  tags: ['Golf'],
  assigned_to_id: null,
  addresses: [
    { id: 'a1', label: 'Work', ...STREET, city: 'Bonn', state: null, zip: '5', country: 'DE' },
    { id: 'a2', label: '', full_address: 'Side St 2, Bonn' },
  ],
  email_addresses: [
    { id: 'e1', label: ' Work ', address: 'Ann@KDE.example ' },
    { id: 'e2', label: null, address: 'ann@kde.example' },
    { id: 'e3', address: null },
  ],
  social_media_profiles: [],
  websites: [{ id: 'w1', label: 'blog', address: 'https://ann.example/', note: 'kept' }],
  phone_numbers: [{ id: 'p1', label: 'Mobile', number: 666123490 }],
  custom_fields: [],
  extra_data: { last_contacted: null, buckets: BUCKETS },
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

const MAPPING = cardMapping(USUAL_FIELDS);
const STORED = { id: '31.vcf', etag: '"1"', modifiedAtMs: 1_769_904_000_000, card: parseLines(CARD) };

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

test.each([
  ['a Person of Google', GOOGLE_READER, readPerson(PERSON), '2 TXvz4wJXf6pG'],
  ['a contact of the service', SERVICE_READER, readContact(CONTACT).record, '1 nqJLo7zzNWj6'],
  ['a card', MAPPING.reader, createRecords(MAPPING).recordOf(STORED, ['group.vcf']), '3 2jmj7l5r z6U6DG0c88fm'],
])('the record of %s does not change within this version of its reader', (_, reader, record, expected) => {
  const text = JSON.stringify(record, sortKeys, 2);
  expect(`${reader} ${hash('sha1', text, 'base64url').slice(0, 12)}`, text).toBe(expected);
});
