import { expect, test } from 'vitest';
import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import type { KnownRows } from '../../../../src/providers/remote.ts';
import { cursorOf, forever, pull, pullKnowing, pullWhole, recordsOf } from '../../../contract/scenes/steps.ts';
import type { Reply, Received } from '../scripted-server.ts';
import { apiError, person, recordOf, startGoogle } from './support.ts';

const long = person(9, {
  emailAddresses: Array.from({ length: 100 }, (_, index) => ({ value: `${index}@x.example` })),
});

const DAY_MS = 24 * 60 * 60 * 1000;

const tombstone = (number: number) => ({
  resourceName: `people/c${number}`,
  metadata: { deleted: true, objectType: 'PERSON', sources: [{ type: 'CONTACT', id: number.toString(16) }] },
});

const last = (connections: unknown[], token = 'sync-1'): Reply => ({ body: { connections, nextSyncToken: token } });
const more = (connections: unknown[]): Reply => ({ body: { connections, nextPageToken: 'p2', totalItems: 3 } });

/** Answers with two pages. */
const paged =
  (first: unknown[], second: unknown[]) =>
  ({ query }: Received): Reply =>
    query.get('pageToken') === 'p2' ? last(second) : more(first);

const renamed = (number: number, ...former: readonly string[]) =>
  person(number, { metadata: { ...Object(person(number)['metadata']), previousResourceNames: former } });

const summariesOf = (pages: readonly FeedPage[]) =>
  pages.flatMap(({ changes }) =>
    changes.map((change) => `${change.kind} ${change.kind === 'upsert' ? change.record.id : change.id}`),
  );

const expired = apiError(400, 'INVALID_ARGUMENT', 'Sync token is expired.', [{ reason: 'EXPIRED_SYNC_TOKEN' }]);

test('[R14] a whole listing requests the CONTACT source, metadata and a sync token, and returns every page', async () => {
  await using google = await startGoogle(paged([person(1), person(2)], [person(3)]));
  const pages = await pullWhole(google.remote);
  expect(summariesOf(pages)).toEqual(['upsert people/c1', 'upsert people/c2', 'upsert people/c3']);
  expect(pages).toMatchObject([{ total: 3, cursor: null }, { total: null }]);
  expect(cursorOf(pages)).toContain('sync-1');
  const [first, second] = google.requests.map(({ query }) => query);
  expect(first?.getAll('sources')).toEqual(['READ_SOURCE_TYPE_CONTACT']);
  expect(first?.get('personFields')?.split(',')).toContain('metadata');
  expect([first?.get('requestSyncToken'), first?.get('pageSize')]).toEqual(['true', '1000']);
  expect(first?.has('sortOrder')).toBe(false);
  second?.delete('pageToken');
  expect(String(second)).toBe(String(first));
});

test('[R14] a whole listing reads no known row, except a row whose id is a former id of another row (R12)', async () => {
  await using google = await startGoogle(
    paged([person(1), person(2)], [renamed(3, 'people/c4'), person(4), person(5)]),
  );
  const unknownIds = ['people/c2', 'people/c3'];
  const checkedIds: string[] = [];
  const known: KnownRows = (rows) => {
    checkedIds.push(...rows.map(({ id }) => id));
    return Promise.resolve(new Set(rows.filter(({ id }) => !unknownIds.includes(id)).map(({ digest }) => digest)));
  };
  const pages = await pull(google.remote, { mode: 'whole', resume: null, known });
  expect(checkedIds).toEqual(['people/c1', 'people/c2', 'people/c3', 'people/c5']);
  expect(pages.map(({ unchanged }) => unchanged)).toEqual([['people/c1'], ['people/c5']]);
  expect(summariesOf(pages)).toEqual(['upsert people/c2', 'upsert people/c3', 'upsert people/c4']);
});

test('[R14] a whole listing resumes where it was interrupted, and keeps the time of its start', async () => {
  await using google = await startGoogle(paged([person(1)], [person(2)]));
  const startedAtMs = google.clock.now();
  const pages = google.remote.pull({ mode: 'whole', resume: null }, forever);
  const first = await pages[Symbol.asyncIterator]().next();
  google.clock.advance(DAY_MS);
  const resumed = await pullWhole(google.remote, (first.value as FeedPage).resume);
  expect(summariesOf(resumed)).toEqual(['upsert people/c2']);
  expect(JSON.parse(cursorOf(resumed))).toMatchObject({ syncToken: 'sync-1', fullAtMs: startedAtMs });
});

