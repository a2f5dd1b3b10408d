import type { RunRow } from '../../core/state/rows.ts';
import type { Run } from '../../core/view/views.ts';
import { count, formatAge } from '../../core/view/words.ts';
import { keptSinceMs } from '../session.ts';
import { PAUSED_BY_HAND, STOPPED } from '../errors.ts';
import type { Store } from '../../store/store.ts';

/** The view of a run. Pure. */
export const runView = (run: RunRow): Run => {
  // The override permits a halted plan, so it must not be shown. The losses are those of the plan.
  const { override: _override, shown: _shown, ...row } = run;
  const isStopped = row.outcome === 'failed' && (row.reason === STOPPED || row.reason === PAUSED_BY_HAND);
  return { ...row, outcome: isStopped ? 'stopped' : row.outcome };
};

/** A filter of runs: at most `most`, only those that started before a given run, and only those of a kind or an outcome. */
type RunsAsked = {
  readonly most: number;
  readonly before?: RunRow | null;
  readonly kind?: Run['kind'] | null;
  readonly outcome?: Run['outcome'] | null;
};

/** The runs of a link, the newest first. */
export const listRuns = async (store: Store, link: string, asked: RunsAsked): Promise<readonly Run[]> => {
  const { most, kind, outcome } = asked;
  // A stopped run is stored as failed.
  const stored = outcome === 'stopped' ? 'failed' : outcome;
  const of = { ...(kind && { kind }), ...(stored && { outcome: stored }) };
  const found: Run[] = [];
  let before = asked.before ?? undefined;
  for (;;) {
    const rows = await store.runs(link, { newest: most, of, ...(before && { before }) });
    found.push(...rows.map(runView).filter((run) => (outcome ?? run.outcome) === run.outcome));
    before = rows.at(-1);
    if (rows.length < most || found.length >= most) return found.slice(0, most);
  }
};

const HOUR_MS = 3_600_000;

/** A text with the retention period of writes. */
export const keptFor = (durationMs: number): string =>
  `the writes of a run are kept for ${count(Math.floor(durationMs / HOUR_MS / 24), 'day')} (RETENTION)`;

/** The reason why the run's writes are no longer stored; null if they are. */
export const whyTooOld = (run: RunRow, retentionMs: number | null, nowMs: number): string | null => {
  const sinceMs = keptSinceMs(retentionMs, nowMs);
  if (sinceMs === null || run.endedAtMs === null || run.endedAtMs >= sinceMs) return null;
  const age = formatAge(run.endedAtMs, nowMs);
  return `The run ${run.id} is too old to be undone: it ended ${age}, and ${keptFor(nowMs - sinceMs)}.`;
};
