import type { ServiceVariants } from './variants.ts';

/** How many requests in how long. */
export type RateLimit = { readonly requests: number; readonly windowMs: number };

/** One way to count requests against a limit. Times are epoch milliseconds and never go back. */
export type RateWindow = {
  /** How many requests fit at once. */
  readonly capacity: number;
  /** How much of the capacity is taken now. */
  used(nowMs: number): number;
  add(nowMs: number): void;
  /** When what is taken now is free again, from now. */
  resetMs(nowMs: number): number;
};

/** Windows one after the other; each begins on a multiple of its length, or with the first request after the last. */
const fixedWindow = ({ requests, windowMs }: RateLimit, isAligned: boolean): RateWindow => {
  let startMs = Number.NEGATIVE_INFINITY;
  let count = 0;
  const advance = (nowMs: number): void => {
    if (nowMs < startMs + windowMs) return;
    startMs = isAligned ? Math.floor(nowMs / windowMs) * windowMs : nowMs;
    count = 0;
  };
  return {
    capacity: requests,
    used: (nowMs) => {
      advance(nowMs);
      return count;
    },
    add: () => {
      count += 1;
    },
    resetMs: (nowMs) => {
      advance(nowMs);
      return startMs + windowMs - nowMs;
    },
  };
};

/** The requests of the last window, counted by their times rounded down to `grainMs`. */
const slidingWindow = ({ requests, windowMs }: RateLimit, grainMs: number): RateWindow => {
  const counts = new Map<number, number>();
  let total = 0;
  const expire = (nowMs: number): void => {
    for (const [atMs, count] of counts) {
      if (atMs > nowMs - windowMs) return;
      counts.delete(atMs);
      total -= count;
    }
  };
  return {
    capacity: requests,
    used: (nowMs) => {
      expire(nowMs);
      return total;
    },
    add: (nowMs) => {
      const atMs = Math.floor(nowMs / grainMs) * grainMs;
      counts.set(atMs, (counts.get(atMs) ?? 0) + 1);
      total += 1;
    },
    resetMs: (nowMs) => {
      expire(nowMs);
      const [oldestMs = nowMs] = counts.keys();
      return oldestMs + windowMs - nowMs;
    },
  };
};

/** The current aligned window, and of the one before the share that a sliding window would still cover. */
const twoBucketWindow = ({ requests, windowMs }: RateLimit): RateWindow => {
  let index = 0;
  let current = 0;
  let previous = 0;
  const advance = (nowMs: number): void => {
    const now = Math.floor(nowMs / windowMs);
    if (now === index) return;
    previous = now === index + 1 ? current : 0;
    current = 0;
    index = now;
  };
  return {
    capacity: requests,
    used: (nowMs) => {
      advance(nowMs);
      return Math.ceil(current + previous * (1 - (nowMs % windowMs) / windowMs));
    },
    add: () => {
      current += 1;
    },
    resetMs: (nowMs) => windowMs - (nowMs % windowMs),
  };
};

/** Keeps sums of fractions of a millisecond from counting as one request more. */
const ROUNDING = 1e-6;

/** A level that drains evenly; `capacity` requests fit at once (a token bucket, or GCRA when that is small). */
const leakyWindow = ({ requests, windowMs }: RateLimit, capacity: number): RateWindow => {
  const intervalMs = windowMs / requests;
  let emptyAtMs = 0;
  const levelMs = (nowMs: number): number => Math.max(0, emptyAtMs - nowMs);
  return {
    capacity,
    used: (nowMs) => Math.ceil(levelMs(nowMs) / intervalMs - ROUNDING),
    add: (nowMs) => {
      emptyAtMs = nowMs + levelMs(nowMs) + intervalMs;
    },
    resetMs: levelMs,
  };
};

const SECOND_MS = 1000;
const GCRA_BURST = 20;

/** An empty window of the kind named. */
export const createRateWindow = (kind: ServiceVariants['windowKind'], limit: RateLimit): RateWindow => {
  switch (kind) {
    case 'fixed':
      return fixedWindow(limit, true);
    case 'first-request':
      return fixedWindow(limit, false);
    case 'sliding-log':
      return slidingWindow(limit, 1);
    case 'sliding-second':
      return slidingWindow(limit, SECOND_MS);
    case 'two-bucket':
      return twoBucketWindow(limit);
    case 'token-bucket':
      return leakyWindow(limit, limit.requests);
    case 'gcra':
      return leakyWindow(limit, Math.min(GCRA_BURST, limit.requests));
  }
};
