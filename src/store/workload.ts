import { and, count, eq, isNotNull, placeholder, sql } from './drizzle.ts';
import type { Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Pair } from '../reconcile/decision.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import { bySide } from '../contact/side.ts';
import { decodeRecord } from './codec.ts';
import type { Db, Orm } from './database.ts';
import { idColumn, indexStaged, pairOf, type PairRow, type StagedRow } from './pair-rows.ts';
import { groupPairs, pairs, staged } from './schema.ts';
import type { Counts, Workload } from './store.ts';

const inLink = eq(pairs.link, placeholder('link'));
const stagedInLink = eq(staged.link, placeholder('link'));
// Written out: the value of a bound parameter would have SQLite plan the statements anew each time.
const isAlone = sql`${pairs.status} <> 'linked'`;

const selectStaged = (orm: Orm) => orm.select().from(staged).where(stagedInLink).orderBy(staged.id).prepare();

const selectPairOf = bySide((side) => (orm: Orm) => {
  const same = and(inLink, eq(idColumn[side], placeholder('id')));
  return orm.select().from(pairs).where(same).prepare();
});

const selectMembers = (orm: Orm) => {
  // A group's id stands in the record as JSON writes it.
  const isMember = sql`exists (
    select 1 from json_each(${placeholder('groupIds')}) as asked
    where instr(${pairs.leftRecordJson}, json_quote(asked.value)) > 0
      or instr(${pairs.rightRecordJson}, json_quote(asked.value)) > 0
  )`;
  const where = and(inLink, eq(pairs.status, 'linked'), isMember);
  return orm.select().from(pairs).where(where).prepare();
};

const selectAlone = (orm: Orm) => orm.select().from(pairs).where(and(inLink, isAlone)).prepare();

const countPairs = (orm: Orm) => orm.select({ n: count() }).from(pairs).where(inLink).prepare();

const countAlone = (orm: Orm) => orm.select({ n: count() }).from(pairs).where(and(inLink, isAlone)).prepare();

const countOf = bySide((side) => (orm: Orm) => {
  const hasOne = and(inLink, isNotNull(idColumn[side]));
  return orm.select({ n: count() }).from(pairs).where(hasOne).prepare();
});

/** Staged contacts of a side by kind and by whether they belong to a pair. */
const countStaged = bySide((side) => (orm: Orm) => {
  const isPaired = sql<number>`exists (select 1 from ${pairs} where ${and(inLink, eq(idColumn[side], staged.id))})`;
  return orm
    .select({ kind: staged.kind, isPaired, n: count() })
    .from(staged)
    .where(and(stagedInLink, eq(staged.side, side)))
    .groupBy(staged.kind, isPaired)
    .prepare();
});

const selectPairedIds = bySide((side) => (orm: Orm) => {
  const column = idColumn[side];
  return orm
    .select({ id: column })
    .from(pairs)
    .where(and(inLink, isNotNull(column)))
    .prepare();
});

const selectGroupPairs = (orm: Orm) =>
  orm
    .select()
    .from(groupPairs)
    .where(eq(groupPairs.link, placeholder('link')))
    .orderBy(groupPairs.key)
    .prepare();

/** The pairs of contacts that others were merged into: whether they changed or not, they may have to take something over. */
const readHeirs = (db: Db, link: string, changes: readonly StagedRow[]): readonly PairRow[] => {
  const heirs = changes.flatMap(({ side, mergedInto }) => {
    return mergedInto === null ? [] : (db.prepared(selectPairOf[side]).get({ link, id: mergedInto }) ?? []);
  });
  return heirs.filter((row) => row.status === 'linked');
};

export const readWorkload = (db: Db, link: string, groupIds: readonly string[]): Workload => {
  const changes = db.prepared(selectStaged).all({ link });
  const stagedOf = indexStaged(changes);
  const touched = new Map<number, PairRow>();
  const unpaired: Record<Side, ContactRecord[]> = { left: [], right: [] };
  for (const { side, id, kind, recordJson } of changes) {
    const row = db.prepared(selectPairOf[side]).get({ link, id });
    if (row?.status === 'linked' && kind !== 'settling') touched.set(row.id, row);
    if (row === undefined && kind === 'upsert' && recordJson !== null) unpaired[side].push(decodeRecord(recordJson));
  }
  for (const heir of readHeirs(db, link, changes)) touched.set(heir.id, heir);
  if (groupIds.length > 0) {
    const members = db.prepared(selectMembers).all({ link, groupIds: JSON.stringify(groupIds) });
    for (const row of members) touched.set(row.id, row);
  }
  const pairOfRow = (row: PairRow): Pair => pairOf(row, stagedOf);
  return {
    pairs: [...touched.values()].toSorted((one, other) => one.id - other.id).map(pairOfRow),
    survivors: db.prepared(selectAlone).all({ link }).map(pairOfRow),
    unpaired,
  };
};

export const readCounts = (db: Db, link: string): Counts => {
  const present = (side: Side): number => {
    const paired = db.prepared(countOf[side]).get({ link })?.n ?? 0;
    return db
      .prepared(countStaged[side])
      .all({ link })
      .reduce((sum, { kind, isPaired, n }) => {
        if (isPaired === 0) return kind === 'upsert' ? sum + n : sum;
        return kind === 'tombstone' || kind === 'missing' ? sum - n : sum;
      }, paired);
  };
  const all = db.prepared(countPairs).get({ link })?.n ?? 0;
  const alone = db.prepared(countAlone).get({ link })?.n ?? 0;
  return { pairs: all - alone, present: { left: present('left'), right: present('right') } };
};

export const readPairedIds = (db: Db, link: string, side: Side): ReadonlySet<string> => {
  const rows = db.prepared(selectPairedIds[side]).all({ link });
  return new Set(rows.flatMap(({ id }) => id ?? []));
};

export const readGroupPairs = (db: Db, link: string): readonly GroupPair[] => {
  const half = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });
  return db
    .prepared(selectGroupPairs)
    .all({ link })
    .map((row) => ({
      key: row.key,
      left: half(row.leftId, row.leftName),
      right: half(row.rightId, row.rightName),
      status: row.status,
      settled: row.settled,
    }));
};
