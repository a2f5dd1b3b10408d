import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { EndlessListingError, RedirectedError, UnreadableError } from '../../../src/providers/errors.ts';
import { ANSWER_LIMITS, startListingWalk } from '../../../src/providers/listing.ts';
import { forever, pull, pullWhole } from '../../contract/scenes/steps.ts';
import { inCompleteRun } from '../../support/extent.ts';
import { person, startGoogle, startTokens } from './google/support.ts';
import type { Reply } from './scripted-server.ts';
import {
  bucketJson,
  contactJson,
  creation,
  failureOf,
  idsOf,
  list,
  NOW_MS,
  stamp,
  startServer,
} from './service/support.ts';
import { createLeapingClock } from '../../support/clocks.ts';

const WHOLE = { mode: 'whole', resume: null } as const;
const LOST = creation('k', { firstName: 'First1', lastName: 'Last1' });

it.each([301, 302, 303, 307, 308])('R17: a redirect with %d is not followed and is an error', async (status) => {
  await using elsewhere = await startServer(() => ({ body: list([]) }));
  const away = (): Reply => ({ status, headers: { location: `${elsewhere.url}/v2/contacts` } });
  await using google = await startGoogle(away);
  await using tokens = await startTokens(away);
  await using service = await startServer(away);
  const tokenError = await failureOf(tokens.remote.identify(forever));
  expect(tokenError).toMatchObject({ applied: 'no', route: 'POST token' });
  const errors = [tokenError, await failureOf(service.remote.identify(forever))];
  for (const each of [google, service]) errors.push(await failureOf(pullWhole(each.remote)));
  for (const error of errors) expect(error).toBeInstanceOf(RedirectedError);
  expect([google.requests, tokens.tokenRequests, service.received].map(({ length }) => length)).toEqual([1, 1, 2]);
  expect(elsewhere.received).toEqual([]);
});

it('R15, R17: a redirect of a contact to an address that cannot be decoded is an error of the whole read', async () => {
  await using server = await startServer(() => ({ status: 301, headers: { location: '/v2/contacts/%E0%A4%A' } }));
  expect(await failureOf(server.remote.read(['contact_1'], forever))).toBeInstanceOf(RedirectedError);
});

const bomb = (): Reply => ({
  body: gzipSync(Buffer.alloc(ANSWER_LIMITS.bytes + 1_000_000, ' ')),
  headers: { 'content-encoding': 'gzip' },
});

inCompleteRun(() => {
  it('R17: an answer of Google is not read beyond the limit of decompressed bytes', async () => {
    await using google = await startGoogle(bomb);
    await using tokens = await startTokens(bomb);
    for (const error of [await failureOf(pullWhole(google.remote)), await failureOf(tokens.remote.identify(forever))]) {
      expect(error).toBeInstanceOf(UnreadableError);
      expect(error).toMatchObject({ applied: 'no', message: expect.stringContaining(`${ANSWER_LIMITS.bytes} bytes`) });
    }
  });
});

it('R17: an answer that takes longer than the time limit is abandoned, and it is unknown whether the write was applied', async () => {
  let [nowMs, stepMs] = [0, 0];
  const clock = { ...createLeapingClock(), monotonic: () => (nowMs += stepMs) };
  const answer = (): Reply => {
    stepMs = 40_000;
    return { body: { createdPeople: [] } };
  };
  await using google = await startGoogle(answer, undefined, { clock });
  const [result] = await google.remote.create([LOST], forever);
  const message = expect.stringContaining(`longer than ${ANSWER_LIMITS.timeMs} ms`);
  expect(result).toMatchObject({ ok: false, error: { kind: 'unreadable', applied: 'unknown', message } });
});

const LIMITS = { pages: 12, rows: 1_000 };

it.each([
  ['has more than 12 pages', 12, 1],
  ['has more than 1000 rows', 2, 500],
])('R14, R17: a listing is abandoned if it %s', (why, pages, rows) => {
  const walk = startListingWalk({ route: 'GET /v2/contacts', limits: LIMITS });
  for (let page = 0; page < pages; page += 1) walk.take(rows);
  expect(() => walk.take(1)).toThrow(why);
});

const googlePage = (count: number, next: string, rows = 1): Reply => ({
  body: { connections: Array.from({ length: rows }, (_, row) => person(count * rows + row + 1)), nextPageToken: next },
});

const startEndless = (listingLimits = LIMITS) =>
  startServer(
    (_request, index) => {
      const rows = Array.from({ length: 50 }, (_, row) => {
        const number = index * 50 + row + 1;
        return contactJson(number, { updated_at: stamp(NOW_MS + number * 1_000) });
      });
      return { body: list(rows, { next_page: index + 2 }) };
    },
    { listingLimits },
  );
const SERVICE_CURSOR = JSON.stringify({ watermarkMs: 0, reachedAtMs: 0, behindMs: 0 });

