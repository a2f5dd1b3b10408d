import { expect, it } from 'vitest';
import type { MembershipRequest } from '../../../../src/core/contact/requests.ts';
import { planMembershipRequests } from '../../../../src/providers/service/membership-plan.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Reply, Received } from '../scripted-server.ts';
import { failureOf, bucketJson, contactJson, list, startServer } from './support.ts';

const change = (number: number, over: Partial<MembershipRequest>): MembershipRequest => {
  return { key: `k${number}`, id: `contact_${number}`, add: [], remove: [], knownGroupIds: null, ...over };
};

const fresh = (count: number) =>
  Array.from({ length: count }, (_, index) => change(index, { add: ['bucket_1'], knownGroupIds: [] }));

const sentIds = (request: Received | undefined): string[] => {
  const body = request?.body as { data?: { id: string }[] } | undefined;
  return (body?.data ?? []).map((row) => row.id);
};

/** Answers a change of buckets with a list of the sent buckets. */
const echo = (request: Received): Reply => ({ body: list(sentIds(request).map((id) => ({ ...bucketJson(0), id }))) });

it('[R11] the membership of one contact is changed with one request for additions and one for removals, so that a bucket added in the meantime is kept', async () => {
  await using server = await startServer(echo);
  const batch = [
    change(1, { add: ['bucket_3'], lastGroupIds: ['bucket_1'] }),
    change(2, { remove: ['bucket_2', 'bucket_1'], lastGroupIds: ['bucket_1', 'bucket_2', 'bucket_4'] }),
    change(3, { add: ['bucket_3'], remove: ['bucket_2'], knownGroupIds: ['bucket_2'] }),
  ];
  const results = await server.remote.changeMembership(batch, forever);
  expect(server.calls().toSorted()).toEqual([
    'DELETE /v2/contacts/contact_2/buckets',
    'DELETE /v2/contacts/contact_3/buckets',
    'POST /v2/contacts/contact_1/buckets',
    'POST /v2/contacts/contact_3/buckets',
  ]);
  const memberships = results.map((result) => result.ok && result.value);
  expect(memberships).toEqual([['bucket_1', 'bucket_3'], ['bucket_4'], ['bucket_3']]);
});

it('[R11] the membership of one contact is read over all pages and replaced if the service refuses to add or remove a bucket', async () => {
  const present = Array.from({ length: 70 }, (_, index) => ({ ...bucketJson(index + 1), name: null }));
  await using server = await startServer((request) => {
    if (request.method === 'POST') return { status: 422 };
    if (request.method !== 'GET') return echo(request);
    const page = Number(request.query.get('page') ?? '1');
    return { body: list(present.slice((page - 1) * 50, page * 50)) };
  });
  const batch = [change(5, { add: ['bucket_99'], remove: ['bucket_2'] })];
  const [result] = await server.remote.changeMembership(batch, forever);
  const read = 'GET /v2/contacts/contact_5/buckets';
  expect(server.calls().slice(1)).toEqual([read, read, 'PUT /v2/contacts/contact_5/buckets']);
  const kept = [...present.map(({ id }) => id).filter((id) => id !== 'bucket_2'), 'bucket_99'].toSorted();
  expect(sentIds(server.received.at(-1)).toSorted()).toEqual(kept);
  expect(result).toEqual({ key: 'k5', ok: true, value: kept });
});

it('[R10, R11] the membership of one contact is not replaced if its list may end at a page limit', async () => {
  const present = Array.from({ length: 50 }, (_, index) => bucketJson(index + 1));
  await using server = await startServer(({ method }) =>
    method === 'POST' ? { status: 422 } : { body: { data: present } },
  );
  const batch = [change(5, { add: ['bucket_99'], remove: ['bucket_2'] })];
  expect(await server.remote.changeMembership(batch, forever)).toMatchObject([{ error: { kind: 'invalid' } }]);
  expect(server.received.filter(({ method }) => method === 'PUT')).toEqual([]);
});

