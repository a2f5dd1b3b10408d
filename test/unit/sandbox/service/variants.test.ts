import { expect, it } from 'vitest';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { openService, type Service } from './harness.ts';

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
const TEXT = expect.any(String) as unknown;
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
const get = (on: Under, path: string, answer: object): Row => [on, 'GET', `/v2/contacts${path}`, undefined, answer];

const ROWS: readonly Row[] = [
  patch({ scalarNull: 'ignored' }, { company: null }, { company: 'Acme' }),
  patch({}, { company: '' }, { company: '' }),
  patch({ scalarEmpty: 'clears' }, { company: '' }, { company: null }),
  patch({ scalarEmpty: 'ignored' }, { company: '' }, { company: 'Acme' }),
  patch({ emptyArray: 'ignored' }, { tags: [] }, { tags: ['vip'] }),
  patch({ nullArray: 'ignored' }, { tags: null }, { tags: ['vip'] }),
  patch({ longText: 'truncated' }, { company: LONG }, { company: LONG.slice(1) }),
  patch({ normalisation: 'emails' }, addresses(email(' A@X.example')), addresses({ address: 'a@x.example' })),
  patch({ normalisation: 'all' }, { tags: ['A', 'a '] }, { tags: ['A'] }),
  patch({ arrayPatch: 'replace' }, addresses(...SENT), addresses(email('A@x.example'), email('c@x.example'))),
  patch(
    { arrayPatch: 'merge-by-value' },
    addresses(...SENT),
    addresses(email('A@x.example'), email('b@x.example'), email('c@x.example')),
  ),
  create({ createRequires: 'name-or-email' }, {}, { status: 422 }),
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
  join({ bulkBadIds: 'partial-with-errors' }, UNKNOWN_MEMBER, { body: { errors: ['Unknown id contact_9'] } }),
  [{ putNoBuckets: '422' }, 'PUT', '/v2/contacts/contact_2/buckets', [], { status: 422 }],
  join({ bulkAnswer: 'touched' }, ['contact_1'], { body: { data: ref('contact_1') } }),
  get({ errorBody: 'errors-object' }, '/contact_9', { status: 404, body: { errors: { cause: TEXT } } }),
  get({ errorBody: 'error-text' }, '/contact_9', { status: 404, body: { error: TEXT } }),
  get({ errorBody: 'error-records' }, '/contact_9', { body: { errors: [{ message: TEXT, field: null }] } }),
  get({ errorBody: 'empty' }, '/contact_9', { status: 404, body: '' }),
  get({ errorBody: 'html', missingRecordStatus: '403' }, '/contact_9', { status: 403, body: '<h1>403</h1>' }),
  get({ accountState: 'disabled' }, '/contact_9', { status: 402, body: { errors: { cause: 'disabled' } } }),
  join({ membershipBump: 'contact' }, ['contact_2'], times(LATER)),
  join({ membershipBump: 'contact-if-changed' }, ['contact_2'], times(EARLIER)),
  join({ membershipBump: 'contact-if-changed' }, ['contact_1'], times(LATER, EARLIER)),
  join({ membershipBump: 'nothing' }, ['contact_1'], times(EARLIER, EARLIER)),
  get({ sortTies: 'id-descending' }, '?order=updated_at', { body: { data: ref('contact_2', 'contact_1') } }),
  get({}, '?page=2', { body: { data: [] } }),
  get({ pastEnd: '404' }, '?page=2', { status: 404 }),
  get({ pastEnd: 'last-page' }, '?page=2', { body: { data: ref('contact_1', 'contact_2') } }),
  get({ timestampFormat: 'iso' }, '/contact_2', { body: { data: { created_at: '2026-01-01T12:00:00Z' } } }),
];

it.each(ROWS)('under %j, %s %s has the answer of the variant', async (variants, method, path, sent, answer) => {
  await using service = await openService();
  fill(service);
  service.emulator.setVariants(variants);
  service.time.nowMs += 1000;
  expect(await service.send(method, path, sent)).toMatchObject(answer);
});

