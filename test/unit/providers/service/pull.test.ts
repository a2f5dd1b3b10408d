import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import { describe, expect, it } from 'vitest';
import { UnreadableError } from '../../../../src/providers/errors.ts';
import { forever, pull, pullWhole } from '../../../contract/scenes/steps.ts';
import { failureOf, contactJson, idsOf, list, listRows, NOW_MS, stamp, startServer, type Row } from './support.ts';
import type { Received } from '../scripted-server.ts';
import { hasSteppedBack, nextCursor, walkFromMs } from '../../../../src/providers/service/keyset.ts';

const DATE = { date: new Date(NOW_MS).toUTCString() };

const serviceOf =
  (rows: () => readonly Row[], isInclusive = true) =>
  (request: Received) =>
    listRows(rows(), request, { isInclusive });

const cursorAt = (watermarkMs: number, behindMs = 120_000): string => {
  return JSON.stringify({ watermarkMs, reachedAtMs: NOW_MS, behindMs });
};

const watermarkOf = (page: FeedPage | undefined): unknown =>
  (JSON.parse(page?.cursor ?? '{}') as { watermarkMs?: unknown }).watermarkMs;

const changesSince = (watermarkMs: number) => ({ mode: 'changes', cursor: cursorAt(watermarkMs) }) as const;

describe.each([true, false])('[R14] the changes, if bounds are inclusive: %s', (isInclusive) => {
  it('take one request from the overlap before the cursor, if they fit one page', async () => {
    const rows = [30_000, 60_000].map((ago, index) => ({ number: index + 1, atMs: NOW_MS - ago }));
    await using server = await startServer(serviceOf(() => rows, isInclusive));
    const pages = await pull(server.remote, changesSince(NOW_MS - 40_000));
    expect(idsOf(pages)).toEqual(['contact_2', 'contact_1']);
    expect(pages).toHaveLength(1);
    expect(pages[0]).toMatchObject({ resume: null, total: 2 });
    expect(watermarkOf(pages[0])).toBe(NOW_MS - 30_000);
    expect(server.received[0]?.rawQuery).toBe('updated_at.after=2026-10-01T11%3A57%3A20%2B00%3A00&order=updated_at');
    expect(server.received).toHaveLength(1);
  });

  it('are all returned once, over many pages and through seconds with more than a page', async () => {
    const spread = Array.from({ length: 130 }, (_, index) => ({ number: index, atMs: NOW_MS - 90_000 + index * 500 }));
    const tied = Array.from({ length: 180 }, (_, index) => ({ number: 1_000 + index, atMs: NOW_MS - 60_000 }));
    await using server = await startServer(serviceOf(() => [...spread, ...tied], isInclusive));
    const ids = idsOf(await pull(server.remote, changesSince(NOW_MS - 100_000)));
    expect(ids).toHaveLength(310);
    expect(new Set(ids).size).toBe(310);
  });

  it('are not missed if rows change during the walk', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ number: index, atMs: NOW_MS - 900_000 + index * 2_000 }));
    let requestCount = 0;
    const answering = serviceOf(() => rows, isInclusive);
    await using server = await startServer((request) => {
      const answer = answering(request);
      rows[requestCount * 7] = { number: requestCount * 7, atMs: NOW_MS - 1_000 + requestCount * 1_000 };
      requestCount += 1;
      return answer;
    });
    const ids = idsOf(await pull(server.remote, changesSince(NOW_MS - 900_000)));
    expect(new Set(ids).size).toBe(200);
  });
});

const since = { mode: 'changes', cursor: cursorAt(NOW_MS - 300_000, 0) } as const;
const atWatermark = Array.from({ length: 120 }, (_, number) => ({ number, atMs: NOW_MS - 300_000 }));

it.each([
  ['if no contact changed, whatever the number of contacts in the last second of the cursor', 0, NOW_MS - 300_000],
  ['if the newer contacts fit one page', 3, NOW_MS - 60_000],
])('[R14] after the overlap of the cursor one request is enough: %s', async (_, count, watermarkMs) => {
  const newer = Array.from({ length: count }, (__, index) => ({ number: 900 + index, atMs: NOW_MS - 60_000 }));
  await using server = await startServer(serviceOf(() => [...atWatermark, ...newer]));
  const pages = await pull(server.remote, since);
  expect(server.received).toHaveLength(1);
  expect(watermarkOf(pages.at(-1))).toBe(watermarkMs);
  expect(idsOf(pages)).toEqual(expect.arrayContaining(newer.map(({ number }) => `contact_${number}`)));
});

it('[R14] after the overlap of the cursor one request is enough, but not for a contact that is newer than the page', async () => {
  const newer = Array.from({ length: 60 }, (_, index) => ({ number: 900 + index, atMs: NOW_MS - 60_000 }));
  await using server = await startServer(serviceOf(() => [...atWatermark, ...newer]));
  const ids = new Set(idsOf(await pull(server.remote, since)));
  expect(newer.filter(({ number }) => !ids.has(`contact_${number}`))).toEqual([]);
});

