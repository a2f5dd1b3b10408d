import type { RunRow } from '../../core/state/rows.ts';
import { keptSinceMs } from '../context.ts';
import { count, formatAge } from '../../core/view/words.ts';

const HOUR_MS = 3_600_000;

/** How long what a run wrote can be read. */
export const keptFor = (durationMs: number): string =>
  `the writes of a run are kept for ${count(Math.floor(durationMs / HOUR_MS / 24), 'day')} (RETENTION)`;

/** Why what the run wrote is not known any more; null where it is. */
export const whyTooOld = (run: RunRow, retentionMs: number | null, nowMs: number): string | null => {
  const sinceMs = keptSinceMs(retentionMs, nowMs);
  if (sinceMs === null || run.endedAtMs === null || run.endedAtMs >= sinceMs) return null;
  const age = formatAge(run.endedAtMs, nowMs);
  return `The run ${run.id} is too old to be undone: it ended ${age}, and ${keptFor(nowMs - sinceMs)}.`;
};
