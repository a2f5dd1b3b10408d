import type { Activity } from '../../core/state/rows.ts';
import { LONGEST_AUTO_INTERVAL_MS } from '../../app/config/config.ts';
import { isWorkingHour } from '../../core/state/activity.ts';

/** After a change a link is looked at so often, as more of them are likely to follow. */
export const SHORTEST_LOOK_MS = 10_000;
/** For so long after a change; from then on the time between looks grows with the time since the change. */
const EAGER_FOR_MS = 2 * 60_000;
/** As seldom a link is looked at in the hours in which its people work, when it has been quiet for long. */
const WORKING_LOOK_MS = 60_000;
/** And as seldom in any other hour. */
export const LONGEST_LOOK_MS = LONGEST_AUTO_INTERVAL_MS;

/**
 * How long after a look the next one comes, in milliseconds: {@link SHORTEST_LOOK_MS} for {@link EAGER_FOR_MS} after a
 * change, then as much of the time since the change as that is of it, up to the longest that the hour of the day allows.
 */
export const lookDelayMs = (activity: Activity, nowMs: number): number => {
  const { lastChangeAtMs } = activity;
  const longestMs = isWorkingHour(activity, nowMs) ? WORKING_LOOK_MS : LONGEST_LOOK_MS;
  if (lastChangeAtMs === null) return longestMs;
  const quietMs = Math.max(0, nowMs - lastChangeAtMs);
  const grownMs = Math.round((quietMs * SHORTEST_LOOK_MS) / EAGER_FOR_MS);
  return Math.min(longestMs, Math.max(SHORTEST_LOOK_MS, grownMs));
};

/** A run that finds nothing sends so many requests to a side. */
export const REQUESTS_PER_LOOK = 2;
/** Of what a rate limit allows so much may go into looking, and never more than other work leaves. */
const MOST_FOR_LOOKING = 0.5;
/** However busy other work keeps a limit, so much of it goes into looking: an exhausted limit is free again soon. */
const LEAST_FOR_LOOKING = 0.05;

/** A rate limit that looks count against. */
export type SharedLimit = {
  /** Requests that are allowed in any `windowMs`. */
  readonly requests: number;
  readonly windowMs: number;
  /** How many of them are free now. */
  readonly free: number;
  /** How many looks a millisecond all links that share the limit want, this one included. */
  readonly wantedPerMs: number;
};

/** How many requests looks may take of a limit within its window. */
export const allowedForLooking = ({ requests, free }: Pick<SharedLimit, 'requests' | 'free'>): number =>
  Math.max(requests * LEAST_FOR_LOOKING, Math.min(requests * MOST_FOR_LOOKING, free));

/** By how much the time between looks grows for all links that share these limits; 1 where there is room for all. */
export const stretchOf = (limits: readonly SharedLimit[]): number => {
  const stretches = limits.map((limit) => {
    return (limit.wantedPerMs * REQUESTS_PER_LOOK * limit.windowMs) / allowedForLooking(limit);
  });
  return Math.max(1, ...stretches);
};
