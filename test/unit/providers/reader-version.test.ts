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
// these snapshots changes, raise the READER of that provider. Each snapshot contains the READER and a record.

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
    {
      id: 'a1',
      label: 'Work',
      street_1: 'Main St 1',
      street_2: 'Apt 4',
      city: 'Bonn',
      state: null,
      zip: '5',
      country: 'DE',
    },
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
  extra_data: {
    last_contacted: null,
    buckets: [
      { id: 'bucket_2', name: 'Friends' },
      { id: 'bucket_1', name: 'Golf' },
    ],
  },
};

test('a record of a Person does not change within this version of its reader', () => {
  expect([GOOGLE_READER, readPerson(PERSON)]).toMatchInlineSnapshot(`
    [
      "7",
      {
        "kind": "contact",
        "mayBeCut": false,
        "previousIds": [],
        "record": {
          "contact": {
            "addresses": [
              {
                "city": "Bonn",
                "country": "",
                "label": null,
                "postalCode": "5",
                "region": "",
                "street": "Main St 1",
              },
              {
                "city": "",
                "country": "",
                "label": "home",
                "postalCode": "",
                "region": "",
                "street": "Side St 2
    Bonn",
              },
            ],
            "company": "KDE",
            "emailAddresses": [
              {
                "label": "work",
                "value": "Ann@KDE.example",
              },
            ],
            "firstName": "Ann",
            "lastName": "Lée",
            "phoneNumbers": [
              {
                "label": "mobile",
                "value": "666 12 34 90",
              },
            ],
            "title": "Chief Analyst",
            "websites": [
              {
                "label": "blog",
                "value": "https://ann.example/",
              },
            ],
          },
          "digest": "7 A08HyL6GkzYhBtz1X5ReaU",
          "entries": [
            {
              "bound": 1,
              "entries": [
                [
                  "Former",
                  "Intern",
                ],
                [
                  "KDE",
                  "Chief Analyst",
                ],
              ],
              "fields": [
                "company",
                "title",
              ],
            },
          ],
          "groupIds": [
            "contactGroups/0b",
            "contactGroups/a1",
          ],
          "id": "people/c31",
          "modifiedAtMs": 1767225600123,
          "originId": "contact_7",
          "raw": "{"resourceName":"people/c31","metadata":{"sources":[{"type":"CONTACT","id":"1f"}]},"names":[{"givenName":" Ann ","familyName":"Lée","displayName":"Ann B. Lee","middleName":"B."}],"organizations":[{"name":"Former","title":"Intern","current":false},{"name":"KDE","title":"Chief  Analyst","current":true,"department":"PIM"}],"emailAddresses":[{"value":"Ann@KDE.example ","type":"work"},{"value":"ann@kde.example"},{"value":" "}],"phoneNumbers":[{"value":"666 12 34 90","type":"mobile"}],"addresses":[{"streetAddress":"Main St 1","city":"Bonn","postalCode":"5","extendedAddress":"Apt 4"},{"type":"home","formattedValue":"Side St 2\\nBonn"}],"urls":[{"value":"https://ann.example/","type":"blog"}]}",
          "version": "#31",
        },
      },
    ]
  `);
});

test('a record of a contact of the service does not change within this version of its reader', () => {
  expect([SERVICE_READER, recordOf(contactSchema.parse(CONTACT))]).toMatchInlineSnapshot(`
    [
      "6",
      {
        "contact": {
          "addresses": [
            {
              "city": "Bonn",
              "country": "DE",
              "label": "Work",
              "postalCode": "5",
              "region": "",
              "street": "Main St 1",
            },
            {
              "city": "",
              "country": "",
              "label": null,
              "postalCode": "",
              "region": "",
              "street": "Side St 2, Bonn",
            },
          ],
          "company": "KDE",
          "emailAddresses": [
            {
              "label": "Work",
              "value": "Ann@KDE.example",
            },
          ],
          "firstName": "Ann",
          "lastName": "Lée",
          "phoneNumbers": [
            {
              "label": "Mobile",
              "value": "666123490",
            },
          ],
          "title": "Chief Analyst",
          "websites": [
            {
              "label": "blog",
              "value": "https://ann.example/",
            },
          ],
        },
        "digest": "6 2-kZOwc2rGXtokhU92Ob1y",
        "groupIds": [
          "bucket_1",
          "bucket_2",
        ],
        "id": "contact_7",
        "marks": [
          "tag:Golf",
        ],
        "modifiedAtMs": 1769941230000,
        "originId": null,
        "raw": "{"addresses":[{"id":"a1","label":"Work","street_1":"Main St 1","street_2":"Apt 4","city":"Bonn","state":null,"zip":"5","country":"DE"},{"id":"a2","label":"","full_address":"Side St 2, Bonn"}],"email_addresses":[{"id":"e1","label":" Work ","address":"Ann@KDE.example "},{"id":"e2","label":null,"address":"ann@kde.example"},{"id":"e3","address":null}],"phone_numbers":[{"id":"p1","label":"Mobile","number":"666123490"}],"websites":[{"id":"w1","label":"blog","address":"https://ann.example/","note":"kept"}]}",
        "version": "2026-02-01 10:20:30 UTC",
      },
    ]
  `);
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
  expect([mapping.reader, createRecords(mapping).recordOf(stored, ['group.vcf'])]).toMatchInlineSnapshot(`
    [
      "2 2jmj7l5r",
      {
        "contact": {
          "addresses": [
            {
              "city": "Bonn",
              "country": "",
              "label": "home",
              "postalCode": "5",
              "region": "",
              "street": "Main St 1
    Line 2",
            },
          ],
          "company": "KDE",
          "emailAddresses": [
            {
              "label": "work",
              "value": "Ann@KDE.example",
            },
          ],
          "firstName": "Ann",
          "lastName": "Lée",
          "phoneNumbers": [
            {
              "label": "mobile",
              "value": "666 12 34 90",
            },
          ],
          "title": "Chief Analyst",
          "websites": [
            {
              "label": null,
              "value": "https://ann.example/",
            },
          ],
        },
        "digest": "2 2jmj7l5r Wl3pu6UvVmGOQCdAkedlSt",
        "groupIds": [
          "category:Chess",
          "category:Golf",
          "group.vcf",
        ],
        "id": "31.vcf",
        "modifiedAtMs": 1769904000000,
        "originId": null,
        "raw": "{}",
        "version": ""1"",
      },
    ]
  `);
});
