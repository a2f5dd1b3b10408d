import { describe, expect, it } from 'vitest';
import { parseContactRow } from '../../../../../src/providers/service/api/contacts.ts';
import { bucketSchema } from '../../../../../src/providers/service/api/buckets.ts';
import { contactSchema } from '../../../../../src/providers/service/api/schemas-contacts.ts';
import { parseTimestamp } from '../../../../../src/providers/service/api/schemas-common.ts';
import { bucketJson, contactJson, NOW_MS, stamp } from '../support.ts';

describe('a timestamp', () => {
  const at = Date.UTC(2016, 7, 26, 14, 37, 11);

  it.each<[string, number]>([
    ['2016-08-26 14:37:11 UTC', at],
    ['2016-08-26T14:37:11Z', at],
    ['2016-08-26T14:37:11.250Z', at + 250],
    ['2016-08-26T16:37:11+02:00', at],
    ['2016-08-26 14:37:11', at],
  ])('is read from %s', (text, epochMs) => {
    expect(parseTimestamp(text)).toEqual({ text, epochMs });
  });

  it.each(['', 'yesterday', '2016-08-26', '2016-13-41 14:37:11 UTC'])('is not read from "%s"', (text) => {
    expect(parseTimestamp(text)).toBeNull();
  });
});

describe('a contact', () => {
  const LISTS = { addresses: [], email_addresses: [], phone_numbers: [], websites: [] };

  it('is valid with only its id, updated_at and the synced lists [R17]', () => {
    const contact = contactSchema.parse({ id: 'contact_1', updated_at: '2016-08-26 14:37:11 UTC', ...LISTS });
    expect(contact).toMatchObject({ first_name: '', company: null, email_addresses: [], tags: [], created_at: null });
    expect(contact.extra_data.buckets).toBeNull();
  });

  it('is valid with nulls within lists, unknown keys, and malformed values that sync does not use', () => {
    const entry = { id: 'u1', label: null, address: 'a@b.example', primary: true };
    const json = contactJson(1, { email_addresses: [null, entry], brand_new: 1, extra_data: { new_too: {} } });
    expect(contactSchema.parse(json).email_addresses).toEqual([entry]);
    const odd = { custom_fields: 'none', tags: [1], location: 7, extra_data: { muted_at: 'never', buckets: null } };
    expect(contactSchema.parse(contactJson(1, odd)).tags).toEqual([]);
  });

  it('with a malformed used field is unreadable, with its id and the path, and without its values', () => {
    const row = { kind: 'unreadable', id: 'contact_1', updatedAt: null, name: ['First1', 'Last1'] };
    const reason = 'updated_at: not a timestamp';
    expect(parseContactRow(contactJson(1, { updated_at: 'soon' }))).toEqual({ ...row, reason });
    const broken = contactJson(1, { email_addresses: 'ada@example.org' });
    expect(parseContactRow(broken)).toMatchObject({ updatedAt: { text: stamp(NOW_MS - 999_000) } });
    expect(parseContactRow(null)).toMatchObject({ kind: 'unreadable', id: null, updatedAt: null });
    const secret = parseContactRow(contactJson(1, { first_name: { full: 'Zoe' }, email_addresses: 'zoe@example.org' }));
    expect(JSON.stringify(secret)).not.toMatch(/zoe/iu);
  });
});

it('a bucket is valid with only its id and name', () => {
  expect(bucketSchema.parse({ id: 'bucket_1', name: 'A' })).toMatchObject({ name: 'A', goal: null });
  expect(bucketSchema.parse(bucketJson(1))).toMatchObject({ id: 'bucket_1' });
});
