import { asText } from '../codec.ts';
import type { Dialect } from '../sql/dialect.ts';
import { sql } from '../sql/drizzle.ts';

/** The clock that decides whether a lease has expired. */
export type LeaseClock = 'database' | 'caller';

/** Values as one array parameter. */
const arrayOf = (values: readonly (string | number)[], type: 'text' | 'bigint') =>
  sql`${sql.param(values.map((value) => (typeof value === 'string' ? asText(value) : value)))}::${sql.raw(type)}[]`;

const typeOf = (values: readonly (string | number)[]): 'text' | 'bigint' =>
  typeof values[0] === 'number' ? 'bigint' : 'text';

/** The time of the database, epoch milliseconds: the same for every host, whatever their own clocks say. */
const DATABASE_TIME = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** The expressions of PostgreSQL. Lists go as arrays. */
export const postgresDialect = (clock: LeaseClock): Dialect => ({
  isLocal: false,
  isOneOf: (column, values) =>
    values.length === 0 ? sql`false` : sql`${column} = any(${arrayOf(values, typeOf(values))})`,
  numbers: (values) => sql`unnest(${arrayOf(values, 'bigint')}) as list(value)`,
  byBytes: (column) => sql`${column} collate "C"`,
  position: (text, part) => sql`strpos(${text}, ${part})`,
  unindexed: (column) => column,
  isTrue: (column) => column,
  idInJson: (column) => sql`(${column}::json ->> 'id')`,
  members: (link, groupIds) => sql`
    select side, id, pair, state, own.value as "groupId" from halves, unnest(group_ids) as own(value)
    where link = ${link} and group_ids && ${arrayOf(groupIds, 'text')} and own.value = any(${arrayOf(groupIds, 'text')})`,
  mayHoldEmail: (keys) => sql`h.email_keys && ${arrayOf(keys, 'text')}`,
  leaseTime: (nowMs) => (clock === 'database' ? DATABASE_TIME : sql`${nowMs}::bigint`),
});
