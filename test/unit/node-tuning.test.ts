import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGivingBack } from '../../src/node-tuning.ts';

/** A process that holds what it is told to, and half of that after a collection. */
const processOf = (megabytes: readonly number[]) => {
  const held = [...megabytes];
  let collections = 0;
  const memory = {
    heldBytes: () => (held[0] ?? 0) * 1_048_576,
    collect: () => {
      collections += 1;
      held[0] = (held[0] ?? 0) / 2;
    },
  };
  return { memory, next: () => void held.shift(), collections: () => collections };
};

test('memory is given back at first, and then where a quarter more is held than after the last time', () => {
  const { memory, next, collections } = processOf([100, 62, 63, 39, 40]);
  const giveBack = createGivingBack(memory);
  const counts = [1, 2, 3, 4, 5].map(() => {
    giveBack();
    next();
    return collections();
  });
  expect(counts).toEqual([1, 1, 2, 2, 3]);
});

test('memory is given back after a while where nothing grows', () => {
  const { memory, collections } = processOf([100]);
  const giveBack = createGivingBack({ ...memory, heldBytes: () => 100 });
  for (let looks = 0; looks < 440; looks += 1) giveBack();
  expect(collections()).toBe(1);
  for (let looks = 0; looks < 20; looks += 1) giveBack();
  expect(collections()).toBe(2);
});

test('what nothing refers to is gone when memory was given back', async () => {
  const reference = new WeakRef({ of: 'nothing' });
  // A reference that was made or read in this turn keeps its target until the turn ends.
  await setImmediate();
  createGivingBack()();
  expect(reference.deref()).toBeUndefined();
});
