import type { SQL } from 'drizzle-orm';
import { TABLES, type Table } from '../tables.ts';
import type { Dialect, RowBatch, RunStep, ScratchDatabase, SqlDatabase } from './dialect.ts';
import { sql } from './drizzle.ts';
import { all, type Rows } from './step.ts';

const ROWS_AT_ONCE = 2_000;

/** Selects rows of a table by key: those of a link, or the own rows of all links. They follow the row `last`. */
const selectAfter = (
  dialect: Dialect,
  { name: table, columns, hasLink, key }: Table,
  link: string,
  last: Rows[number] | undefined,
): SQL => {
  const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);
  const named = (name: string): SQL => sql`${sql.identifier(name)}`;
  const own = Object.values(columns).filter(({ isDerived }) => isDerived !== true);
  const keys = key.flatMap((property) => columns[property] ?? []);
  const order = list(keys.map(({ name, type }) => (type === 'text' ? dialect.byBytes(named(name)) : named(name))));
  const isOfLink = hasLink ? sql`link = ${link}` : sql`1 = 1`;
  const isAfter = last && sql` and (${order}) > (${list(keys.map(({ name }) => sql`${last[name]}`))})`;
  return sql`select ${list([...(hasLink ? ['link'] : []), ...own.map(({ name }) => name)].map(named))}
    from ${named(table)} where ${isOfLink}${isAfter ?? sql``} order by ${order} limit ${ROWS_AT_ONCE}`;
};

/** Everything that is stored of a link. Of other links it has their own rows alone. */
const readRows = async function* (dialect: Dialect, run: RunStep, link: string): AsyncGenerator<RowBatch> {
  for (const table of Object.values<Table>(TABLES)) {
    let rows: Rows = [];
    do {
      rows = await run(all<Rows[number]>(selectAfter(dialect, table, link, rows.at(-1))));
      if (rows.length > 0) yield { table: table.name, rows };
    } while (rows.length === ROWS_AT_ONCE);
  }
};

/**
 * Copies everything that is stored of a link at one moment into an empty database. Of other links it copies their own rows
 * alone.
 */
export const copyLink = (from: SqlDatabase, to: ScratchDatabase, link: string): Promise<void> =>
  from.atOneMoment((run) => to.load(readRows(from.dialect, run, link)));
