import type { PairStatus } from '../../reconcile/decision.ts';
import type { PairRow, StoreChange } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import { putHalf } from './halves.ts';
import { pairs } from './schema.ts';

const inLink = eq(pairs.link, placeholder('link'));

const selectPairs = (orm: Orm) => {
  const asked = sql`${pairs.id} in (select value from json_each(${placeholder('ids')}))`;
  return orm
    .select({ id: pairs.id, status: pairs.status })
    .from(pairs)
    .where(and(inLink, asked))
    .orderBy(pairs.id)
    .prepare();
};

const insertPair = (orm: Orm) =>
  orm
    .insert(pairs)
    .values({ link: placeholder('link'), status: placeholder('status') })
    .returning({ id: pairs.id })
    .prepare();

const upsertPair = (orm: Orm) =>
  orm
    .insert(pairs)
    .values({ id: placeholder('id'), link: placeholder('link'), status: placeholder('status') })
    .onConflictDoUpdate({ target: pairs.id, set: { status: sql`excluded.status` } })
    .returning({ id: pairs.id })
    .prepare();

const deletePair = (orm: Orm) =>
  orm
    .delete(pairs)
    .where(and(inLink, eq(pairs.id, placeholder('id'))))
    .prepare();

export const readPairs = (db: Db, link: string, ids: readonly number[]): readonly PairRow[] =>
  db.prepared(selectPairs).all({ link, ids: JSON.stringify(ids) });

const putRow = (db: Db, link: string, id: number | null, status: PairStatus): number => {
  if (id === null) return db.prepared(insertPair).get({ link, status }).id;
  return db.prepared(upsertPair).get({ link, id, status }).id;
};

/** Answers the pair's id. */
export const putPair = (db: Db, link: string, change: Extract<StoreChange, { kind: 'put-pair' }>): number => {
  const pair = putRow(db, link, change.id, change.status);
  for (const { half, digest } of change.halves) putHalf(db, link, { half: { ...half, pair }, digest });
  return pair;
};

export const dropPair = (db: Db, link: string, id: number): void => {
  db.prepared(deletePair).run({ link, id });
};
