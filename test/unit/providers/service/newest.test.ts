import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import {
  collect,
  contactJson,
  createTestClock,
  idsOf,
  listRows,
  never,
  NOW_MS,
  one,
  stamp,
  startServer,
  type Canned,
  type CannedServer,
  type Received,
  type Row,
} from './support.ts';

const SECOND_MS = 1_000;
const OVERLAP_MS = 120_000;
const BEFORE_MS = NOW_MS - 600_000;

/** Answers with a list of the rows. A POST adds a row that is changed now. */
const serviceOf =
  (rows: Row[], now: () => number) =>
  (request: Received): Canned => {
    if (request.method !== 'POST') return listRows(rows, request, { nowMs: now() });
    const row = { number: rows.length + 1, atMs: NOW_MS };
    rows.push(row);
    return { json: one(contactJson(row.number, { updated_at: stamp(row.atMs) })) };
  };

const cursorAt = (watermarkMs: number, behindMs: number): string =>
  JSON.stringify({ watermarkMs, reachedAtMs: BEFORE_MS, behindMs });

const rowsAt = (count: number, atMs: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1, atMs }));

const pull = async (server: CannedServer, cursor: string): Promise<{ pages: FeedPage[]; requests: number }> => {
  const before = server.received.length;
  const pages = await collect(server.remote.pull({ mode: 'changes', cursor }, never));
  return { pages, requests: server.received.length - before };
};

const firstId = (pages: readonly FeedPage[]): string[] => idsOf(pages).toSorted().slice(0, 1);

describe('[R14] a pull after the overlap of its cursor', () => {
  const settled = cursorAt(NOW_MS - 300_000, 0);
  const atWatermark = rowsAt(120, NOW_MS - 300_000);

  it('sends one request, regardless of the number of contacts changed in the last second of the cursor', async () => {
    await using server = await startServer(serviceOf([...atWatermark], () => NOW_MS));
    const { pages, requests } = await pull(server, settled);
    expect(requests).toBe(1);
    expect(pages.at(-1)?.cursor).toBe(settled);
  });

  it('sends one request if the newer contacts fit one page', async () => {
    const newer = [900, 901, 902].map((number) => ({ number, atMs: NOW_MS - 60_000 }));
    await using server = await startServer(serviceOf([...atWatermark, ...newer], () => NOW_MS));
    const { pages, requests } = await pull(server, settled);
    expect(requests).toBe(1);
    expect(idsOf(pages)).toEqual(expect.arrayContaining(['contact_900', 'contact_901', 'contact_902']));
    expect(pages.at(-1)?.cursor).toContain(`"watermarkMs":${NOW_MS - 60_000}`);
  });
});

describe('[R14] contacts written by this process', () => {
  const open = cursorAt(NOW_MS - 300_000, OVERLAP_MS);

  const written = async (count: number) => {
    const rows: Row[] = [];
    const clock = createTestClock();
    const server = await startServer(
      serviceOf(rows, () => clock.now()),
      { clock },
    );
    const request = { groupIds: [], originId: 'people/c1', originScope: 'scope' };
    const batch = Array.from({ length: count }, (_, index) => {
      return { ...request, key: String(index), draft: { ...EMPTY_CONTACT, firstName: `First${index}` } };
    });
    const results = await server.remote.create(batch, never);
    expect(results.every(({ ok }) => ok)).toBe(true);
    return { server, rows, clock };
  };

  it('are read again page by page twice after the overlap, and not after that', async () => {
    const { server, clock } = await written(60);
    await using _ = server;
    let cursor = open;
    const requestCounts: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      await clock.sleep(OVERLAP_MS + SECOND_MS);
      const { pages, requests } = await pull(server, cursor);
      cursor = pages.at(-1)?.cursor ?? cursor;
      requestCounts.push(requests);
    }
    expect(requestCounts.slice(0, 2).every((requests) => requests > 1)).toBe(true);
    expect(requestCounts.slice(2)).toEqual([1, 1]);
  });

  it.each([
    ['another contact of the same second', (rows: Row[]) => rows.push({ number: 0, atMs: NOW_MS })],
    ['a contact that is listed late', (rows: Row[]) => rows.push({ number: 0, atMs: NOW_MS - 60 * SECOND_MS })],
    ['a change of such a contact', (rows: Row[]) => rows.splice(0, 1, { number: 0, atMs: NOW_MS + 2 * SECOND_MS })],
  ])('hide no other change: %s', async (_title, change) => {
    const { server, rows, clock } = await written(60);
    await using _ = server;
    change(rows);
    await clock.sleep(3 * SECOND_MS);
    const { pages, requests } = await pull(server, open);
    expect(firstId(pages)).toEqual(['contact_0']);
    expect(requests).toBeGreaterThan(1);
  });

  it('hide a contact that replaced a deleted contact until the end of the overlap, and not longer', async () => {
    const { server, rows, clock } = await written(60);
    await using _ = server;
    rows.splice(59, 1, { number: 0, atMs: NOW_MS });
    await clock.sleep(3 * SECOND_MS);
    const first = await pull(server, open);
    expect(firstId(first.pages)).not.toEqual(['contact_0']);
    expect(first.pages.at(-1)?.cursor).toBe(open);
    await clock.sleep(OVERLAP_MS);
    expect(firstId((await pull(server, open)).pages)).toEqual(['contact_0']);
  });

  it('are read again page by page if a write failed that may have been applied', async () => {
    const { server, clock } = await written(60);
    await using _ = server;
    const raw = JSON.stringify({});
    const current = {
      id: 'contact_none',
      version: '',
      modifiedAtMs: null,
      contact: EMPTY_CONTACT,
      groupIds: [],
      raw,
      originId: null,
    };
    const desired = { ...EMPTY_CONTACT, title: 'Baker' };
    const [result] = await server.remote.update([{ key: '1', current, desired, fields: ['title'] }], never);
    expect(result?.ok).toBe(false);
    await clock.sleep(2 * SECOND_MS);
    expect((await pull(server, open)).requests).toBeGreaterThan(1);
  });
});