it('[R11] the membership of one contact is returned as the service returns it', async () => {
  await using server = await startServer(({ method }) => ({ body: list(method === 'GET' ? [] : [bucketJson(1)]) }));
  const batch = [change(1, { add: ['bucket_1', 'bucket_2'], knownGroupIds: [] })];
  const [result] = await server.remote.changeMembership(batch, forever);
  expect(result).toMatchObject({ value: ['bucket_1'] });
});

it.each<[string, Reply]>([
  ['refuses', { status: 422, body: { errors: ['data is empty'] } }],
  ['ignores', { body: list([bucketJson(1)]) }],
])('[R11] the membership of one contact is emptied by a removal if the service %s an empty set', async (_name, put) => {
  let refusals = 1;
  await using server = await startServer(({ method }) => {
    if (method === 'PUT') return put;
    if (method === 'DELETE' && refusals-- > 0) return { status: 422 };
    return { body: list(method === 'GET' ? [bucketJson(1)] : []) };
  });
  const results = await server.remote.changeMembership([change(1, { remove: ['bucket_1'] })], forever);
  expect(results).toEqual([{ key: 'k1', ok: true, value: [] }]);
  const path = '/v2/contacts/contact_1/buckets';
  expect(server.calls().slice(2)).toEqual([`PUT ${path}`, `DELETE ${path}`]);
  expect(sentIds(server.received.at(-1))).toEqual(['bucket_1']);
});

const rows = (...ids: readonly string[]): Reply => ({ body: list(ids.map((id) => contactJson(0, { id }))) });
const otherPage = rows(...Array.from({ length: 50 }, (_, index) => `contact_${index + 500}`));

const PARTS = [250, 100, 100, 50];
const TOO_MANY = { status: 422, body: { errors: ['Too many contacts: the limit is 100'] } };

it.each<[string, number, (ids: readonly string[]) => Reply, number[], number]>([
  ['one at a time if the bulk answer does not contain them', 10, (ids) => rows(...ids.slice(2)), [10], 2],
  ['only in bulk if the answer is limited to one page', 100, () => otherPage, [100], 0],
  ['only in bulk if the answer is empty', 100, () => ({ status: 204 }), [100], 0],
  ['in smaller parts after a refusal', 250, (ids) => ({ status: ids.length > 100 ? 422 : 204 }), PARTS, 0],
  ['in smaller parts after words on a limit', 250, (ids) => (ids.length > 100 ? TOO_MANY : { status: 204 }), PARTS, 0],
  ['one at a time for the refused part', 250, (ids) => ({ status: ids.includes('contact_7') ? 404 : 204 }), PARTS, 100],
  ['in bulk, at most 500 at a time', 600, (ids) => rows(...ids), [500, 100], 0],
])('[R11] many new contacts are written %s', async (_, count, answer, bulkSizes, singles) => {
  await using server = await startServer((request) =>
    request.path.startsWith('/v2/buckets/') ? answer(sentIds(request)) : echo(request),
  );
  const results = await server.remote.changeMembership(fresh(count), forever);
  const bulk = server.received.filter(({ path }) => path.startsWith('/v2/buckets/'));
  expect(bulk.map((request) => sentIds(request).length)).toEqual(bulkSizes);
  expect(server.received.length - bulk.length).toBe(singles);
  expect(results.filter((result) => result.ok && result.value.join() === 'bucket_1')).toHaveLength(count);
});

it('[R11] many new contacts may have been added if the bulk answer was lost', async () => {
  await using server = await startServer(() => ({ status: 502 }));
  const results = await server.remote.changeMembership(fresh(4), forever);
  expect(server.received).toHaveLength(1);
  expect(results.map((result) => !result.ok && result.error.applied)).toEqual(Array(4).fill('unknown'));
});

