import { expect, it, test } from 'vitest';
import { extrasIn } from '../../../../src/core/contact/chosen.ts';
import { type Contact, type ContactField, EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { bucketSchema } from '../../../../src/providers/service/api/buckets.ts';
import type { Definitions } from '../../../../src/providers/service/custom-fields.ts';
import { customFieldValues, customText, learn } from '../../../../src/providers/service/custom-fields.ts';
import { serviceMapping, USUAL_MAPPING } from '../../../../src/providers/service/fields.ts';
import {
  bucketDetails,
  createBody,
  groupOf,
  readContact,
  updateBody,
} from '../../../../src/providers/service/mapper.ts';
import { bucketJson, contactJson } from './support.ts';

const recordOf = (...read: Parameters<typeof readContact>) => readContact(...read).record;
const former = { groupIds: ['bucket_9'], contact: EMPTY_CONTACT };
const recordFrom = (over: Record<string, unknown>) => recordOf(contactJson(1, over));

it('the record of a contact of the service has the buckets of the answer, sorted, or the former buckets if the answer has no list of buckets', () => {
  const buckets = [{ id: 'bucket_2' }, { id: 'bucket_1' }, { id: 'bucket_2' }];
  expect(recordFrom({ extra_data: { buckets } }).groupIds).toEqual(['bucket_1', 'bucket_2']);
  expect(recordFrom({ extra_data: undefined }).groupIds).toEqual([]);
  const silent = contactJson(1, { extra_data: {} });
  expect(recordOf(silent, USUAL_MAPPING, former).groupIds).toEqual(['bucket_9']);
  const emptied = contactJson(1, { extra_data: { buckets: [] } });
  expect(recordOf(emptied, USUAL_MAPPING, former).groupIds).toEqual([]);
});

it('R15: the record of a contact of the service needs only the ids of its buckets', () => {
  const buckets = [{ id: 'bucket_1', name: 7, reminder_interval: '30' }];
  expect(recordFrom({ extra_data: { buckets } }).groupIds).toEqual(['bucket_1']);
});

const mapping = serviceMapping(['lastContacted', 'relationshipStatus', 'reminderInterval', 'assignedUser']);
const recordWith = (over: Record<string, unknown>) => recordOf(contactJson(1, over), mapping);
const assignedTo = (user: object | null) => ({ assigned_to_id: 'user_7', extra_data: { assigned_to: user } });
const BUCKETS = [{ id: 'a', reminder_interval: 90 }, { id: 'b', reminder_interval: 30 }, { id: 'c' }];

it.each<[string, Record<string, unknown>, string[]]>([
  ['nothing', { extra_data: { buckets: [], relationship_status: 'none' } }, []],
  ['the day of a time, in UTC', { extra_data: { last_contacted: '2026-01-31 23:59:59 UTC' } }, ['2026-01-31']],
  ['a status', { extra_data: { relationship_status: 'fading' } }, ['fading']],
  ['the shortest interval of its buckets', { extra_data: { buckets: BUCKETS } }, ['30']],
  ['a user by id', assignedTo(null), ['user_7']],
  ['a user by name', assignedTo({ first_name: 'Ada', last_name: 'King' }), ['Ada King']],
  ['a user by address', assignedTo({ email: 'a@x.org' }), ['a@x.org']],
])('a value that the service computes for a contact is read as a readable text: %s', (_, over, extras) => {
  const { contact } = recordWith({ assigned_to_id: null, ...over });
  expect(Object.values(extrasIn(contact))).toEqual(extras);
});

it('a value that the service computes for a contact is kept if an answer does not contain it, and is never sent', () => {
  const known = recordWith({ extra_data: { last_contacted: '2026-01-31 12:00:00 UTC', buckets: [] } });
  const silent = contactJson(1, { extra_data: {}, assigned_to_id: null });
  const { contact, digest } = recordOf(silent, mapping, known);
  expect([extrasIn(contact), digest]).toEqual([{ lastContacted: '2026-01-31' }, undefined]);
  const { title } = known.contact;
  expect(updateBody(known, known.contact, ['lastContacted', 'title'], mapping)).toEqual({ title });
});

it('a record has the digest of its row, unless its membership is not from the row', () => {
  const digest = USUAL_MAPPING.digestOf(contactJson(1));
  expect(recordFrom({}).digest).toBe(digest);
  expect(recordFrom({ title: 'Other' }).digest).not.toBe(digest);
  const silentJson = contactJson(1, { extra_data: {} });
  expect(recordOf(silentJson).digest).toBe(USUAL_MAPPING.digestOf(silentJson));
  expect(recordOf(silentJson, USUAL_MAPPING, former).digest).toBeUndefined();
});

it('a bucket has its goal and its reminder interval as details of the group, and no details without them', () => {
  const group = { id: 'bucket_1', name: 'Bucket 1', version: '' };
  expect(groupOf(bucketSchema.parse(bucketJson(1)))).toEqual(group);
  const { details } = groupOf(bucketSchema.parse({ ...bucketJson(1), goal: 'Call', reminder_interval: 30 }));
  expect(bucketDetails(details)).toEqual({ goal: 'Call', reminder_interval: 30 });
});

const carried = (id: string, value: string | null) => ({ field: { id, name: 'Budget' }, value });

test('R10: of two custom fields with one name, the field that is read is written, and the other is kept', () => {
  const present = [carried('cf1', '300'), carried('cf2', '900')];
  const definitions: Definitions = new Map();
  learn(definitions, new Set(['budget']), present);
  expect(customText(present, 'Budget')).toBe('300');
  const values = customFieldValues(present, new Map([['Budget', '400']]), definitions) ?? [];
  expect(values.map(({ field, value }) => [field.id, value])).toEqual([
    ['cf1', '400'],
    ['cf2', '900'],
  ]);
});

const home = { value: 'home@x.example', label: 'Home' };
const work = { value: 'work@x.example', label: null };

it('the body of a create contains only the non-empty fields', () => {
  const address = { street: '1 Main', city: '', region: '', postalCode: '75', country: '', label: null };
  const lists = { emailAddresses: [home, work], phoneNumbers: [{ value: '1', label: null }], addresses: [address] };
  const websites = [{ value: 'w', label: null }];
  expect(createBody({ ...EMPTY_CONTACT, firstName: 'Ada', ...lists, websites })).toEqual({
    first_name: 'Ada',
    email_addresses: [{ label: 'Home', address: 'home@x.example' }, { address: 'work@x.example' }],
    phone_numbers: [{ number: '1' }],
    addresses: [{ street_1: '1 Main', zip: '75' }],
    websites: [{ address: 'w' }],
  });
  expect(createBody(EMPTY_CONTACT)).toEqual({});
});

const LABELLED = { id: 'a', label: ' Home ', address: ' Home@X.example', primary: true };
const OLD = { id: 'b', label: null, address: 'old@x.example' };
const PHONE = { id: 'a', label: 'Home', number: '(830) 285 9851' };
const WORK_PHONE = { id: 'b', label: 'Work', number: '555 1234' };
const NUMBERS = [
  { value: PHONE.number, label: null },
  { value: '555-1234', label: 'Work' },
];
const SPELLINGS = ['home', 'HOME'].map((name) => ({ id: name, label: 'Home', address: `${name}@x.example` }));
const GONE = ['gone@x.example', 'Gone@x.example', ''].map((address, index) => ({ id: `g${index}`, address }));
const FLAT = { id: 'a', label: 'home', street_1: '1 Main', street_2: 'Apt 4', city: 'Paris' };
const BOX = { id: 'b', label: null, street_2: 'PO Box 9' };
const RENDERED = { ...FLAT, full_address: 'rendered', state: null, zip: '75', country: 'FR' };
const [UNLABELLED, RESPELT] = [
  { ...PHONE, label: null },
  { ...WORK_PHONE, number: '555-1234' },
];
const MOVED = { ...FLAT, zip: '75001', country: '' };
const SIDE = { street: '2 Side', city: '', region: '', postalCode: '', country: '', label: null };
const eachAddress =
  (change: object) =>
  ({ addresses }: Contact): Partial<Contact> => ({ addresses: addresses.map((each) => ({ ...each, ...change })) });

/** The contact of the service, the change of the contact as it is read, and the body. */
type Row = readonly [string, Record<string, unknown>, (contact: Contact) => Partial<Contact>, Record<string, unknown>];

it.each<Row>([
  [
    'clears a text with the empty value that the documentation defines for it',
    { company: 'X' },
    () => ({ firstName: '', lastName: '', title: '', company: '' }),
    { first_name: '', last_name: '', title: '', company: null },
  ],
  ['contains a new text', {}, () => ({ company: 'New' }), { company: 'New' }],
  [
    'contains a kept entry with all its values, in the desired order',
    { email_addresses: [{ ...LABELLED, note: null }, OLD] },
    ({ emailAddresses }) => ({ emailAddresses: [work, ...emailAddresses.slice(0, 1)] }),
    { email_addresses: [{ address: 'work@x.example' }, LABELLED] },
  ],
  [
    'changes the label or the spelling of a kept entry, and keeps its id',
    { phone_numbers: [PHONE, WORK_PHONE] },
    () => ({ phoneNumbers: NUMBERS }),
    { phone_numbers: [UNLABELLED, RESPELT] },
  ],
  [
    'keeps the spellings of a kept entry',
    { email_addresses: [...SPELLINGS, ...GONE] },
    () => ({ emailAddresses: [home] }),
    { email_addresses: SPELLINGS },
  ],
  [
    'keeps the second line of an address while it is a line of the street',
    { addresses: [RENDERED, BOX] },
    eachAddress({ postalCode: '75001', country: '' }),
    { addresses: [MOVED, { id: 'b', street_2: 'PO Box 9', zip: '75001' }] },
  ],
  [
    'contains a flat of another street as a line of it',
    { addresses: [RENDERED] },
    eachAddress({ street: '2 Side', extended: 'Flat 1' }),
    { addresses: [{ label: 'home', street_1: '2 Side\nFlat 1', city: 'Paris', zip: '75', country: 'FR' }] },
  ],
  [
    'keeps an address that has only a full form, as its street',
    { addresses: [{ id: 'a', label: 'home', full_address: '1 Main, Paris', street_1: null }] },
    ({ addresses }) => ({ addresses: [...addresses, SIDE] }),
    { addresses: [{ id: 'a', label: 'home', street_1: '1 Main, Paris' }, { street_1: '2 Side' }] },
  ],
])('[R10] the body of an update %s', (_, over, change, body) => {
  const current = recordFrom(over);
  const changes = change(current.contact);
  const fields = Object.keys(changes) as ContactField[];
  expect(updateBody(current, { ...current.contact, ...changes }, fields)).toEqual(body);
});
