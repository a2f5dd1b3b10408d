import type { Cursor, LinkState } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import { bySide, SIDES, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import { readLinkRecord, type LinkRecord } from '../../engine/history/link-record.ts';
import { daysByHour, workingHoursOf } from '../../core/state/activity.ts';
import { shownLinkState } from '../../core/state/link.ts';
import type { LinkProgress } from '../../app/heartbeat.ts';
import { lookDelayMs, LONGEST_LOOK_MS } from './polling.ts';

/** How a link stands; times in epoch milliseconds. */
export type LinkStatus = LinkRecord & {
  readonly link: string;
  readonly sides: Sides<SideWords>;
  readonly state: 'active' | 'paused' | 'halted' | 'failing';
  readonly reason: string | null;
  /** Since when a person has it paused; null where nobody does. */
  readonly pausedByHandAtMs: number | null;
  /** How far a daemon is that works on the link; null where none does. */
  readonly underWay: LinkProgress | null;
  /** About when a daemon runs the link next; null where none serves it, and where it waits for something else than time. */
  readonly nextRunAtMs: number | null;
  /**
   * When the next full listing of a side is due, which finds deletions there; null where the side's change feed reports
   * them, and before the first listing.
   */
  readonly sweepAtMs: Sides<number | null>;
  /** How the time between two runs is chosen; null where it is fixed. */
  readonly pace: LinkPace | null;
  /** When each side's change feed was last read to its end; null before the first run. */
  readonly readAtMs: Sides<number | null>;
  /** Each side's requests that are free now; null without a token, and where a side has no budget to show. */
  readonly budget: Awaited<ReturnType<App['budget']>>;
  /** Whether both sides have a token. */
  readonly isConnected: boolean;
};

/** What an `auto` interval follows, as of now. */
export type LinkPace = {
  /** How long after a look the next one comes, where the rate limits leave room for it; in milliseconds. */
  readonly everyMs: number;
  readonly lastChangeAtMs: number | null;
  /** On how many days there were changes in each hour of the day (UTC); days long ago count less. */
  readonly daysByHour: readonly number[];
  /** The hours (UTC) in which the link is looked at more often. */
  readonly workingHours: readonly number[];
};

const paceOf = (link: LinkConfig, { activity }: LinkState, nowMs: number): LinkPace | null =>
  link.hasAutoInterval
    ? {
        everyMs: lookDelayMs(activity, nowMs),
        lastChangeAtMs: activity.lastChangeAtMs,
        daysByHour: daysByHour(activity, nowMs),
        workingHours: workingHoursOf(activity, nowMs),
      }
    : null;

const readAt = ({ cursor, readAtMs }: Cursor): number | null => (cursor === null ? null : readAtMs);

/** A listing that is overdue comes with the next run. */
const sweepAt = (link: LinkConfig, side: Side, { listedAtMs }: Cursor, nowMs: number): number | null => {
  if (listedAtMs === null || link.sides[side].namesDeletions) return null;
  return Math.max(nowMs, listedAtMs + link.sweepIntervalMs);
};

/** What daemons say of their work. */
export type Service = { readonly underWay: readonly LinkProgress[]; readonly served: ReadonlyMap<string, number> };

/** About how often a daemon runs the link; where it chooses that itself, it says so when that is very seldom. */
const everyMsOf = (pace: LinkPace | null, servedMs: number | undefined): number | undefined =>
  pace === null || servedMs === undefined || servedMs > LONGEST_LOOK_MS ? servedMs : pace.everyMs;

/** A link in step is run an interval after its last run began; one that fails is tried again at a time of its own. */
const nextRunOf = (
  state: LinkStatus['state'],
  lastRun: LinkRecord['lastRun'],
  syncIntervalMs: number | undefined,
  nowMs: number,
): number | null => {
  if (syncIntervalMs === undefined || state !== 'active') return null;
  return Math.max(nowMs, lastRun === null ? nowMs : lastRun.startedAtMs + syncIntervalMs);
};

/** How a link stands, from the store alone. */
export const readLinkStatus = async (
  app: Pick<App, 'store' | 'credentials' | 'budget'>,
  link: LinkConfig,
  { underWay, served }: Service,
  nowMs: number,
): Promise<LinkStatus> => {
  const { store } = app;
  const { name, sides } = link;
  const row = await store.link(name);
  const credentials = await app.credentials(link);
  const record = await readLinkRecord(store, name);
  const state = shownLinkState(row.state);
  const pace = paceOf(link, row, nowMs);
  const everyMs = everyMsOf(pace, served.get(name));
  return {
    ...record,
    link: name,
    sides,
    state,
    reason: row.reason,
    pausedByHandAtMs: row.pausedByHandAtMs,
    underWay: underWay.find((one) => one.link === name) ?? null,
    nextRunAtMs: row.pausedByHandAtMs === null ? nextRunOf(state, record.lastRun, everyMs, nowMs) : null,
    sweepAtMs: bySide((side) => sweepAt(link, side, row.cursors[side], nowMs)),
    pace,
    readAtMs: bySide((side) => readAt(row.cursors[side])),
    budget: await app.budget(link),
    isConnected: SIDES.every((side) => credentials[side] !== null),
  };
};
