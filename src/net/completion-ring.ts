/** A time before any time of any clock. Infinity has no form in JSON. */
export const LONG_AGO_MS = -1e15;

/** A ring buffer of the newest completion times, ascending. It grows up to its capacity, then drops the oldest times. */
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

/** The `rank`-th newest time; rank 1 is the newest. Returns `-Infinity` if there are fewer times. */
export const nthNewest = (ring: CompletionRing, rank: number): number => {
  if (rank < 1 || rank > ring.length) return Number.NEGATIVE_INFINITY;
  const index = ring.next - rank;
  return ring.timesMs[index < 0 ? index + ring.timesMs.length : index] ?? Number.NEGATIVE_INFINITY;
};

/** Adds a time. A time before the newest one is stored as the newest one, which keeps the order and can only wait longer. */
export const push = (ring: CompletionRing, timeMs: number): void => {
  if (ring.length === ring.timesMs.length && ring.length < ring.capacity) grow(ring);
  ring.timesMs[ring.next] = Math.max(timeMs, nthNewest(ring, 1));
  ring.next = (ring.next + 1) % ring.timesMs.length;
  ring.length = Math.min(ring.length + 1, ring.timesMs.length);
};

/** The number of times after `timeMs`, by binary search. */
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
