import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import { describe, expect, it } from 'vitest';
import { UnreadableError } from '../../../../src/providers/errors.ts';
import type { PullRequest } from '../../../../src/providers/remote.ts';
import { collect, forever } from '../../../contract/scenes/steps.ts';
import { failureOf, contactJson, idsOf, list, listRows, NOW_MS, stamp, startServer } from './support.ts';
import type { Received } from '../scripted-server.ts';
import type { CannedServer, Row } from './support.ts';

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

const WHOLE = { mode: 'whole', resume: null } as const;

const pull = ({ remote }: CannedServer, request: PullRequest) => collect(remote.pull(request, forever));

describe.each([true, false])('[R14] the changes, if bounds are inclusive: %s', (isInclusive) => {
  it('take one request from the overlap before the cursor, if they fit one page', async () => {
    const rows = [30_000, 60_000].map((ago, index) => ({ number: index + 1, atMs: NOW_MS - ago }));
    await using server = await startServer(serviceOf(() => rows, isInclusive));
    const pages = await pull(server, changesSince(NOW_MS - 40_000));
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
    const ids = idsOf(await pull(server, changesSince(NOW_MS - 100_000)));
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
    const ids = idsOf(await pull(server, changesSince(NOW_MS - 900_000)));
    expect(new Set(ids).size).toBe(200);
  });
});

describe('[R14] after the overlap of the cursor one request is enough', () => {
  const since = { mode: 'changes', cursor: cursorAt(NOW_MS - 300_000, 0) } as const;
  const atWatermark = Array.from({ length: 120 }, (_, number) => ({ number, atMs: NOW_MS - 300_000 }));

  it.each([
    ['if no contact changed, whatever the number of contacts in the last second of the cursor', 0, NOW_MS - 300_000],
    ['if the newer contacts fit one page', 3, NOW_MS - 60_000],
  ])('%s', async (_, count, watermarkMs) => {
    const newer = Array.from({ length: count }, (__, index) => ({ number: 900 + index, atMs: NOW_MS - 60_000 }));
    await using server = await startServer(serviceOf(() => [...atWatermark, ...newer]));
    const pages = await pull(server, since);
    expect(server.received).toHaveLength(1);
    expect(watermarkOf(pages.at(-1))).toBe(watermarkMs);
    expect(idsOf(pages)).toEqual(expect.arrayContaining(newer.map(({ number }) => `contact_${number}`)));
  });

  it('but not for a contact that is newer than the page', async () => {
    const newer = Array.from({ length: 60 }, (_, index) => ({ number: 900 + index, atMs: NOW_MS - 60_000 }));
    await using server = await startServer(serviceOf(() => [...atWatermark, ...newer]));
    const ids = new Set(idsOf(await pull(server, since)));
    expect(newer.filter(({ number }) => !ids.has(`contact_${number}`))).toEqual([]);
  });
});

describe('changes from a service with faults', () => {
  it('fail if the service ignored the order', async () => {
    const rows = [contactJson(1, { updated_at: stamp(NOW_MS) }), contactJson(2, { updated_at: stamp(NOW_MS - 1_000) })];
    await using server = await startServer(() => ({ body: list(rows) }));
    const error = await failureOf(pull(server, changesSince(NOW_MS)));
    expect(error.message).toContain('ignored the order');
  });

  it('fail if every row of a full page is unreadable', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({ id: `contact_${index}` }));
    await using server = await startServer(() => ({ body: list(rows) }));
    expect(await failureOf(pull(server, changesSince(NOW_MS)))).toBeInstanceOf(UnreadableError);
  });

  it('[R15] continue if the time of the only row is unreadable', async () => {
    const odd = contactJson(1, { updated_at: null });
    await using server = await startServer(() => ({ headers: DATE, body: list([odd], { total: 1 }) }));
    const [page, ...others] = await pull(server, changesSince(NOW_MS));
    expect(page?.changes).toMatchObject([{ kind: 'unreadable', id: 'contact_1' }]);
    expect(watermarkOf(page)).toBe(NOW_MS);
    expect(others).toEqual([]);
  });

  it('are all returned if rows of the same time have another order in each answer', async () => {
    const rows = Array.from({ length: 230 }, (_, number) => ({ number, atMs: NOW_MS - (number < 30 ? 1_000 : 0) }));
    const shuffled = (turn: number) => rows.map((row) => ({ ...row, number: (row.number * 7 + turn * 37) % 230 }));
    await using server = await startServer((request, index) =>
      listRows(request.query.get('order') === 'id' ? rows : shuffled(index + 1), request),
    );
    const ids = new Set(idsOf(await pull(server, changesSince(NOW_MS))));
    expect(ids.size).toBe(230);
  });
});

