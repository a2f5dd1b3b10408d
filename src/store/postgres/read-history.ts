import type { SQL } from 'drizzle-orm';
import { ENDED, toConflicts, toJournalRow, toRun } from '../rows.ts';
import type { ConflictRow, JournalQuery, JournalRow, RunQuery, RunRow, WriteCounts } from '../store.ts';
import type { Db } from './database.ts';
import { and, asc, eq, getTableColumns, gte, isNull, or, sql } from './drizzle.ts';
import { arrayOf } from './parts.ts';
import { conflicts, journal, runs } from './schema.ts';

const { link: _journalLink, ...JOURNAL_COLUMNS } = getTableColumns(journal);
const { link: _conflictLink, ...CONFLICT_COLUMNS } = getTableColumns(conflicts);

// States are written out: with a parameter PostgreSQL may not use a partial index.
const entriesOf = (query: JournalQuery): SQL | undefined => {
  if ('open' in query) return sql`${journal.state} = 'intended'`;
  if ('deletions' in query) return sql`${journal.kind} = 'delete' and ${journal.state} = 'done'`;
  if ('destroyedSinceMs' in query) {
    return and(
      sql`${journal.destroys}`,
      gte(journal.intendedAtMs, query.destroyedSinceMs),
      sql`${journal.state} = 'done'`,
    );
  }
  if ('run' in query) {
    const { run, kinds, fromId = 0 } = query;
    const isMeant = kinds && sql`${journal.kind} = any(${arrayOf(kinds, 'text')})`;
    return and(eq(journal.run, run), gte(journal.id, fromId), isMeant);
  }
  if ('fromId' in query) return gte(journal.id, query.fromId);
  const isNamed = sql`= any(${arrayOf(query.ids, 'text')})`;
  return or(
    sql`${journal.leftId} ${isNamed}`,
    sql`${journal.rightId} ${isNamed}`,
    // What a create brought into being is named by the answer alone.
    sql`${journal.afterJson}::json ->> 'id' ${isNamed}`,
    sql`${journal.pairId} = any(${arrayOf(query.pairIds, 'bigint')})`,
  );
};

export const readJournal = async (db: Db, link: string, query: JournalQuery): Promise<readonly JournalRow[]> => {
  const where = and(eq(journal.link, link), entriesOf(query));
  const rows = await db.do((orm) => {
    const selected = orm.select(JOURNAL_COLUMNS).from(journal).where(where).orderBy(asc(journal.id));
    return 'limit' in query && query.limit !== undefined ? selected.limit(query.limit) : selected;
  });
  return rows.map(toJournalRow);
};

export const readWriteCounts = async (db: Db, link: string, run: string): Promise<WriteCounts> => {
  const where = and(eq(journal.link, link), eq(journal.run, run));
  const rows = await db.do((orm) =>
    orm
      .select({ kind: journal.kind, n: sql<number>`count(*)::int` })
      .from(journal)
      .where(where)
      .groupBy(journal.kind),
  );
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
};

export const NEWEST_FIRST = sql`${runs.startedAtMs} desc, ${runs.id} collate "C" desc`;

const runsOf = (link: string, query: RunQuery): SQL | undefined => {
  if ('idPrefix' in query) return sql`starts_with(${runs.id}, ${query.idPrefix})`;
  if ('newest' in query) {
    const { before, of: { kind, outcome } = {} } = query;
    const isBefore =
      before && sql`(${runs.startedAtMs}, ${runs.id} collate "C") < (${before.startedAtMs}::bigint, ${before.id})`;
    return and(isBefore, kind && eq(runs.kind, kind), outcome && eq(runs.outcome, outcome));
  }
  if (query.latest === 'writing') {
    return sql`${runs.id} = (select ${journal.run} from ${journal}
      where ${journal.link} = ${link} and ${journal.state} = 'done' order by ${journal.id} desc limit 1)`;
  }
  return sql`${runs.outcome} = any(${arrayOf(query.latest === 'ended' ? ENDED : [query.latest], 'text')})`;
};

export const readRuns = async (db: Db, link: string, query: RunQuery): Promise<readonly RunRow[]> => {
  const where = and(eq(runs.link, link), runsOf(link, query));
  const rows = await db.do((orm) => {
    const selected = orm.select().from(runs).where(where).orderBy(NEWEST_FIRST);
    if ('idPrefix' in query) return selected;
    return selected.limit('newest' in query ? query.newest : 1);
  });
  return rows.map(toRun);
};

export const readConflicts = async (db: Db, link: string, all: boolean): Promise<readonly ConflictRow[]> => {
  const where = and(eq(conflicts.link, link), all ? undefined : isNull(conflicts.resolvedAtMs));
  const rows = await db.do((orm) =>
    orm.select(CONFLICT_COLUMNS).from(conflicts).where(where).orderBy(asc(conflicts.id)),
  );
  return toConflicts(rows);
};
