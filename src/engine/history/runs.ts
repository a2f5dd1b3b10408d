import type { RunRow } from '../../core/state/rows.ts';
import type { Store } from '../../store/store.ts';
import { PAUSED_BY_HAND, STOPPED } from '../context.ts';
import type { Run } from '../../core/view/views.ts';

/** A run as people are shown it. Pure. */
export const runView = (run: RunRow): Run => {
  // Whoever holds the override may let a halted plan pass: it is shown to nobody.
  const { override: _, ...row } = run;
  const isStopped = row.outcome === 'failed' && (row.reason === STOPPED || row.reason === PAUSED_BY_HAND);
  return { ...row, outcome: isStopped ? 'stopped' : row.outcome };
};

/** Which runs of a link are listed: so many at `most`, those that began before one, those of a kind or an outcome. */
type RunsAsked = {
  readonly most: number;
  readonly before?: RunRow | null;
  readonly kind?: Run['kind'] | null;
  readonly outcome?: Run['outcome'] | null;
};

/** The runs of a link, the newest first. */
export const listRuns = async (store: Store, link: string, asked: RunsAsked): Promise<readonly Run[]> => {
  const { most, kind, outcome } = asked;
  // In the store one that somebody stopped has failed.
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
