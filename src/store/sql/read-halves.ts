import type { RowDigest } from '../../core/contact/requests.ts';
import type { NarrowHalf, PairRow } from '../../core/state/rows.ts';
import type { SQL } from 'drizzle-orm';
import type { Half } from '../../core/contact/half.ts';
import { needlesOf } from '../../core/contact/search.ts';
import { bySide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import type { PairStatus } from '../../core/contact/pair.ts';
import { holdsEmail, inOrder, inPageOrder, isNamedBy } from '../half-query.ts';
import { NOT_READ, toHalf, type HalfCells } from '../columns.ts';
import type { ContactPage, Counts, HalfQuery, Member, HalvesWithPairs } from '../store.ts';
import { halves, pairs } from '../tables.ts';
import type { Dialect } from './dialect.ts';
import { sql } from './drizzle.ts';
import { all, columnsOf, type Step, valueOf } from './step.ts';

const isRead = (property: string): property is keyof HalfCells => !NOT_READ.some((name) => name === property);
const HALF = columnsOf(halves, Object.keys(halves.columns).filter(isRead), 'h.');
const LIGHT = columnsOf(halves, ['id', 'pair', 'state', 'absences', 'heardAtMs']);

/** Holds of every half; lets SQLite find rows of both sides in an index that has the side before the rest. */
const EITHER_SIDE = sql`h.side in ('left', 'right')`;
// States are written out, here and below: with a bound parameter no partial index is used.
const IS_OPEN = sql`h.state <> 'settled'`;

/** The halves that a text may name, those of the first names if there are more than the limit. */
const foundBy = (dialect: Dialect, link: string, { text, limit }: Extract<HalfQuery, { by: 'search' }>): SQL => {
  const { byBytes, position } = dialect;
  const holds = (needle: string): SQL => sql`${position(sql`search`, sql`cast(${needle} as text)`)} > 0`;
  const isNamed = needlesOf(text).map((needles) => sql`(${sql.join(needles.map(holds), sql` and `)})`);
  return sql`(h.side, h.id) in (
    select side, id from halves where link = ${link} and (${sql.join(isNamed, sql` or `)})
    order by ${byBytes(sql`search`)}, side, ${byBytes(sql`id`)} limit ${limit}
  )`;
};

/** Is true for one half of each contact of a page. A pair of which both halves exist is represented by its left half. */
const isOnPage = (of: ContactPage, link: string): SQL => {
  const isSurvivor = sql`pair in (select id from pairs where link = ${link} and status in ('kept', 'dormant'))`;
  const isAlone = sql`state not in ('gone', 'doubted') and (pair is null or ${isSurvivor})`;
  switch (of) {
    case 'all':
      return sql`(side = 'left' and pair is not null or ${isAlone})`;
    case 'alone':
      return isAlone;
    case 'written':
      return sql`written_at_ms is not null`;
  }
};

const pageOf = ({ byBytes }: Dialect, link: string, { of, offset, limit }: Extract<HalfQuery, { by: 'page' }>): SQL => {
  const order = of === 'written' ? sql`written_at_ms desc` : byBytes(sql`search`);
  return sql`(h.side, h.id) in (
    select side, id from halves where link = ${link} and side in ('left', 'right') and ${isOnPage(of, link)}
    order by ${order}, side, ${byBytes(sql`id`)} limit ${limit} offset ${offset}
  )`;
};

const conditionOf = (dialect: Dialect, link: string, query: HalfQuery): SQL => {
  const isOneOf = (column: SQL, values: readonly (string | number)[]): SQL => dialect.isOneOf(column, values);
  const ofPairs = (isMeant: SQL): SQL =>
    sql`${EITHER_SIDE} and h.pair in (select id from pairs where link = ${link} and ${isMeant})`;
  switch (query.by) {
    case 'id':
      return sql`h.side = ${query.side} and ${isOneOf(sql`h.id`, query.ids)}`;
    case 'pair':
      return sql`${EITHER_SIDE} and ${isOneOf(sql`h.pair`, query.pairs)}`;
    case 'state': {
      const sides = isOneOf(sql`h.side`, query.side === undefined ? SIDES : [query.side]);
      const states = isOneOf(sql`h.state`, query.states);
      return query.states.includes('settled')
        ? sql`${sides} and ${states}`
        : sql`${sides} and ${states} and ${IS_OPEN}`;
    }
    case 'alone':
      return ofPairs(sql`status in ('kept', 'dormant')`);
    case 'unselected':
      return sql`${EITHER_SIDE} and h.pair is null and h.state = 'settled'`;
    case 'email': {
      const { keys } = query;
      return sql`h.side = ${query.side} and ${dialect.mayHoldEmail(keys)}`;
    }
    case 'search':
      return foundBy(dialect, link, query);
    case 'page':
      return pageOf(dialect, link, query);
    case 'blank':
      return sql`h.search = '' and h.pair is null`;
    case 'all':
      return sql`1 = 1`;
  }
};

/** Selects the halves of a link that a query asks for. */
export const selectHalves = (dialect: Dialect, link: string, query: HalfQuery): SQL =>
  sql`select ${HALF} from halves as h where h.link = ${link} and ${conditionOf(dialect, link, query)}`;

/** The halves of rows that {@link selectHalves} selected, in order. */
export const halvesOf = (query: HalfQuery, rows: readonly HalfCells[]): readonly Half[] => {
  const found = rows.map(toHalf);
  if (query.by === 'search') return inOrder(found.filter(isNamedBy(query.text)));
  if (query.by === 'page') return inPageOrder(found, query);
  return inOrder(query.by === 'email' ? found.filter(holdsEmail(query.keys)) : found);
};

/** A query that names nothing finds nothing. */
const isIdle = (query: HalfQuery): boolean =>
  Object.values(query).some((value) => Array.isArray(value) && value.length === 0);

export const readHalves = function* (dialect: Dialect, link: string, query: HalfQuery): Step<readonly Half[]> {
  return isIdle(query) ? [] : halvesOf(query, yield* all<HalfCells>(selectHalves(dialect, link, query)));
};

/** A half with the status of its pair; null if it belongs to none. */
type PairedHalf = HalfCells & { readonly status: PairStatus | null };

const selectPaired = (link: string, isMeant: SQL): SQL =>
  sql`select ${HALF}, p.status from halves as h left join pairs as p on p.link = h.link and p.id = h.pair
    where h.link = ${link} and ${EITHER_SIDE} and ${isMeant}`;

const wholePairsOf = (rows: readonly PairedHalf[]): HalvesWithPairs => {
  const statuses = new Map<number, PairStatus>();
  for (const { pair, status } of rows) if (pair !== null && status !== null) statuses.set(pair, status);
  return {
    halves: rows.map(({ status: _status, ...row }) => toHalf(row)),
    pairs: [...statuses].map(([id, status]) => ({ id, status })),
  };
};

/** Reads the halves first, then their pairs: most halves that are asked for by their ids belong to none yet. */
const readPairsApart = function* (
  dialect: Dialect,
  link: string,
  own: readonly SQL[],
  named: readonly number[],
): Step<HalvesWithPairs> {
  const asked = own.length === 0 ? [] : yield* all<HalfCells>(sql.join([...own], sql` union all `));
  const pairIds = [...new Set([...named, ...asked.flatMap(({ pair }) => pair ?? [])])];
  const paired =
    pairIds.length === 0 ? [] : yield* all<PairedHalf>(selectPaired(link, dialect.isOneOf(sql`h.pair`, pairIds)));
  const alone = asked.filter(({ pair }) => pair === null).map((row): PairedHalf => ({ ...row, status: null }));
  return wholePairsOf(alone.concat(paired));
};

/** Reads halves by their ids and by their pairs, and the pairs that they belong to whole. */
export const readWholePairs = function* (
  dialect: Dialect,
  link: string,
  { ids, pairs: named }: { readonly ids: Sides<readonly string[]>; readonly pairs: readonly number[] },
): Step<HalvesWithPairs> {
  const own = SIDES.filter((side) => ids[side].length > 0).map((side) =>
    selectHalves(dialect, link, { by: 'id', side, ids: ids[side] }),
  );
  if (dialect.isLocal) return yield* readPairsApart(dialect, link, own, named);
  const paired = [
    ...(own.length > 0 ? [sql`select pair from own where pair is not null`] : []),
    ...(named.length > 0 ? [sql`select value from ${dialect.numbers(named)}`] : []),
  ];
  if (paired.length === 0) return { halves: [], pairs: [] };
  const whole = selectPaired(link, sql`h.pair in (${sql.join(paired, sql` union `)})`);
  // The halves that are asked for are read once: a record is the widest part of the database.
  const statement =
    own.length === 0
      ? whole
      : sql`with own as materialized (${sql.join(own, sql` union all `)})
          select own.*, null as status from own where pair is null union all ${whole}`;
  return wholePairsOf(yield* all<PairedHalf>(statement));
};

export const readPairs = function* (dialect: Dialect, link: string, ids: readonly number[]): Step<readonly PairRow[]> {
  if (ids.length === 0) return [];
  return yield* all<PairRow>(
    sql`select ${columnsOf(pairs)} from pairs
      where ${dialect.unindexed(sql`link`)} = ${link} and ${dialect.isOneOf(sql`id`, ids)} order by id`,
  );
};

export const readIndex = (link: string, side: Side): Step<readonly NarrowHalf[]> =>
  all<NarrowHalf>(sql`select ${LIGHT} from halves where link = ${link} and side = ${side}`);

export const readMembers = function* (
  dialect: Dialect,
  link: string,
  groupIds: readonly string[],
): Step<readonly Member[]> {
  return groupIds.length === 0 ? [] : yield* all<Member>(dialect.members(link, groupIds));
};

export const findKnown = function* (
  dialect: Dialect,
  link: string,
  side: Side,
  rows: readonly RowDigest[],
): Step<ReadonlySet<string>> {
  if (rows.length === 0) return new Set();
  const asked = new Map(rows.map(({ id, digest }) => [id, digest]));
  const found = yield* all<RowDigest>(
    sql`select id, digest from halves where link = ${link} and side = ${side}
      and ${dialect.isOneOf(sql`id`, [...asked.keys()])}`,
  );
  return new Set(found.filter(({ id, digest }) => asked.get(id) === digest).map(({ digest }) => digest));
};

const isPresentOn = (link: string, side: Side): SQL =>
  sql`case when exists (select 1 from halves where link = ${link} and side = ${side}
    and state not in ('missing', 'gone')) then 1 else 0 end`;

/** Selects whether each side has a half that is neither missing nor gone. */
export const selectPresence = (link: string): SQL =>
  sql`select ${isPresentOn(link, 'left')} as "left", ${isPresentOn(link, 'right')} as "right"`;

export const presenceOf = ([row]: readonly Sides<number>[]): Sides<boolean> => ({
  left: row?.left === 1,
  right: row?.right === 1,
});

export const readPresence = function* (link: string): Step<Sides<boolean>> {
  return presenceOf(yield* all<Sides<number>>(selectPresence(link)));
};

export const readCounts = function* (link: string): Step<Counts> {
  const sides = yield* all<{ side: Side; present: number; unselected: number }>(sql`
    select h.side, count(*) filter (where h.state not in ('missing', 'gone')) as present,
      count(*) filter (where h.pair is null and h.state = 'settled') as unselected
    from halves as h where h.link = ${link} and ${EITHER_SIDE} group by h.side`);
  const linked = yield* valueOf<number>(
    sql`select count(*) as value from pairs where link = ${link} and status = 'linked'`,
  );
  const of = (side: Side) => sides.find((row) => row.side === side);
  return {
    pairs: linked ?? 0,
    present: bySide((side) => of(side)?.present ?? 0),
    unselected: bySide((side) => of(side)?.unselected ?? 0),
  };
};
