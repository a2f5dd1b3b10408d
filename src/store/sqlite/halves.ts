import type { SQL } from 'drizzle-orm';
import type { Half } from '../../contact/half.ts';
import { needlesOf } from '../../contact/search.ts';
import { SIDES, type Side } from '../../contact/side.ts';
import { asksFor, bestOf, holdsEmail, inOrder } from '../half-query.ts';
import { halfColumns, narrowHalfColumns, toHalf } from '../rows.ts';
import type { HalfPut, HalfQuery, Member } from '../store.ts';
import type { Db, Orm } from './database.ts';
import { and, eq, isNull, or, placeholder, sql } from './drizzle.ts';
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
      search: placeholder('search'),
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
        search: sql`excluded.search`,
      },
    });

/** Everything of a half but its record, which is the widest part by far. */
const updateHalf = (orm: Orm) =>
  orm
    .update(halves)
    .set({
      pair: sql`${placeholder('pair')}`,
      state: sql`${placeholder('state')}`,
      absences: sql`${placeholder('absences')}`,
      lastListedAtMs: sql`${placeholder('lastListedAtMs')}`,
      heardAtMs: sql`${placeholder('heardAtMs')}`,
      writtenAtMs: sql`${placeholder('writtenAtMs')}`,
      mergedInto: sql`${placeholder('mergedInto')}`,
      digest: sql`${placeholder('digest')}`,
      baseJson: sql`${placeholder('baseJson')}`,
    })
    .where(sameHalf);

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

type StoredHalf = Omit<typeof halves.$inferSelect, 'link' | 'digest' | 'search'>;

const selecting = (orm: Orm, where: SQL | undefined) => orm.select(COLUMNS).from(halves).where(where).prepare();

const selectByPair = (orm: Orm) => selecting(orm, and(onEitherSide, sql`${halves.pair} in ${oneOf('pairs')}`));
const selectById = (orm: Orm) => selecting(orm, and(onSide, sql`${halves.id} in ${oneOf('ids')}`));
const byState = and(inLink, sql`${halves.side} in ${oneOf('sides')}`, sql`${halves.state} in ${oneOf('states')}`);
const selectByState = (orm: Orm) => selecting(orm, byState);
const selectOpenByState = (orm: Orm) => selecting(orm, and(byState, isOpen));
const selectAll = (orm: Orm) => selecting(orm, inLink);

const pairsOfLink = eq(pairs.link, placeholder('link'));

const selectOfPairs = (orm: Orm, status: SQL) => {
  const asked = orm
    .select({ id: pairs.id })
    .from(pairs)
    .where(and(pairsOfLink, sql`${pairs.status} in ${status}`));
  return selecting(orm, and(onEitherSide, sql`${halves.pair} in ${asked}`));
};

const selectAlone = (orm: Orm) => selectOfPairs(orm, sql`('kept', 'dormant')`);
const selectAsleep = (orm: Orm) => selectOfPairs(orm, sql`('asleep')`);

const selectUnselected = (orm: Orm) =>
  selecting(orm, and(onEitherSide, isNull(halves.pair), eq(halves.state, 'settled')));

const selectMembers = (orm: Orm) => {
  const { side, id, pair, state } = COLUMNS;
  return orm
    .select({ side, id, pair, state, groupId: sql<string>`own.value`.as('groupId') })
    .from(halves)
    .crossJoin(sql`json_each(${halves.recordJson}, '$.groupIds') as own`)
    .where(and(inLink, sql`own.value in ${oneOf('ids')}`));
};

const selectByEmail = (orm: Orm) => {
  // SQLite lowers ASCII letters only: an entry with anything else is looked at when it is parsed.
  const holds = sql`exists (
    select 1 from json_each(${halves.recordJson}, '$.contact.emailAddresses') as entry
    where lower(entry.value ->> 'value') in ${oneOf('keys')} or entry.value glob '*[^ -~]*'
  )`;
  return selecting(orm, and(onSide, holds));
};

const selectBlank = (orm: Orm) => selecting(orm, and(inLink, sql`${halves.search} = ''`, sql`${halves.pair} is null`));

const selectFound = (orm: Orm) => {
  const holds = (name: string): SQL => sql`instr(${halves.search}, ${placeholder(name)}) > 0`;
  const lacks = (needle: SQL): SQL =>
    sql`exists (select 1 from json_each(${placeholder('words')}) as word where instr(${halves.search}, ${needle}) = 0)`;
  const rank = sql`case
    when ${holds('email')} or ${holds('phone')} then 0
    when instr(${halves.search}, ${placeholder('name')}) = 1 then 1
    when not ${lacks(sql`char(10) || word.value || char(10)`)} then 2
    when not ${lacks(sql`char(10) || word.value`)} then 3
  end`;
  const mayBeMeant = or(holds('word'), holds('email'), holds('phone'));
  const found = sql`
    select row from (
      select rowid as row, ${halves.side} as side, ${halves.id} as id, ${rank} as rank
      from ${halves} where ${and(inLink, mayBeMeant)}
    ) where rank is not null order by rank, side, id limit ${placeholder('limit')}
  `;
  return selecting(orm, sql`rowid in (${found})`);
};

export const putHalf = (db: Db, link: string, put: HalfPut): void => {
  // One that is not there after all is put whole.
  if (put.keepsRecord === true && db.write(updateHalf, { ...narrowHalfColumns(put), link }).changes > 0) return;
  db.write(upsertHalf, { ...halfColumns(put), link });
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
    case 'asleep':
      return db.prepared(selectAsleep).all({ link });
    case 'unselected':
      return db.prepared(selectUnselected).all({ link });
    case 'email':
      return db.prepared(selectByEmail).all({ link, side: query.side, keys: JSON.stringify(query.keys) });
    case 'search': {
      const { words, ...needles } = needlesOf(query.text);
      return db.prepared(selectFound).all({ ...needles, link, limit: query.limit, words: JSON.stringify(words) });
    }
    case 'blank':
      return db.prepared(selectBlank).all({ link });
    case 'all':
      return db.prepared(selectAll).all({ link });
  }
};

export const readHalves = (db: Db, link: string, query: HalfQuery): readonly Half[] => {
  const found = readRows(db, link, query).map(toHalf);
  if (query.by === 'search') return bestOf(found.filter(asksFor(query, () => undefined)), query);
  return inOrder(query.by === 'email' ? found.filter(holdsEmail(query.keys)) : found);
};

export const readMembers = (db: Db, link: string, groupIds: readonly string[]): readonly Member[] =>
  db.rows(selectMembers, { link, ids: JSON.stringify(groupIds) });
