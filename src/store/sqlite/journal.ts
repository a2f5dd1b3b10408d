import type { SQL } from 'drizzle-orm';
import type { RowWriter } from '../changes.ts';
import { toJournalRow, type IntentColumns } from '../rows.ts';
import { WRITE_KINDS, type JournalQuery, type JournalRow, type WriteCounts } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, count, eq, placeholder, sql } from './drizzle.ts';
import { journal } from './schema.ts';

const inLink = eq(journal.link, placeholder('link'));
// Written out: with a bound parameter SQLite cannot use the partial index.
const isOpen = sql`${journal.state} = 'intended'`;

const insertIntent = (orm: Orm) =>
  orm
    .insert(journal)
    .values({
      link: placeholder('link'),
      run: placeholder('run'),
      side: placeholder('side'),
      kind: placeholder('kind'),
      state: 'intended',
      pairId: placeholder('pairId'),
      leftId: placeholder('leftId'),
      rightId: placeholder('rightId'),
      intentJson: placeholder('intentJson'),
      beforeJson: placeholder('beforeJson'),
      destroys: placeholder('destroys'),
      intendedAtMs: placeholder('intendedAtMs'),
    })
    .prepare();

const settleOpen = (orm: Orm) =>
  orm
    .update(journal)
    .set({
      state: sql`${placeholder('state')}`,
      afterJson: sql`${placeholder('afterJson')}`,
      error: sql`${placeholder('error')}`,
      settledAtMs: sql`${placeholder('settledAtMs')}`,
    })
    .where(and(eq(journal.id, placeholder('id')), inLink, isOpen))
    .prepare();

const COLUMNS = {
  id: journal.id,
  run: journal.run,
  side: journal.side,
  kind: journal.kind,
  state: journal.state,
  pairId: journal.pairId,
  leftId: journal.leftId,
  rightId: journal.rightId,
  intentJson: journal.intentJson,
  beforeJson: journal.beforeJson,
  afterJson: journal.afterJson,
  error: journal.error,
  intendedAtMs: journal.intendedAtMs,
  settledAtMs: journal.settledAtMs,
  destroys: journal.destroys,
};

type StoredRow = Omit<typeof journal.$inferSelect, 'link'>;

const selecting = (orm: Orm, where: SQL | undefined) =>
  orm.select(COLUMNS).from(journal).where(and(inLink, where)).orderBy(journal.id).prepare();

const selectOpen = (orm: Orm) => selecting(orm, isOpen);

const selectDeletions = (orm: Orm) =>
  selecting(orm, and(sql`${journal.kind} = 'delete'`, sql`${journal.state} = 'done'`));

// Written out: with a bound parameter SQLite cannot use the partial index.
const selectDestroying = (orm: Orm) => {
  const isDue = sql`${journal.destroys} = 1 and ${journal.intendedAtMs} >= ${placeholder('sinceMs')}`;
  return selecting(orm, and(isDue, sql`${journal.state} = 'done'`));
};

const selectRun = (orm: Orm) =>
  orm
    .select(COLUMNS)
    .from(journal)
    .where(
      and(
        inLink,
        eq(journal.run, placeholder('run')),
        sql`${journal.id} >= ${placeholder('fromId')}`,
        sql`${journal.kind} in (select value from json_each(${placeholder('kinds')}))`,
      ),
    )
    .orderBy(journal.id)
    .limit(placeholder('limit'))
    .prepare();

const countWrites = (orm: Orm) =>
  orm
    .select({ kind: journal.kind, n: count() })
    .from(journal)
    .where(and(inLink, eq(journal.run, placeholder('run'))))
    .groupBy(journal.kind)
    .prepare();

const selectPage = (orm: Orm) =>
  orm
    .select(COLUMNS)
    .from(journal)
    .where(and(inLink, sql`${journal.id} >= ${placeholder('fromId')}`))
    .orderBy(journal.id)
    .limit(placeholder('limit'))
    .prepare();

const selectScope = (orm: Orm) => {
  const named = sql`(select value from json_each(${placeholder('ids')}))`;
  const pairs = sql`(select value from json_each(${placeholder('pairIds')}))`;
  // One index each: of one condition with `or` SQLite would read every entry of the link.
  const where = (condition: SQL): SQL => sql`select ${journal.id} from ${journal} where ${and(inLink, condition)}`;
  return selecting(
    orm,
    sql`${journal.id} in (
      ${where(sql`${journal.leftId} in ${named}`)}
      union ${where(sql`${journal.rightId} in ${named}`)}
      union ${where(sql`${journal.afterJson} ->> 'id' in ${named} and ${journal.afterJson} is not null`)}
      union ${where(sql`${journal.pairId} in ${pairs}`)}
    )`,
  );
};

const sameEntry = and(eq(journal.id, placeholder('id')), inLink);

const deleteEntry = (orm: Orm) => orm.delete(journal).where(sameEntry).prepare();

const blankEntry = (orm: Orm) =>
  orm
    .update(journal)
    .set({
      pairId: null,
      leftId: null,
      rightId: null,
      intentJson: sql`${placeholder('intentJson')}`,
      beforeJson: null,
      afterJson: null,
      error: null,
    })
    .where(sameEntry)
    .prepare();

const NO_LIMIT = -1;

const rowsOf = (db: Db, link: string, query: JournalQuery): StoredRow[] => {
  if ('open' in query) return db.prepared(selectOpen).all({ link });
  if ('deletions' in query) return db.prepared(selectDeletions).all({ link });
  if ('destroyedSinceMs' in query) {
    return db.prepared(selectDestroying).all({ link, sinceMs: query.destroyedSinceMs });
  }
  if ('run' in query) {
    const { run, kinds = WRITE_KINDS, fromId = 0, limit = NO_LIMIT } = query;
    return db.prepared(selectRun).all({ link, run, fromId, limit, kinds: JSON.stringify(kinds) });
  }
  if ('fromId' in query) return db.prepared(selectPage).all({ link, fromId: query.fromId, limit: query.limit });
  const [ids, pairIds] = [JSON.stringify(query.ids), JSON.stringify(query.pairIds)];
  return db.prepared(selectScope).all({ link, ids, pairIds });
};

export const readJournal = (db: Db, link: string, query: JournalQuery): readonly JournalRow[] =>
  rowsOf(db, link, query).map(toJournalRow);

export const readWriteCounts = (db: Db, link: string, run: string): WriteCounts =>
  Object.fromEntries(
    db
      .prepared(countWrites)
      .all({ link, run })
      .map(({ kind, n }) => [kind, n]),
  );

/** Answers the entry's id. */
export const writeIntent = (db: Db, link: string, row: IntentColumns): number =>
  Number(db.write(insertIntent, { ...row, link }).lastInsertRowid);

export const dropEntry = (db: Db, link: string, id: number): void => {
  db.prepared(deleteEntry).run({ link, id });
};

export const redactEntry = (db: Db, link: string, id: number, intentJson: string): void => {
  db.prepared(blankEntry).run({ link, id, intentJson });
};

export const settleJournal = (db: Db, link: string, row: Parameters<RowWriter['settleEntry']>[0]): void => {
  db.write(settleOpen, { ...row, link });
};