it('changes from a service with faults fail if the service ignored the order', async () => {
  const rows = [contactJson(1, { updated_at: stamp(NOW_MS) }), contactJson(2, { updated_at: stamp(NOW_MS - 1_000) })];
  await using server = await startServer(() => ({ body: list(rows) }));
  const error = await failureOf(pull(server.remote, changesSince(NOW_MS)));
  expect(error.message).toContain('ignored the order');
});

it('changes from a service with faults fail if every row of a full page is unreadable', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => ({ id: `contact_${index}` }));
  await using server = await startServer(() => ({ body: list(rows) }));
  expect(await failureOf(pull(server.remote, changesSince(NOW_MS)))).toBeInstanceOf(UnreadableError);
});

it('R15: changes from a service with faults continue if the time of the only row is unreadable', async () => {
  const odd = contactJson(1, { updated_at: null });
  await using server = await startServer(() => ({ headers: DATE, body: list([odd], { total: 1 }) }));
  const [page, ...others] = await pull(server.remote, changesSince(NOW_MS));
  expect(page?.changes).toMatchObject([{ kind: 'unreadable', id: 'contact_1' }]);
  expect(watermarkOf(page)).toBe(NOW_MS);
  expect(others).toEqual([]);
});

it('changes from a service with faults are all returned if rows of the same time have another order in each answer', async () => {
  const rows = Array.from({ length: 230 }, (_, number) => ({ number, atMs: NOW_MS - (number < 30 ? 1_000 : 0) }));
  const shuffled = (turn: number) => rows.map((row) => ({ ...row, number: (row.number * 7 + turn * 37) % 230 }));
  await using server = await startServer((request, index) =>
    listRows(request.query.get('order') === 'id' ? rows : shuffled(index + 1), request),
  );
  const ids = new Set(idsOf(await pull(server.remote, changesSince(NOW_MS))));
  expect(ids.size).toBe(230);
});

const manyRows = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1, atMs: NOW_MS - 10_000 + index }));

it('R14: a whole listing never starts the cursor after its own start, even if it is resumed later', async () => {
  const rows = manyRows(120);
  let nowMs = NOW_MS;
  const answering = serviceOf(() => rows);
  await using server = await startServer((request) => {
    const answer = { ...answering(request), headers: { date: new Date(nowMs).toUTCString() } };
    nowMs += 3_600_000;
    rows[119] = { number: 120, atMs: nowMs - 1_000 };
    return answer;
  });
  const first = server.remote.pull({ mode: 'whole', resume: null }, forever)[Symbol.asyncIterator]();
  const { value } = await first.next();
  const resumed = await pullWhole(server.remote, value?.resume ?? null);
  expect(idsOf(resumed)).toHaveLength(70);
  expect(watermarkOf(resumed.at(-1))).toBe(NOW_MS);
});

it('R13: a resumed listing misses no contact if another was deleted and one created before it was resumed', async () => {
  const created = contactJson(121, { created_at: stamp(NOW_MS + 1_000), updated_at: stamp(NOW_MS + 1_000) });
  const rows = manyRows(120).filter(({ number }) => number !== 10);
  await using server = await startServer((request, index) => {
    const { body } = serviceOf(() => (index === 0 ? manyRows(120) : rows))(request);
    const isLast = request.query.get('page') === '3';
    const data = isLast ? [...body.data, created] : body.data;
    const headers = { date: new Date(NOW_MS + index * 60_000).toUTCString() };
    return { headers, body: list(data, { ...body.meta, total: 120 }) };
  });
  const first = server.remote.pull({ mode: 'whole', resume: null }, forever)[Symbol.asyncIterator]();
  const { value } = await first.next();
  expect(idsOf(await pullWhole(server.remote, value?.resume ?? null))).toContain('contact_51');
});

it('a whole listing has expired if its resume point is unreadable, and restarts if its resume point is past the end', async () => {
  const answering = serviceOf(() => manyRows(60));
  await using server = await startServer((request) =>
    Number(request.query.get('page') ?? '1') > 2 ? { status: 404 } : answering(request),
  );
  const odd = pullWhole(server.remote, 'odd');
  expect(await failureOf(odd)).toMatchObject({ kind: 'cursor-expired', applied: 'no' });
  expect(server.received).toHaveLength(0);
  const stopped = { page: 5, total: 250, serverStartMs: NOW_MS, startedAtMs: NOW_MS, maxSeenMs: null };
  const pages = await pullWhole(server.remote, JSON.stringify(stopped));
  expect(new Set(idsOf(pages)).size).toBe(60);
});

it('a whole listing misses no contact that deletions move to a page that was already read', async () => {
  const rows = manyRows(300);
  const gone = new Set<number>();
  const answering = serviceOf(() => rows.filter((row) => !gone.has(row.number)));
  await using server = await startServer((request, index) => {
    const answer = answering(request);
    if (index < 4) for (const number of [index * 5 + 1, index * 5 + 2]) gone.add(number);
    return answer;
  });
  const ids = new Set(idsOf(await pullWhole(server.remote)));
  const kept = rows.filter((row) => !gone.has(row.number)).map((row) => `contact_${row.number}`);
  expect(kept.filter((id) => !ids.has(id))).toEqual([]);
});

