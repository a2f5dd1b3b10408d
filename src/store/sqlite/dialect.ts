import type { Dialect } from '../sql/dialect.ts';
import { sql } from '../sql/drizzle.ts';

const list = (values: readonly (string | number)[]) => sql`json_each(${JSON.stringify(values)})`;

/** The expressions of SQLite. Lists go as JSON. */
export const SQLITE: Dialect = {
  isLocal: true,
  isOneOf: (column, values) => sql`${column} in (select value from ${list(values)})`,
  numbers: list,
  byBytes: (column) => column,
  position: (text, part) => sql`instr(${text}, ${part})`,
  unindexed: (column) => sql`+${column}`,
  isTrue: (column) => sql`${column} = 1`,
  idInJson: (column) => sql`${column} ->> 'id'`,
  members: (link, groupIds) => sql`
    select h.side, h.id, h.pair, h.state, own.value as "groupId"
    from halves as h cross join json_each(h.record_json, '$.groupIds') as own
    where h.link = ${link} and own.value in (select value from ${list(groupIds)})`,
  // SQLite lowers ASCII letters only: an entry with anything else, or with white space, is looked at when it is parsed.
  mayHoldEmail: (keys) => sql`exists (
    select 1 from json_each(h.record_json, '$.contact.emailAddresses') as entry
    where lower(entry.value ->> 'value') in (select value from ${list(keys)}) or entry.value ->> 'value' glob '*[^!-~]*')`,
  leaseTime: (nowMs) => sql`${nowMs}`,
};
