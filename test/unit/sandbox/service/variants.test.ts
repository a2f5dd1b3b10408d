import { describe, expect } from 'vitest';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { it, openService, type Service } from './harness.ts';

const email = (address: string, id?: string) => ({ address, ...(id === undefined ? {} : { id }) });
const addresses = (...sent: readonly { readonly address: string }[]) => ({ email_addresses: [...sent] });
const ref = (...ids: readonly string[]) => ids.map((id) => ({ id }));

/** Ann with two email addresses and a tag, and Bob in the only bucket. */
const fill = ({ emulator: { account } }: Service): void => {
  const bucketIds = [account.createBucket({ name: 'Clients' }).id];
  const ann = { first_name: 'Ann', company: 'Acme', tags: ['vip'] };
  account.createContact({ ...ann, ...addresses(email('a@x.example'), email('b@x.example')) });
  account.createContact({ first_name: 'Bob' }, { bucketIds });
};

const LONG = 'x'.repeat(256);
const SENT = [email('A@x.example'), email('c@x.example', 'contact_identity_2')];
const MEMBERS = '/v2/buckets/bucket_1/contacts';
const [EARLIER, LATER] = ['2026-01-01 12:00:00 UTC', '2026-01-01 12:00:01 UTC'];
const UNKNOWN_MEMBER = ['contact_1', 'contact_9'];

type Under = Partial<ServiceVariants>;
type Row = readonly [variants: Under, method: string, path: string, sent: unknown, answer: object];

const patch = (variants: Under, sent: object, data: object | number): Row => {
  const answer = typeof data === 'number' ? { status: data } : { status: 200, body: { data } };
  return [variants, 'PATCH', '/v2/contacts/contact_1', sent, answer];
};
const create = (on: Under, sent: object, answer: object): Row => [on, 'POST', '/v2/contacts', sent, answer];
const createBucket = (duplicateBucketName: ServiceVariants['duplicateBucketName'], answer: object): Row => {
  return [{ duplicateBucketName, bucketNameCompare: 'loose' }, 'POST', '/v2/buckets', { name: 'clients ' }, answer];
};
/** Adds contacts to the only bucket, which has contact_2 already. The answer has all members. */
const join = (on: Under, ids: readonly string[], answer: object): Row => [on, 'POST', MEMBERS, ref(...ids), answer];
const times = (...stamps: readonly string[]) => ({ body: { data: stamps.map((updated_at) => ({ updated_at })) } });
const read = (on: Under, id: number, answer: object): Row => [
  on,
  'GET',
  `/v2/contacts/contact_${id}`,
  undefined,
  answer,
];
const list = (on: Under, query: string, answer: object): Row => [on, 'GET', `/v2/contacts?${query}`, undefined, answer];

