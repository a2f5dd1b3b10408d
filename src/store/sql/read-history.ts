import type { ConflictRow, JournalRow, RunRow } from '../../core/state/rows.ts';
import type { SQL } from 'drizzle-orm';
import { ENDED, toConflicts, toJournalRow, toRun } from '../columns.ts';
import type { JournalQuery, RunQuery, WriteCounts } from '../store.ts';
import type { OperationKind } from '../../core/reconcile/operation.ts';
import { conflicts, journal, runs, type RowOf } from '../tables.ts';
import type { Dialect } from './dialect.ts';
import { sql } from './drizzle.ts';
import { all, columnsOf, withBooleans, type Step } from './step.ts';

type JournalCells = RowOf<typeof journal>;
type RunCells = RowOf<typeof runs>;
type ConflictCells = RowOf<typeof conflicts>;

// States are written out: with a bound parameter no partial index is used.
const entriesOf = (dialect: Dialect, link: string, query: JournalQuery): SQL => {
  if ('open' in query) return sql`state = 'intended'`;
  if ('deletions' in query) return sql`kind = 'delete' and state = 'done'`;
  if ('destroyedSinceMs' in query) {
    return sql`${dialect.isTrue(sql`destroys`)} and intended_at_ms >= ${query.destroyedSinceMs} and state = 'done'`;
  }
  if ('run' in query) {
    const { run, kinds, fromId = 0 } = query;
    const isMeant = kinds === undefined ? sql`` : sql` and ${dialect.isOneOf(sql`kind`, kinds)}`;
    return sql`run = ${run} and id >= ${fromId}${isMeant}`;
  }
  if ('fromId' in query) return sql`id >= ${query.fromId}`;
  const named = (column: SQL): SQL => dialect.isOneOf(column, query.ids);
  const answered = dialect.idInJson(sql`after_json`);
  // One index each: of one condition with `or`, SQLite would read every entry of the link.
  const parts = [
    named(sql`left_id`),
    named(sql`right_id`),
    // The id of a created contact is part of the answer alone.
    sql`${named(answered)} and after_json is not null`,
    dialect.isOneOf(sql`pair_id`, query.pairIds),
  ].map((part) => sql`select id from journal where link = ${link} and ${part}`);
  return sql`id in (${sql.join(parts, sql` union `)})`;
};

/** Selects the journal entries that a query asks for. */
export const selectJournal = (dialect: Dialect, link: string, query: JournalQuery): SQL => {
  const limit = 'limit' in query && query.limit !== undefined ? sql` limit ${query.limit}` : sql``;
  return sql`select ${columnsOf(journal)} from journal
    where link = ${link} and ${entriesOf(dialect, link, query)} order by id${limit}`;
};

export const journalOf = (rows: readonly JournalCells[]): readonly JournalRow[] =>
  withBooleans(journal, rows).map(toJournalRow);

export const readJournal = function* (
  dialect: Dialect,
  link: string,
  query: JournalQuery,
): Step<readonly JournalRow[]> {
  return journalOf(yield* all<JournalCells>(selectJournal(dialect, link, query)));
};

export const readWriteCounts = function* (link: string, run: string): Step<WriteCounts> {
  const rows = yield* all<{ kind: OperationKind; n: number }>(
    sql`select kind, count(*) as n from journal where link = ${link} and run = ${run} group by kind`,
  );
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
};

/** Selects the runs that a query asks for, the newest first. */
export const selectRuns = (dialect: Dialect, link: string, query: RunQuery): SQL => {
  const id = dialect.byBytes(sql`id`);
  const newest = (where: SQL, limit: SQL): SQL => sql`select ${columnsOf(runs)} from runs
    where link = ${link}${where} order by fence desc, started_at_ms desc, ${id} desc${limit}`;
  if ('idPrefix' in query) {
    const { idPrefix } = query;
    const isMeant = sql` and substr(id, 1, ${idPrefix.length}) = ${idPrefix}`;
    return newest(idPrefix === '' ? sql`` : isMeant, sql``);
  }
  if ('newest' in query) {
    const { before, of: { kind, outcome } = {} } = query;
    const isBefore =
      before === undefined
        ? sql``
        : sql` and (fence, started_at_ms, ${id}) < (select fence, started_at_ms, id from runs where link = ${link} and id = ${before.id})`;
    const isKind = kind === undefined ? sql`` : sql` and kind = ${kind}`;
    const isOutcome = outcome === undefined ? sql`` : sql` and outcome = ${outcome}`;
    return newest(sql`${isBefore}${isKind}${isOutcome}`, sql` limit ${query.newest}`);
  }
  if (query.latest === 'writing') {
    const latest = sql`select run from journal where link = ${link} and state = 'done' order by id desc limit 1`;
    return newest(sql` and id = (${latest})`, sql``);
  }
  if (query.latest === 'completed') return newest(sql` and outcome = 'completed' and kind <> 'undo'`, sql` limit 1`);
  const outcomes = query.latest === 'ended' ? ENDED : [query.latest];
  return newest(sql` and ${dialect.isOneOf(sql`outcome`, outcomes)}`, sql` limit 1`);
};

export const readRuns = function* (dialect: Dialect, link: string, query: RunQuery): Step<readonly RunRow[]> {
  const rows = yield* all<RunCells>(selectRuns(dialect, link, query));
  return rows.map((row) => toRun(link, row));
};

/** Selects conflicts, the oldest first: without `isAll` only those that have not ended. */
export const selectConflicts = (link: string, isAll: boolean): SQL =>
  sql`select ${columnsOf(conflicts)} from conflicts
    where link = ${link}${isAll ? sql`` : sql` and ended_at_ms is null`} order by id`;

export const readConflicts = function* (link: string, isAll: boolean): Step<readonly ConflictRow[]> {
  return toConflicts(yield* all<ConflictCells>(selectConflicts(link, isAll)));
};