describe('a whole listing', () => {
  const manyRows = (count: number): Row[] =>
    Array.from({ length: count }, (_, index) => ({ number: index + 1, atMs: NOW_MS - 10_000 + index }));

  it('[R14] never starts the cursor after its own start, even if it is resumed later', async () => {
    const rows = manyRows(120);
    let nowMs = NOW_MS;
    const answering = serviceOf(() => rows);
    await using server = await startServer((request) => {
      const answer = { ...answering(request), headers: { date: new Date(nowMs).toUTCString() } };
      nowMs += 3_600_000;
      rows[119] = { number: 120, atMs: nowMs - 1_000 };
      return answer;
    });
    const first = server.remote.pull(WHOLE, forever)[Symbol.asyncIterator]();
    const { value } = await first.next();
    const resumed = await pull(server, { mode: 'whole', resume: value?.resume ?? null });
    expect(idsOf(resumed)).toHaveLength(70);
    expect(watermarkOf(resumed.at(-1))).toBe(NOW_MS);
  });

  it('has expired if its resume point is unreadable, and restarts if its resume point is past the end', async () => {
    const answering = serviceOf(() => manyRows(60));
    await using server = await startServer((request) =>
      Number(request.query.get('page') ?? '1') > 2 ? { status: 404 } : answering(request),
    );
    const odd = pull(server, { mode: 'whole', resume: 'odd' });
    expect(await failureOf(odd)).toMatchObject({ kind: 'cursor-expired', applied: 'no' });
    expect(server.received).toHaveLength(0);
    const stopped = { page: 5, total: 250, serverStartMs: NOW_MS, startedAtMs: NOW_MS, maxSeenMs: null };
    const pages = await pull(server, { mode: 'whole', resume: JSON.stringify(stopped) });
    expect(new Set(idsOf(pages)).size).toBe(60);
  });

  it('misses no contact that deletions move to a page that was already read', async () => {
    const rows = manyRows(300);
    const gone = new Set<number>();
    const answering = serviceOf(() => rows.filter((row) => !gone.has(row.number)));
    await using server = await startServer((request, index) => {
      const answer = answering(request);
      if (index < 4) for (const number of [index * 5 + 1, index * 5 + 2]) gone.add(number);
      return answer;
    });
    const ids = new Set(idsOf(await pull(server, WHOLE)));
    const kept = rows.filter((row) => !gone.has(row.number)).map((row) => `contact_${row.number}`);
    expect(kept.filter((id) => !ids.has(id))).toEqual([]);
  });

  describe('[R13, R14] reads a page again if it is not full and the list continues', () => {
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
    const requestedPages = (received: readonly Received[]) =>
      received.map(({ query }) => Number(query.get('page') ?? '1'));

    it.each([
      [1, 10, [1, 1, 2, 3]],
      [2, 10, [1, 2, 2, 3]],
      [2, 0, [1, 2, 2, 3]],
      [3, 10, [1, 2, 3, 3]],
      [3, 0, [1, 2, 3, 3]],
    ])('and misses no contact if page %d was truncated to %d rows once', async (cut, keeps, pageNumbers) => {
      await using server = await startServer(cutting(manyRows(120), cut, 1, keeps));
      const pages = await pull(server, WHOLE);
      expect(watermarkOf(pages.at(-1))).toBe(NOW_MS - 10_000);
      const ids = idsOf(pages);
      expect(new Set(ids).size).toBe(120);
      expect(ids).toHaveLength(120);
      expect(requestedPages(server.received)).toEqual(pageNumbers);
    });

    it('and only once if the page stays truncated', async () => {
      await using server = await startServer(cutting(manyRows(120), 2, Infinity));
      const ids = idsOf(await pull(server, WHOLE));
      expect(ids).toHaveLength(80);
      expect(requestedPages(server.received)).toEqual([1, 2, 2, 3]);
    });

    it('and misses no contact if contacts were also deleted during the listing', async () => {
      const rows = [...manyRows(120)];
      const answering = cutting(rows, 2, 1);
      await using server = await startServer((request, index) => {
        if (index === 1) rows.splice(0, 3);
        return answering(request);
      });
      const ids = new Set(idsOf(await pull(server, WHOLE)));
      expect(rows.filter(({ number }) => !ids.has(`contact_${number}`))).toEqual([]);
    });
  });
});