const ROWS: readonly Row[] = [
  patch({ scalarNull: 'ignored' }, { company: null }, { company: 'Acme' }),
  patch({}, { company: '' }, { company: '' }),
  patch({ scalarEmpty: 'clears' }, { company: '' }, { company: null }),
  patch({ scalarEmpty: 'ignored' }, { company: '' }, { company: 'Acme' }),
  patch({ emptyScalar: 'null' }, { first_name: null }, { first_name: null }),
  patch({ emptyArray: 'ignored' }, { tags: [] }, { tags: ['vip'] }),
  patch({ nullArray: 'ignored' }, { tags: null }, { tags: ['vip'] }),
  patch({ longText: 'truncated' }, { company: LONG }, { company: LONG.slice(1) }),
  patch({ longText: '422' }, { company: LONG }, 422),
  patch({ normalisation: 'emails' }, addresses(email(' A@X.example')), addresses({ address: 'a@x.example' })),
  patch({ normalisation: 'all' }, { tags: ['A', 'a '] }, { tags: ['A'] }),
  patch({ arrayPatch: 'replace' }, addresses(...SENT), addresses(email('A@x.example'), email('c@x.example'))),
  patch(
    { arrayPatch: 'merge-by-value' },
    addresses(...SENT),
    addresses(email('A@x.example'), email('b@x.example'), email('c@x.example')),
  ),
  patch(
    { arrayPatch: 'merge-by-id' },
    addresses(...SENT),
    addresses(email('a@x.example'), email('c@x.example'), email('A@x.example')),
  ),
  create({ createRequires: 'name-or-email' }, {}, { status: 422 }),
  create({ createKnownEmail: 'existing' }, addresses(email('A@x.example')), { body: { data: { id: 'contact_1' } } }),
  create(
    { createKnownEmail: 'existing-updated' },
    { first_name: 'Anna', ...addresses(email('A@x.example')) },
    { body: { data: { id: 'contact_1', first_name: 'Anna' } } },
  ),
  create({ createKnownEmail: '409' }, addresses(email('A@x.example')), { status: 409 }),
  create({ successStatus: 'created-201-deleted-204' }, {}, { status: 201 }),
  createBucket('allowed', { body: { data: { id: 'bucket_2' } } }),
  createBucket('existing', { body: { data: { id: 'bucket_1' } } }),
  createBucket('422', { status: 422 }),
  join({ bulkBadIds: 'skipped' }, UNKNOWN_MEMBER, { status: 200, body: { data: ref('contact_1', 'contact_2') } }),
  join({ bulkBadIds: '404' }, UNKNOWN_MEMBER, { status: 404 }),
  join({ bulkBadIds: '422' }, UNKNOWN_MEMBER, { status: 422 }),
  join({ bulkBadIds: 'partial-with-errors' }, UNKNOWN_MEMBER, {
    status: 200,
    body: { errors: ['Unknown id contact_9'] },
  }),
  [{ putNoBuckets: '422' }, 'PUT', '/v2/contacts/contact_2/buckets', [], { status: 422 }],
  join({ bulkAnswer: 'touched' }, ['contact_1'], { body: { data: ref('contact_1') } }),
  [{}, 'POST', '/v2/contacts/contact_1/merge', { contact_ids: ['contact_2'] }, { status: 422 }],
  [{ mergeBody: 'object' }, 'POST', '/v2/contacts/contact_1/merge', { contact_ids: ['contact_2'] }, { status: 200 }],
  read({ errorBody: 'errors-object' }, 9, { status: 404, body: { errors: { cause: expect.any(String) } } }),
  read({ errorBody: 'error-text' }, 9, { status: 404, body: { error: expect.any(String) } }),
  read({ errorBody: 'error-records' }, 9, {
    status: 404,
    body: { errors: [{ message: expect.any(String), field: null }] },
  }),
  read({ errorBody: 'empty' }, 9, { status: 404, body: '' }),
  read({ errorBody: 'html', missingRecordStatus: '403' }, 9, { status: 403, body: '<h1>403</h1>' }),
  read({ accountState: 'disabled' }, 9, { status: 402, body: { errors: { cause: 'disabled' } } }),
  join({ membershipBump: 'contact' }, ['contact_2'], times(LATER)),
  join({ membershipBump: 'contact-if-changed' }, ['contact_2'], times(EARLIER)),
  join({ membershipBump: 'contact-if-changed' }, ['contact_1'], times(LATER, EARLIER)),
  join({ membershipBump: 'nothing' }, ['contact_1'], times(EARLIER, EARLIER)),
  list({ sortTies: 'id-descending' }, 'order=updated_at', { body: { data: ref('contact_2', 'contact_1') } }),
  list({}, 'page=2', { body: { data: [] } }),
  list({ pastEnd: '404' }, 'page=2', { status: 404 }),
  list({ pastEnd: 'last-page' }, 'page=2', { body: { data: ref('contact_1', 'contact_2') } }),
  read({ timestampFormat: 'iso' }, 2, { body: { data: { created_at: '2026-01-01T12:00:00Z' } } }),
  read({ timestampFormat: 'iso-ms' }, 2, { body: { data: { created_at: '2026-01-01T12:00:00.000Z' } } }),
  read({ nullFields: 'absent' }, 2, {
    body: { data: { extra_data: expect.not.objectContaining({ muted_at: null }) } },
  }),
];

