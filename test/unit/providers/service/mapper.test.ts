import { describe, expect, it, test } from 'vitest';
import { extrasIn } from '../../../../src/core/contact/chosen.ts';
import { EMPTY_CONTACT, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { contactDigest, contactSchema } from '../../../../src/providers/service/api/schemas-contacts.ts';
import {
  customFieldValues,
  customText,
  type Definitions,
  learn,
} from '../../../../src/providers/service/custom-fields.ts';
import { serviceMapping, USUAL_MAPPING } from '../../../../src/providers/service/fields.ts';
import { changesIn, recordOf, updateBody } from '../../../../src/providers/service/mapper.ts';
import { contactJson, NOW_MS, stamp } from './support.ts';

const former = { groupIds: ['bucket_9'], contact: EMPTY_CONTACT };

const recordFrom = (over: Record<string, unknown>) => recordOf(contactSchema.parse(contactJson(1, over)));

describe('the record of a contact of the service', () => {
  it('contains the mapped fields, normalised', () => {
    const record = recordFrom({
      updated_at: stamp(NOW_MS),
      first_name: '  Ada ',
      last_name: 'Love\u0301lace',
      title: 'Chief  Analyst',
      company: null,
      email_addresses: [{ id: 'u1', label: ' Work ', address: ' Ada@Example.org ' }],
      phone_numbers: [{ id: 'u2', label: null, number: '(830)285-9851 x5271' }],
      websites: [{ id: 'u3', label: '', address: 'https://ada.example' }],
      addresses: [
        {
          id: 'u4',
          label: 'home',
          street_1: '1 Main',
          street_2: 'Apt 4',
          city: 'Paris',
          state: null,
          zip: '75',
          country: 'FR',
        },
      ],
    });
    expect(record).toMatchObject({ id: 'contact_1', version: stamp(NOW_MS), modifiedAtMs: NOW_MS, originId: null });
    expect(record.contact).toEqual({
      firstName: 'Ada',
      lastName: 'Lov\u00e9lace',
      company: '',
      title: 'Chief Analyst',
      emailAddresses: [{ value: 'Ada@Example.org', label: 'Work' }],
      phoneNumbers: [{ value: '(830)285-9851 x5271', label: null }],
      addresses: [{ street: '1 Main', city: 'Paris', region: '', postalCode: '75', country: 'FR', label: 'home' }],
      websites: [{ value: 'https://ada.example', label: null }],
    });
  });

  it('contains no empty and no duplicate entry', () => {
    const { contact } = recordFrom({
      email_addresses: [
        { id: 'a', address: null },
        { id: 'b', address: 'A@b.example' },
        { id: 'c', address: 'a@B.example' },
      ],
      addresses: [{ id: 'd', street_1: '', city: null }],
    });
    expect(contact.emailAddresses).toEqual([{ value: 'A@b.example', label: null }]);
    expect(contact.addresses).toEqual([]);
  });

  it('contains an address that has only a full form as a street', () => {
    const { contact } = recordFrom({
      addresses: [{ id: 'd', full_address: '1 Main, Paris', street_1: '', city: null }],
    });
    expect(contact.addresses).toMatchObject([{ street: '1 Main, Paris', city: '' }]);
    const structured = recordFrom({ addresses: [{ id: 'd', full_address: 'Paris', city: 'Paris' }] });
    expect(structured.contact.addresses).toMatchObject([{ street: '', city: 'Paris' }]);
  });

  it('contains the entries of its lists as they were received', () => {
    const entry = { id: 'u1', label: null, address: ' Ada@Example.org ', primary: true };
    expect(JSON.parse(recordFrom({ email_addresses: [entry] }).raw)).toEqual({
      addresses: [],
      email_addresses: [entry],
      phone_numbers: [],
      websites: [],
    });
  });

  it('has the buckets of the answer, sorted, or the former buckets if the answer has no list of buckets', () => {
    const buckets = [{ id: 'bucket_2' }, { id: 'bucket_1' }, { id: 'bucket_2' }];
    expect(recordFrom({ extra_data: { buckets } }).groupIds).toEqual(['bucket_1', 'bucket_2']);
    expect(recordFrom({ extra_data: undefined }).groupIds).toEqual([]);
    const silent = contactSchema.parse(contactJson(1, { extra_data: {} }));
    expect(recordOf(silent, USUAL_MAPPING, former).groupIds).toEqual(['bucket_9']);
    const emptied = contactSchema.parse(contactJson(1, { extra_data: { buckets: [] } }));
    expect(recordOf(emptied, USUAL_MAPPING, former).groupIds).toEqual([]);
  });
});

describe('a value that the service computes for a contact', () => {
  const mapping = serviceMapping([
    'lastContacted as Last contacted',
    'relationshipStatus as Relationship',
    'reminderInterval as Every',
    'assignedUser as Assigned to',
  ]);
  const recordWith = (over: Record<string, unknown>) => recordOf(contactSchema.parse(contactJson(1, over)), mapping);
  const extrasOf = (over: Record<string, unknown>) => Object.values(extrasIn(recordWith(over).contact));

  it.each<[string, Record<string, unknown>, string[]]>([
    ['nothing', { extra_data: { buckets: [], relationship_status: 'none' } }, []],
    ['the day of a time, in UTC', { extra_data: { last_contacted: '2026-01-31 23:59:59 UTC' } }, ['2026-01-31']],
    ['a status', { extra_data: { relationship_status: 'fading' } }, ['fading']],
    [
      'the shortest interval of its buckets',
      {
        extra_data: { buckets: [{ id: 'a', reminder_interval: 90 }, { id: 'b', reminder_interval: 30 }, { id: 'c' }] },
      },
      ['30'],
    ],
    ['a user by id', { assigned_to_id: 'user_7', extra_data: { assigned_to: null } }, ['user_7']],
    [
      'a user by name',
      { assigned_to_id: 'user_7', extra_data: { assigned_to: { first_name: 'Ada', last_name: 'King' } } },
      ['Ada King'],
    ],
    ['a user by address', { assigned_to_id: 'user_7', extra_data: { assigned_to: { email: 'a@x.org' } } }, ['a@x.org']],
  ])('is read as a readable text: %s', (_, over, extras) => {
    expect(extrasOf({ assigned_to_id: null, ...over })).toEqual(extras);
  });

  it('is kept if an answer does not contain it, and is never sent', () => {
    const known = recordWith({ extra_data: { last_contacted: '2026-01-31 12:00:00 UTC', buckets: [] } });
    const silent = contactSchema.parse(contactJson(1, { extra_data: {}, assigned_to_id: null }));
    expect(extrasIn(recordOf(silent, mapping, known).contact)).toEqual({
      'lastContacted as Last contacted': '2026-01-31',
    });
    expect(recordOf(silent, mapping, known).digest).toBeUndefined();
    expect(updateBody(known, known.contact, ['lastContacted as Last contacted', 'title'], mapping)).toEqual({
      title: known.contact.title,
    });
  });
});

it('the rows of a listing become changes of the feed, and known rows are returned as ids only', () => {
  const contact = contactSchema.parse(contactJson(1));
  const unreadable = { kind: 'unreadable', id: 'contact_2', reason: 'odd' } as const;
  const updatedAt = { text: stamp(NOW_MS), epochMs: NOW_MS };
  const rows = [
    { kind: 'contact', contact } as const,
    { ...unreadable, updatedAt: null, name: [null, null] } as const,
    { kind: 'known', id: 'contact_3', updatedAt } as const,
  ];
  expect(changesIn(rows)).toEqual({
    changes: [{ kind: 'upsert', record: recordOf(contact), previousIds: [] }, unreadable],
    unchanged: ['contact_3'],
  });
});

it('a record has the digest of its row, unless its membership is not from the row', () => {
  const digest = contactDigest(contactJson(1));
  expect(recordFrom({}).digest).toBe(digest);
  expect(recordFrom({ title: 'Other' }).digest).not.toBe(digest);
  const silentJson = contactJson(1, { extra_data: {} });
  const silent = contactSchema.parse(silentJson);
  expect(recordOf(silent).digest).toBe(contactDigest(silentJson));
  expect(recordOf(silent, USUAL_MAPPING, former).digest).toBeUndefined();
});

it('the mapping does not depend on the joined parts of a name', () => {
  const { fields, digestEnd } = serviceMapping([...USUAL_FIELDS, 'namePrefix:joined', 'middleName:joined']);
  expect({ fields, digestEnd }).toEqual({ fields: USUAL_MAPPING.fields, digestEnd: USUAL_MAPPING.digestEnd });
});

const carried = (id: string, value: string | null) => ({ field: { id, name: 'Budget' }, value });

test('R10: of two custom fields with one name, the field that is read is written, and the other is kept', () => {
  const held = [carried('cf1', '300'), carried('cf2', '900')];
  const definitions: Definitions = new Map();
  learn(definitions, new Set(['budget']), held);
  expect(customText(held, 'Budget')).toBe('300');
  const values = customFieldValues(held, new Map([['Budget', '400']]), definitions) ?? [];
  expect(values).toEqual([
    { field: { id: 'cf1' }, value: '400' },
    { field: { id: 'cf2' }, value: '900' },
  ]);
});
