import type { PairStatus } from '../../reconcile/decision.ts';
import type { PairColumns } from '../rows.ts';
import type { PairRow } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import { pairs } from './schema.ts';

const inLink = eq(pairs.link, placeholder('link'));

const selectPairs = (orm: Orm) => {
  const asked = sql`${pairs.id} in (select value from json_each(${placeholder('ids')}))`;
  // The plus keeps SQLite from going through the index of all pairs of the link.
  const ofLink = sql`+${pairs.link} = ${placeholder('link')}`;
  return orm
    .select({ id: pairs.id, status: pairs.status })
    .from(pairs)
    .where(and(ofLink, asked))
    .orderBy(pairs.id)
    .prepare();
};

const insertPair = (orm: Orm) => orm.insert(pairs).values({ link: placeholder('link'), status: placeholder('status') });

const upsertPair = (orm: Orm) =>
  orm
    .insert(pairs)
    .values({ id: placeholder('id'), link: placeholder('link'), status: placeholder('status') })
    .onConflictDoUpdate({ target: pairs.id, set: { status: sql`excluded.status` } })
    .prepare();

const deletePair = (orm: Orm) =>
  orm
    .delete(pairs)
    .where(and(inLink, eq(pairs.id, placeholder('id'))))
    .prepare();

export const readPairs = (db: Db, link: string, ids: readonly number[]): readonly PairRow[] =>
  db.prepared(selectPairs).all({ link, ids: JSON.stringify(ids) });

/** Answers the pair's id. */
export const addPair = (db: Db, link: string, status: PairStatus): number =>
  Number(db.write(insertPair, { link, status }).lastInsertRowid);

export const putPair = (db: Db, link: string, row: PairColumns): void => {
  db.prepared(upsertPair).run({ ...row, link });
};

export const dropPair = (db: Db, link: string, id: number): void => {
  db.prepared(deletePair).run({ link, id });
};
