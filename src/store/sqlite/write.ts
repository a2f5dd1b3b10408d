import type { Database, Statement } from 'better-sqlite3';
import { newIdOf, withIds, type Cell, type Cells, type RowOperation, type Where } from '../sql/operations.ts';
import { TABLES, type Table } from '../tables.ts';

const isList = (value: Where[string] | undefined): value is readonly Cell[] => Array.isArray(value);

/** How a condition compares a property: with a value, with null, or with a list that goes as JSON. */
const conditionOf = ({ columns }: Table, where: Where): readonly string[] =>
  Object.entries(where).map(([property, value]) => {
    const name = `"${columns[property]?.name ?? property}"`;
    if (value === null) return `${name} is null`;
    return isList(value) ? `${name} in (select value from json_each(?))` : `${name} = ?`;
  });

const bound = (value: Cells[string]): string | number | null => {
  if (isList(value)) throw new Error('SQLite stores no list.');
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
};

const boundWhere = (where: Where): readonly (string | number | null)[] =>
  Object.values(where).flatMap((value) => {
    if (value === null) return [];
    return [isList(value) ? JSON.stringify(value) : bound(value)];
  });

type Single = Exclude<RowOperation, { op: 'sweep' }>;

/** The properties of a row that are columns of its table here. */
const propertiesOf = ({ columns }: Table, row: Cells): readonly string[] =>
  Object.keys(row).filter((property) => columns[property] !== undefined && columns[property].isDerived !== true);

/** The statement of an operation whose text depends on its table and its properties alone. */
const textOf = (table: Table, operation: Single): string => {
  const names = (properties: readonly string[]): readonly string[] =>
    properties.map((property) => `"${table.columns[property]?.name ?? property}"`);
  if (operation.op === 'add' || operation.op === 'put') {
    const properties = propertiesOf(table, operation.row);
    const columns = ['link', ...names(properties)];
    const insert = `insert into ${table.name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
    if (operation.op === 'add') return insert;
    const changed = names(properties.filter((property) => !table.key.includes(property)));
    return `${insert} on conflict do update set ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  }
  const conditions = [...(table.hasLink ? ['link = ?'] : []), ...conditionOf(table, operation.where)].join(' and ');
  if (operation.op === 'delete') return `delete from ${table.name} where ${conditions}`;
  const set = names(propertiesOf(table, operation.set)).map((name) => `${name} = ?`);
  return `update ${table.name} set ${set.join(', ')} where ${conditions}`;
};

/** What the text of an operation's statement depends on. */
const shapeOf = (operation: Single): string => {
  const { op, table } = operation;
  if (op === 'add' || op === 'put') return `${op} ${table} ${Object.keys(operation.row).join()}`;
  const where = Object.entries(operation.where).map(([name, value]) => {
    if (value === null) return `${name}=null`;
    return isList(value) ? `${name}=list` : name;
  });
  return `${op} ${table} ${where.join()} ${op === 'patch' ? Object.keys(operation.set).join() : ''}`;
};

/** The values of an operation's statement, in their order. */
const valuesOf = (table: Table, link: string, operation: Single): readonly (string | number | null)[] => {
  const own = table.hasLink ? [link] : [];
  const cells = (row: Cells) => propertiesOf(table, row).map((property) => bound(row[property] ?? null));
  if (operation.op === 'add' || operation.op === 'put') return [...own, ...cells(operation.row)];
  const set = operation.op === 'patch' ? cells(operation.set) : [];
  return [...set, ...own, ...boundWhere(operation.where)];
};

/** An operation without an id that the database is to assign. */
const withoutNewId = (operation: Single): Single =>
  operation.op === 'add' ? { ...operation, row: { ...operation.row, id: null } } : operation;

/**
 * Writes row operations one by one, each with a statement that is prepared once. `ids` takes the ids that the database gives
 * to rows whose operations name an id below zero.
 */
export const createWriter = (client: Database) => {
  const statements = new Map<string, Statement>();
  return (link: string, operation: Single, ids: Map<number, number>): void => {
    const table: Table = TABLES[operation.table];
    const newId = newIdOf(operation);
    const given = withIds(newId === null ? operation : withoutNewId(operation), ids);
    const shape = shapeOf(given);
    const statement = statements.get(shape) ?? client.prepare(textOf(table, given));
    statements.set(shape, statement);
    const { lastInsertRowid } = statement.run(...valuesOf(table, link, given));
    if (newId !== null) ids.set(newId, Number(lastInsertRowid));
  };
};
