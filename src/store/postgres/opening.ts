import type { SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Sides } from '../../contact/side.ts';
import type { Half } from '../../contact/half.ts';
import { inOrder } from '../half-query.ts';
import type { Opening } from './known.ts';
import { toConflicts, toHalf, toJournalRow, toRun } from '../rows.ts';
import { sql } from './drizzle.ts';
import { ALL_OF_IT, fromJson, linkOf, withoutLink, type JsonRow, type StoredLink } from './read-links.ts';
import { NEWEST_FIRST } from './read-history.ts';
import { anyPresentIn, COLUMNS } from './read-halves.ts';
import { conflicts, halves, journal, pairs, runs } from './schema.ts';

/** What most runs begin with, read in one look, as the database gives it. */
export type StoredOpening = StoredLink & {
  readonly open: readonly JsonRow[];
  readonly conflicts: readonly JsonRow[];
  readonly completed: readonly JsonRow[];
  readonly anyPresent: Sides<boolean>;
  readonly unsettled: readonly JsonRow[];
  readonly alone: readonly JsonRow[];
};

/** More halves than that are read when they are asked for. */
const MOST_HALVES = 200;

const all = (rows: SQL): SQL => sql`coalesce((select json_agg(row_to_json(found)) from (${rows}) as found), '[]')`;

const halvesWhere = (condition: SQL): SQL =>
  all(sql`select * from ${halves} where ${halves.link} = l.name and ${condition} limit ${MOST_HALVES + 1}`);

/** Everything of the opening, as columns beside a row `l` of the links. */
export const OPENING = sql`${ALL_OF_IT},
  ${all(sql`select * from ${journal} where ${journal.link} = l.name and ${journal.state} = 'intended'
    order by ${journal.id}`)} as open,
  ${all(sql`select * from ${conflicts} where ${conflicts.link} = l.name and ${conflicts.resolvedAtMs} is null
    order by ${conflicts.id}`)} as conflicts,
  ${all(sql`select * from ${runs} where ${runs.link} = l.name and ${runs.outcome} = 'completed'
    order by ${NEWEST_FIRST} limit 1`)} as completed,
  ${anyPresentIn(sql`l.name`)} as "anyPresent",
  ${halvesWhere(sql`${halves.state} <> 'settled'`)} as unsettled,
  ${halvesWhere(sql`${halves.pair} in (select ${pairs.id} from ${pairs} where ${pairs.link} = l.name
    and ${pairs.status} in ('kept', 'dormant'))`)} as alone`;

const rowsOf = <Table extends PgTable>(table: Table, rows: readonly JsonRow[]): readonly Table['$inferSelect'][] =>
  rows.map((row) => fromJson(table, row));

const halvesOf = (rows: readonly JsonRow[]): readonly Half[] | null => {
  if (rows.length > MOST_HALVES) return null;
  const names = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
  const found = rowsOf(halves, rows).map((row) => {
    // The columns of a half, as every other query selects them.
    return toHalf(Object.fromEntries(names.map((name) => [name, row[name]])) as Parameters<typeof toHalf>[0]);
  });
  return inOrder(found);
};

export const openingOf = (stored: StoredOpening): Opening => ({
  link: linkOf(stored),
  open: rowsOf(journal, stored.open).map((row) => toJournalRow(withoutLink(row))),
  conflicts: toConflicts(rowsOf(conflicts, stored.conflicts).map(withoutLink)),
  completed: rowsOf(runs, stored.completed).map(toRun),
  anyPresent: stored.anyPresent,
  unsettled: halvesOf(stored.unsettled),
  alone: halvesOf(stored.alone),
});
