import { expect, it } from 'vitest';
import { mapConcurrently } from '../../../src/util/batches.ts';
import { failureOf } from '../providers/service/support.ts';

it('results have the order of the items, and at most the allowed number of items run at once', async () => {
  let running = 0;
  let maxRunning = 0;
  const results = await mapConcurrently([5, 1, 4, 2, 3], 2, async (item) => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    for (let turn = 0; turn < item; turn += 1) await Promise.resolve();
    running -= 1;
    return item * 10;
  });
  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(maxRunning).toBe(2);
});

it('after a failure no further item starts, and the error is thrown after the running items end', async () => {
  const started: number[] = [];
  const ended: number[] = [];
  const work = mapConcurrently([1, 2, 3, 4], 2, async (item) => {
    started.push(item);
    if (item === 1) throw new Error('first');
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    ended.push(item);
  });
  expect((await failureOf(work)).message).toBe('first');
  expect({ started, ended }).toEqual({ started: [1, 2], ended: [2] });
});
