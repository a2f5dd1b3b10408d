import type { SQL } from 'drizzle-orm';
import { COPIED_TABLES, copiedColumns, copiedKey, type CopiedRow, type RowBatch } from '../copy.ts';
import { LINK_TABLES, type Table } from '../tables.ts';
import type { ScratchDatabase, SqlDatabase } from './dialect.ts';
import { sql } from './drizzle.ts';
import { all } from './step.ts';

const ROWS_AT_ONCE = 2_000;

/** Selects the rows of a table that follow a row, by key: those of one link, or of all. */
const selectAfter = ({ dialect }: SqlDatabase, table: Table, last: CopiedRow | null, link: string | null): SQL => {
  const columns = copiedColumns(table);
  const byName = new Map(columns);
  const key = copiedKey(table).map((property) => {
    const { name = property, type = 'text' } = byName.get(property) ?? {};
    return {
      property,
      column: type === 'text' ? dialect.byBytes(sql.identifier(name).getSQL()) : sql`${sql.identifier(name)}`,
    };
  });
  const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);
  const order = list(key.map(({ column }) => column));
  const values = list(key.map(({ property }) => sql`${last?.[property] ?? null}`));
  const where = [
    ...(last === null ? [] : [sql`(${order}) > (${values})`]),
    ...(link === null ? [] : [sql`${sql.identifier(table.hasLink ? 'link' : 'name')} = ${link}`]),
  ];
  const selected = list(
    columns.map(([property, { name }]) => sql`${sql.identifier(name)} as ${sql.identifier(property)}`),
  );
  const condition = where.length === 0 ? sql`` : sql` where ${sql.join(where, sql` and `)}`;
  return sql`select ${selected} from ${sql.identifier(table.name)}${condition} order by ${order} limit ${ROWS_AT_ONCE}`;
};

/** Every row of a table, or those of one link, by key; so many at a time as fit into memory. */
const readAllRows = async function* (
  db: SqlDatabase,
  table: Table,
  link: string | null,
): AsyncGenerator<readonly CopiedRow[]> {
  const booleans = copiedColumns(table).filter(([, { type }]) => type === 'boolean');
  const withBooleans = (row: CopiedRow): CopiedRow => ({
    ...row,
    ...Object.fromEntries(booleans.map(([property]) => [property, row[property] === true || row[property] === 1])),
  });
  for (let last: CopiedRow | null = null; ;) {
    const found: readonly CopiedRow[] = await db.run(() => all<CopiedRow>(selectAfter(db, table, last, link)));
    if (found.length > 0) yield booleans.length === 0 ? found : found.map(withBooleans);
    last = found.at(-1) ?? null;
    if (found.length < ROWS_AT_ONCE) return;
  }
};

/** Everything that is stored of a link. Of other links it has their own rows alone. */
const rowsOf = async function* (from: SqlDatabase, link: string): AsyncGenerator<RowBatch> {
  for await (const rows of readAllRows(from, COPIED_TABLES.links, null)) yield { table: 'links', rows };
  for (const table of Object.keys(LINK_TABLES) as (keyof typeof LINK_TABLES)[]) {
    for await (const rows of readAllRows(from, COPIED_TABLES[table], link)) yield { table, rows };
  }
};

/** Copies everything that is stored of a link into an empty database. Of other links it copies their own rows alone. */
export const copyLink = (from: SqlDatabase, to: ScratchDatabase, link: string): Promise<void> =>
  to.load(rowsOf(from, link));