/** `count` contacts, one second apart. */
const fillContacts = ({ emulator, time }: Service, count: number): void => {
  for (let number = 1; number <= count; number += 1) {
    emulator.account.createContact({});
    time.nowMs += 1000;
  }
};

const contactIds = (...numbers: readonly number[]): string[] => numbers.map((number) => `contact_${number}`);

it.each<[Under, object]>([
  [{ nextPageForm: 'number' }, { total: 51, next_page: 2, previous_page: null }],
  [
    { nextPageForm: 'relative-path', noPage: 'empty-string' },
    { total: 51, next_page: '/v2/contacts?page=2', previous_page: '' },
  ],
  [{ metaTotal: 'absent', noPage: 'absent', nextPageForm: 'number' }, { next_page: 2 }],
])('a page is described as the variants %j specify', async (variants, meta) => {
  await using service = await openService({ variants });
  fillContacts(service, 51);
  expect((await service.send('GET', '/v2/contacts')).body).toHaveProperty('meta', meta);
});

it.each([
  ['inclusive', contactIds(2, 3, 4)],
  ['exclusive', contactIds(3)],
  ['after-exclusive', contactIds(3, 4)],
] as const)('a filter by time has %s bounds', async (bounds, expected) => {
  await using service = await openService({ variants: { bounds } });
  fillContacts(service, 5);
  const range = 'updated_at.after=2026-01-01T12:00:01Z&updated_at.before=2026-01-01T13:00:03%2B01:00';
  expect(await service.ids(`/v2/contacts?${range}`)).toEqual(expected);
});

it('a list that lags shows changes late, while a read by id shows them at once', async () => {
  await using service = await openService({ variants: { listLag: '2s' } });
  const { account } = service.emulator;
  fillContacts(service, 2);
  service.time.nowMs += 5000;
  account.updateContact('contact_1', { title: 'New' });
  account.deleteContact('contact_2');
  account.createContact({});
  expect((await service.send('GET', '/v2/contacts/contact_1')).body).toMatchObject({ data: { title: 'New' } });
  const lagged = { data: [{ id: 'contact_1', title: '' }, { id: 'contact_2' }] };
  expect((await service.send('GET', '/v2/contacts')).body).toMatchObject(lagged);
  service.time.nowMs += 2000;
  expect(await service.ids('/v2/contacts')).toEqual(contactIds(1, 3));
});

it('a clock that is ahead is in the stamps and in the Date header', async () => {
  await using service = await openService({ variants: { serviceClock: 'ahead-120s' } });
  service.emulator.account.createContact({});
  const answer = await service.send('GET', '/v2/contacts/contact_1');
  expect(answer.body).toMatchObject({ data: { created_at: '2026-01-01 12:02:00 UTC' } });
  expect(answer.headers.get('date')).toBe('Thu, 01 Jan 2026 12:02:00 GMT');
});

it('under the variant lateVisibility, every second write has an earlier stamp', async () => {
  await using service = await openService({ variants: { lateVisibility: '2s' } });
  const { account } = service.emulator;
  const [first = 0, second = 0] = [1, 2].map(() => account.createBucket({ name: 'B' }).createdAtMs);
  expect(Math.abs(second - first)).toBe(2000);
});

it('a token returns 401 if unknown, 403 if revoked, or the status of the variant, and may expire', async () => {
  await using service = await openService();
  const { emulator, time } = service;
  const statusOf = async (token?: string) => (await service.send('GET', '/v2/me', undefined, token)).status;
  expect(await statusOf('made-up')).toBe(401);
  const token = emulator.issueToken();
  emulator.revokeToken(token);
  expect(await statusOf(token)).toBe(403);
  emulator.setVariants({ revokedStatus: '401', tokenLife: 'one-hour' });
  expect(await statusOf(token)).toBe(401);
  time.nowMs += 60 * 60 * 1000 - 1;
  expect(await statusOf()).toBe(200);
  time.nowMs += 1;
  expect(await statusOf()).toBe(401);
});
