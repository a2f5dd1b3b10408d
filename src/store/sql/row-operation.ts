import type { SQL } from 'drizzle-orm';
import type { LinkTableName, TableName } from '../tables.ts';

/** The value of a column. */
type Cell = string | number | boolean | null;
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

/** An operation with a statement of its own. */
export type Single = Exclude<RowOperation, { op: 'sweep' }>;

export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The id below zero of the row that an operation adds; null if it adds none that needs an id. */
export const newIdOf = (operation: RowOperation): number | null => {
  const id = operation.op === 'add' ? operation.row['id'] : null;
  return typeof id === 'number' && id < 0 ? id : null;
};

/** Identifies the text of an operation's statement. Operations of one shape share it. */
export const shapeOf = (operation: Single): string => {
  const { op, table } = operation;
  if (op === 'add' || op === 'put') {
    const kind = newIdOf(operation) === null ? op : 'new';
    return `${kind} ${table} ${Object.keys(operation.row).toSorted().join()}`;
  }
  const where = Object.entries(operation.where).map(([name, value]) => {
    if (value === null) return `${name}=null`;
    return isList(value) ? `${name}=list` : name;
  });
  return `${op} ${table} ${where.join()} ${op === 'patch' ? Object.keys(operation.set).join() : ''}`;
};
