import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import { expect, it } from 'vitest';
import { RedirectedError, UnreadableError } from '../../../../src/providers/errors.ts';
import { startListingWalk, type ListingLimits } from '../../../../src/providers/listing.ts';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { collect, forever } from '../../../contract/scenes/steps.ts';
import { createLeapingClock } from '../../../support/contract/harness.ts';
import { failureOf, contactJson, list, NOW_MS, stamp, startServer } from './support.ts';

const WHOLE = { mode: 'whole', resume: null } as const;

const without = (json: Record<string, unknown>, key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(json).filter(([name]) => name !== key));

const kindsOf = (pages: readonly FeedPage[]): string[] =>
  pages.flatMap(({ changes }) => changes.map(({ kind }) => kind));

const pullRows = async (...rows: readonly unknown[]): Promise<readonly FeedPage[]> => {
  await using server = await startServer(() => ({ body: list(rows) }));
  return await collect(server.remote.pull(WHOLE, forever));
};

const NAMELESS = { first_name: null, last_name: null };

it('R17: absent names are empty if the service writes empty texts as null', async () => {
  const nameless = contactJson(1, { ...NAMELESS, title: null });
  expect(kindsOf(await pullRows(nameless, contactJson(2), contactJson(3)))).toEqual(['upsert', 'upsert', 'upsert']);
  expect(kindsOf(await pullRows(nameless))).toEqual(['upsert']);
});

const draft = { ...EMPTY_CONTACT, firstName: 'First1', lastName: 'Last1' };
const LOST = { key: 'k', draft, groupIds: [], originId: 'people/c1' };
const find = async (rows: readonly object[]) => {
  const created = rows.map((row) => ({ ...row, created_at: stamp(NOW_MS) }));
  await using server = await startServer(() => ({ body: list(created) }));
  return await server.remote.findCreated([LOST], NOW_MS, () => false, forever);
};

it('R9, R17: a lost create is not delayed by an unreadable contact with another name', async () => {
  expect((await find([without(contactJson(2), 'addresses')])).size).toBe(0);
  expect((await find([without(contactJson(2), 'addresses'), contactJson(1)])).size).toBe(1);
});

const REDIRECTS = [301, 302, 303, 307, 308];

it.each(REDIRECTS)('R17: a redirect with %d is not followed and is an error', async (status) => {
  await using elsewhere = await startServer(() => ({ body: list([]) }));
  await using server = await startServer(() => ({ status, headers: { location: `${elsewhere.url}/v2/contacts` } }));
  for (const work of [collect(server.remote.pull(WHOLE, forever)), server.remote.identify(forever)]) {
    expect(await failureOf(work)).toBeInstanceOf(RedirectedError);
  }
  expect(server.received).toHaveLength(2);
  expect(elsewhere.received).toEqual([]);
});

it('R15, R17: a redirect of a contact to an address that cannot be decoded is an error of the whole read', async () => {
  await using server = await startServer(() => ({ status: 301, headers: { location: '/v2/contacts/%E0%A4%A' } }));
  expect(await failureOf(server.remote.read(['contact_1'], forever))).toBeInstanceOf(RedirectedError);
});

const raw = (id: string): string =>
  JSON.stringify(list([{ ...contactJson(1), id: 0 }])).replace('"id":0', `"id":${id}`);

it.each([
  ...['9007199254740993', '1e400', '1.5', '-3', '9007199254740992'].map((id) => [id, 'unreadable'] as const),
  ...['7', '9007199254740991'].map((id) => [id, 'upsert'] as const),
])('R17: a row is read only if its id is an exact natural number: %s is %s', async (id, kind) => {
  await using server = await startServer(() => ({ body: raw(id) }));
  const [page] = await collect(server.remote.pull(WHOLE, forever));
  expect(page?.changes).toMatchObject([kind === 'upsert' ? { kind, record: { id } } : { kind }]);
});

const LIMITS = { pages: 20, rows: 100_000, timeMs: 3_600_000 };
const endless = (listingLimits: ListingLimits) =>
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
const CHANGES = { mode: 'changes', cursor: JSON.stringify({ watermarkMs: 0, reachedAtMs: 0, behindMs: 0 }) } as const;

it.each([
  [WHOLE, {}, '20 pages', 21],
  [CHANGES, {}, '20 pages', 21],
  [WHOLE, { rows: 320 }, '320 rows', 7],
])('R14, R17: an endless listing is abandoned: $0.mode, $2', async (request, limits, words, requests) => {
  await using server = await endless({ ...LIMITS, ...limits });
  const error = await failureOf(collect(server.remote.pull(request, forever)));
  expect(error).toBeInstanceOf(UnreadableError);
  expect(error.message).toContain(`does not end: it has more than ${words}`);
  expect(server.received).toHaveLength(requests);
});

it('R14, R17: a listing that does not end is abandoned after the maximum number of pages, including those before its resume point', async () => {
  await using server = await endless(LIMITS);
  const pages: FeedPage[] = [];
  for await (const page of server.remote.pull(WHOLE, forever)) {
    pages.push(page);
    if (pages.length === 15) break;
  }
  const resume = pages.at(-1)?.resume ?? null;
  const received = server.received.length;
  await failureOf(collect(server.remote.pull({ mode: 'whole', resume }, forever)));
  expect(server.received.length - received).toBe(6);
});

it('R14, R17: a listing that does not end is abandoned after the time limit', () => {
  const clock = createLeapingClock();
  const walk = startListingWalk({ route: 'GET /v2/contacts', clock, limits: LIMITS });
  walk.take(1);
  void clock.sleep(LIMITS.timeMs + 1);
  expect(() => walk.take(1)).toThrow('it takes longer than 60 minutes');
});
