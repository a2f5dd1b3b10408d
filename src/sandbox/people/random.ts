/** A seeded source of randomness: the same seed always gives the same sequence. */
export type Random = {
  /** Returns a number from 0 to 1, excluding 1. */
  next(): number;
  /** Returns a whole number from 0 to `end`, excluding `end`. */
  below(end: number): number;
  /** Returns true with the given probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. Throws if there are none. */
  pick<T>(items: readonly T[]): T;
  /** Returns the items in another order. */
  shuffle<T>(items: readonly T[]): T[];
};

/** The mulberry32 generator. Its 32 bits of state are enough for sample data. */
const mulberry32 = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Creates a {@link Random} from a whole-number seed. */
export const createRandom = (seed: number): Random => {
  const next = mulberry32(seed);
  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[below(items.length)];
      if (item === undefined) throw new RangeError('Nothing to pick from: the list is empty.');
      return item;
    },
    shuffle: (items) =>
      items
        .map((item) => ({ item, key: next() }))
        .sort((left, right) => left.key - right.key)
        .map(({ item }) => item),
  };
};
