import type { RunRow, Store } from '../store/store.ts';
import { STOPPED } from '../sync/context.ts';
import type { Run, Write } from '../view/views.ts';
import { loadBackground, writeView } from './writes.ts';

/** A run as people are shown it. Pure. */
export const runView = (run: RunRow): Run => {
  // Whoever holds the override may let a halted plan pass: it is shown to nobody.
  const { override: _, ...row } = run;
  return { ...row, outcome: row.outcome === 'failed' && row.reason === STOPPED ? 'stopped' : row.outcome };
};

/** So many runs of a link at most, the newest first. */
export const listRuns = async (store: Store, link: string, most: number): Promise<readonly Run[]> => {
  return (await store.runs(link, { newest: most })).map(runView);
};

/** What a run wrote and tried to write, in its order; a group that it made or renamed is not journaled. */
export const writesOf = async (store: Store, link: string, run: string): Promise<readonly Write[]> => {
  const rows = await store.journal(link, { run });
  const background = await loadBackground(store, link, rows);
  return rows.map((row) => writeView(row, background));
};
