import { asJson, asText } from '../codec.ts';
import type { SQL } from 'drizzle-orm';
import { isList, shapeOf, type Cells, type RowOperation, type Single, type Where } from '../sql/row-operation.ts';
import { sql } from '../sql/drizzle.ts';
import { TABLES, type Column, type Table, type TableName } from '../tables.ts';

// The operations of a commit as few statements. Operations on one table that follow one another, of one kind and with the same
// properties, are one part: their values are one array for each column. Different tables are independent of each other.

type Sweep = Extract<RowOperation, { op: 'sweep' }>;

/** Operations that are done together, each by the row or the condition that it names: of two for the same row the later one counts. */
type Group = { readonly first: Single; readonly operations: ReadonlyMap<string, Single> };

/** Replaces a condition with lists by one operation for each of their values. */
const withoutLists = (operation: Single): readonly Single[] => {
  if (operation.op === 'add' || operation.op === 'put') return [operation];
  const entry = Object.entries(operation.where).find(([, value]) => isList(value));
  if (entry === undefined) return [operation];
  const [property, values] = entry;
  return (isList(values) ? values : []).flatMap((value) =>
    withoutLists({ ...operation, where: { ...operation.where, [property]: value } }),
  );
};

const conditionOf = (operation: Single): Where =>
  operation.op === 'add' || operation.op === 'put' ? operation.row : operation.where;

const identityOf = (operation: Single): string => {
  if (operation.op !== 'add' && operation.op !== 'put') return JSON.stringify(operation.where);
  return JSON.stringify(TABLES[operation.table].key.map((property) => operation.row[property]));
};

/** Groups the operations of a commit, in an order that keeps their effect. */
const groupsOf = (operations: readonly Single[]): readonly Group[] => {
  const groups: { first: Single; operations: Map<string, Single> }[] = [];
  const lastOf = new Map<TableName, (typeof groups)[number]>();
  for (const operation of operations.flatMap(withoutLists)) {
    const identity = identityOf(operation);
    const last = lastOf.get(operation.table);
    // A second patch of the same rows depends on what the first one made of them.
    const isNext = operation.op === 'patch' && last?.operations.has(identity) === true;
    if (last !== undefined && !isNext && shapeOf(last.first) === shapeOf(operation)) {
      last.operations.set(identity, operation);
      continue;
    }
    const group = { first: operation, operations: new Map([[identity, operation]]) };
    groups.push(group);
    lastOf.set(operation.table, group);
  }
  return groups;
};

const list = (parts: readonly SQL[]): SQL => sql.join([...parts], sql`, `);
const named = (name: string): SQL => sql`${sql.identifier(name)}`;

type Named = readonly (readonly [property: string, column: Column<unknown>])[];

const columnsOf = ({ columns }: Table, properties: readonly string[]): Named =>
  properties.flatMap((property) => {
    const column = columns[property];
    return column === undefined ? [] : [[property, column] as const];
  });

/** Properties whose JSON texts the database looks into. */
const READ_AS_JSON: readonly string[] = ['afterJson', 'summaryJson'];

/** A list within an array of them: as the text that the database reads as a list. */
const listText = (values: readonly string[]): string =>
  `{${values.map((value) => `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`).join(',')}}`;

/** A value as the database can store it. */
export const storable = (property: string, value: unknown): unknown => {
  if (isList(value)) return listText(value.map((each) => asText(String(each))));
  if (typeof value !== 'string') return value ?? null;
  return asText(READ_AS_JSON.some((name) => property.endsWith(name)) ? (asJson(value) ?? value) : value);
};

const TYPES = { text: 'text', number: 'bigint', boolean: 'boolean', texts: 'text' } as const;

/** Rows as a table `u` that the rest of the statement reads, with the names of the columns that they fill. */
const unnested = (columns: Named, rows: readonly Where[]): SQL => {
  const arrays = columns.map(([property, { type }]) => {
    const values = rows.map((row) => storable(property, row[property]));
    return sql`${sql.param(values)}::${sql.raw(TYPES[type])}[]`;
  });
  return sql`unnest(${list(arrays)}) as u(${list(columns.map(([, { name }]) => named(name)))})`;
};

const unnestedColumn = ({ name, type }: Column<unknown>): SQL =>
  type === 'texts' ? sql`u.${named(name)}::text[]` : sql`u.${named(name)}`;