it('R13: a whole listing misses no contact if another is deleted and one is created between two pages', async () => {
  const created = contactJson(121, { created_at: stamp(NOW_MS + 2_000), updated_at: stamp(NOW_MS + 2_000) });
  const rows = manyRows(120);
  await using server = await startServer((request, index) => {
    const { headers, body } = serviceOf(() => (index === 0 ? rows : rows.filter(({ number }) => number !== 10)))(
      request,
    );
    const isLast = index > 0 && request.query.get('page') === '3';
    return { headers, body: list(isLast ? [...body.data, created] : body.data, { ...body.meta, total: 120 }) };
  });
  const ids = new Set(idsOf(await pullWhole(server.remote)));
  expect(ids).toContain('contact_51');
  expect(requestedPages(server.received)).toEqual([1, 2, 3, 1, 2, 3]);
});

/** Truncates page `cut` to `keeps` rows in the first `times` answers with it. */
const cutting = (rows: readonly Row[], cut: number, times: number, keeps = 10) => {
  const answering = serviceOf(() => rows);
  let count = 0;
  return (request: Received) => {
    const answer = answering(request);
    if (Number(request.query.get('page') ?? '1') !== cut || (count += 1) > times) return answer;
    const { data, meta } = answer.body;
    return { ...answer, body: list(data.slice(0, keeps), { ...meta, next_page: null }) };
  };
};
const requestedPages = (received: readonly Received[]) => received.map(({ query }) => Number(query.get('page') ?? '1'));

it.each([
  [1, 10, [1, 1, 2, 3]],
  [2, 10, [1, 2, 2, 3]],
  [2, 0, [1, 2, 2, 3]],
  [3, 10, [1, 2, 3, 3]],
  [3, 0, [1, 2, 3, 3]],
])('R13, R14: a listing reads page %d again if it has only %d rows', async (cut, keeps, pageNumbers) => {
  await using server = await startServer(cutting(manyRows(120), cut, 1, keeps));
  const pages = await pullWhole(server.remote);
  expect(watermarkOf(pages.at(-1))).toBe(NOW_MS - 10_000);
  const ids = idsOf(pages);
  expect(new Set(ids).size).toBe(120);
  expect(ids).toHaveLength(120);
  expect(requestedPages(server.received)).toEqual(pageNumbers);
});

it('R13, R14: a whole listing reads a truncated page again: only once if the page stays truncated', async () => {
  await using server = await startServer(cutting(manyRows(120), 2, Infinity));
  const ids = idsOf(await pullWhole(server.remote));
  expect(ids).toHaveLength(80);
  expect(requestedPages(server.received)).toEqual([1, 2, 2, 3]);
});

const OVERLAP_MS = 120_000;
const cursorFor = (watermarkMs: number, behindMs = OVERLAP_MS) => ({ watermarkMs, reachedAtMs: 500_000, behindMs });
const sight = (maxSeenMs: number | null, serverStartMs: number, startedAtMs = 510_000) => {
  return { maxSeenMs, serverStartMs, startedAtMs };
};

const NEXT = { watermarkMs: 5_000, reachedAtMs: 510_000, behindMs: OVERLAP_MS };
const [BEHIND, SECOND] = [{ behindMs: OVERLAP_MS }, { behindMs: 1_000 }];

it.each([
  ['advances to the latest change, in whole seconds, is read again', cursorFor(1_000, 0), sight(5_900, 60_000), NEXT],
  ['stops at the time of the service at the start', cursorFor(1_000), sight(90_000, 60_500), { watermarkMs: 60_000 }],
  ['never moves back', cursorFor(70_000), sight(5_000, 80_000), cursorFor(70_000)],
  ['does not move if no row was read', cursorFor(70_000), sight(null, 80_000), cursorFor(70_000)],
  ['has an overlap for its time by the local clock', cursorFor(70_000), sight(null, 0, 619_999), BEHIND],
  ['has no overlap after its time by the local clock', cursorFor(70_000), sight(null, 0, 620_000), { behindMs: 0 }],
  ['keeps its overlap by the clock of the service', cursorFor(1_000), sight(70_000, 189_999), BEHIND],
  ['has an overlap of one second after its time by that clock', cursorFor(1_000), sight(70_000, 190_000), SECOND],
  ['has no overlap if no row was read and it had none', cursorFor(70_000, 0), sight(null, 190_000), { behindMs: 0 }],
])('[R14] the cursor %s', (_, before, seen, after) => {
  expect(nextCursor(before, seen)).toMatchObject(after);
});

it('[R14] the cursor is ahead of a clock that is more than five seconds behind', () => {
  const ahead = [null, 60_000, 55_000, 54_999].map((nowMs) => hasSteppedBack(cursorFor(60_000), nowMs));
  expect(ahead).toEqual([false, false, false, true]);
  expect(hasSteppedBack(cursorFor(0), 0)).toBe(false);
});

it('[R14] the cursor is read from its overlap before the watermark, and never from a negative time', () => {
  expect(walkFromMs(cursorFor(500_000))).toBe(380_000);
  expect(walkFromMs(cursorFor(5_000))).toBe(0);
});