it.each([
  ['whole', '12 pages', {}],
  ['changes', '12 pages', {}],
  ['whole', '300 rows', { rows: 300 }],
  ['changes', '300 rows', { rows: 300 }],
] as const)('R14, R17: each provider abandons an endless listing: %s, %s', async (mode, why, limits) => {
  const listingLimits = { ...LIMITS, ...limits };
  let isEndless = false;
  await using google = await startGoogle(
    (_, count) => (isEndless ? googlePage(count, `page ${count}`, 50) : { body: { nextSyncToken: 'sync' } }),
    undefined,
    { listingLimits },
  );
  const googleCursor = (await pullWhole(google.remote)).at(-1)?.cursor ?? '';
  isEndless = true;
  await using service = await startEndless(listingLimits);
  for (const [{ remote }, cursor] of [[google, googleCursor] as const, [service, SERVICE_CURSOR] as const]) {
    const error = await failureOf(pull(remote, mode === 'whole' ? WHOLE : { mode, cursor }));
    expect(error).toBeInstanceOf(EndlessListingError);
    expect(error.message).toContain(`more than ${why}`);
  }
});

it('R14, R17: the pages of a listing before its resume point count', async () => {
  await using server = await startEndless();
  const resumes: (string | null)[] = [];
  for await (const { resume } of server.remote.pull(WHOLE, forever)) if (resumes.push(resume) === 8) break;
  const received = server.received.length;
  expect(await failureOf(pullWhole(server.remote, resumes.at(-1)))).toBeInstanceOf(EndlessListingError);
  expect(server.received.length - received).toBe(5);
});

it.each([
  ['itself', () => 'same'],
  ['an earlier page', (count: number) => `page ${count % 3}`],
])('R14, R17: a listing of Google is refused if a page names %s as the next page', async (_, next) => {
  await using google = await startGoogle((__, count) => googlePage(count, next(count)));
  expect(await failureOf(pullWhole(google.remote))).toBeInstanceOf(EndlessListingError);
  expect(google.requests.length).toBeLessThan(6);
  for await (const { resume } of google.remote.pull(WHOLE, forever)) {
    expect(await failureOf(pullWhole(google.remote, resume))).toBeInstanceOf(EndlessListingError);
    break;
  }
  expect(google.requests.length).toBeLessThan(12);
});

it('R14, R17: a listing of Google that does not end is refused for groups, and in the search for a lost create', async () => {
  await using google = await startGoogle(({ path }) => {
    const group = { resourceName: 'contactGroups/a1', name: 'A' };
    const rows = path.endsWith('/contactGroups') ? { contactGroups: [group] } : { connections: [person(1)] };
    return { body: { ...rows, nextPageToken: 'same' } };
  });
  expect(await failureOf(google.remote.listGroups(forever))).toBeInstanceOf(EndlessListingError);
  const looked = google.remote.findCreated([LOST], 0, () => false, forever);
  expect(await failureOf(looked)).toBeInstanceOf(EndlessListingError);
  expect(google.requests.length).toBeLessThan(8);
});

it('R17: an absent list of labels is not an empty one: every account of Google has its system groups', async () => {
  await using google = await startGoogle(() => ({ body: {} }));
  expect(await failureOf(google.remote.listGroups(forever))).toBeInstanceOf(UnreadableError);
});

/** Returns the ids of the contacts that are read from this answer of the service. An unreadable one is a question mark. */
const idsFrom = async (body: unknown) => {
  await using server = await startServer(() => ({ body }));
  return idsOf(await pullWhole(server.remote));
};

it('R15: a bucket without a name is left out of the list, so that no run ends because of it', async () => {
  await using server = await startServer(() => ({ body: list([{ ...bucketJson(1), name: null }, bucketJson(2)]) }));
  expect((await server.remote.listGroups(forever)).map(({ id }) => id)).toEqual(['bucket_2']);
});

it('R17: absent names are empty if the service writes empty texts as null', async () => {
  const nameless = contactJson(1, { first_name: null, last_name: null, title: null });
  expect(await idsFrom(list([nameless]))).toEqual(['contact_1']);
});

const rowWithId = (id: string): string =>
  JSON.stringify(list([{ ...contactJson(1), id: 0 }])).replace('"id":0', `"id":${id}`);

it.each([
  ...['9007199254740993', '1e400', '1.5', '-3', '9007199254740992'].map((id) => [id, '?']),
  ...['7', '9007199254740991'].map((id) => [id, id]),
])('R17: a row is read only if its id is an exact natural number: %s is %s', async (id, read) => {
  expect(await idsFrom(rowWithId(id ?? ''))).toEqual([read]);
});

it('R9, R17: a lost create is not delayed by an unreadable contact with another name', async () => {
  const find = async (...rows: readonly object[]) => {
    const body = list(rows.map((row) => ({ ...row, created_at: stamp(NOW_MS) })));
    await using server = await startServer(() => ({ body }));
    return (await server.remote.findCreated([LOST], NOW_MS, () => false, forever)).size;
  };
  const unreadable = contactJson(2, { addresses: undefined });
  expect([await find(unreadable), await find(unreadable, contactJson(1))]).toEqual([0, 1]);
});
