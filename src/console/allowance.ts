import type { Clock } from '../clock.ts';

/** So many at once, and so many a second after that. */
export type Rate = { readonly burst: number; readonly perSecond: number };

/** Answers whether one more is allowed now: a bucket that fills up again with time. */
export const createAllowance = (clock: Clock, { burst, perSecond }: Rate): (() => boolean) => {
  let free = burst;
  let atMs = clock.monotonic();
  return () => {
    const nowMs = clock.monotonic();
    free = Math.min(burst, free + ((nowMs - atMs) / 1000) * perSecond);
    atMs = nowMs;
    if (free < 1) return false;
    free -= 1;
    return true;
  };
};