const REFUSALS = ['INVALID_ARGUMENT', 'FAILED_PRECONDITION'];

test.each(REFUSALS)('R7, R14: a listing fails if a later page is %s, as expired if it was resumed', async (code) => {
  await using google = await startGoogle(({ query }) =>
    query.has('pageToken') ? apiError(400, code, 'bad page token') : last([person(1)]),
  );
  const { templateHash } = JSON.parse(cursorOf(await pullWhole(google.remote))) as { templateHash: string };
  const resume = JSON.stringify({ pageToken: 'dead', pages: 0, templateHash, fullAtMs: google.clock.now() - DAY_MS });
  await expect(pullWhole(google.remote, resume)).rejects.toMatchObject({ kind: 'cursor-expired', applied: 'no' });
  expect(google.requests.map(({ query }) => query.get('pageToken'))).toEqual([null, 'dead']);
  await using refusing = await startGoogle(({ query }) =>
    query.has('pageToken') ? apiError(400, code) : more([person(1)]),
  );
  await expect(pullWhole(refusing.remote)).rejects.toMatchObject({ kind: 'invalid' });
});

const UNUSABLE = ['not JSON', '{}', JSON.stringify({ pageToken: 'p', templateHash: 'another', fullAtMs: 0, pages: 0 })];

test.each(UNUSABLE)('R7, R14: a listing from the resume point %j has expired', async (resume) => {
  await using google = await startGoogle(() => last([person(1)]));
  await expect(pullWhole(google.remote, resume)).rejects.toMatchObject({ kind: 'cursor-expired' });
  expect(google.requests).toEqual([]);
});

test('[R14] a whole listing fails if its last page has no sync token', async () => {
  await using google = await startGoogle(() => ({ body: {} }));
  await expect(pullWhole(google.remote)).rejects.toMatchObject({ kind: 'unreadable' });
});

test('[R14] a whole listing reads a contact in full if its lists may be truncated, and keeps its former id (R12)', async () => {
  const emails = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `${index}@x.example` }));
  await using google = await startGoogle(({ path }) =>
    path.endsWith('/connections')
      ? last([person(1, { emailAddresses: emails(100) }), person(2, { emailAddresses: emails(99) })])
      : { body: person(9, { emailAddresses: emails(150) }) },
  );
  const [page] = await pullWhole(google.remote);
  const lengths = page?.changes.map((one) => one.kind === 'upsert' && one.record.contact.emailAddresses.length);
  expect(lengths).toEqual([150, 99]);
  expect(page?.changes[0]).toMatchObject({ record: { id: 'people/c9' }, previousIds: ['people/c1'] });
  expect(google.requests.map(({ path }) => path)).toEqual(['/v1/people/me/connections', '/v1/people/c1']);
});

const LABELS = { body: { contactGroups: [{ resourceName: 'contactGroups/all', groupType: 'SYSTEM_CONTACT_GROUP' }] } };
const pullFailing = async (failure: Reply, labels: Reply = LABELS) => {
  await using google = await startGoogle(({ path }) => {
    if (path.endsWith('/connections')) return last([person(1), long, person(2)]);
    return path.endsWith('/contactGroups') ? labels : failure;
  });
  return summariesOf(await pullWhole(google.remote));
};

test.each([
  ['refuses the read', apiError(400, 'INVALID_ARGUMENT')],
  ['fails at the read', apiError(500, 'INTERNAL')],
  ['answers with a malformed contact', { body: { ...person(9), names: 'x' } }],
])('R15: only a contact that must be read in full is unreadable if Google %s', async (_, failure) => {
  expect(await pullFailing(failure)).toEqual(['upsert people/c1', 'unreadable people/c9', 'upsert people/c2']);
});

test.each([
  ['Google fails at other requests too', apiError(500, 'INTERNAL'), apiError(500, 'INTERNAL')],
  ['Google is unavailable', apiError(503, 'UNAVAILABLE'), LABELS],
])('R15: the read of a contact in full ends the pull if %s', async (_, failure, labels) => {
  await expect(pullFailing(failure, labels)).rejects.toMatchObject({ kind: 'unavailable' });
});

const startWith = async (answer: (request: Received) => Reply) => {
  const google = await startGoogle((request) => (request.query.has('syncToken') ? answer(request) : last([])));
  const cursor = cursorOf(await pullWhole(google.remote));
  const pullChanges = (from = cursor) => pull(google.remote, { mode: 'changes', cursor: from });
  return { ...google, cursor, pullChanges };
};

