import type { LinkConfig } from '../../app/config/link-config.ts';
import type { LinkState, RunRow } from '../../core/state/rows.ts';
import { FIRST_SYNC_WAITS } from '../../engine/errors.ts';
import type { JobData } from './job.ts';

/** The longest time by which a timer may fire early. */
const EARLY_MS = 100;

/** The time to the next poll after a change, because more changes are likely to follow. */
export const SHORTEST_POLL_DELAY_MS = 10_000;

/**
 * The time from the last poll of a link with an `auto` interval to the next one; null for a fixed interval. It doubles from
 * poll to poll while nothing changes, up to the interval: the next poll is as late after this one as this one is after the
 * change, plus {@link SHORTEST_POLL_DELAY_MS}. `nowMs` is epoch milliseconds.
 */
export const pollDelayMs = (
  { hasAutoInterval, syncIntervalMs }: Pick<LinkConfig, 'hasAutoInterval' | 'syncIntervalMs'>,
  { lastChangeAtMs }: Pick<LinkState, 'lastChangeAtMs'>,
  nowMs: number,
): number | null => {
  if (!hasAutoInterval) return null;
  if (lastChangeAtMs === null) return syncIntervalMs;
  return Math.min(syncIntervalMs, Math.max(0, nowMs - lastChangeAtMs) + SHORTEST_POLL_DELAY_MS);
};

/** The reason why a scheduled job does not start. This is not a failure. */
export type Skip = {
  readonly why: 'paused' | 'paused by hand' | 'waiting for a review' | 'backing off' | 'not due';
  /** The time to the next poll; null if it does not depend on time. */
  readonly nextInMs: number | null;
};

/** A job of a link, and the state that decides whether it starts. */
type Subject = {
  readonly link: LinkConfig;
  readonly job: JobData;
  readonly row: LinkState;
  /** The newest run of the link, by any process. */
  readonly lastRun: RunRow | null;
  /** The stored credentials, and those that were refused. */
  readonly credentials: string;
  readonly refused: readonly (string | null)[];
  /** The time until the next attempt after an outage, in milliseconds; 0 without one. */
  readonly retryInMs: number;
  readonly nowMs: number;
};

/** The time until the next poll of a link that a run of any process has polled; 0 if it is due. */
const notDueForMs = ({ link, row, lastRun, nowMs }: Subject): number => {
  if (!link.hasAutoInterval || row.state !== 'active') return 0;
  // An interrupted run or an undo does not count as a poll.
  if (lastRun?.outcome !== 'completed' || lastRun.kind === 'undo' || lastRun.endedAtMs === null) return 0;
  const delayMs = pollDelayMs(link, row, lastRun.endedAtMs) ?? 0;
  const inMs = lastRun.endedAtMs + delayMs - nowMs;
  // After the clock was set back, the end of the last run is in the future and does not count.
  return inMs > 2 * delayMs ? 0 : inMs;
};

/** Returns why a job does not start; null if it starts. A requested job always starts, and reports errors itself. Pure. */
export const whySkipped = (subject: Subject): Skip | null => {
  const { link, job, row, lastRun, credentials, refused, retryInMs } = subject;
  if (job.kind === 'full' || job.byHand) return null;
  const skip = (why: Skip['why'], nextInMs: number | null = null): Skip => ({ why, nextInMs });
  if (row.pausedByHandAtMs !== null) return skip('paused by hand');
  // Another run would halt in the same way. An interrupted run is continued.
  const waits = link.firstSync === 'review' && row.reason === FIRST_SYNC_WAITS && lastRun?.outcome === 'halted';
  if (waits) return skip('waiting for a review');
  const inMs = notDueForMs(subject);
  if (inMs > EARLY_MS) return skip('not due', inMs);
  if (row.state === 'paused') return refused.includes(credentials) ? skip('paused') : null;
  return retryInMs > EARLY_MS ? skip('backing off') : null;
};
