import type { SQL } from 'drizzle-orm';
import type { LinkTableName, TableName } from '../tables.ts';

/** The value of a column. */
export type Cell = string | number | boolean | null;
/** Values by the properties of a table's columns; a list is that of a derived column, which only PostgreSQL has. */
export type Cells = Readonly<Record<string, Cell | readonly string[]>>;
/** A condition: every property equals the value, or one of the values. */
export type Where = Readonly<Record<string, Cell | readonly Cell[]>>;

/** An operation on the rows of one link. The commit replaces an id below zero by a new id, wherever it occurs. */
export type RowOperation =
  /** Inserts a row whose key is new. */
  | { readonly op: 'add'; readonly table: LinkTableName; readonly row: Cells }
  /** Inserts a row, or replaces the one with its key. */
  | { readonly op: 'put'; readonly table: LinkTableName; readonly row: Cells }
  | { readonly op: 'patch'; readonly table: TableName; readonly where: Where; readonly set: Cells }
  | { readonly op: 'delete'; readonly table: TableName; readonly where: Where }
  /** Deletes rows by a condition of its own, after all other operations of the commit. */
  | { readonly op: 'sweep'; readonly table: LinkTableName; readonly condition: SQL };
