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

/** The requests of the last window length. */
const slidingWindow = ({ requests, windowMs }: RateLimit): RateWindow => {
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
      counts.set(nowMs, (counts.get(nowMs) ?? 0) + 1);
      total += 1;
    },
    resetMs: (nowMs) => {
      expire(nowMs);
      const [oldestMs = nowMs] = counts.keys();
      return oldestMs + windowMs - nowMs;
    },
  };
};

/** Returns an empty window of the given kind. */
export const createRateWindow = (kind: 'fixed' | 'first-request' | 'sliding-log', limit: RateLimit): RateWindow => {
  switch (kind) {
    case 'fixed':
      return fixedWindow(limit, true);
    case 'first-request':
      return fixedWindow(limit, false);
    case 'sliding-log':
      return slidingWindow(limit);
  }
};
