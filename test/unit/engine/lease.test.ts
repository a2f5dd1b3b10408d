import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { LeaseChecks, takeLease } from '../../../src/engine/lease.ts';
import { NO_CURSOR, type StoreChange } from '../../../src/core/state/rows.ts';
import { LinkWriter } from '../../../src/engine/link-writer.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { linkedPair, looseHalf } from './support.ts';

const NEVER = new AbortController().signal;

test('a lease starts at the time of its request, even if the store was slow', async () => {
  const store = openStore(':memory:');
  let atMs = 1_000_000;
  const clock = { now: () => atMs, monotonic: () => atMs, sleep: () => new Promise<void>(() => undefined) };
  const slow: Store = {
    ...store,
    acquireLease: async (...of) => {
      const token = await store.acquireLease(...of);
      atMs += 10_000;
      return token;
    },
  };
  const leaseChecks = new LeaseChecks();
  const lease = await takeLease({ link: 'work', store: slow, clock, newId: randomUUID, leaseChecks }, NEVER);
  leaseChecks.check('work');
  expect(lease.signal.aborted).toBe(false);
  atMs += 6_000;
  expect(await store.acquireLease('work', 'another process', atMs, atMs + 15_000)).not.toBeNull();
  leaseChecks.check('work');
  expect(lease.signal.aborted).toBe(true);
  await store.close();
});

const LINK = 'home';

const CID = looseHalf('left', 'cid');

/** A writer on a store with one pair and one half without a pair, and the ids that it has loaded so far. */
const openWriter = async () => {
  const store = openStore(':memory:');
  const token = (await store.acquireLease(LINK, 'owner', 0, 1)) ?? 0;
  const halves = linkedPair(-1, 'ada', 'ben').map((half) => ({ half, digest: null }));
  const [pairId = 0] = await store.commit(LINK, token, [
    { kind: 'put', table: 'pairs', row: { id: -1, status: 'linked' } },
    ...halves.map((row): StoreChange => ({ kind: 'put', table: 'halves', row })),
    { kind: 'put', table: 'halves', row: { half: CID, digest: null } },
  ]);
  const loaded: string[] = [];
  const counting: Pick<Store, 'wholePairs'> = {
    wholePairs: (link, asked) => {
      loaded.push(...asked.ids.left, ...asked.ids.right, ...asked.pairs.map(String));
      return store.wholePairs(link, asked);
    },
  };
  const writer = new LinkWriter({ ...store, ...counting }, await store.opening(LINK), token);
  const planned = async () => {
    const { halves: both, pairs } = await store.wholePairs(LINK, { ids: { left: [], right: [] }, pairs: [pairId] });
    const on = (side: string) => both.find((half) => half.side === side) ?? null;
    return pairs.map((pair) => ({ ...pair, left: on('left'), right: on('right') }));
  };
  return { store, writer, loaded, pairId, planned, [Symbol.asyncDispose]: () => store.close() };
};

test('rows of a plan are not loaded again, and each step sees the changes of the steps before it', async () => {
  await using opened = await openWriter();
  const { store, writer, loaded, pairId, planned } = opened;
  writer.keepRows([CID], await planned());
  await writer.apply({ ids: { left: ['cid', 'ada'], right: ['ben'] }, pairs: [pairId] }, (set) => {
    set.put({ ...CID, pair: set.putPair(null, 'kept') });
    set.putPair(pairId, 'dormant');
  });
  const results: unknown[] = [];
  await writer.apply({ ids: { left: ['cid'], right: ['ben'] } }, (set) => {
    const newPairId = set.half('left', 'cid')?.pair ?? 0;
    results.push(set.pair(pairId)?.status, set.pair(newPairId)?.status, newPairId > 0);
  });
  expect(results).toEqual(['dormant', 'kept', true]);
  expect(loaded).toEqual([]);
  expect((await store.pairs(LINK, [pairId]))[0]?.status).toBe('dormant');
});

test('rows are loaded for each step without a plan, after its rows are released, and after a step that failed', async () => {
  await using opened = await openWriter();
  const { writer, loaded, pairId, planned } = opened;
  const load = () => writer.apply({ ids: { right: ['ben'] } }, () => undefined);
  await load();
  await load();
  writer.keepRows([], await planned());
  await load();
  writer.releaseRows();
  await load();
  expect(loaded.splice(0)).toEqual(['ben', 'ben', 'ben']);
  writer.keepRows([CID], await planned());
  const failing = writer.apply({ pairs: [pairId] }, (set) => {
    set.dropPair(pairId);
    throw new Error('The step failed.');
  });
  await expect(failing).rejects.toThrow('The step failed.');
  const statuses: unknown[] = [];
  await writer.apply({ pairs: [pairId] }, (set) => void statuses.push(set.pair(pairId)?.status));
  expect([statuses, loaded]).toEqual([['linked'], [String(pairId)]]);
});

test('the start of a run is stored with its first other commit', async () => {
  await using opened = await openWriter();
  const { store, writer } = opened;
  writer.begin({ id: 'r1', kind: 'full', undoes: null, startedAtMs: 5 });
  expect(await store.runs(LINK, { idPrefix: '' })).toEqual([]);
  await writer.apply({}, (set) => set.add({ kind: 'shown', side: 'left', ids: ['ada'] }));
  expect(await store.runs(LINK, { idPrefix: '' })).toMatchObject([{ id: 'r1', outcome: 'running' }]);
});

test('what a run has read first counts until it changes one of these rows', async () => {
  await using opened = await openWriter();
  const { writer, pairId } = opened;
  await writer.apply({}, (set) => {
    set.add({ kind: 'put', table: 'cursors', row: { side: 'left', ...NO_CURSOR, cursor: 'c' } });
  });
  expect(writer.opening?.open?.map(({ id }) => id)).toEqual(['cid']);
  expect(writer.state.cursors.left.cursor).toBe('c');
  await writer.apply({ pairs: [pairId] }, (set) => set.dropPair(pairId));
  expect(writer.opening).toBeNull();
});
