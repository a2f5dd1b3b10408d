import { describe, expect, test } from 'vitest';
import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import type { KnownRows } from '../../../../src/providers/remote.ts';
import { collect, forever } from '../../../contract/scenes/steps.ts';
import type { Reply, Received } from '../scripted-server.ts';
import { apiError, type Google, person, recordOf, startGoogle } from './support.ts';

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

const pullWhole = (google: Google, resume: string | null = null, known?: KnownRows): Promise<FeedPage[]> =>
  collect(google.remote.pull({ mode: 'whole', resume, ...(known && { known }) }, forever));

const cursorOf = (pages: readonly FeedPage[]): string => pages.at(-1)?.cursor ?? '';

const summariesOf = (pages: readonly FeedPage[]) =>
  pages.flatMap(({ changes }) =>
    changes.map((change) => `${change.kind} ${change.kind === 'upsert' ? change.record.id : change.id}`),
  );

const expired = apiError(400, 'INVALID_ARGUMENT', 'Sync token is expired.', [{ reason: 'EXPIRED_SYNC_TOKEN' }]);

describe('[R14] a whole listing', () => {
  test('requests the CONTACT source, metadata and a sync token, and returns every page', async () => {
    await using google = await startGoogle(paged([person(1), person(2)], [person(3)]));
    const pages = await pullWhole(google);
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

  test('reads no known row, except a row whose id is a former id of another row (R12)', async () => {
    await using google = await startGoogle(
      paged([person(1), person(2)], [renamed(3, 'people/c4'), person(4), person(5)]),
    );
    const unknownIds = ['people/c2', 'people/c3'];
    const checkedIds: string[] = [];
    const known: KnownRows = (rows) => {
      checkedIds.push(...rows.map(({ id }) => id));
      return Promise.resolve(new Set(rows.filter(({ id }) => !unknownIds.includes(id)).map(({ digest }) => digest)));
    };
    const pages = await pullWhole(google, null, known);
    expect(checkedIds).toEqual(['people/c1', 'people/c2', 'people/c3', 'people/c5']);
    expect(pages.map(({ unchanged }) => unchanged)).toEqual([['people/c1'], ['people/c5']]);
    expect(summariesOf(pages)).toEqual(['upsert people/c2', 'upsert people/c3', 'upsert people/c4']);
  });

  test('resumes where it was interrupted, and keeps the time of its start', async () => {
    await using google = await startGoogle(paged([person(1)], [person(2)]));
    const startedAtMs = google.clock.now();
    const pages = google.remote.pull({ mode: 'whole', resume: null }, forever);
    const first = await pages[Symbol.asyncIterator]().next();
    google.clock.advance(DAY_MS);
    const resumed = await pullWhole(google, (first.value as FeedPage).resume);
    expect(summariesOf(resumed)).toEqual(['upsert people/c2']);
    expect(JSON.parse(cursorOf(resumed))).toMatchObject({ syncToken: 'sync-1', fullAtMs: startedAtMs });
  });

  test('fails if a later page is refused, and as expired if it was resumed [R7]', async () => {
    await using google = await startGoogle(({ query }) =>
      query.has('pageToken') ? apiError(400, 'INVALID_ARGUMENT', 'bad page token') : last([person(1)]),
    );
    const { templateHash } = JSON.parse(cursorOf(await pullWhole(google))) as { templateHash: string };
    const resume = JSON.stringify({ pageToken: 'dead', templateHash, fullAtMs: google.clock.now() - DAY_MS });
    await expect(pullWhole(google, resume)).rejects.toMatchObject({ kind: 'cursor-expired', applied: 'no' });
    expect(google.requests.map(({ query }) => query.get('pageToken'))).toEqual([null, 'dead']);
    await using refusing = await startGoogle(({ query }) =>
      query.has('pageToken') ? apiError(400, 'INVALID_ARGUMENT') : more([person(1)]),
    );
    await expect(pullWhole(refusing)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test.each(['not JSON', '{}', JSON.stringify({ pageToken: 'p', templateHash: 'another', fullAtMs: 0 })])(
    'fails as expired, without a request, if the resume point is %j [R7]',
    async (resume) => {
      await using google = await startGoogle(() => last([person(1)]));
      await expect(pullWhole(google, resume)).rejects.toMatchObject({ kind: 'cursor-expired' });
      expect(google.requests).toEqual([]);
    },
  );

  test('returns one unreadable person as one unreadable change', async () => {
    await using google = await startGoogle(() => last([person(1), { ...person(2), names: 'x' }, person(3)]));
    const summaries = ['upsert people/c1', 'unreadable people/c2', 'upsert people/c3'];
    expect(summariesOf(await pullWhole(google))).toEqual(summaries);
  });

  test('fails if its last page has no sync token', async () => {
    await using google = await startGoogle(() => ({ body: {} }));
    await expect(pullWhole(google)).rejects.toMatchObject({ kind: 'unreadable' });
  });

  test('reads a contact in full if its lists may be truncated, and keeps its former id (R12)', async () => {
    const emails = (count: number) => Array.from({ length: count }, (_, index) => ({ value: `${index}@x.example` }));
    await using google = await startGoogle(({ path }) =>
      path.endsWith('/connections')
        ? last([person(1, { emailAddresses: emails(100) }), person(2, { emailAddresses: emails(99) })])
        : { body: person(9, { emailAddresses: emails(150) }) },
    );
    const [page] = await pullWhole(google);
    const lengths = page?.changes.map((one) => one.kind === 'upsert' && one.record.contact.emailAddresses.length);
    expect(lengths).toEqual([150, 99]);
    expect(page?.changes[0]).toMatchObject({ record: { id: 'people/c9' }, previousIds: ['people/c1'] });
    expect(google.requests.map(({ path }) => path)).toEqual(['/v1/people/me/connections', '/v1/people/c1']);
  });
});

describe('R15: a contact that must be read in full', () => {
  const LABELS = {
    body: { contactGroups: [{ resourceName: 'contactGroups/all', groupType: 'SYSTEM_CONTACT_GROUP' }] },
  };
  const pullFailing = async (failure: Reply, labels: Reply = LABELS) => {
    await using google = await startGoogle(({ path }) => {
      if (path.endsWith('/connections')) return last([person(1), long, person(2)]);
      return path.endsWith('/contactGroups') ? labels : failure;
    });
    return summariesOf(await pullWhole(google));
  };

  test.each([
    ['refuses the read', apiError(400, 'INVALID_ARGUMENT')],
    ['fails at the read', apiError(500, 'INTERNAL')],
    ['answers with a malformed contact', { body: { ...person(9), names: 'x' } }],
  ])('is unreadable, and the others are read, if Google %s', async (_, failure) => {
    expect(await pullFailing(failure)).toEqual(['upsert people/c1', 'unreadable people/c9', 'upsert people/c2']);
  });

  test.each([
    ['Google fails at other requests too', apiError(500, 'INTERNAL'), apiError(500, 'INTERNAL')],
    ['Google is unavailable', apiError(503, 'UNAVAILABLE'), LABELS],
  ])('ends the pull if %s', async (_, failure, labels) => {
    await expect(pullFailing(failure, labels)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('[R14] an incremental pull', () => {
  const startWith = async (answer: (request: Received) => Reply) => {
    const google = await startGoogle((request) => (request.query.has('syncToken') ? answer(request) : last([])));
    const cursor = cursorOf(await pullWhole(google));
    const pullChanges = (from = cursor) => collect(google.remote.pull({ mode: 'changes', cursor: from }, forever));
    return { ...google, cursor, pullChanges };
  };

  test('repeats the query with the token, requests the next token, and keeps the time of the full listing', async () => {
    await using google = await startWith(() => last([person(1)], 'sync-2'));
    google.clock.advance(DAY_MS);
    const pages = await google.pullChanges();
    expect(google.requests[1]?.query.get('syncToken')).toBe('sync-1');
    expect(google.requests[1]?.query.get('requestSyncToken')).toBe('true');
    expect(JSON.parse(cursorOf(pages))).toEqual({ ...JSON.parse(google.cursor), syncToken: 'sync-2' });
  });

  test('[R7] does not delete a contact that is restored during the pull, and deletes one that is deleted during it', async () => {
    const rows = [tombstone(1), person(2), tombstone(3)];
    await using google = await startWith(paged(rows, [person(1), tombstone(2)]));
    const summaries = ['tombstone people/c2', 'tombstone people/c3', 'upsert people/c1', 'upsert people/c2'];
    expect(summariesOf(await google.pullChanges()).toSorted()).toEqual(summaries);
  });

  test.each([
    ['the tombstone is first', [tombstone(1), person(1)]],
    ['the tombstone is last', [person(1), tombstone(1)]],
    ['the contact is unreadable', [tombstone(1), person(1, { names: 'x' })]],
  ])('[R7] reads a contact that one page names as deleted and as existing: %s', async (_case, rows) => {
    await using google = await startWith(({ path }) =>
      path.includes('batchGet')
        ? { body: { responses: [{ requestedResourceName: 'people/c1', person: person(1) }] } }
        : last(rows),
    );
    expect(summariesOf(await google.pullChanges())).not.toContain('tombstone people/c1');
  });

  test('[R12] does not treat the tombstone of a former id as a deletion, even if the tombstone comes first', async () => {
    await using google = await startWith(paged([tombstone(1), tombstone(2)], [renamed(9, 'people/c1')]));
    const pages = await google.pullChanges();
    expect(summariesOf(pages)).toEqual(['upsert people/c9', 'tombstone people/c2']);
    expect(pages.at(-1)?.changes[0]).toMatchObject({ previousIds: ['people/c1'] });
    expect(google.requests.at(-1)?.query.get('syncToken')).toBe('sync-1');
  });

  test.each([
    ['its row is malformed', person(9, { names: 'x' })],
    ['it cannot be read in full', long],
  ])('R7, R12: the tombstone of a former id of an unreadable contact is not a deletion: %s', async (_, row) => {
    const formerly = { ...row, metadata: renamed(9, 'people/c1')['metadata'] };
    await using google = await startWith(() => last([tombstone(1), formerly]));
    expect(summariesOf(await google.pullChanges())).toEqual(['unreadable people/c9']);
  });

  test('fails with an expired cursor if the token has expired or the query has changed', async () => {
    await using google = await startWith(() => expired);
    const other = JSON.stringify({ ...JSON.parse(google.cursor), templateHash: 'another' });
    for (const from of [google.cursor, other]) {
      await expect(google.pullChanges(from)).rejects.toMatchObject({ kind: 'cursor-expired' });
    }
    expect(google.requests).toHaveLength(2);
  });

  test('requires a full listing after six days, without a request', async () => {
    await using google = await startWith(() => last([]));
    google.clock.advance(6 * DAY_MS - 1);
    await google.pullChanges();
    google.clock.advance(1);
    await expect(google.pullChanges()).rejects.toMatchObject({ kind: 'cursor-expired' });
    expect(google.requests).toHaveLength(2);
  });
});

test('a contact is unchanged in the whole listing after its former ids were reported [R1, R12]', async () => {
  await using google = await startGoogle(() => last([renamed(2, 'people/c1')]));
  const [first] = await pullWhole(google);
  const [change] = first?.changes ?? [];
  expect(change).toMatchObject({ kind: 'upsert', previousIds: ['people/c1'] });
  const digest = change?.kind === 'upsert' ? change.record.digest : undefined;
  const known: KnownRows = (rows) =>
    Promise.resolve(new Set(rows.flatMap((row) => (row.digest === digest ? [row.digest] : []))));
  const [second] = await pullWhole(google, null, known);
  expect(second).toMatchObject({ changes: [], unchanged: ['people/c2'] });
});

const updates = Array.from({ length: 16 }, (_, index) => {
  const current = recordOf(person(index + 1));
  return { key: `k${index}`, current, desired: { ...current.contact, title: 'Countess' }, fields: ['title'] as const };
});

test('if Google fails for one contact, the rest of its batch is written with a known outcome [R15]', async () => {
  await using google = await startGoogle((seen) => {
    if (seen.method === 'GET') {
      const requestedResourceName = seen.query.get('resourceNames') ?? '';
      return { body: { responses: [{ requestedResourceName, httpStatusCode: 404, status: { code: 5 } }] } };
    }
    const ids = Object.keys(seen.body.contacts);
    if (ids.includes('people/c6')) return apiError(500, 'INTERNAL');
    const updateResult = ids.map((id) => [id, { person: person(Number(id.slice('people/c'.length))) }]);
    return { body: { updateResult: Object.fromEntries(updateResult) } };
  });
  const results = await google.remote.update(updates, forever);
  expect(results.filter(({ ok }) => ok)).toHaveLength(15);
  expect(results.filter(({ ok }) => !ok)).toMatchObject([{ key: 'k5', error: { kind: 'not-found', applied: 'no' } }]);
  expect(google.requests.length).toBeLessThan(12);
});

test('during an outage a batch is not sent item by item', async () => {
  await using google = await startGoogle(() => apiError(500, 'INTERNAL'));
  const results = await google.remote.update(updates, forever);
  expect(results.map((result) => !result.ok && result.error.applied)).toEqual(Array(16).fill('unknown'));
  expect(google.requests).toHaveLength(3);
});
