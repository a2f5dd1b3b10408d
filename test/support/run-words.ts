import type { LinkStatus } from '../../src/daemon/links/link-status.ts';
import type { RunSummary } from '../../src/engine/run.ts';
import { SIDE_WORDS } from './side-words.ts';

const NO_COUNTS = { pulled: 0, created: 0, updated: 0, deleted: 0, groupsChanged: 0, groupsDeleted: 0, requests: 0 };

/** The summary of a completed run without writes, with changes. */
export const summaryOf = (change: Partial<RunSummary> = {}): RunSummary => {
  const run = { link: 'a', run: 'r1', kind: 'incremental', outcome: 'completed', reason: null } as const;
  const counts = { left: NO_COUNTS, right: NO_COUNTS, paired: 0, conflicts: 0, skipped: 0 };
  return { ...run, ...counts, durationMs: 5, ...change };
};

const NEVER = { left: null, right: null };

/** The status of an active link that never ran, with changes. */
export const statusOf = (change: Partial<LinkStatus> = {}): LinkStatus => ({
  link: 'default',
  sides: SIDE_WORDS,
  state: 'active',
  reason: null,
  pausedByHandAtMs: null,
  pairs: 0,
  openConflicts: 0,
  refused: [],
  skipped: [],
  alone: [],
  unselected: { left: 0, right: 0 },
  failures: 0,
  lastRun: null,
  lastSync: null,
  lastSuccessAtMs: null,
  nextRunAtMs: null,
  underWay: null,
  sweepAtMs: NEVER,
  readAtMs: NEVER,
  ...change,
});