it('[R9, R16] a credential that is refused during a batch keeps the earlier results, and ends the batch', async () => {
  await using server = await startServer((request, index) => (index === 0 ? echo(request) : { status: 401 }));
  const batch = Array.from({ length: 100 }, (_, number) => change(number, { add: ['bucket_1'], lastGroupIds: [] }));
  const results = await server.remote.changeMembership(batch, forever);
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  expect(results.some((result) => !result.ok && result.error.kind === 'unauthenticated')).toBe(true);
  expect(results.length).toBeLessThan(batch.length);
  expect(server.received.length).toBe(results.length);
});

it('[R9, R16] a credential that is refused during a batch leaves a partly applied change unknown', async () => {
  await using server = await startServer((request) => (request.method === 'POST' ? echo(request) : { status: 401 }));
  const batch = [change(1, { add: ['bucket_3'], remove: ['bucket_1'], lastGroupIds: ['bucket_1'] })];
  expect(await server.remote.changeMembership(batch, forever)).toMatchObject([
    { key: 'k1', ok: false, error: { applied: 'unknown' } },
  ]);
});

it('R9: a change of membership is unknown if its addition was applied and its removal is refused', async () => {
  await using server = await startServer((request) => (request.method === 'POST' ? echo(request) : { status: 422 }));
  const batch = [change(1, { add: ['bucket_3'], remove: ['bucket_2'] }), change(2, { remove: ['bucket_2'] })];
  const results = await server.remote.changeMembership(batch, forever);
  expect(results).toMatchObject([{ error: { applied: 'unknown' } }, { error: { applied: 'no' } }]);
});

it('[R9, R16] a credential that is refused during a batch prevents further requests after a bulk addition', async () => {
  await using server = await startServer(() => ({ status: 401 }));
  const batch = [...fresh(3), change(9, { remove: ['bucket_2'] })];
  const error = await failureOf(server.remote.changeMembership(batch, forever));
  expect(error).toMatchObject({ kind: 'unauthenticated', applied: 'no' });
  expect(server.received).toHaveLength(1);
});

const adding = (number: number, add: readonly string[]) => change(number, { add, knownGroupIds: [] });

const many = (count: number, add: (index: number) => readonly string[], over: Partial<MembershipRequest> = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...adding(index, add(index)), ...over }));

const b1 = () => ['b1'];
const RARE = [adding(90, ['big', 'rare1', 'rare2']), adding(91, ['rare3'])];

it.each<[string, readonly MembershipRequest[], number, number]>([
  ['one contact of some buckets', [adding(1, ['b1', 'b2', 'b3'])], 1, 0],
  ['contacts of one bucket', many(2, b1), 0, 1],
  ['two contacts of more buckets', many(2, () => ['b1', 'b2', 'b3']), 2, 0],
  ['contacts that also have a rare bucket', many(2, (index) => [`b${index}`, 'all']), 2, 0],
  ['big buckets in bulk, contacts of rare buckets one at a time', [...many(40, () => ['big', 'other']), ...RARE], 2, 2],
  ['a removal, never in bulk', many(60, b1, { remove: ['b2'] }), 60, 0],
  ['an unknown membership, never in bulk', many(60, b1, { knownGroupIds: null }), 60, 0],
  ['a present membership, never in bulk', many(60, b1, { knownGroupIds: ['b1'] }), 60, 0],
])('[R11] the plan of membership requests takes few requests for %s', (_, batch, single, bulk) => {
  const plan = planMembershipRequests(batch);
  expect([plan.single.length, plan.additions.length]).toEqual([single, bulk]);
});

it('[R11] the plan of membership requests adds in bulk only what is missing', () => {
  const present = many(10, () => ['b1', 'b2'], { knownGroupIds: ['b1'] });
  const { additions } = planMembershipRequests([
    ...present,
    ...many(20, b1).map((one) => ({ ...one, id: `${one.id}0` })),
  ]);
  const sizes = additions.map(({ bucketId, contactIds }) => `${bucketId} ${contactIds.length}`);
  expect(sizes).toEqual(['b2 10', 'b1 20']);
});
