import type { LinkState, Activity } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import { LONGEST_AUTO_INTERVAL_MS, type LinkConfig } from '../../app/config/config.ts';
import { isWorkingHour } from '../../core/state/activity.ts';

/** What the pace of looking is told from; a part of {@link App}. */
export type PaceApp = Pick<App, 'limits'>;

type Budget = ReturnType<PaceApp['limits']>[number]['budget'];

/** How often the links are looked at whose interval is `auto`, as far as this process knows. */
export type Pace = {
  /** How long after its last look the link is looked at again; null where its interval is fixed. */
  delayMs(link: LinkConfig, row: LinkState, nowMs: number): number | null;
  /**
   * Lets the link be looked at now, and counts that: 0. Else how long to wait, since looks have taken their part of a limit:
   * many links may come to want more at once, as where their working hours begin. `nowMs` is on the clock that never jumps.
   */
  turnInMs(link: LinkConfig, nowMs: number): number;
  /** Forgets every link but these. */
  keep(links: ReadonlySet<string>): void;
  /** The same as it was last answered; the interval of the configuration where it is longer. */
  intervalMs(link: Pick<LinkConfig, 'name' | 'syncIntervalMs'>): number;
};

/** What the links that share a limit want, and all of them together. */
type Wanted = { readonly byLink: Map<string, number>; sum: number };

/**
 * Links share a rate limit where their requests pass the same one: each counts there with what it wanted last. One that
 * this process has not run yet is not counted; each daemon counts the links that it runs.
 */
export const createPace = (app: PaceApp): Pace => {
  /** How many looks a millisecond the links want, by the name of the limit, then of the link. */
  const wanted = new Map<string, Wanted>();
  const delays = new Map<string, number>();

  const want = (limit: string, link: string, perMs: number): number => {
    const known: Wanted = wanted.get(limit) ?? { byLink: new Map(), sum: 0 };
    wanted.set(limit, known);
    known.sum += perMs - (known.byLink.get(link) ?? 0);
    known.byLink.set(link, perMs);
    return known.sum;
  };
  /** When the links were looked at that count against a limit, the oldest first, by the limit's name. */
  const looks = new Map<string, number[]>();

  const turnAt = (name: string, { limit, remaining }: Budget, nowMs: number): number => {
    const latest = (looks.get(name) ?? []).filter((atMs) => atMs > nowMs - limit.windowMs);
    looks.set(name, latest);
    const most = Math.max(1, Math.floor(allowedForLooking({ ...limit, free: remaining }) / REQUESTS_PER_LOOK));
    return latest.length < most ? nowMs : (latest[0] ?? nowMs) + limit.windowMs;
  };
  const drop = (limit: Wanted, link: string): void => {
    limit.sum -= limit.byLink.get(link) ?? 0;
    limit.byLink.delete(link);
  };
  return {
    delayMs: (link, { activity }, nowMs) => {
      if (!link.hasAutoInterval) return null;
      const wantedMs = lookDelayMs(activity, nowMs);
      const limits = app.limits(link.name).map(({ name, budget: { limit, remaining } }) => {
        return { ...limit, free: remaining, wantedPerMs: want(name, link.name, 1 / wantedMs) };
      });
      const delayMs = Math.round(wantedMs * stretchOf(limits));
      delays.set(link.name, delayMs);
      return delayMs;
    },
    turnInMs: (link, nowMs) => {
      if (!link.hasAutoInterval) return 0;
      const limits = app.limits(link.name);
      const turnAtMs = Math.max(nowMs, ...limits.map(({ name, budget }) => turnAt(name, budget, nowMs)));
      if (turnAtMs > nowMs) return Math.max(SHORTEST_LOOK_MS, turnAtMs - nowMs);
      for (const { name } of limits) looks.get(name)?.push(nowMs);
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
const REQUESTS_PER_LOOK = 2;
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
const allowedForLooking = ({ requests, free }: Pick<SharedLimit, 'requests' | 'free'>): number =>
  Math.max(requests * LEAST_FOR_LOOKING, Math.min(requests * MOST_FOR_LOOKING, free));

/** By how much the time between looks grows for all links that share these limits; 1 where there is room for all. */
export const stretchOf = (limits: readonly SharedLimit[]): number => {
  const stretches = limits.map((limit) => {
    return (limit.wantedPerMs * REQUESTS_PER_LOOK * limit.windowMs) / allowedForLooking(limit);
  });
  return Math.max(1, ...stretches);
};
