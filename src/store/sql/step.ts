import type { SQL } from 'drizzle-orm';
import type { RowOf, Table } from '../tables.ts';
import { sql } from './drizzle.ts';

/** Rows by the names of a statement's columns. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/**
 * A series of statements, each yielded and answered with its rows. A dialect runs it: SQLite without a wait between its
 * statements, PostgreSQL over a connection. It may run more than once, so it must change nothing outside the database.
 */
export type Step<Result> = Generator<SQL, Result, Rows>;

/** Sends statements; those of a transaction over one connection. */
export type SendStatement = (statement: SQL) => Promise<Rows>;

/** Runs one statement. `Row` names the columns that the statement selects; the text of the statement decides their types. */
export const all = function* <Row>(statement: SQL): Step<readonly Row[]> {
  return (yield statement) as unknown as readonly Row[];
};

/** Runs one statement, and returns its first row, or null. */
export const first = function* <Row>(statement: SQL): Step<Row | null> {
  return (yield* all<Row>(statement))[0] ?? null;
};

/** Runs one statement, and returns the column `value` of its first row; null without a row. */
export const valueOf = function* <Value>(statement: SQL): Step<Value | null> {
  return (yield* first<{ readonly value: Value | null }>(statement))?.value ?? null;
};

/** The columns of a table for a select, each named by its property. */
export const columnsOf = <Of extends Table, Property extends keyof Of['columns'] & string>(
  { columns }: Of,
  properties: readonly Property[] = Object.keys(columns).filter((name) => !columns[name]?.isDerived) as Property[],
  prefix = '',
): SQL =>
  sql.raw(
    properties.map((property) => `${prefix}"${columns[property]?.name ?? property}" as "${property}"`).join(', '),
  );

/** Booleans as JavaScript has them: SQLite stores numbers. Other values are returned by every dialect as they are read. */
export const withBooleans = <Of extends Table>({ columns }: Of, rows: readonly RowOf<Of>[]): readonly RowOf<Of>[] => {
  const names = Object.keys(columns).filter((property) => columns[property]?.type === 'boolean');
  return rows.map((row) => {
    const values = row as Readonly<Record<string, unknown>>;
    return { ...row, ...Object.fromEntries(names.map((name) => [name, values[name] === true || values[name] === 1])) };
  });
};
