import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { getTableColumns, sql } from './drizzle.ts';
import { asText } from '../texts.ts';

// Statements on many rows at once: their values go as one array a column, whatever their number.

export type Row = Readonly<Record<string, unknown>>;

/** Holds where the commit is let pass; asked by every part of its statement. */
export type Pass = SQL;

type LinkTable = PgTable & { readonly link: PgColumn };

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);

const nameOf = (column: PgColumn): SQL => sql`${sql.identifier(column.name)}`;

const columnsOf = (table: PgTable, properties: readonly string[]): readonly (readonly [string, PgColumn])[] => {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(table);
  return properties.map((property) => {
    const column = columns[property];
    if (column === undefined) throw new Error(`A table has no column ${property}.`);
    return [property, column] as const;
  });
};

/** A list within an array of them: as the text that the database reads as a list. */
const listText = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(',')}}`;

const storable = (value: unknown): unknown => {
  if (typeof value === 'string') return asText(value);
  return Array.isArray(value) ? listText(value.map((each) => asText(String(each)))) : value;
};

const LIST = '[]';

/** The rows as a table `u` that the rest of the statement reads, named by the columns that they fill. */
const unnested = (columns: readonly (readonly [string, PgColumn])[], rows: readonly Row[]): SQL => {
  const values = columns.map(([property, column]) => {
    const type = column.getSQLType();
    const element = type.endsWith(LIST) ? 'text' : type;
    return sql`${sql.param(rows.map((row) => storable(row[property])))}::${sql.raw(element)}[]`;
  });
  return sql`unnest(${list(values)}) as u(${list(columns.map(([, column]) => nameOf(column)))})`;
};

const given = (column: PgColumn): SQL => {
  const type = column.getSQLType();
  return type.endsWith(LIST) ? sql`u.${nameOf(column)}::${sql.raw(type)}` : sql`u.${nameOf(column)}`;
};

const propertiesOf = (rows: readonly Row[]): readonly string[] => Object.keys(rows[0] ?? {});

/** Adds rows; those that are there by these keys already are replaced in what the rows say. */
export const putRows = (
  table: LinkTable,
  link: string,
  rows: readonly Row[],
  keys: readonly string[],
  pass: Pass,
): SQL => {
  const columns = columnsOf(table, propertiesOf(rows));
  const names = list(columns.map(([, column]) => nameOf(column)));
  const set = columns.filter(([property]) => !keys.includes(property));
  const unique = list([nameOf(table.link), ...columnsOf(table, keys).map(([, column]) => nameOf(column))]);
  return sql`insert into ${table} (${nameOf(table.link)}, ${names})
    select ${link}, ${list(columns.map(([, column]) => given(column)))} from ${unnested(columns, rows)} where ${pass}
    on conflict (${unique}) do update set ${list(
      set.map(([, column]) => sql`${nameOf(column)} = excluded.${nameOf(column)}`),
    )}`;
};

const sameAs = (keys: readonly (readonly [string, PgColumn])[]): SQL =>
  sql.join(
    keys.map(([, column]) => sql`${column} = u.${nameOf(column)}`),
    sql` and `,
  );

/** Drops the rows of these keys. */
export const dropRows = (table: LinkTable, link: string, keys: readonly Row[], pass: Pass): SQL => {
  const columns = columnsOf(table, propertiesOf(keys));
  return sql`delete from ${table} using ${unnested(columns, keys)}
    where ${table.link} = ${link} and ${sameAs(columns)} and ${pass}`;
};

/** Changes the rows of these keys that `where` holds of; `set` takes the place of what the rows say. */
export const changeRows = (
  table: LinkTable,
  link: string,
  rows: readonly Row[],
  keys: readonly string[],
  { set, where, pass }: { readonly set?: SQL; readonly where?: SQL; readonly pass: Pass },
): SQL => {
  const columns = columnsOf(table, propertiesOf(rows));
  const values = columns.filter(([property]) => !keys.includes(property));
  const setting = set ?? list(values.map(([, column]) => sql`${nameOf(column)} = ${given(column)}`));
  return sql`update ${table} set ${setting} from ${unnested(columns, rows)}
    where ${table.link} = ${link} and ${sameAs(columnsOf(table, keys))}${where ? sql` and ${where}` : sql``} and ${pass}`;
};

/** Values as one array parameter. */
export const arrayOf = (values: readonly (string | number)[], type: 'text' | 'bigint'): SQL =>
  sql`${sql.param(values)}::${sql.raw(type)}[]`;
