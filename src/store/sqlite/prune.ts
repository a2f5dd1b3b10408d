import { PRUNED_AT_ONCE } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, or, placeholder, sql } from './drizzle.ts';
import { readRuns } from './runs.ts';
import { conflicts, journal, rejections, runs } from './schema.ts';

const named = sql`(select value from json_each(${placeholder('ids')}))`;

const selectOver = (orm: Orm) => {
  // Written out: with a bound parameter SQLite cannot use the partial index.
  const isOpen = sql`${journal.state} = 'intended'`;
  const open = orm
    .select({ run: journal.run })
    .from(journal)
    .where(and(eq(journal.link, placeholder('link')), isOpen));
  const isOver = sql`${runs.startedAtMs} < ${placeholder('beforeMs')} and ${runs.endedAtMs} < ${placeholder('beforeMs')}`;
  return orm
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.link, placeholder('link')), isOver, sql`${runs.id} not in ${open}`))
    .orderBy(runs.startedAtMs, runs.id)
    .limit(PRUNED_AT_ONCE)
    .prepare();
};

const deleteEntries = (orm: Orm) =>
  orm
    .delete(journal)
    .where(and(eq(journal.link, placeholder('link')), sql`${journal.run} in ${named}`))
    .prepare();

const deleteRuns = (orm: Orm) =>
  orm
    .delete(runs)
    .where(and(eq(runs.link, placeholder('link')), sql`${runs.id} in ${named}`))
    .prepare();

const deleteConflicts = (orm: Orm) => {
  const isSettled = sql`${conflicts.resolvedAtMs} < ${placeholder('beforeMs')}`;
  const isDismissed = sql`${conflicts.review} = 'dismissed' and ${conflicts.reviewedAtMs} < ${placeholder('beforeMs')}`;
  return orm
    .delete(conflicts)
    .where(and(eq(conflicts.link, placeholder('link')), or(isSettled, isDismissed)))
    .prepare();
};

const deleteRejections = (orm: Orm) =>
  orm
    .delete(rejections)
    .where(and(eq(rejections.link, placeholder('link')), sql`${rejections.retryAtMs} < ${placeholder('beforeMs')}`))
    .prepare();

const dropRuns = (db: Db, link: string, over: readonly string[]): void => {
  const kept = (['ended', 'completed'] as const).flatMap((latest) => readRuns(db, link, { latest }));
  const goes = over.filter((id) => kept.every((run) => run.id !== id));
  db.prepared(deleteEntries).run({ link, ids: JSON.stringify(over) });
  db.prepared(deleteRuns).run({ link, ids: JSON.stringify(goes) });
};

/** Drops what is over since before then, as the change `prune` says. */
export const prune = (db: Db, link: string, beforeMs: number): void => {
  const over = db
    .prepared(selectOver)
    .all({ link, beforeMs })
    .map(({ id }) => id);
  if (over.length > 0) dropRuns(db, link, over);
  db.prepared(deleteConflicts).run({ link, beforeMs });
  db.prepared(deleteRejections).run({ link, beforeMs });
};
