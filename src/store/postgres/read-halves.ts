import { domainToUnicode } from 'node:url';
import type { SQL } from 'drizzle-orm';
import type { Half } from '../../contact/half.ts';
import { needlesOf } from '../../contact/search.ts';
import type { Side, Sides } from '../../contact/side.ts';
import type { PairStatus } from '../../reconcile/decision.ts';
import { asksFor, bestOf, inOrder, membersOf } from '../half-query.ts';
import { toCounts, toHalf } from '../rows.ts';
import type { Counts, HalfKey, HalfQuery, Member, PairRow, RowDigest } from '../store.ts';
import type { Db } from './database.ts';
import { and, asc, eq, sql } from './drizzle.ts';
import { arrayOf } from './parts.ts';
import { halves, pairs } from './schema.ts';

/** The key that earlier versions stored of an address with an international domain. */
const unicodeKeys = (key: string): readonly string[] => {
  const [, local = '', domain = ''] = /^(.*@)(.*xn--.*)$/u.exec(key) ?? [];
  return domain === '' ? [] : [local + domainToUnicode(domain)];
};

export const COLUMNS = {
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

// Written out: with a parameter PostgreSQL may not use the partial index.
const isOpen = sql`${halves.state} <> 'settled'`;

const isUnselected = sql`${halves.pair} is null and ${halves.state} = 'settled'`;

const pairsWith = (link: string, statuses: SQL): SQL =>
  sql`${halves.pair} in (select ${pairs.id} from ${pairs} where ${pairs.link} = ${link} and ${pairs.status} in ${statuses})`;

/** The halves that a text may name, the best first where there are more than the limit; {@link bestOf} looks at them again. */
const foundBy = (link: string, { text, limit }: Extract<HalfQuery, { by: 'search' }>): SQL => {
  // PostgreSQL has no text that holds a zero character.
  const { email, phone, name, word, words } = needlesOf(text.replaceAll('\0', '\uFFFD'));
  const holds = (needle: string | null): SQL => sql`strpos(${halves.search}, ${needle}::text) > 0`;
  const lacks = (needle: SQL): SQL =>
    sql`exists (select 1 from unnest(${arrayOf(words, 'text')}) as word where strpos(${halves.search}, ${needle}) = 0)`;
  const rank = sql`case
    when ${holds(email)} or ${holds(phone)} then 0
    when starts_with(${halves.search}, ${name}::text) then 1
    when not ${lacks(sql`chr(10) || word || chr(10)`)} then 2
    when not ${lacks(sql`chr(10) || word`)} then 3
  end`;
  return sql`(${halves.side}, ${halves.id}) in (
    select side, id from (
      select ${halves.side} as side, ${halves.id} as id, ${rank} as rank from ${halves}
      where ${halves.link} = ${link} and (${holds(word)} or ${holds(email)} or ${holds(phone)})
    ) as found where rank is not null order by rank, side, id collate "C"
    limit ${Number.isSafeInteger(limit) && limit < Number.MAX_SAFE_INTEGER ? limit : null}
  )`;
};

const conditionOf = (link: string, query: HalfQuery): SQL | undefined => {
  switch (query.by) {
    case 'id':
      return sql`${halves.side} = ${query.side} and ${halves.id} = any(${arrayOf(query.ids, 'text')})`;
    case 'pair':
      return sql`${halves.pair} = any(${arrayOf(query.pairs, 'bigint')})`;
    case 'state': {
      const isOnSide = query.side === undefined ? undefined : eq(halves.side, query.side);
      const isAsked = query.states.includes('settled') ? undefined : isOpen;
      return and(isAsked, sql`${halves.state} = any(${arrayOf(query.states, 'text')})`, isOnSide);
    }
    case 'alone':
      return pairsWith(link, sql`('kept', 'dormant')`);
    case 'asleep':
      return pairsWith(link, sql`('asleep')`);
    case 'unselected':
      return isUnselected;
    case 'email': {
      const keys = [...query.keys, ...query.keys.flatMap(unicodeKeys)];
      return and(eq(halves.side, query.side), sql`${halves.emailKeys} && ${arrayOf(keys, 'text')}`);
    }
    case 'search':
      return foundBy(link, query);
    case 'blank':
      return sql`${halves.search} = '' and ${halves.pair} is null`;
    case 'all':
      return undefined;
  }
};

/** A query that names nothing finds nothing. */
const isIdle = (query: HalfQuery): boolean =>
  ('ids' in query && query.ids.length === 0) ||
  ('pairs' in query && query.pairs.length === 0) ||
  ('keys' in query && query.keys.length === 0) ||
  ('states' in query && query.states.length === 0);

export const readHalves = async (db: Db, link: string, query: HalfQuery): Promise<readonly Half[]> => {
  if (isIdle(query)) return [];
  const where = and(eq(halves.link, link), conditionOf(link, query));
  const rows = await db.do((orm) => orm.select(COLUMNS).from(halves).where(where));
  const found = rows.map(toHalf);
  if (query.by === 'search') return bestOf(found.filter(asksFor(query, () => undefined)), query);
  return inOrder(found);
};

/** Halves with the whole pairs that they belong to. */
export type WithPairs = {
  readonly asked: readonly Half[];
  readonly all: readonly Half[];
  readonly pairs: readonly PairRow[];
};

/** Reads halves by their ids, and in the same look their pairs whole: a step of a run asks for these next. */
export const readWithPairs = async (db: Db, link: string, side: Side, ids: readonly string[]): Promise<WithPairs> => {
  if (ids.length === 0) return { asked: [], all: [], pairs: [] };
  const meant = sql`(${halves.side}, ${halves.id}) in (
    select ${side}, unnest(${arrayOf(ids, 'text')})
    union select other.side, other.id from ${halves} as own
      join ${halves} as other on other.link = own.link and other.pair = own.pair
      where own.link = ${link} and own.side = ${side} and own.id = any(${arrayOf(ids, 'text')})
  )`;
  const ofPair = and(eq(pairs.link, halves.link), eq(pairs.id, halves.pair));
  const rows = await db.do((orm) =>
    orm
      .select({ ...COLUMNS, status: pairs.status })
      .from(halves)
      .leftJoin(pairs, ofPair)
      .where(and(eq(halves.link, link), meant)),
  );
  const all = inOrder(rows.map(({ status: _status, ...row }) => toHalf(row)));
  const asked = new Set(ids);
  const statuses = new Map(
    rows.flatMap(({ pair, status }) => (pair === null || status === null ? [] : [[pair, status]])),
  );
  return {
    all,
    asked: all.filter((half) => half.side === side && asked.has(half.id)),
    pairs: [...statuses].map(([id, status]) => ({ id, status })),
  };
};

export const readIndex = (db: Db, link: string, side: Side): Promise<readonly HalfKey[]> => {
  const { id, pair, state, absences, heardAtMs } = COLUMNS;
  const where = and(eq(halves.link, link), eq(halves.side, side));
  return db.do((orm) => orm.select({ id, pair, state, absences, heardAtMs }).from(halves).where(where));
};

export const readMembers = async (db: Db, link: string, groupIds: readonly string[]): Promise<readonly Member[]> => {
  if (groupIds.length === 0) return [];
  const { side, id, pair, state } = COLUMNS;
  const where = and(eq(halves.link, link), sql`${halves.groupIds} && ${arrayOf(groupIds, 'text')}`);
  const columns = { side, id, pair, state, groupIds: halves.groupIds };
  return membersOf(await db.do((orm) => orm.select(columns).from(halves).where(where)), groupIds);
};

export const findKnown = async (
  db: Db,
  link: string,
  side: Side,
  rows: readonly RowDigest[],
): Promise<ReadonlySet<string>> => {
  if (rows.length === 0) return new Set();
  const ids = arrayOf(
    rows.map(({ id }) => id),
    'text',
  );
  const digests = arrayOf(
    rows.map(({ digest }) => digest),
    'text',
  );
  const { rows: found } = await db.do((orm) =>
    orm.execute<{ digest: string }>(sql`
      select ${halves.digest} as digest from unnest(${ids}, ${digests}) as asked (id, digest)
      join ${halves} on ${halves.link} = ${link} and ${halves.side} = ${side} and ${halves.id} = asked.id
        and ${halves.digest} = asked.digest
    `),
  );
  return new Set(found.map(({ digest }) => digest));
};

export const readPairs = async (db: Db, link: string, ids: readonly number[]): Promise<readonly PairRow[]> => {
  if (ids.length === 0) return [];
  const where = and(eq(pairs.link, link), sql`${pairs.id} = any(${arrayOf(ids, 'bigint')})`);
  return db.do((orm) =>
    orm.select({ id: pairs.id, status: pairs.status }).from(pairs).where(where).orderBy(asc(pairs.id)),
  );
};

/** Whether a side has a half that is neither missing nor gone, as JSON. */
export const anyPresentIn = (link: SQL): SQL => {
  const on = (side: Side): SQL => sql`exists (select 1 from ${halves}
    where ${halves.link} = ${link} and ${halves.side} = ${side} and ${halves.state} not in ('missing', 'gone'))`;
  return sql`json_build_object('left', ${on('left')}, 'right', ${on('right')})`;
};

export const readPresence = async (db: Db, link: string): Promise<Sides<boolean>> => {
  const { rows } = await db.do((orm) =>
    orm.execute<{ found: Sides<boolean> }>(sql`select ${anyPresentIn(sql`${link}`)} as found`),
  );
  return rows[0]?.found ?? { left: false, right: false };
};

/** How many halves a side has, with how many of them are away and how many take no part; or how many pairs stand so. */
type Counted = { readonly n: number; readonly away: number; readonly unselected: number } & (
  | { readonly side: Side; readonly status: null }
  | { readonly side: null; readonly status: PairStatus }
);

export const readCounts = async (db: Db, link: string): Promise<Counts> => {
  const { rows } = await db.do((orm) =>
    orm.execute<Counted>(sql`
      select ${halves.side} as side, null as status, count(*)::int as n,
        (count(*) filter (where ${halves.state} in ('missing', 'gone')))::int as away,
        (count(*) filter (where ${isUnselected}))::int as unselected
      from ${halves} where ${halves.link} = ${link} group by ${halves.side}
      union all
      select null, ${pairs.status}, count(*)::int, 0, 0 from ${pairs} where ${pairs.link} = ${link} group by ${pairs.status}
    `),
  );
  const sides = rows.flatMap((row) => (row.side === null ? [] : [row]));
  return toCounts({
    pairs: rows.flatMap((row) => (row.status === null ? [] : [row])),
    all: sides,
    away: sides.map(({ side, away }) => ({ side, n: away })),
    unselected: sides.map(({ side, unselected }) => ({ side, n: unselected })),
  });
};
