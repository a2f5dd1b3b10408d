import type { FeedPage } from '../../../../src/core/contact/requests.ts';
import { describe, expect, it } from 'vitest';
import { EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import {
  collect,
  contactJson,
  createTestClock,
  idsOf,
  list,
  never,
  NOW_MS,
  one,
  stamp,
  startServer,
  type Canned,
  type CannedServer,
  type Received,
} from './support.ts';

type Row = { readonly number: number; readonly atMs: number };

const SECOND_MS = 1_000;
const OVERLAP_MS = 120_000;
const BEFORE_MS = NOW_MS - 600_000;

/** A service that filters, sorts and pages rows as documented; a POST adds one, changed now. */
const serviceOf = (rows: Row[], now: () => number) => {
  const listed = ({ query }: Received): Canned => {
    const after = Date.parse(query.get('updated_at.after') ?? '1970-01-01T00:00:00+00:00');
    const before = Date.parse(query.get('updated_at.before') ?? '2100-01-01T00:00:00+00:00');
    const order = query.get('order') ?? 'id';
    const direction = order.startsWith('-') ? -1 : 1;
    const byTime = order.endsWith('updated_at');
    const sorted = rows
      .filter(({ atMs }) => atMs >= after && atMs <= before)
      .toSorted((a, b) => direction * ((byTime ? a.atMs - b.atMs : 0) || a.number - b.number));
    const page = Number(query.get('page') ?? '1');
    const data = sorted
      .slice((page - 1) * 50, page * 50)
      .map((row) => contactJson(row.number, { updated_at: stamp(row.atMs) }));
    const meta = { total: sorted.length, next_page: page * 50 < sorted.length ? page + 1 : null };
    return { headers: { date: new Date(now()).toUTCString() }, json: list(data, meta) };
  };
  return (request: Received): Canned => {
    if (request.method !== 'POST') return listed(request);
    const row = { number: rows.length + 1, atMs: NOW_MS };
    rows.push(row);
    return { json: one(contactJson(row.number, { updated_at: stamp(row.atMs) })) };
  };
};

const cursorAt = (watermarkMs: number, behindMs: number): string =>
  JSON.stringify({ watermarkMs, reachedAtMs: BEFORE_MS, behindMs });

const crowd = (count: number, atMs: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ number: index + 1, atMs }));

const pull = async (server: CannedServer, cursor: string): Promise<{ pages: FeedPage[]; requests: number }> => {
  const before = server.received.length;
  const pages = await collect(server.remote.pull({ mode: 'changes', cursor }, never));
  return { pages, requests: server.received.length - before };
};

const newestId = (pages: readonly FeedPage[]): string[] => idsOf(pages).toSorted().slice(0, 1);

describe('[R14] a cursor of which the overlap has passed', () => {
  const settled = cursorAt(NOW_MS - 300_000, 0);
  const atWatermark = crowd(120, NOW_MS - 300_000);

  it('takes one request, however many contacts were changed in its last second', async () => {
    await using server = await startServer(serviceOf([...atWatermark], () => NOW_MS));
    const { pages, requests } = await pull(server, settled);
    expect(requests).toBe(1);
    expect(pages.at(-1)?.cursor).toBe(settled);
  });

  it('takes one request where what is newer fits the page', async () => {
    const newer = [900, 901, 902].map((number) => ({ number, atMs: NOW_MS - 60_000 }));
    await using server = await startServer(serviceOf([...atWatermark, ...newer], () => NOW_MS));
    const { pages, requests } = await pull(server, settled);
    expect(requests).toBe(1);
    expect(idsOf(pages)).toEqual(expect.arrayContaining(['contact_900', 'contact_901', 'contact_902']));
    expect(pages.at(-1)?.cursor).toContain(`"watermarkMs":${NOW_MS - 60_000}`);
  });

  it('is walked from where more than a page is newer', async () => {
    const newer = crowd(70, NOW_MS - 60_000).map(({ number, atMs }) => ({ number: 900 + number, atMs }));
    await using server = await startServer(serviceOf([...atWatermark, ...newer], () => NOW_MS));
    const { pages } = await pull(server, settled);
    expect(new Set(idsOf(pages)).size).toBe(190);
  });
});

describe('[R14] contacts that this process wrote', () => {
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

  it('are not paged again two seconds after sixty within one second', async () => {
    const { server, clock } = await written(60);
    await using _ = server;
    await clock.sleep(2 * SECOND_MS);
    const { pages, requests } = await pull(server, open);
    expect(requests).toBe(1);
    expect(pages.at(-1)?.cursor).toBe(open);
  });

  it('are walked when the overlap has passed, twice, and then no more', async () => {
    const { server, clock } = await written(60);
    await using _ = server;
    let cursor = open;
    const asked: number[] = [];
    for (let run = 0; run < 4; run += 1) {
      await clock.sleep(OVERLAP_MS + SECOND_MS);
      const { pages, requests } = await pull(server, cursor);
      cursor = pages.at(-1)?.cursor ?? cursor;
      asked.push(requests);
    }
    expect(asked.slice(0, 2).every((requests) => requests > 1)).toBe(true);
    expect(asked.slice(2)).toEqual([1, 1]);
  });

  it.each([
    ['another one of the same second', (rows: Row[]) => rows.push({ number: 0, atMs: NOW_MS })],
    ['one that comes to light late', (rows: Row[]) => rows.push({ number: 0, atMs: NOW_MS - 60 * SECOND_MS })],
    ['a change of one of them', (rows: Row[]) => rows.splice(0, 1, { number: 0, atMs: NOW_MS + 2 * SECOND_MS })],
  ])('hide nothing: %s', async (_title, change) => {
    const { server, rows, clock } = await written(60);
    await using _ = server;
    change(rows);
    await clock.sleep(3 * SECOND_MS);
    const { pages, requests } = await pull(server, open);
    expect(newestId(pages)).toEqual(['contact_0']);
    expect(requests).toBeGreaterThan(1);
  });

  it('hide one that came in the place of a deleted one for as long as the overlap, no longer', async () => {
    const { server, rows, clock } = await written(60);
    await using _ = server;
    rows.splice(59, 1, { number: 0, atMs: NOW_MS });
    await clock.sleep(3 * SECOND_MS);
    const first = await pull(server, open);
    expect(newestId(first.pages)).not.toEqual(['contact_0']);
    expect(first.pages.at(-1)?.cursor).toBe(open);
    await clock.sleep(OVERLAP_MS);
    expect(newestId((await pull(server, open)).pages)).toEqual(['contact_0']);
  });

  it('are walked where a write failed, which may have been applied', async () => {
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
