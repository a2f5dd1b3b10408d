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
// these records changes, raise the READER of that provider. Each expectation contains the READER and a record.

/** The part of the canonical contact that is the same from each provider. */
const ANN = {
  firstName: 'Ann',
  lastName: 'Lée',
  company: 'KDE',
  title: 'Chief Analyst',
  websites: [{ value: 'https://ann.example/', label: 'blog' }],
};
const NO_ADDRESS = { street: '', city: '', region: '', postalCode: '', country: '' };
const MAIN_STREET = { ...NO_ADDRESS, street: 'Main St 1', city: 'Bonn', postalCode: '5' };

const ORGANIZATIONS = [
  ['Former', 'Intern'],
  ['KDE', 'Chief Analyst'],
];

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
  clientData: [{ ...source('CONTACT'), key: 'contact-sync.service-id', value: 'contact_7' }],
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

test('a record of a Person does not change within this version of its reader', () => {
  expect([GOOGLE_READER, readPerson(PERSON)]).toEqual([
    '1',
    {
      kind: 'contact',
      mayBeCut: false,
      previousIds: [],
      record: {
        id: 'people/c31',
        version: '#31',
        modifiedAtMs: 1_767_225_600_123,
        originId: 'contact_7',
        groupIds: ['contactGroups/0b', 'contactGroups/a1'],
        digest: '1 A08HyL6GkzYhBtz1X5ReaU',
        unsyncedName: { middleName: 'B.' },
        contact: {
          ...ANN,
          phoneNumbers: [{ value: '666 12 34 90', label: 'mobile' }],
          emailAddresses: [{ value: 'Ann@KDE.example', label: 'work' }],
          addresses: [
            { ...MAIN_STREET, country: '', label: null, extended: 'Apt 4' },
            { ...NO_ADDRESS, street: 'Side St 2\nBonn', label: 'home' },
          ],
        },
        entries: [{ bound: 1, fields: ['company', 'title'], entries: ORGANIZATIONS }],
        raw: String.raw`{"resourceName":"people/c31","metadata":{"sources":[{"type":"CONTACT","id":"1f"}]},"names":[{"givenName":" Ann ","familyName":"Lée","displayName":"Ann B. Lee","middleName":"B."}],"organizations":[{"name":"Former","title":"Intern","current":false},{"name":"KDE","title":"Chief  Analyst","current":true,"department":"PIM"}],"emailAddresses":[{"value":"Ann@KDE.example ","type":"work"},{"value":"ann@kde.example"},{"value":" "}],"phoneNumbers":[{"value":"666 12 34 90","type":"mobile"}],"addresses":[{"streetAddress":"Main St 1","extendedAddress":"Apt 4","city":"Bonn","postalCode":"5"},{"type":"home","formattedValue":"Side St 2\nBonn"}],"urls":[{"value":"https://ann.example/","type":"blog"}]}`,
      },
    },
  ]);
});

test('a record of a contact of the service does not change within this version of its reader', () => {
  expect([SERVICE_READER, recordOf(contactSchema.parse(CONTACT))]).toEqual([
    '1',
    {
      id: 'contact_7',
      version: '2026-02-01 10:20:30 UTC',
      modifiedAtMs: 1_769_941_230_000,
      originId: null,
      groupIds: ['bucket_1', 'bucket_2'],
      marks: ['tag:Golf'],
      digest: '1 2-kZOwc2rGXtokhU92Ob1y',
      contact: {
        ...ANN,
        phoneNumbers: [{ value: '666123490', label: 'Mobile' }],
        emailAddresses: [{ value: 'Ann@KDE.example', label: 'Work' }],
        addresses: [
          { ...MAIN_STREET, street: 'Main St 1\nApt 4', country: 'DE', label: 'Work' },
          { ...NO_ADDRESS, street: 'Side St 2, Bonn', label: null },
        ],
      },
      raw: String.raw`{"addresses":[{"id":"a1","label":"Work","street_1":"Main St 1","street_2":"Apt 4","city":"Bonn","state":null,"zip":"5","country":"DE"},{"id":"a2","label":"","full_address":"Side St 2, Bonn"}],"email_addresses":[{"id":"e1","label":" Work ","address":"Ann@KDE.example "},{"id":"e2","label":null,"address":"ann@kde.example"},{"id":"e3","address":null}],"phone_numbers":[{"id":"p1","label":"Mobile","number":"666123490"}],"websites":[{"id":"w1","label":"blog","address":"https://ann.example/","note":"kept"}]}`,
    },
  ]);
});

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

test('a record of CardDAV does not change within this version of its reader', () => {
  const mapping = cardMapping(USUAL_FIELDS);
  const stored = { id: '31.vcf', etag: '"1"', modifiedAtMs: 1_769_904_000_000, card: parseLines(CARD) };
  expect([mapping.reader, createRecords(mapping).recordOf(stored, ['group.vcf'])]).toEqual([
    '1 2jmj7l5r',
    {
      id: '31.vcf',
      version: '"1"',
      modifiedAtMs: 1_769_904_000_000,
      originId: null,
      groupIds: ['category:Chess', 'category:Golf', 'group.vcf'],
      digest: '1 2jmj7l5r Wl3pu6UvVmGOQCdAkedlSt',
      unsyncedName: { middleName: 'B.' },
      contact: {
        ...ANN,
        phoneNumbers: [{ value: '666 12 34 90', label: 'mobile' }],
        emailAddresses: [{ value: 'Ann@KDE.example', label: 'work' }],
        addresses: [{ ...MAIN_STREET, street: 'Main St 1\nLine 2', country: '', label: 'home', extended: 'Apt 4' }],
        websites: [{ value: 'https://ann.example/', label: null }],
      },
      raw: '{}',
    },
  ]);
});
