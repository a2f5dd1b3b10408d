import { expect, it } from 'vitest';
import type { ServiceVariants } from '../../../../src/sandbox/service/variants.ts';
import { startServiceEmulator } from '../../../../src/sandbox/service/server.ts';

/** The response to a request; `body` is the JSON, or the text if it is not JSON. */
type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown };

const parseBody = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

/** An emulator on a clock that only a test advances, and a client of it. */
const openService = async (options: Parameters<typeof startServiceEmulator>[0] = {}) => {
  const time = { nowMs: Date.UTC(2026, 0, 1, 12) };
  const emulator = await startServiceEmulator({ clock: { now: () => time.nowMs }, ...options });
  const fullToken = emulator.issueToken();
  /** Sends a request, with `{ data }` as body, and with a token that has every scope, or with another one. */
  const send = async (
    method: string,
    path: string,
    data?: unknown,
    token: string | null = fullToken,
  ): Promise<Answer> => {
    const headers = {
      'content-type': 'application/json',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    const body = typeof data === 'string' ? data : JSON.stringify({ data });
    const init = { method, redirect: 'manual', headers, ...(data === undefined ? {} : { body }) } as const;
    const response = await fetch(`${emulator.url}${path}`, init);
    return { status: response.status, headers: response.headers, body: parseBody(await response.text()) };
  };
  return { emulator, time, send, [Symbol.asyncDispose]: () => emulator.close() };
};

type Service = Awaited<ReturnType<typeof openService>>;

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
  createBucket('allowed', { body: { data: { id: 'bucket_2' } } }),
  createBucket('existing', { body: { data: { id: 'bucket_1' } } }),
  createBucket('422', { status: 422 }),
  join({ membershipBump: 'contact' }, ['contact_2'], times(LATER)),
  join({ membershipBump: 'contact-if-changed' }, ['contact_2'], times(EARLIER)),
  join({ membershipBump: 'contact-if-changed' }, ['contact_1'], times(LATER, EARLIER)),
  join({ membershipBump: 'nothing' }, ['contact_1'], times(EARLIER, EARLIER)),
  get({ sortTies: 'id-descending' }, '?order=updated_at', { body: { data: ref('contact_2', 'contact_1') } }),
];

it.each(ROWS)('under %j, %s %s has the answer of the variant', async (variants, method, path, sent, answer) => {
  await using service = await openService();
  fill(service);
  service.emulator.setVariants(variants);
  service.time.nowMs += 1000;
  expect(await service.send(method, path, sent)).toMatchObject(answer);
});

const rateHeaders = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

it('every answer has the rate limit, errors too', async () => {
  await using service = await openService();
  const { time, send } = service;
  time.nowMs += 15_000;
  expect(rateHeaders(await send('GET', '/v2/me'))).toEqual(['500/minute', '499', '45']);
  expect(rateHeaders(await send('GET', '/v2/contacts/contact_1'))).toEqual(['500/minute', '498', '45']);
  expect(rateHeaders(await send('GET', '/v2/me', undefined, null))).toEqual(['500/minute', '499', '45']);
});

it('a request above the limit is a 429, is not applied and is counted, until the window resets', async () => {
  await using service = await openService({ rateLimit: { requests: 1, windowMs: 60_000 } });
  await service.send('GET', '/v2/me');
  const refused = await service.send('POST', '/v2/contacts', {});
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  expect(rateHeaders(refused)).toEqual(['1/minute', '0', '60']);
  expect([service.emulator.overLimit, service.emulator.account.contacts()]).toEqual([1, []]);
  service.time.nowMs += 60_000;
  expect((await service.send('GET', '/v2/me')).status).toBe(200);
});

it('faults are applied in order, each to so many matching requests after those that it skips, until cleared', async () => {
  await using service = await openService();
  const list = async (): Promise<number> => (await service.send('GET', '/v2/contacts?order=id')).status;
  service.emulator.addFault({ path: /contacts/u, skip: 1, times: 2, action: { kind: 'status', status: 500 } });
  service.emulator.addFault({ path: 'order=id', action: { kind: 'status', status: 503 } });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count += 1) statuses.push(await list());
  expect(statuses).toEqual([503, 500, 500, 200]);
  service.emulator.addFault({ times: 9, action: { kind: 'html' } });
  service.emulator.clearFaults();
  expect(await list()).toBe(200);
});
