import type { JournalRow, RunRow } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import { bySide, SIDES, type Sides } from '../../core/contact/side.ts';
import { loadBackground, writeView } from '../../engine/history/writes.ts';
import { runView } from '../../engine/history/runs.ts';
import type { Run, WriteView } from '../../core/view/views.ts';

// The data that only the overview of a link needs.

const DAY_MS = 86_400_000;
export const DAYS_SHOWN = 30;
/** The largest number of runs with writes that the chart counts. */
const MOST_RUNS = 2_000;
const RUNS_SHOWN = 5;
const WRITES_SHOWN = 5;

/** The numbers of changes written by the runs of one day. */
export type Day = {
  /** The start of the day in UTC, epoch milliseconds. */
  readonly startMs: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
};

/** A run with its first writes, one for each contact. */
export type RecentRun = { readonly run: Run; readonly writes: readonly WriteView[]; readonly total: number };

export type Overview = {
  readonly contacts: Sides<number>;
  readonly accounts: Sides<string | null>;
  /** The numbers of open conflicts without a winner, and of those that the policy has decided. */
  readonly conflicts: { readonly undecided: number; readonly decided: number };
  /** The newest first. */
  readonly recent: readonly RecentRun[];
  /** The oldest first. */
  readonly days: readonly Day[];
};

const NOTHING = { created: 0, updated: 0, deleted: 0 };

const wroteOf = ({ wrote }: RunRow): Omit<Day, 'startMs'> =>
  SIDES.reduce((sum, side) => {
    const { created, updated, deleted } = wrote?.[side] ?? NOTHING;
    return { created: sum.created + created, updated: sum.updated + updated, deleted: sum.deleted + deleted };
  }, NOTHING);

/** The writes of each of the last days, including days without a write. Pure. */
const daysOf = (runs: readonly RunRow[], nowMs: number): readonly Day[] => {
  const today = Math.floor(nowMs / DAY_MS);
  const byDay = Map.groupBy(runs, ({ startedAtMs }) => Math.floor(startedAtMs / DAY_MS));
  return Array.from({ length: DAYS_SHOWN }, (_, index) => {
    const day = today - DAYS_SHOWN + 1 + index;
    const own = (byDay.get(day) ?? []).map(wroteOf);
    const sum = (key: keyof typeof NOTHING): number => own.reduce((all, each) => all + each[key], 0);
    return { startMs: day * DAY_MS, created: sum('created'), updated: sum('updated'), deleted: sum('deleted') };
  });
};

/** The first rows of a run, one for each contact. */
const firstRows = (rows: readonly JournalRow[]): readonly JournalRow[] => {
  const seen = new Set<string>();
  return rows
    .filter((row) => {
      const ids = `${row.leftId ?? ''} ${row.rightId ?? ''}`;
      const contact = ids === ' ' ? String(row.id) : ids;
      const isNew = !seen.has(contact);
      seen.add(contact);
      return isNew;
    })
    .slice(0, WRITES_SHOWN);
};

const recentOf = async (
  { store }: Pick<App, 'store'>,
  link: string,
  runs: readonly RunRow[],
): Promise<readonly RecentRun[]> => {
  const found: { readonly run: RunRow; readonly rows: readonly JournalRow[]; readonly total: number }[] = [];
  for (const run of runs) {
    const rows = firstRows(await store.journal(link, { run: run.id, limit: WRITES_SHOWN * 3 }));
    const counts = await store.writeCounts(link, run.id);
    const total = Object.values(counts).reduce((sum, each) => sum + each, 0);
    found.push({ run, rows, total });
  }
  const background = await loadBackground(
    store,
    link,
    found.flatMap(({ rows }) => rows),
  );
  return found.map(({ run, rows, total }) => {
    return { run: runView(run), writes: rows.map((row) => writeView(row, background)), total };
  });
};

/** Reads the overview of a link from the store. */
export const readOverview = async ({ store }: Pick<App, 'store'>, link: string, nowMs: number): Promise<Overview> => {
  const writing = await store.runs(link, { newest: MOST_RUNS, of: { hasWrites: true } });
  const open = (await store.conflicts(link, { all: false })).filter(({ review }) => review === null);
  const undecided = open.filter(({ winner }) => winner === null).length;
  const { accounts } = await store.link(link);
  const { present } = await store.counts(link);
  return {
    contacts: present,
    accounts: bySide((side) => accounts[side]),
    conflicts: { undecided, decided: open.length - undecided },
    recent: await recentOf({ store }, link, writing.slice(0, RUNS_SHOWN)),
    days: daysOf(writing, nowMs),
  };
};
