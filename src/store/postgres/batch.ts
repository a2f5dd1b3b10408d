import { asJson, asText } from '../codec.ts';
import type { SQL } from 'drizzle-orm';
import type { Cells, RowOperation, Where } from '../sql/operations.ts';
import { sql } from '../sql/drizzle.ts';
import { TABLES, type Column, type Table } from '../tables.ts';

// Row operations as few statements: those of one kind on one table go together, their values as one array for each column.

type Sweep = Extract<RowOperation, { op: 'sweep' }>;
type Single = Exclude<RowOperation, Sweep>;

/** Operations of one kind on one table that name the same properties, each by what identifies it. */
type Part = { readonly first: Single; readonly of: Map<string, Single> };

/**
 * Parts of one statement. All of them see the database as it was before the statement, so no row may be touched by two of
 * them. `touched` names the part by which the rows of an address were touched, for each table.
 */
type Stage = { readonly parts: Map<string, Part>; readonly touched: Map<string, Map<string, string>> };

/** The address of every row of a table. */
const ALL = '*';

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

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

/** Identifies the text of an operation's statement. Operations of one shape share it. */
const shapeOf = (operation: Single): string => {
  const { op, table } = operation;
  if (op === 'add' || op === 'put') return `${op} ${table} ${Object.keys(operation.row).join()}`;
  const where = Object.entries(operation.where).map(([name, value]) => (value === null ? `${name}=null` : name));
  return `${op} ${table} ${where.join()} ${op === 'patch' ? Object.keys(operation.set).join() : ''}`;
};

const valuesOf = (properties: readonly string[], cells: Where): string =>
  JSON.stringify(properties.map((property) => cells[property]));

const addressOf = (table: Table, operation: Single): string => {
  const cells = conditionOf(operation);
  const properties = table.address ?? table.key;
  return properties.every((property) => cells[property] !== undefined) ? valuesOf(properties, cells) : ALL;
};

/** Identifies an operation among those of its shape: of two that write the same row the later one counts. */
const identityOf = (table: Table, operation: Single): string =>
  operation.op === 'add' || operation.op === 'put'
    ? valuesOf(table.key, operation.row)
    : JSON.stringify(operation.where);

type Placing = {
  readonly operation: Single;
  readonly address: string;
  readonly shape: string;
  readonly identity: string;
};

/** Whether an operation has to follow a stage, which touches the same rows in another way. */
const mustFollow = ({ parts, touched }: Stage, { operation, address, shape, identity }: Placing): boolean => {
  const before = touched.get(operation.table);
  if (before === undefined) return false;
  if (address === ALL || before.has(ALL)) return true;
  const same = before.get(address);
  if (same === undefined) return false;
  // A second patch of the same rows depends on what the first one made of them.
  return same !== shape || (operation.op === 'patch' && parts.get(shape)?.of.has(identity) === true);
};

/**
 * Whether sweeps may be part of a stage: their conditions read nothing that it changes. That certain runs end in it is part
 * of the conditions.
 */
const takesSweeps = ({ touched }: Stage, sweeps: readonly Sweep[]): boolean =>
  sweeps.every(({ table }) => {
    const own = touched.get(table);
    return own === undefined || (table === 'runs' && !own.has(ALL));
  });

/**
 * Groups the operations of a commit into statements, in an order that keeps their effect. The last statement includes the sweeps.
 */
export const stagesOf = (operations: readonly RowOperation[], sweeps: readonly Sweep[]): readonly Stage[] => {
  const stages: Stage[] = [{ parts: new Map(), touched: new Map() }];
  const place = (operation: Single): void => {
    const table: Table = TABLES[operation.table];
    const placing: Placing = {
      operation,
      address: addressOf(table, operation),
      shape: shapeOf(operation),
      identity: identityOf(table, operation),
    };
    const { address, shape, identity } = placing;
    // The link's row is changed by the fence of the first stage.
    const least = operation.table === 'links' ? 1 : 0;
    const last = stages.findLastIndex((stage) => mustFollow(stage, placing));
    // A new row is not seen by what the same statement does to others.
    const index = Math.max(least, operation.op === 'add' ? last : last + 1);
    const stage = stages[index] ?? { parts: new Map(), touched: new Map() };
    if (index === stages.length) stages.push(stage);
    const part = stage.parts.get(shape) ?? { first: operation, of: new Map<string, Single>() };
    stage.parts.set(shape, part);
    part.of.set(identity, operation);
    const touched = stage.touched.get(operation.table) ?? new Map<string, string>();
    stage.touched.set(operation.table, touched.set(address, shape));
  };
  for (const operation of operations) {
    const isOfLink = operation.table === 'links' && operation.op === 'patch';
    if (operation.op !== 'sweep' && !isOfLink) for (const each of withoutLists(operation)) place(each);
  }
  const last = stages.at(-1);
  if (last !== undefined && !takesSweeps(last, sweeps)) stages.push({ parts: new Map(), touched: new Map() });
  return stages;
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

const given = ({ name, type }: Column<unknown>): SQL =>
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
    select ${link}, ${list(columns.map(([, column]) => given(column)))} from ${unnested(columns, rows)} where ${pass}`;
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

const partOf = (link: string, { first, of }: Part, pass: SQL): SQL => {
  const operations = [...of.values()];
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
    return column === undefined ? sql`` : sql`${named(name)} = ${given(column)}`;
  });
  return sql`update ${named(target.name)} as t set ${list(assigned)} from ${unnested([...compared, ...renamed], rows)}
    where ${condition} and ${pass}`;
};

const sweepOf = (link: string, { table, condition }: Sweep, pass: SQL): SQL =>
  sql`delete from ${named(TABLES[table].name)} where link = ${link} and ${condition} and ${pass}`;

/** The parts of a stage's statement, each to be named in its `with`; the last stage sweeps. */
export const stagePartsOf = (link: string, { parts }: Stage, sweeps: readonly Sweep[], pass: SQL): readonly SQL[] => [
  ...[...parts.values()].map((part) => partOf(link, part, pass)),
  ...sweeps.map((sweep) => sweepOf(link, sweep, pass)),
];
