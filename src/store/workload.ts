import { and, count, eq, inArray, isNotNull, ne, or, sql } from 'drizzle-orm';
import { SIDES, type Side } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import { decodeRecord } from './codec.ts';
import type { Orm } from './database.ts';
import { indexStaged, pairOf, type StagedLookup } from './pair-rows.ts';
import { groupPairs, pairs, staged } from './schema.ts';
import type { Counts, Workload } from './store.ts';

const idColumn = (side: Side) => (side === 'google' ? pairs.googleId : pairs.serviceId);

const stagedIds = (orm: Orm, link: string, side: Side) => {
  return orm
    .select({ id: staged.id })
    .from(staged)
    .where(and(eq(staged.link, link), eq(staged.side, side), ne(staged.kind, 'settling')));
};

const loadPairs = (orm: Orm, link: string, groupIds: readonly string[], stagedOf: StagedLookup) => {
  const inGroup = groupIds.flatMap((id) => {
    const member = `%${JSON.stringify(id)}%`;
    return [sql`${pairs.googleRecordJson} like ${member}`, sql`${pairs.serviceRecordJson} like ${member}`];
  });
  const changed = SIDES.map((side) => inArray(idColumn(side), stagedIds(orm, link, side)));
  const where = and(eq(pairs.link, link), eq(pairs.status, 'linked'), or(...changed, ...inGroup));
  return orm
    .select()
    .from(pairs)
    .where(where)
    .orderBy(pairs.id)
    .all()
    .map((row) => pairOf(row, stagedOf));
};

const loadSurvivors = (orm: Orm, link: string, stagedOf: StagedLookup) => {
  const rows = orm
    .select()
    .from(pairs)
    .where(and(eq(pairs.link, link), ne(pairs.status, 'linked')))
    .all();
  return rows.map((row) => pairOf(row, stagedOf));
};

const loadUnpaired = (orm: Orm, link: string, side: Side): ContactRecord[] => {
  const paired = orm
    .select({ id: idColumn(side) })
    .from(pairs)
    .where(and(eq(pairs.link, link), isNotNull(idColumn(side))));
  const rows = orm
    .select({ recordJson: staged.recordJson })
    .from(staged)
    .where(
      and(eq(staged.link, link), eq(staged.side, side), eq(staged.kind, 'upsert'), sql`${staged.id} not in ${paired}`),
    )
    .orderBy(staged.id)
    .all();
  return rows.flatMap((row) => (row.recordJson === null ? [] : [decodeRecord(row.recordJson)]));
};

export const readWorkload = (orm: Orm, link: string, groupIds: readonly string[]): Workload => {
  const stagedOf = indexStaged(orm.select().from(staged).where(eq(staged.link, link)).all());
  return {
    pairs: loadPairs(orm, link, groupIds, stagedOf),
    survivors: loadSurvivors(orm, link, stagedOf),
    unpaired: { google: loadUnpaired(orm, link, 'google'), service: loadUnpaired(orm, link, 'service') },
  };
};

export const readCounts = (orm: Orm, link: string): Counts => {
  const number = (where: ReturnType<typeof and>) => orm.select({ n: count() }).from(pairs).where(where).get()?.n ?? 0;
  const present = (side: Side): number => {
    const column = idColumn(side);
    const isAway = inArray(staged.kind, ['tombstone', 'missing']);
    const away = and(eq(staged.link, link), eq(staged.side, side), isAway);
    const awayIds = orm.select({ id: staged.id }).from(staged).where(away);
    const paired = number(and(eq(pairs.link, link), isNotNull(column), sql`${column} not in ${awayIds}`));
    const known = orm
      .select({ id: column })
      .from(pairs)
      .where(and(eq(pairs.link, link), isNotNull(column)));
    const unpaired = orm
      .select({ n: count() })
      .from(staged)
      .where(
        and(eq(staged.link, link), eq(staged.side, side), eq(staged.kind, 'upsert'), sql`${staged.id} not in ${known}`),
      )
      .get();
    return paired + (unpaired?.n ?? 0);
  };
  return {
    pairs: number(and(eq(pairs.link, link), eq(pairs.status, 'linked'))),
    present: { google: present('google'), service: present('service') },
  };
};

export const readPairedIds = (
  orm: Orm,
  link: string,
  side: Side,
  among: readonly string[] | 'all',
): ReadonlySet<string> => {
  const column = idColumn(side);
  const query = (where: ReturnType<typeof and>) => orm.select({ id: column }).from(pairs).where(where).all();
  const inLink = eq(pairs.link, link);
  const rows = among === 'all' ? query(inLink) : among.flatMap((id) => query(and(inLink, eq(column, id))));
  return new Set(rows.flatMap((row) => row.id ?? []));
};

export const readGroupPairs = (orm: Orm, link: string): readonly GroupPair[] => {
  const rows = orm.select().from(groupPairs).where(eq(groupPairs.link, link)).orderBy(groupPairs.key).all();
  const half = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });
  return rows.map((row) => ({
    key: row.key,
    google: half(row.googleId, row.googleName),
    service: half(row.serviceId, row.serviceName),
    status: row.status,
    settled: row.settled,
  }));
};
