import { asJson, asText } from './codec.ts';
import { createHash } from 'node:crypto';
import { StoreError } from './errors.ts';
import { budgets, credentials, hosting, LINK_TABLES, links, linkSettings, type Column, type Table } from './tables.ts';

// Copying rows from one database to another one as they are stored, without their meaning.

/** The tables that runs write, then those of tokens, of the salt of their keys, and of the settings of links. */
export const COPIED_TABLES = { links, ...LINK_TABLES, budgets, hosting, credentials, linkSettings } as const;
export type CopiedTable = keyof typeof COPIED_TABLES;
const COPIED_NAMES = Object.keys(COPIED_TABLES) as readonly CopiedTable[];

/** The columns of a table that are copied, by property; the link comes first. */
export const copiedColumns = ({
  columns,
  hasLink,
}: Table): readonly (readonly [property: string, Column<unknown>])[] => [
  ...(hasLink ? [['link', { name: 'link', type: 'text' }] as const] : []),
  ...Object.entries(columns).filter(([, { isDerived }]) => isDerived !== true),
];

/** The properties that identify a row among those of all links. */
export const copiedKey = ({ key, hasLink }: Table): readonly string[] => (hasLink ? ['link', ...key] : key);

export type CopiedRow = Readonly<Record<string, string | number | boolean | null>>;

/** Rows of a table that are added to it. */
export type RowBatch = {
  readonly table: CopiedTable;
  readonly rows: readonly CopiedRow[];
};

/** A store's rows, for a copy of all of them. */
export type RowStore = {
  /** The location, for messages. */
  readonly place: string;
  /** Whether a process may be at work on one of the links now. */
  isLeased(): Promise<boolean>;
  /** Every row by its key, as texts are ordered byte by byte; so many at a time as fit into memory. */
  rows(table: CopiedTable): AsyncIterable<readonly CopiedRow[]>;
  /** Adds rows: all that are given, or none. `batches` is called again after a failed attempt. */
  add(batches: () => AsyncIterable<RowBatch>): Promise<void>;
  close(): Promise<void>;
};

/** The number of rows of a table, and their checksum. */
export type TableSum = { readonly table: CopiedTable; readonly rows: number; readonly sha256: string };

const addTo = (hash: ReturnType<typeof createHash>, row: CopiedRow): void => {
  const names = Object.keys(row).toSorted();
  hash.update(`${JSON.stringify(names.map((name) => [name, row[name]]))}\n`);
};

/** A value that every engine can store. The database reads the JSON of answers in the journal. */
const copied = (name: string, value: CopiedRow[string]): CopiedRow[string] => {
  if (typeof value !== 'string') return value;
  return name === 'afterJson' ? asJson(value) : asText(value);
};

const rowsOf = async function* (store: RowStore, table: CopiedTable): AsyncGenerator<readonly CopiedRow[]> {
  for await (const rows of store.rows(table)) {
    yield rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [name, copied(name, value)])),
    );
  }
};

/** Counts the rows of every table, and makes a checksum of each. */
const sumOf = async (store: RowStore): Promise<readonly TableSum[]> => {
  const sums: TableSum[] = [];
  for (const table of COPIED_NAMES) {
    const hash = createHash('sha256');
    let rows = 0;
    for await (const batch of rowsOf(store, table)) {
      for (const row of batch) addTo(hash, row);
      rows += batch.length;
    }
    sums.push({ table, rows, sha256: hash.digest('hex') });
  }
  return sums;
};

const everything = async function* (from: RowStore): AsyncGenerator<RowBatch> {
  for (const table of COPIED_NAMES) {
    for await (const rows of rowsOf(from, table)) yield { table, rows };
  }
};

/**
 * Copies everything to an empty store and compares both afterwards. Returns the row count and checksum of each table.
 *
 * @throws {StoreError} where the target is not empty, a process is at work on the source, or they differ in the end.
 */
export const copyStore = async (from: RowStore, to: RowStore): Promise<readonly TableSum[]> => {
  if (await from.isLeased()) {
    throw new StoreError(`A run is under way on ${from.place}.`, { remedy: 'Stop the daemon first.' });
  }
  const held = (await sumOf(to)).find(({ rows }) => rows > 0);
  if (held !== undefined) {
    throw new StoreError(`${to.place} is not empty: its table ${held.table} has ${held.rows} rows.`, {
      remedy: 'Name another one: a copy overwrites nothing.',
    });
  }
  await to.add(() => everything(from));
  const [source, copy] = [await sumOf(from), await sumOf(to)];
  const different = source.find(({ sha256 }, index) => copy[index]?.sha256 !== sha256);
  if (different !== undefined) {
    throw new StoreError(`The copy in ${to.place} is not what ${from.place} holds: its ${different.table} differ.`, {
      remedy: 'Stop whatever works on either, empty the copy, and copy again.',
    });
  }
  return copy;
};
