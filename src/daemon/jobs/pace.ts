import type { LinkState } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import { allowedForLooking, lookDelayMs, REQUESTS_PER_LOOK, SHORTEST_LOOK_MS, stretchOf } from './next-look.ts';

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
