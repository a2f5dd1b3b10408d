import type { Cursor, LinkState } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { bySide, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import { readLinkRecord, type LinkRecord } from '../../engine/history/link-record.ts';
import { shownLinkState } from '../../core/state/link.ts';
import { progressOf, readLiveHeartbeats, type Heartbeat, type LinkProgress } from '../../app/heartbeat.ts';
import { providerNamed } from '../../providers/registry.ts';
import type { Store } from '../../store/store.ts';
import { pollDelayMs } from '../jobs/due.ts';

/** The status of a link; times in epoch milliseconds. */
export type LinkStatus = LinkRecord & {
  readonly link: string;
  readonly sides: Sides<SideWords>;
  readonly state: 'active' | 'paused' | 'halted' | 'failing';
  readonly reason: string | null;
  /** The time when the link was paused by hand; null if it is not. */
  readonly pausedByHandAtMs: number | null;
  /** The progress of the current run of the link; null without one. */
  readonly underWay: LinkProgress | null;
  /** The estimated time of the next run; null if no daemon serves the link, or if the next run does not depend on time. */
  readonly nextRunAtMs: number | null;
  /**
   * The time of the next full listing of a side, which finds deletions; null if the change feed of the side reports deletions,
   * and before the first listing.
   */
  readonly sweepAtMs: Sides<number | null>;
  /** The time when the change feed of each side was last read to its end; null before the first run. */
  readonly readAtMs: Sides<number | null>;
};

/** The time of the next full listing. An overdue listing takes place in the next run, so its time is now. */
const sweepAt = (link: LinkConfig, side: Side, { listedAtMs }: Cursor, nowMs: number): number | null => {
  if (listedAtMs === null || providerNamed(link.sides[side].provider).namesDeletions) return null;
  return Math.max(nowMs, listedAtMs + link.sweepIntervalMs);
};

/**
 * The time of the next run of an active link: an interval after the start of its last sync, or with an `auto` interval the delay after
 * its end. A failing link is retried at another time.
 */
const nextRunOf = (
  link: LinkConfig,
  row: LinkState,
  { lastSync }: Pick<LinkRecord, 'lastSync'>,
  { servedMs, nowMs }: { readonly servedMs: number | undefined; readonly nowMs: number },
): number | null => {
  if (servedMs === undefined || row.pausedByHandAtMs !== null || shownLinkState(row.state) !== 'active') return null;
  if (lastSync === null || lastSync.endedAtMs === null) return nowMs;
  const delayMs = pollDelayMs(link, row, lastSync.endedAtMs);
  const dueAtMs = delayMs === null ? lastSync.startedAtMs + servedMs : lastSync.endedAtMs + delayMs;
  return Math.max(nowMs, dueAtMs);
};

/** The heartbeats of all daemons, and the interval of each link that a daemon serves. */
type Daemons = { readonly beats: readonly Heartbeat[]; readonly intervalsMs: ReadonlyMap<string, number> };

const readStatus = async (
  store: Store,
  link: LinkConfig,
  { beats, intervalsMs }: Daemons,
  nowMs: number,
): Promise<LinkStatus> => {
  const { name, sides } = link;
  const row = await store.link(name);
  const record = await readLinkRecord(store, name);
  const lastEndedAtMs = record.lastRun?.endedAtMs ?? 0;
  // A heartbeat is written every few seconds. It may contain a run that has ended since.
  const current = beats.filter(({ beatAtMs }) => beatAtMs >= lastEndedAtMs);
  return {
    ...record,
    link: name,
    sides,
    state: shownLinkState(row.state),
    reason: row.reason,
    pausedByHandAtMs: row.pausedByHandAtMs,
    underWay: progressOf(current, nowMs).find((one) => one.link === name) ?? null,
    nextRunAtMs: nextRunOf(link, row, record, { servedMs: intervalsMs.get(name), nowMs }),
    sweepAtMs: bySide((side) => sweepAt(link, side, row.cursors[side], nowMs)),
    readAtMs: bySide((side) => (row.cursors[side].cursor === null ? null : row.cursors[side].readAtMs)),
  };
};

/** Reads the status of each link from the store and from the heartbeats of all daemons. `nowMs` in epoch milliseconds. */
export const readLinkStatuses = async (
  app: Pick<App, 'store' | 'config'>,
  links: readonly LinkConfig[],
  nowMs: number,
): Promise<readonly LinkStatus[]> => {
  const beats = await readLiveHeartbeats(app.config.dataDir, nowMs);
  const served = beats.flatMap((beat) => beat.links);
  const intervalsMs = new Map(served.map(({ name, syncIntervalMs }) => [name, syncIntervalMs]));
  const statuses: LinkStatus[] = [];
  for (const link of links) statuses.push(await readStatus(app.store, link, { beats, intervalsMs }, nowMs));
  return statuses;
};