test('[R14] an incremental pull repeats the query with the token, requests the next token, and keeps the time of the full listing', async () => {
  await using google = await startWith(() => last([person(1)], 'sync-2'));
  google.clock.advance(DAY_MS);
  const pages = await google.pullChanges();
  expect(google.requests[1]?.query.get('syncToken')).toBe('sync-1');
  expect(google.requests[1]?.query.get('requestSyncToken')).toBe('true');
  expect(JSON.parse(cursorOf(pages))).toEqual({ ...JSON.parse(google.cursor), syncToken: 'sync-2' });
});

const [MALFORMED, MALFORMED_9] = [person(1, { names: 'x' }), person(9, { names: 'x' })];
const formerlyOne = (row: object) => ({ ...row, metadata: renamed(9, 'people/c1')['metadata'] });
const [DELETED, OTHER] = [tombstone(1), tombstone(2)];

test.each<[string, unknown[], unknown[] | null, string]>([
  ['its row is on a later page', [DELETED], [person(1)], 'upsert people/c1'],
  ['its row is on an earlier page', [person(1)], [DELETED], 'tombstone people/c1, upsert people/c1'],
  ['it has no row', [DELETED], [OTHER], 'tombstone people/c1, tombstone people/c2'],
  ['its row is on one page with its tombstone', [person(1), DELETED], null, 'unreadable people/c1, upsert people/c1'],
  ['its row is on one page after its tombstone', [DELETED, person(1)], null, 'unreadable people/c1, upsert people/c1'],
  ['its row is unreadable', [DELETED, MALFORMED], null, 'unreadable people/c1, unreadable people/c1'],
  ['its row has a new id [R12]', [DELETED, OTHER], [renamed(9, 'people/c1')], 'tombstone people/c2, upsert people/c9'],
  ['its row with a new id is unreadable [R12]', [DELETED, formerlyOne(MALFORMED_9)], null, 'unreadable people/c9'],
  ['its row with a new id cannot be read in full [R12]', [DELETED, formerlyOne(long)], null, 'unreadable people/c9'],
])('R7: the tombstone of a contact deletes none that exists: %s', async (_case, first, second, summaries) => {
  await using google = await startWith((request) => {
    if (request.path.includes('batchGet')) {
      return { body: { responses: [{ requestedResourceName: 'people/c1', person: person(1) }] } };
    }
    return second === null ? last(first) : paged(first, second)(request);
  });
  expect(
    summariesOf(await google.pullChanges())
      .toSorted()
      .join(', '),
  ).toBe(summaries);
});

test('[R14] an incremental pull fails with an expired cursor if the token has expired or the query has changed', async () => {
  await using google = await startWith(() => expired);
  const other = JSON.stringify({ ...JSON.parse(google.cursor), templateHash: 'another' });
  for (const from of [google.cursor, other]) {
    await expect(google.pullChanges(from)).rejects.toMatchObject({ kind: 'cursor-expired' });
  }
  expect(google.requests).toHaveLength(2);
});

test('[R14] an incremental pull requires a full listing after six days, without a request', async () => {
  await using google = await startWith(() => last([]));
  google.clock.advance(6 * DAY_MS - 1);
  await google.pullChanges();
  google.clock.advance(1);
  await expect(google.pullChanges()).rejects.toMatchObject({ kind: 'cursor-expired' });
  expect(google.requests).toHaveLength(2);
});

test('a contact is unchanged in the whole listing after its former ids were reported [R1, R12]', async () => {
  await using google = await startGoogle(() => last([renamed(2, 'people/c1')]));
  const first = await pullWhole(google.remote);
  expect(first[0]?.changes).toMatchObject([{ kind: 'upsert', previousIds: ['people/c1'] }]);
  const [second] = await pullKnowing(google.remote, recordsOf(first));
  expect(second).toMatchObject({ changes: [], unchanged: ['people/c2'] });
});

const updates = Array.from({ length: 16 }, (_, index) => {
  const current = recordOf(person(index + 1));
  return { key: `k${index}`, current, desired: { ...current.contact, title: 'Countess' }, fields: ['title'] as const };
});

test('during an outage a batch is not sent item by item', async () => {
  await using google = await startGoogle(() => apiError(500, 'INTERNAL'));
  const results = await google.remote.update(updates, forever);
  expect(results.map((result) => !result.ok && result.error.applied)).toEqual(Array(16).fill('unknown'));
  expect(google.requests).toHaveLength(3);
});
