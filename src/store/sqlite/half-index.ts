import { bySide, type Sides } from '../../contact/side.ts';
import { toCounts } from '../rows.ts';
import type { Counts, HalfKey, RowDigest } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, count, eq, isNull, placeholder, sql } from './drizzle.ts';
import type { Place } from './halves.ts';
import { halves, pairs } from './schema.ts';

// What is answered from the indexes alone: the wide rows are not read.

const inLink = eq(halves.link, placeholder('link'));
const onSide = and(inLink, eq(halves.side, placeholder('side')));
/** Holds of every half; lets SQLite use an index that has the side before what is asked for. */
const onEitherSide = and(inLink, sql`${halves.side} in ('left', 'right')`);
// Written out: with a bound parameter SQLite cannot use the partial index.
const isAway = sql`${halves.state} <> 'settled' and ${halves.state} in ('missing', 'gone')`;

const selectLight = (orm: Orm) =>
  orm
    .select({
      id: halves.id,
      pair: halves.pair,
      state: halves.state,
      absences: halves.absences,
      heardAtMs: sql<number>`${halves.heardAtMs}`.as('heardAtMs'),
    })
    .from(halves)
    .where(onSide);

const selectKnown = (orm: Orm) =>
  orm
    .select({ id: halves.id, digest: halves.digest })
    .from(sql`json_each(${placeholder('digests')}) as asked`)
    .crossJoin(halves)
    .where(and(onSide, sql`${halves.digest} = asked.value`));

const selectPresent = (orm: Orm) =>
  orm
    .select({ id: halves.id })
    .from(halves)
    .where(and(onSide, sql`${halves.state} not in ('missing', 'gone')`))
    .limit(1)
    .prepare();

const countSides = (orm: Orm) =>
  orm.select({ side: halves.side, n: count() }).from(halves).where(onEitherSide).groupBy(halves.side).prepare();

const countAway = (orm: Orm) =>
  orm
    .select({ side: halves.side, n: count() })
    .from(halves)
    .where(and(onEitherSide, isAway))
    .groupBy(halves.side)
    .prepare();

const countUnselected = (orm: Orm) =>
  orm
    .select({ side: halves.side, n: count() })
    .from(halves)
    .where(and(onEitherSide, isNull(halves.pair), eq(halves.state, 'settled')))
    .groupBy(halves.side)
    .prepare();

const countPairs = (orm: Orm) =>
  orm
    .select({ status: pairs.status, n: count() })
    .from(pairs)
    .where(eq(pairs.link, placeholder('link')))
    .groupBy(pairs.status)
    .prepare();

export const readIndex = (db: Db, place: Place): readonly HalfKey[] => db.rows(selectLight, place);

export const findKnown = (db: Db, place: Place, rows: readonly RowDigest[]): ReadonlySet<string> => {
  const idsOf = Map.groupBy(rows, ({ digest }) => digest);
  const found = db.rows(selectKnown, { ...place, digests: JSON.stringify([...idsOf.keys()]) });
  const isAsked = (id: string, digest: string): boolean => idsOf.get(digest)?.some((row) => row.id === id) === true;
  return new Set(found.flatMap(({ id, digest }) => (digest !== null && isAsked(id, digest) ? [digest] : [])));
};

export const readPresence = (db: Db, link: string): Sides<boolean> =>
  bySide((side) => db.prepared(selectPresent).all({ link, side }).length > 0);

export const readCounts = (db: Db, link: string): Counts => {
  return toCounts({
    pairs: db.prepared(countPairs).all({ link }),
    all: db.prepared(countSides).all({ link }),
    away: db.prepared(countAway).all({ link }),
    unselected: db.prepared(countUnselected).all({ link }),
  });
};
