import type { SQL } from 'drizzle-orm';
import type { Half } from '../../contact/half.ts';
import { SIDES, type Side } from '../../contact/side.ts';
import { decodeBase, decodeRecord, encodeBase, encodeRecord } from '../codec.ts';
import { holdsEmail, inOrder, isMember } from '../half-query.ts';
import type { HalfPut, HalfQuery } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, placeholder, sql } from './drizzle.ts';
import { halves, pairs } from './schema.ts';

/** One side of one link. */
export type Place = { readonly link: string; readonly side: Side };

const inLink = eq(halves.link, placeholder('link'));
const onSide = and(inLink, eq(halves.side, placeholder('side')));
const sameHalf = and(onSide, eq(halves.id, placeholder('id')));
/** Holds of every half; lets SQLite find rows of both sides in an index that has the side before what is asked for. */
const onEitherSide = and(inLink, sql`${halves.side} in ('left', 'right')`);
/** One of the values of a JSON array that is given as text. */
const oneOf = (name: string): SQL => sql`(select value from json_each(${placeholder(name)}))`;
// Written out, here and below: with a bound parameter SQLite cannot use a partial index.
const isOpen = sql`${halves.state} <> 'settled'`;

const upsertHalf = (orm: Orm) =>
  orm
    .insert(halves)
    .values({
      link: placeholder('link'),
      side: placeholder('side'),
      id: placeholder('id'),
      pair: placeholder('pair'),
      state: placeholder('state'),
      absences: placeholder('absences'),
      lastListedAtMs: placeholder('lastListedAtMs'),
      heardAtMs: placeholder('heardAtMs'),
      writtenAtMs: placeholder('writtenAtMs'),
      mergedInto: placeholder('mergedInto'),
      digest: placeholder('digest'),
      baseJson: placeholder('baseJson'),
      recordJson: placeholder('recordJson'),
    })
    .onConflictDoUpdate({
      target: [halves.link, halves.side, halves.id],
      set: {
        pair: sql`excluded.pair`,
        state: sql`excluded.state`,
        absences: sql`excluded.absences`,
        lastListedAtMs: sql`excluded.last_listed_at_ms`,
        heardAtMs: sql`excluded.heard_at_ms`,
        writtenAtMs: sql`excluded.written_at_ms`,
        mergedInto: sql`excluded.merged_into`,
        digest: sql`excluded.digest`,
        baseJson: sql`excluded.base_json`,
        recordJson: sql`excluded.record_json`,
      },
    })
    .prepare();

const deleteHalf = (orm: Orm) => orm.delete(halves).where(sameHalf).prepare();

const COLUMNS = {
  side: halves.side,
  id: halves.id,
  pair: halves.pair,
  state: halves.state,
  absences: halves.absences,
  lastListedAtMs: halves.lastListedAtMs,
  heardAtMs: halves.heardAtMs,
  writtenAtMs: halves.writtenAtMs,
  mergedInto: halves.mergedInto,
  baseJson: halves.baseJson,
  recordJson: halves.recordJson,
};

type StoredHalf = Omit<typeof halves.$inferSelect, 'link' | 'digest'>;

const selecting = (orm: Orm, where: SQL | undefined) => orm.select(COLUMNS).from(halves).where(where).prepare();

const selectByPair = (orm: Orm) => selecting(orm, and(onEitherSide, sql`${halves.pair} in ${oneOf('pairs')}`));
const selectById = (orm: Orm) => selecting(orm, and(onSide, sql`${halves.id} in ${oneOf('ids')}`));
const byState = and(inLink, sql`${halves.side} in ${oneOf('sides')}`, sql`${halves.state} in ${oneOf('states')}`);
const selectByState = (orm: Orm) => selecting(orm, byState);
const selectOpenByState = (orm: Orm) => selecting(orm, and(byState, isOpen));
const selectAll = (orm: Orm) => selecting(orm, inLink);

const pairsOfLink = eq(pairs.link, placeholder('link'));

const selectAlone = (orm: Orm) => {
  const alone = orm
    .select({ id: pairs.id })
    .from(pairs)
    .where(and(pairsOfLink, sql`${pairs.status} in ('kept', 'dormant')`));
  return selecting(orm, and(onEitherSide, sql`${halves.pair} in ${alone}`));
};

const selectMembers = (orm: Orm) => {
  const linked = orm
    .select({ id: pairs.id })
    .from(pairs)
    .where(and(pairsOfLink, eq(pairs.status, 'linked')));
  // A group's id stands in the record as JSON writes it; whether it stands there as a group is seen when it is parsed.
  const mentions = sql`exists (
    select 1 from json_each(${placeholder('ids')}) as asked where instr(${halves.recordJson}, json_quote(asked.value)) > 0
  )`;
  return selecting(orm, and(inLink, mentions, sql`${halves.pair} in ${linked}`));
};

const selectByEmail = (orm: Orm) => {
  // SQLite lowers ASCII letters only: an entry with anything else is looked at when it is parsed.
  const holds = sql`exists (
    select 1 from json_each(${halves.recordJson}, '$.contact.emailAddresses') as entry
    where lower(entry.value ->> 'value') in ${oneOf('keys')} or entry.value glob '*[^ -~]*'
  )`;
  return selecting(orm, and(onSide, holds));
};

const toHalf = ({ baseJson, recordJson, ...row }: StoredHalf): Half => {
  const record = decodeRecord(recordJson);
  return { ...row, record, base: decodeBase(baseJson, record) };
};

export const putHalf = (db: Db, link: string, { half, digest }: HalfPut): void => {
  const { record, base, ...columns } = half;
  db.prepared(upsertHalf).run({
    ...columns,
    link,
    digest,
    baseJson: encodeBase(base, record),
    recordJson: encodeRecord(record),
  });
};

export const dropHalf = (db: Db, place: Place, id: string): void => {
  db.prepared(deleteHalf).run({ ...place, id });
};

const readRows = (db: Db, link: string, query: HalfQuery): StoredHalf[] => {
  switch (query.by) {
    case 'id':
      return db.prepared(selectById).all({ link, side: query.side, ids: JSON.stringify(query.ids) });
    case 'pair':
      return db.prepared(selectByPair).all({ link, pairs: JSON.stringify(query.pairs) });
    case 'state': {
      const sides = JSON.stringify(query.side === undefined ? SIDES : [query.side]);
      const statement = query.states.includes('settled') ? selectByState : selectOpenByState;
      return db.prepared(statement).all({ link, sides, states: JSON.stringify(query.states) });
    }
    case 'alone':
      return db.prepared(selectAlone).all({ link });
    case 'group':
      return db.prepared(selectMembers).all({ link, ids: JSON.stringify(query.ids) });
    case 'email':
      return db.prepared(selectByEmail).all({ link, side: query.side, keys: JSON.stringify(query.keys) });
    case 'all':
      return db.prepared(selectAll).all({ link });
  }
};

export const readHalves = (db: Db, link: string, query: HalfQuery): readonly Half[] => {
  const found = readRows(db, link, query).map(toHalf);
  if (query.by === 'group') return inOrder(found.filter(isMember(query.ids)));
  return inOrder(query.by === 'email' ? found.filter(holdsEmail(query.keys)) : found);
};
