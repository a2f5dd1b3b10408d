import { expect } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { leaseOf, LINK } from './drafts.ts';
import { newPair } from './rows.ts';

/** More pairs than a copy reads with one statement, so that others are stored in the meantime. */
const STORED = 2_100;

/** Copies a link while another run stores pairs. The copy must have both halves of each pair, and no other. */
export const expectWholePairsInCopy = async (store: Store): Promise<void> => {
  const token = await leaseOf(store, LINK);
  const pairsTo = (count: number) =>
    Array.from({ length: count }, (_, index) => newPair(`left${index + 1}`, `right${index + 1}`));
  await store.commit(LINK, token, pairsTo(STORED).flat());
  const storePairs = async (): Promise<void> => {
    for (let index = 1; index <= 40; index += 1) await store.commit(LINK, token, newPair(`l${index}`, `r${index}`));
  };
  const [scratch] = await Promise.all([store.scratch(LINK), storePairs()]);
  const halves = await scratch.halves(LINK, { by: 'all' });
  const pairIds = [...new Set(halves.flatMap(({ pair }) => pair ?? []))];
  const pairs = await scratch.pairs(LINK, pairIds);
  await scratch.close();
  expect(pairs).toHaveLength(pairIds.length);
  expect(halves).toHaveLength(2 * pairIds.length);
};
