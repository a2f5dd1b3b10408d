import type { Database, Statement } from 'better-sqlite3';
import { assignedValue } from '../sql/operations.ts';
import { isList, newIdOf, shapeOf, type Cells, type Single, type Where } from '../sql/row-operation.ts';
import { TABLES, type Table } from '../tables.ts';

/** Compares each property of a condition with a value, with null, or with a list that goes as JSON. */
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

/** The properties of a row that are columns of its table here. */
const propertiesOf = ({ columns }: Table, row: Cells): readonly string[] =>
  Object.keys(row).filter((property) => columns[property] !== undefined && columns[property].isDerived !== true);

/** A prepared statement, and the properties of a row whose values it takes. */
type Prepared = { readonly statement: Statement; readonly properties: readonly string[]; readonly hasLink: boolean };

/** Prepares the statement of an operation, whose text depends on its table and its properties alone. */
const prepare = (client: Database, operation: Single): Prepared => {
  const table: Table = TABLES[operation.table];
  const { hasLink } = table;
  const names = (properties: readonly string[]): readonly string[] =>
    properties.map((property) => `"${table.columns[property]?.name ?? property}"`);
  if (operation.op === 'add' || operation.op === 'put') {
    const own = propertiesOf(table, operation.row);
    const properties = newIdOf(operation) === null ? own : own.filter((property) => property !== 'id');
    const columns = ['link', ...names(properties)];
    const insert = `insert into ${table.name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
    const changed = names(properties.filter((property) => !table.key.includes(property)));
    const update = ` on conflict do update set ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
    return { statement: client.prepare(operation.op === 'add' ? insert : insert + update), properties, hasLink };
  }
  const conditions = [...(hasLink ? ['link = ?'] : []), ...conditionOf(table, operation.where)].join(' and ');
  if (operation.op === 'delete') {
    return { statement: client.prepare(`delete from ${table.name} where ${conditions}`), properties: [], hasLink };
  }
  const properties = propertiesOf(table, operation.set);
  const set = names(properties).map((name) => `${name} = ?`);
  const update = `update ${table.name} set ${set.join(', ')} where ${conditions}`;
  return { statement: client.prepare(update), properties, hasLink };
};

/** The values of an operation's statement, in their order. */
const valuesOf = (
  link: string,
  operation: Single,
  { properties, hasLink }: Prepared,
  ids: ReadonlyMap<number, number>,
): readonly (string | number | null)[] => {
  const isRow = operation.op === 'add' || operation.op === 'put';
  const cells = isRow ? operation.row : operation.op === 'patch' ? operation.set : {};
  const values: (string | number | null)[] = isRow ? [link] : [];
  for (const property of properties) values.push(bound(assignedValue(property, cells[property] ?? null, ids)));
  if (isRow) return values;
  if (hasLink) values.push(link);
  return [...values, ...boundWhere(operation.where)];
};

/**
 * Writes row operations one by one, each with a statement that is prepared once. `ids` takes the ids that the database gives
 * to rows whose operations name an id below zero.
 */
export const createWriter = (client: Database) => {
  const statements = new Map<string, Prepared>();
  return (link: string, operation: Single, ids: Map<number, number>): void => {
    const shape = shapeOf(operation);
    const prepared = statements.get(shape) ?? prepare(client, operation);
    statements.set(shape, prepared);
    const { lastInsertRowid } = prepared.statement.run(valuesOf(link, operation, prepared, ids));
    const newId = newIdOf(operation);
    if (newId !== null) ids.set(newId, Number(lastInsertRowid));
  };
};
