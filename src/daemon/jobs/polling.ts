import type { LinkState, Activity } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import { LONGEST_AUTO_INTERVAL_MS, type LinkConfig } from '../../app/config/link-config.ts';
import { isWorkingHour } from '../../core/state/activity.ts';

/** The part of {@link App} that polling uses. */
type PollingApp = Pick<App, 'limits'>;

type Budget = ReturnType<PollingApp['limits']>[number]['budget'];

/** Chooses the polling times of links with an `auto` interval, from the observations of this process. */
export type Polling = {
  /** The time from the last poll of the link to the next one; null for a fixed interval. */
  delayMs(link: LinkConfig, row: LinkState, nowMs: number): number | null;
  /**
   * Returns 0 and counts a poll if the link may be polled now. Otherwise returns the time to wait: many links may become due
   * together, for instance when working hours begin, and polls may use only a part of a rate limit. `nowMs` is monotonic time.
   */
  waitMs(link: LinkConfig, nowMs: number): number;
  /** Drops the state of all links except these. */
  keep(links: ReadonlySet<string>): void;
  /** The last result of `delayMs`, or the configured interval if that is longer. */
  intervalMs(link: Pick<LinkConfig, 'name' | 'syncIntervalMs'>): number;
};

/** The desired polls of the links that share a limit, and their sum. */
type Wanted = { readonly byLink: Map<string, number>; sum: number };

/**
 * Links share a rate limit if their requests use the same limiter. Each link counts with its latest desired rate. Links that this
 * process has not run yet do not count, so each daemon counts the links that it runs.
 */
export const createPolling = (app: PollingApp): Polling => {
  /** The desired polls per millisecond, by the name of the limit, then of the link. */
  const wanted = new Map<string, Wanted>();
  const delays = new Map<string, number>();

  const want = (limit: string, link: string, perMs: number): number => {
    const known: Wanted = wanted.get(limit) ?? { byLink: new Map(), sum: 0 };
    wanted.set(limit, known);
    known.sum += perMs - (known.byLink.get(link) ?? 0);
    known.byLink.set(link, perMs);
    return known.sum;
  };
  /** The times of polls that count against a limit, oldest first, by the name of the limit. */
  const pollTimes = new Map<string, number[]>();

  const freeAt = (name: string, { limit, remaining }: Budget, nowMs: number): number => {
    const latest = (pollTimes.get(name) ?? []).filter((atMs) => atMs > nowMs - limit.windowMs);
    pollTimes.set(name, latest);
    const most = Math.max(1, Math.floor(pollAllowance({ ...limit, free: remaining }) / REQUESTS_PER_POLL));
    return latest.length < most ? nowMs : (latest[0] ?? nowMs) + limit.windowMs;
  };
  const drop = (limit: Wanted, link: string): void => {
    limit.sum -= limit.byLink.get(link) ?? 0;
    limit.byLink.delete(link);
  };
  return {
    delayMs: (link, { activity }, nowMs) => {
      if (!link.hasAutoInterval) return null;
      const wantedMs = pollDelayMs(activity, nowMs);
      const limits = app.limits(link.name).map(({ name, budget: { limit, remaining } }) => {
        return { ...limit, free: remaining, wantedPerMs: want(name, link.name, 1 / wantedMs) };
      });
      const delayMs = Math.round(wantedMs * stretchOf(limits));
      delays.set(link.name, delayMs);
      return delayMs;
    },
    waitMs: (link, nowMs) => {
      if (!link.hasAutoInterval) return 0;
      const limits = app.limits(link.name);
      const freeAtMs = Math.max(nowMs, ...limits.map(({ name, budget }) => freeAt(name, budget, nowMs)));
      if (freeAtMs > nowMs) return Math.max(SHORTEST_POLL_DELAY_MS, freeAtMs - nowMs);
      for (const { name } of limits) pollTimes.get(name)?.push(nowMs);
      return 0;
    },
    keep: (links) => {
      for (const name of delays.keys()) if (!links.has(name)) delays.delete(name);
      for (const limit of wanted.values()) {
        for (const name of limit.byLink.keys()) if (!links.has(name)) drop(limit, name);
      }
    },
    intervalMs: ({ name, syncIntervalMs }) => Math.max(syncIntervalMs, delays.get(name) ?? 0),
  };
};

/** The interval after a change, because more changes are likely to follow. */
export const SHORTEST_POLL_DELAY_MS = 10_000;
/** The duration of the shortest interval after a change. Then the interval grows with the time since the change. */
const FREQUENT_FOR_MS = 2 * 60_000;
/** The longest interval in the working hours of the link. */
const WORKING_HOURS_DELAY_MS = 60_000;
/** The longest interval in all other hours. */
export const LONGEST_POLL_DELAY_MS = LONGEST_AUTO_INTERVAL_MS;

/**
 * The time between two polls, in milliseconds: {@link SHORTEST_POLL_DELAY_MS} within {@link FREQUENT_FOR_MS} of a change, then
 * proportional to the time since the change, up to the longest interval of the hour of the day.
 */
export const pollDelayMs = (activity: Activity, nowMs: number): number => {
  const { lastChangeAtMs } = activity;
  const longestMs = isWorkingHour(activity, nowMs) ? WORKING_HOURS_DELAY_MS : LONGEST_POLL_DELAY_MS;
  if (lastChangeAtMs === null) return longestMs;
  const quietMs = Math.max(0, nowMs - lastChangeAtMs);
  const grownMs = Math.round((quietMs * SHORTEST_POLL_DELAY_MS) / FREQUENT_FOR_MS);
  return Math.min(longestMs, Math.max(SHORTEST_POLL_DELAY_MS, grownMs));
};

/** The requests to each side of a run without changes. */
const REQUESTS_PER_POLL = 2;
/** The largest share of a rate limit for polls. Other work has priority. */
const LARGEST_POLL_SHARE = 0.5;
/** The smallest share of a rate limit for polls, even if other work uses it up: the limit is free again soon. */
const SMALLEST_POLL_SHARE = 0.05;

/** A rate limit that several links share. */
export type SharedLimit = {
  /** Requests that are allowed in any `windowMs`. */
  readonly requests: number;
  readonly windowMs: number;
  /** The requests that are free now. */
  readonly free: number;
  /** The desired polls per millisecond of all links that share the limit. */
  readonly wantedPerMs: number;
};

/** The requests of a limit that polls may use in a window. */
const pollAllowance = ({ requests, free }: Pick<SharedLimit, 'requests' | 'free'>): number =>
  Math.max(requests * SMALLEST_POLL_SHARE, Math.min(requests * LARGEST_POLL_SHARE, free));

/** The factor by which the intervals of all links that share these limits grow; 1 if all polls fit. */
export const stretchOf = (limits: readonly SharedLimit[]): number => {
  const stretches = limits.map((limit) => {
    return (limit.wantedPerMs * REQUESTS_PER_POLL * limit.windowMs) / pollAllowance(limit);
  });
  return Math.max(1, ...stretches);
};
