import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Half } from '../../../src/contact/half.ts';
import { overlayOf } from '../../../src/store/overlay.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { StoreChange } from '../../../src/store/store.ts';
import { draft, everything, FOREVER, leaseOf, LINK, play, started } from '../../support/store/drafts.ts';
import { entryOf, halfOf, newPair, putHalf, recordOf } from '../../support/store/rows.ts';
import { storeContract } from './store-contract.ts';
import { extentOf } from '../../support/extent.ts';

storeContract('an overlay over an empty store', async () => {
  const below = openStore(':memory:');
  return { store: overlayOf(below), close: () => below.close() };
});

describe('an overlay over a store that holds something', () => {
  it('answers what that store would after the same changes, and leaves it as it is', async () => {
    const drafts = fc.array(draft, { maxLength: 14 });
    const property = fc.asyncProperty(drafts, drafts, async (before, after) => {
      const [below, plain] = [openStore(':memory:'), openStore(':memory:')];
      const [belowEntries, plainEntries]: [number[], number[]] = [[], []];
      await play(below, belowEntries, [...started, ...before]);
      await play(plain, plainEntries, [...started, ...before, ...after]);
      const untouched = await everything(below, belowEntries);
      const overlay = overlayOf(below);
      const overlayEntries = [...belowEntries];
      await play(overlay, overlayEntries, after);
      expect(await everything(overlay, overlayEntries)).toEqual(await everything(plain, plainEntries));
      expect(await everything(below, belowEntries)).toEqual(untouched);
      await Promise.all([below.close(), plain.close()]);
    });
    await fc.assert(property, { numRuns: extentOf({ all: 60, sample: 15 }), seed: 20_261_122 });
  });

  it('goes by the status that pairs have above for halves that stand below', async () => {
    const below = openStore(':memory:');
    const record = recordOf('l1', { groupIds: ['g1'] });
    const pair = (pairId: number, status: 'linked' | 'kept', only: Half): StoreChange => {
      return { kind: 'put-pair', id: pairId, status, halves: [{ half: only, digest: null }] };
    };
    await below.commit(LINK, await leaseOf(below, LINK), [
      pair(1, 'linked', halfOf('l1', { record })),
      pair(2, 'kept', halfOf('l2', { record: { ...record, id: 'l2' } })),
    ]);
    const overlay = overlayOf(below);
    const turned: StoreChange[] = [
      { kind: 'put-pair', id: 1, status: 'kept', halves: [] },
      { kind: 'put-pair', id: 2, status: 'asleep', halves: [] },
    ];
    await overlay.commit(LINK, await leaseOf(overlay, LINK), turned);
    expect(await overlay.halves(LINK, { by: 'alone' })).toMatchObject([{ id: 'l1' }]);
    expect(new Set((await overlay.members(LINK, ['g1'])).map(({ id }) => id))).toEqual(new Set(['l1', 'l2']));
    expect(await overlay.halves(LINK, { by: 'asleep' })).toMatchObject([{ id: 'l2' }]);
    await below.close();
  });

  it('does not bring back an entry of below that it has forgotten', async () => {
    const below = openStore(':memory:');
    const token = await leaseOf(below, LINK);
    const [entry = 0] = await below.commit(LINK, token, [{ kind: 'intend', run: 'run', entry: entryOf(), atMs: 1 }]);
    const overlay = overlayOf(below);
    const settled: StoreChange = { kind: 'journal', id: entry, state: 'done', after: null, error: null, atMs: 2 };
    await overlay.commit(LINK, await leaseOf(overlay, LINK), [{ kind: 'forget-mapping' }, settled]);
    expect(await overlay.journal(LINK, { run: 'run' })).toEqual([]);
    expect(await below.journal(LINK, { open: true })).toHaveLength(1);
    await below.close();
  });

  it('makes no link there, takes no lease there and saves no budget there', async () => {
    const below = openStore(':memory:');
    const overlay = overlayOf(below);
    await overlay.link('new');
    const token = await leaseOf(overlay, LINK);
    await overlay.commit(LINK, token, [putHalf('a')]);
    await overlay.saveBudget('key', '{}');
    expect(await below.links()).toEqual([]);
    expect(await below.budget('key')).toBeNull();
    expect(await below.acquireLease(LINK, 'another', 1, 2)).toBe(1);
    await below.close();
  });

  it('is leased whoever holds the link below', async () => {
    const below = openStore(':memory:');
    await below.acquireLease(LINK, 'a run', 0, FOREVER);
    expect(await overlayOf(below).acquireLease(LINK, 'a plan', 1, FOREVER)).not.toBeNull();
    await below.close();
  });

  it('gives new pairs ids that no pair below has', async () => {
    const below = openStore(':memory:');
    await below.commit(LINK, await leaseOf(below, LINK), [newPair('l1', 'r1')]);
    const overlay = overlayOf(below);
    await overlay.commit(LINK, await leaseOf(overlay, LINK), [newPair('l2', 'r2')]);
    const halves = await overlay.halves(LINK, { by: 'all' });
    expect(new Set(halves.map(({ pair }) => pair)).size).toBe(2);
    await below.close();
  });
});