it.each(ROWS)('under %j, %s %s has the answer of the variant', async (variants, method, path, sent, answer) => {
  await using service = await openService();
  fill(service);
  service.emulator.setVariants(variants);
  service.time.nowMs += 1000;
  expect(await service.send(method, path, sent)).toMatchObject(answer);
});

describe('a deleted contact', () => {
  it.each([
    ['gone', 404, 404],
    ['410', 410, 410],
    ['archived', 200, 404],
  ] as const)(
    'is read and deleted again as the variant %s specifies',
    async (deleteStyle, readStatus, secondStatus) => {
      await using service = await openService({ variants: { deleteStyle } });
      const path = `/v2/contacts/${service.emulator.account.createContact({}).id}`;
      await service.send('DELETE', path);
      expect(await service.ids('/v2/contacts')).toEqual([]);
      expect((await service.send('GET', path)).status).toBe(readStatus);
      expect((await service.send('DELETE', path)).status).toBe(secondStatus);
    },
  );
});

describe('a contact that was merged into another', () => {
  it.each([
    [{}, 'GET', { status: 404 }],
    [{ mergeLosers: 'redirect' }, 'GET', { status: 301 }],
    [{ mergeLosers: 'survivor' }, 'GET', { status: 200, body: { data: { id: 'contact_1' } } }],
    [{ mergeLosers: 'archived' }, 'GET', { status: 200, body: { data: { id: 'contact_2' } } }],
    [{ deleteMerged: 'deletes-survivor' }, 'DELETE', { status: 200, body: { data: { id: 'contact_1' } } }],
  ] as const)('has under %j the answer of the variant to %s', async (variants, method, answer) => {
    await using service = await openService({ variants });
    fill(service);
    await service.send('POST', '/v2/contacts/contact_1/merge', [{ contact_ids: ['contact_2'] }]);
    expect(await service.ids('/v2/contacts')).toEqual(['contact_1']);
    expect(await service.send(method, '/v2/contacts/contact_2')).toMatchObject(answer);
  });
});

it('a clock that is ahead is in the stamps and in the Date header', async ({ account, emulator, send }) => {
  emulator.setVariants({ serviceClock: 'ahead-120s' });
  account.createContact({});
  const answer = await send('GET', '/v2/contacts/contact_1');
  expect(answer.body).toMatchObject({ data: { created_at: '2026-01-01 12:02:00 UTC' } });
  expect(answer.headers.get('date')).toBe('Thu, 01 Jan 2026 12:02:00 GMT');
});

it('under the variant lateVisibility, every second write has an earlier stamp', async ({ account, emulator }) => {
  emulator.setVariants({ lateVisibility: '2s' });
  const [first = 0, second = 0] = [1, 2].map(() => account.createBucket({ name: 'B' }).createdAtMs);
  expect(Math.abs(second - first)).toBe(2000);
});

describe('tokens', () => {
  it('return 401 if unknown, 403 if revoked, or the status of the variant', async ({ emulator, send }) => {
    const statusOf = async (token: string | null) => (await send('GET', '/v2/me', undefined, token)).status;
    const token = emulator.issueToken();
    expect([await statusOf(token), await statusOf(null), await statusOf('made-up')]).toEqual([200, 401, 401]);
    emulator.revokeToken(token);
    expect(await statusOf(token)).toBe(403);
    emulator.setVariants({ revokedStatus: '401' });
    expect(await statusOf(token)).toBe(401);
  });

  it('expire after an hour under the variant one-hour', async ({ emulator, time, send }) => {
    emulator.setVariants({ tokenLife: 'one-hour' });
    time.nowMs += 60 * 60 * 1000 - 1;
    expect((await send('GET', '/v2/me')).status).toBe(200);
    time.nowMs += 1;
    expect((await send('GET', '/v2/me')).status).toBe(401);
  });
});
