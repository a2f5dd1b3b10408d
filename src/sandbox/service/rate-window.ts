import type { ServiceVariants } from './variants.ts';

/** A number of requests in a length of time. */
export type RateLimit = { readonly requests: number; readonly windowMs: number };

/** A method to count requests against a limit. Times are epoch milliseconds and never decrease. */
export type RateWindow = {
  /** The maximum number of requests at once. */
  readonly capacity: number;
  /** Returns the used part of the capacity. */
  used(nowMs: number): number;
  add(nowMs: number): void;
  /** Returns the time until the used part is free again. */
  resetMs(nowMs: number): number;
};

/** Consecutive windows. Each begins at a multiple of its length, or with the first request after the last window. */
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

/** The requests of the last window length, with times rounded down to `grainMs`. */
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

/** The current aligned window, and the part of the previous one that a sliding window would still include. */
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

/** Prevents that rounded fractions of a millisecond count as one more request. */
const ROUNDING = 1e-6;

/** A level that drains evenly. `capacity` requests are possible at once (a token bucket; with a small capacity, GCRA). */
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

/** Returns an empty window of the given kind. */
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
