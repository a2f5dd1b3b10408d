import type { RowWriter } from '../changes.ts';
import { ENDED, toRun, type RunStartColumns } from '../rows.ts';
import type { RunQuery, RunRow } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, desc, eq, placeholder, sql } from './drizzle.ts';
import { journal, runs } from './schema.ts';

const inLink = eq(runs.link, placeholder('link'));
const sameRun = and(inLink, eq(runs.id, placeholder('id')));

const insertRun = (orm: Orm) =>
  orm
    .insert(runs)
    .values({
      id: placeholder('id'),
      link: placeholder('link'),
      kind: placeholder('kind'),
      outcome: 'running',
      startedAtMs: placeholder('startedAtMs'),
      summaryJson: placeholder('summaryJson'),
    })
    .prepare();

const updateRun = (orm: Orm) =>
  orm
    .update(runs)
    .set({
      outcome: sql`${placeholder('outcome')}`,
      reason: sql`${placeholder('reason')}`,
      endedAtMs: sql`${placeholder('endedAtMs')}`,
      summaryJson: sql`${placeholder('summaryJson')}`,
    })
    .where(sameRun)
    .prepare();

const updateReason = (orm: Orm) =>
  orm
    .update(runs)
    .set({
      reason: sql`${placeholder('reason')}`,
      // Of a run without a summary nothing is set.
      summaryJson: sql`json_replace(${runs.summaryJson}, '$.reason', ${placeholder('reason')})`,
    })
    .where(sameRun)
    .prepare();

/** Runs that were interrupted are among the latest: each start closes those before it. */
const MOST_RUNNING = 50;

const closeRunning = (orm: Orm) => {
  const latest = orm
    .select({ id: runs.id })
    .from(runs)
    .where(inLink)
    .orderBy(desc(runs.startedAtMs), desc(runs.id))
    .limit(MOST_RUNNING);
  return orm
    .update(runs)
    .set({ outcome: 'failed', reason: sql`${placeholder('reason')}`, endedAtMs: sql`${placeholder('endedAtMs')}` })
    .where(and(inLink, sql`${runs.outcome} = 'running'`, sql`${runs.id} in ${latest}`))
    .prepare();
};

const selectLatest = (orm: Orm) => {
  const outcomes = sql`(select value from json_each(${placeholder('outcomes')}))`;
  return orm
    .select()
    .from(runs)
    .where(and(inLink, sql`${runs.outcome} in ${outcomes}`))
    .orderBy(desc(runs.startedAtMs), desc(runs.id))
    .limit(1)
    .prepare();
};

const selectByPrefix = (orm: Orm) =>
  orm
    .select()
    .from(runs)
    .where(and(inLink, sql`substr(${runs.id}, 1, length(${placeholder('prefix')})) = ${placeholder('prefix')}`))
    .orderBy(desc(runs.startedAtMs), desc(runs.id))
    .prepare();

const selectNewest = (orm: Orm) =>
  orm
    .select()
    .from(runs)
    .where(
      and(
        inLink,
        sql`${runs.startedAtMs} <= ${placeholder('beforeMs')}`,
        sql`(${runs.startedAtMs} < ${placeholder('beforeMs')} or ${runs.id} < ${placeholder('beforeId')})`,
        sql`(${placeholder('kind')} is null or ${runs.kind} = ${placeholder('kind')})`,
        sql`(${placeholder('outcome')} is null or ${runs.outcome} = ${placeholder('outcome')})`,
      ),
    )
    .orderBy(desc(runs.startedAtMs), desc(runs.id))
    .limit(placeholder('newest'))
    .prepare();

const selectLatestWriting = (orm: Orm) => {
  const isDone = and(eq(journal.link, placeholder('link')), sql`${journal.state} = 'done'`);
  const latest = orm.select({ run: journal.run }).from(journal).where(isDone).orderBy(desc(journal.id)).limit(1);
  return orm
    .select()
    .from(runs)
    .where(and(inLink, sql`${runs.id} = ${latest}`))
    .prepare();
};

export const addRun = (db: Db, link: string, row: RunStartColumns, reasonOfOthers: string): void => {
  db.prepared(closeRunning).run({ link, reason: reasonOfOthers, endedAtMs: row.startedAtMs });
  db.prepared(insertRun).run({ ...row, link });
};

export const endRun = (db: Db, link: string, row: Parameters<RowWriter['endRun']>[0]): void => {
  db.prepared(updateRun).run({ ...row, link });
};

export const setReason = (db: Db, link: string, id: string, reason: string | null): void => {
  db.prepared(updateReason).run({ link, id, reason });
};

export const readRuns = (db: Db, link: string, query: RunQuery): readonly RunRow[] => {
  if ('idPrefix' in query) return db.prepared(selectByPrefix).all({ link, prefix: query.idPrefix }).map(toRun);
  if ('newest' in query) {
    const { newest, before, of: { kind = null, outcome = null } = {} } = query;
    // Without one: later than any run begins.
    const { id: beforeId, startedAtMs: beforeMs } = before ?? { id: '', startedAtMs: Number.MAX_SAFE_INTEGER };
    return db.prepared(selectNewest).all({ link, newest, beforeMs, beforeId, kind, outcome }).map(toRun);
  }
  if (query.latest === 'writing') return db.prepared(selectLatestWriting).all({ link }).map(toRun);
  const outcomes = JSON.stringify(query.latest === 'ended' ? ENDED : [query.latest]);
  return db.prepared(selectLatest).all({ link, outcomes }).map(toRun);
};
