import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLeaseHolders } from '../../../src/app/lease-holders.ts';
import { changeLink } from '../../../src/engine/change-link.ts';
import { LeaseError } from '../../../src/engine/errors.ts';
import { LeaseChecks, type LeaseParts, newOwner, takeLease } from '../../../src/engine/lease.ts';
import { NO_CURSOR, type StoreChange } from '../../../src/core/state/rows.ts';
import { LinkWriter } from '../../../src/engine/link-writer.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { systemClock } from '../../../src/util/clock.ts';
import { linkedPair, looseHalf } from './support.ts';

const NEVER = new AbortController().signal;

const FAR_MS = 60_000;

describe.skipIf(process.platform !== 'linux')('a lease that another process holds', () => {
  let store: Store;
  let child: ChildProcess;
  let parts: LeaseParts & { readonly link: string };

  /** The other process under its own name, with its lease on the link. */
  const hold = async (): Promise<string> => {
    const owner = newOwner({ ...parts, holders: createLeaseHolders(child.pid) });
    const nowMs = systemClock.now();
    expect(await store.acquireLease('work', owner, nowMs, nowMs + FAR_MS)).not.toBeNull();
    return owner;
  };
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };

  beforeEach(async () => {
    store = openStore(':memory:');
    child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log()'], { stdio: 'pipe' });
    await once(child.stdout ?? child, 'data');
    parts = { link: 'work', store, clock: systemClock, newId: randomUUID, holders: createLeaseHolders() };
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await store.close();
  });

  test('is busy while that process is alive, and free at once when it was killed on this host', async () => {
    const owner = await hold();
    await expect(takeLease(parts, NEVER)).rejects.toThrow(LeaseError);
    const before = await store.acquireLease('work', owner, 0, systemClock.now() + FAR_MS);
    await kill();
    await using lease = await takeLease(parts, NEVER);
    expect(lease.token).toBeGreaterThan(before ?? 0);
  });

  test('is free at once for a change outside of a run as well, and if its process id has been reused since', async () => {
    const owner = await hold();
    await kill();
    await changeLink(parts, 'work', () => [{ kind: 'link', patch: { reason: 'Changed.' } }]);
    expect((await store.link('work')).reason).toBe('Changed.');
    await store.acquireLease('work', owner.replace(/\d+$/u, '1'), 0, systemClock.now() + FAR_MS);
    await using lease = await takeLease(parts, NEVER);
    expect(lease.token).toBeGreaterThan(0);
  });

  test.each([
    ['another host', (owner: string) => owner.replace('@', '@other-')],
    ['a program without a process id', () => 'a program'],
  ])('is waited for if it belongs to %s, whether or not that process is alive', async (_owner, rename) => {
    const owner = await hold();
    await kill();
    await store.releaseLease('work', owner);
    await store.acquireLease('work', rename(owner), 0, systemClock.now() + FAR_MS);
    await expect(takeLease(parts, NEVER)).rejects.toThrow(LeaseError);
  });
});

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
