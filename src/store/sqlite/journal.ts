import type { SQL } from 'drizzle-orm';
import { decodeIntent, decodeRecord, encodeIntent, encodeRecord } from '../codec.ts';
import type { JournalQuery, JournalRow, StoreChange } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, or, placeholder, sql } from './drizzle.ts';
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
      intendedAtMs: placeholder('atMs'),
    })
    .returning({ id: journal.id })
    .prepare();

const settleOpen = (orm: Orm) =>
  orm
    .update(journal)
    .set({
      state: sql`${placeholder('state')}`,
      afterJson: sql`${placeholder('afterJson')}`,
      error: sql`${placeholder('error')}`,
      settledAtMs: sql`${placeholder('atMs')}`,
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

const selectRun = (orm: Orm) => selecting(orm, eq(journal.run, placeholder('run')));

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
  return selecting(
    orm,
    or(
      sql`${journal.leftId} in ${named}`,
      sql`${journal.rightId} in ${named}`,
      // What a create brought into being is named by the answer alone.
      sql`json_extract(${journal.afterJson}, '$.id') in ${named}`,
      sql`${journal.pairId} in ${pairs}`,
    ),
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

const decodeOptional = (text: string | null) => (text === null ? null : decodeRecord(text));

const toRow = ({ intentJson, beforeJson, afterJson, ...row }: StoredRow): JournalRow => ({
  ...row,
  intent: decodeIntent(intentJson),
  before: decodeOptional(beforeJson),
  after: decodeOptional(afterJson),
});

const rowsOf = (db: Db, link: string, query: JournalQuery): StoredRow[] => {
  if ('open' in query) return db.prepared(selectOpen).all({ link });
  if ('deletions' in query) return db.prepared(selectDeletions).all({ link });
  if ('destroyedSinceMs' in query) {
    return db.prepared(selectDestroying).all({ link, sinceMs: query.destroyedSinceMs });
  }
  if ('run' in query) return db.prepared(selectRun).all({ link, run: query.run });
  if ('fromId' in query) return db.prepared(selectPage).all({ link, fromId: query.fromId, limit: query.limit });
  const [ids, pairIds] = [JSON.stringify(query.ids), JSON.stringify(query.pairIds)];
  return db.prepared(selectScope).all({ link, ids, pairIds });
};

export const readJournal = (db: Db, link: string, query: JournalQuery): readonly JournalRow[] =>
  rowsOf(db, link, query).map(toRow);

/** Answers the entry's id. */
export const writeIntent = (
  db: Db,
  link: string,
  { run, entry, atMs }: Extract<StoreChange, { kind: 'intend' }>,
): number => {
  const { intent, before, ...columns } = entry;
  const intentJson = encodeIntent(intent);
  const beforeJson = before === null ? null : encodeRecord(before);
  return db.prepared(insertIntent).get({ ...columns, link, run, intentJson, beforeJson, atMs }).id;
};

export const dropEntry = (db: Db, link: string, id: number): void => {
  db.prepared(deleteEntry).run({ link, id });
};

export const redactEntry = (
  db: Db,
  link: string,
  { id, intent }: Extract<StoreChange, { kind: 'redact-entry' }>,
): void => {
  db.prepared(blankEntry).run({ link, id, intentJson: encodeIntent(intent) });
};

export const settleJournal = (db: Db, link: string, change: Extract<StoreChange, { kind: 'journal' }>): void => {
  const { id, state, after, error, atMs } = change;
  const afterJson = after === null ? null : encodeRecord(after);
  db.prepared(settleOpen).run({ link, id, state, afterJson, error, atMs });
};