const inserting = (
  link: string,
  operation: Extract<Single, { op: 'add' | 'put' }>,
  rows: readonly Where[],
  pass: SQL,
): SQL => {
  const table: Table = TABLES[operation.table];
  const columns = columnsOf(table, Object.keys(operation.row));
  const insert = sql`insert into ${named(table.name)} (link, ${list(columns.map(([, { name }]) => named(name)))})
    select ${link}, ${list(columns.map(([, column]) => unnestedColumn(column)))} from ${unnested(columns, rows)} where ${pass}`;
  if (operation.op === 'add') return insert;
  const set = columns.filter(([property]) => !table.key.includes(property));
  const key = list(columnsOf(table, table.key).map(([, { name }]) => named(name)));
  return sql`${insert} on conflict (link, ${key}) do update
    set ${list(set.map(([, { name }]) => sql`${named(name)} = excluded.${named(name)}`))}`;
};

/** The condition of a patch or a delete, and the columns that it compares with `u`. */
const matching = (link: string, { table, where }: Extract<Single, { op: 'patch' | 'delete' }>) => {
  const target: Table = TABLES[table];
  const entries = columnsOf(target, Object.keys(where));
  const compared = entries.filter(([property]) => where[property] !== null);
  const conditions = [
    ...(target.hasLink ? [sql`t.link = ${link}`] : []),
    ...entries.map(([property, { name }]) =>
      where[property] === null ? sql`t.${named(name)} is null` : sql`t.${named(name)} = u.${named(name)}`,
    ),
  ];
  return { target, compared, condition: sql.join(conditions, sql` and `) };
};

/** `set` and `where` of a patch as one row. Both may have the same properties. */
const setName = (property: string): string => `new ${property}`;

const groupSql = (link: string, { first, operations: grouped }: Group, pass: SQL): SQL => {
  const operations = [...grouped.values()];
  if (first.op === 'add' || first.op === 'put') return inserting(link, first, operations.map(conditionOf), pass);
  const { target, compared, condition } = matching(link, first);
  if (first.op === 'delete') {
    const using = compared.length === 0 ? sql`` : sql` using ${unnested(compared, operations.map(conditionOf))}`;
    return sql`delete from ${named(target.name)} as t${using} where ${condition} and ${pass}`;
  }
  const set = columnsOf(target, Object.keys(first.set));
  const renamed: Named = set.map(([property, column]) => [
    setName(property),
    { ...column, name: setName(column.name) },
  ]);
  const rows = operations.map((operation) => {
    const own: Cells = operation.op === 'patch' ? operation.set : {};
    const values = Object.entries(own).map(([property, value]) => [setName(property), value]);
    return { ...conditionOf(operation), ...(Object.fromEntries(values) as Where) };
  });
  const assigned = set.map(([, { name }], index) => {
    const [, column] = renamed[index] ?? [];
    return column === undefined ? sql`` : sql`${named(name)} = ${unnestedColumn(column)}`;
  });
  return sql`update ${named(target.name)} as t set ${list(assigned)} from ${unnested([...compared, ...renamed], rows)}
    where ${condition} and ${pass}`;
};

const sweepSql = (link: string, { table, condition }: Sweep, pass: SQL): SQL =>
  sql`delete from ${named(TABLES[table].name)} where link = ${link} and ${condition} and ${pass}`;

/** Returns the statements of a commit after its fence, in their order. Sweeps are done last. */
export const batchOf = (link: string, operations: readonly RowOperation[]) => {
  const groups = groupsOf(operations.filter((operation) => operation.op !== 'sweep'));
  const sweeps = operations.filter((operation) => operation.op === 'sweep');
  // Within one statement, rows that are added are not seen by other parts.
  const ordered = [...groups.map(({ first }) => first), ...sweeps];
  const isLast = ({ op, table }: RowOperation, index: number): boolean =>
    op === 'add' && !ordered.some((other, place) => other.table === table && place > index);
  const changing = ordered.filter((operation, index) => !isLast(operation, index));
  return {
    /** Each changes nothing unless the condition `pass` is true. */
    parts: [
      ...groups.map((group) => (pass: SQL) => groupSql(link, group, pass)),
      ...sweeps.map((sweep) => (pass: SQL) => sweepSql(link, sweep, pass)),
    ],
    /** True if no part sees the rows that another one or the fence changes: all may be parts of one statement. */
    isIndependent: new Set(['links', ...changing.map(({ table }) => table)]).size === changing.length + 1,
  };
};

export type Batch = ReturnType<typeof batchOf>;
