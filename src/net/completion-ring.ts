/** Before any time of any clock; a number in JSON too, which infinity is not. */
export const LONG_AGO_MS = -1e15;

/** The newest completion times, ascending, in a buffer that grows with them to its capacity and forgets the oldest then. */
export type CompletionRing = { timesMs: Float64Array; next: number; length: number; readonly capacity: number };

const FIRST_CAPACITY = 64;

export const createRing = (capacity: number): CompletionRing => ({
  timesMs: new Float64Array(Math.min(capacity, FIRST_CAPACITY)),
  next: 0,
  length: 0,
  capacity,
});

const grow = (ring: CompletionRing): void => {
  const timesMs = new Float64Array(Math.min(ring.capacity, 2 * ring.length));
  timesMs.set(ring.timesMs);
  ring.timesMs = timesMs;
  ring.next = ring.length;
};

/** The `rank`-th newest time, the newest being 1; `-Infinity` where there are not so many. */
export const nthNewest = (ring: CompletionRing, rank: number): number => {
  if (rank < 1 || rank > ring.length) return Number.NEGATIVE_INFINITY;
  const index = ring.next - rank;
  return ring.timesMs[index < 0 ? index + ring.timesMs.length : index] ?? Number.NEGATIVE_INFINITY;
};

/** Adds a time. One before the newest is moved up to it: that keeps the order and only errs towards waiting. */
export const push = (ring: CompletionRing, timeMs: number): void => {
  if (ring.length === ring.timesMs.length && ring.length < ring.capacity) grow(ring);
  ring.timesMs[ring.next] = Math.max(timeMs, nthNewest(ring, 1));
  ring.next = (ring.next + 1) % ring.timesMs.length;
  ring.length = Math.min(ring.length + 1, ring.timesMs.length);
};

/** How many times lie after `timeMs`, by binary search. */
export const countAfter = (ring: CompletionRing, timeMs: number): number => {
  let atLeast = 0;
  let atMost = ring.length;
  while (atLeast < atMost) {
    const rank = Math.ceil((atLeast + atMost) / 2);
    if (nthNewest(ring, rank) > timeMs) atLeast = rank;
    else atMost = rank - 1;
  }
  return atLeast;
};

/** All times, oldest first. */
export const listTimes = (ring: CompletionRing): number[] =>
  Array.from({ length: ring.length }, (_, index) => nthNewest(ring, ring.length - index));
