import { expect, it } from 'vitest';
import { mapConcurrently } from '../../../src/providers/batches.ts';
import { failureOf } from './service/support.ts';

it('results stand in the order of the items, and no more than allowed are under way', async () => {
  let running = 0;
  let most = 0;
  const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
    running += 1;
    most = Math.max(most, running);
    for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
});

it('after a failure nothing new is begun, and what is under way ends first', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = mapConcurrently([1, 2, 3, 4], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw new Error('first');
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    ended.push(item);
  });
  expect((await failureOf(work)).message).toBe('first');
  expect({ begun, ended }).toEqual({ begun: [1, 2], ended: [2] });
});

it('nothing gives nothing', async () => {
  expect(await mapConcurrently([], 6, () => Promise.resolve(1))).toEqual([]);
});
