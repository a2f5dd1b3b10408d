/** A time before any time of any clock. Infinity has no form in JSON. */
export const LONG_AGO_MS = -1e15;

/** The newest completion times, ascending. Beyond its capacity the oldest time is dropped. */
export type CompletionRing = { readonly timesMs: number[]; readonly capacity: number };

export const createRing = (capacity: number): CompletionRing => ({ timesMs: [], capacity });

/** The `rank`-th newest time; rank 1 is the newest. Returns `-Infinity` if there are fewer times. */
export const nthNewest = ({ timesMs }: CompletionRing, rank: number): number =>
  timesMs[timesMs.length - rank] ?? Number.NEGATIVE_INFINITY;

/** Adds a time. A time before the newest one is stored as the newest one, which keeps the order and can only wait longer. */
export const push = (ring: CompletionRing, timeMs: number): void => {
  ring.timesMs.push(Math.max(timeMs, nthNewest(ring, 1)));
  if (ring.timesMs.length > ring.capacity) ring.timesMs.shift();
};

/** The number of times after `timeMs`, by binary search. */
export const countAfter = (ring: CompletionRing, timeMs: number): number => {
  let atLeast = 0;
  let atMost = ring.timesMs.length;
  while (atLeast < atMost) {
    const rank = Math.ceil((atLeast + atMost) / 2);
    if (nthNewest(ring, rank) > timeMs) atLeast = rank;
    else atMost = rank - 1;
  }
  return atLeast;
};
