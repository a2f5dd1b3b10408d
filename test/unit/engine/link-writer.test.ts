import { expect, test } from 'vitest';
import { LinkWriter } from '../../../src/engine/link-writer.ts';
import { openStore } from '../../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { linkedPair, looseHalf } from './support.ts';

const LINK = 'home';
const CID = looseHalf('left', 'cid');

/** A writer on a store with one pair and one half without a pair, and the ids that it has loaded so far. */
const openWriter = async () => {
  const store = openStore(':memory:');
  const token = (await store.acquireLease(LINK, 'owner', 0, 1)) ?? 0;
  const halves = linkedPair(1, 'ada', 'ben').map((half) => ({ half, digest: null }));
  const [pairId = 0] = await store.commit(LINK, token, [
    { kind: 'put-pair', id: null, status: 'linked', halves },
    { kind: 'put-half', half: CID, digest: null },
  ]);
  const loaded: string[] = [];
  const counting: Pick<Store, 'wholePairs'> = {
    wholePairs: (link, asked) => {
      loaded.push(...asked.ids.left, ...asked.ids.right, ...asked.pairs.map(String));
      return store.wholePairs(link, asked);
    },
  };
  const writer = new LinkWriter({ ...store, ...counting }, LINK, token);
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
    set.putPair(pairId, 'asleep');
  });
  const results: unknown[] = [];
  await writer.apply({ ids: { left: ['cid'], right: ['ben'] } }, (set) => {
    const newPairId = set.half('left', 'cid')?.pair ?? 0;
    results.push(set.pair(pairId)?.status, set.pair(newPairId)?.status, newPairId > 0);
  });
  expect(results).toEqual(['asleep', 'kept', true]);
  expect(loaded).toEqual([]);
  expect((await store.pairs(LINK, [pairId]))[0]?.status).toBe('asleep');
});

test('rows are loaded for each step without a plan, and after the rows of a plan are released', async () => {
  await using opened = await openWriter();
  const { writer, loaded, planned } = opened;
  const load = () => writer.apply({ ids: { right: ['ben'] } }, () => undefined);
  await load();
  await load();
  writer.keepRows([], await planned());
  await load();
  writer.releaseRows();
  await load();
  expect(loaded).toEqual(['ben', 'ben', 'ben']);
});

test('after a step that was not stored, the next step reads the rows of the store', async () => {
  await using opened = await openWriter();
  const { writer, loaded, pairId, planned } = opened;
  writer.keepRows([CID], await planned());
  const failing = writer.apply({ pairs: [pairId] }, (set) => {
    set.dropPair(pairId);
    throw new Error('The step failed.');
  });
  await expect(failing).rejects.toThrow('The step failed.');
  let status: string | undefined;
  await writer.apply({ pairs: [pairId] }, (set) => {
    status = set.pair(pairId)?.status;
  });
  expect(status).toBe('linked');
  expect(loaded).toEqual([String(pairId)]);
});
