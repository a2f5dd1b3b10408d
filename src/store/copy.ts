import { createHash } from 'node:crypto';
import { LINK_TABLES } from './changes.ts';
import { StoreError } from './store.ts';
import { asJson, asText } from './texts.ts';

// Moving everything from one engine to another: rows as they stand, without their meaning.

const STORE_TABLES = ['links', ...LINK_TABLES, 'budgets'] as const;
/** A table that every engine has. */
export type StoreTable = (typeof STORE_TABLES)[number];

/** What PostgreSQL keeps for many hosts, and SQLite in a file beside it: tokens, and what their keys are made with. */
export const HOSTED_TABLES = ['hosting', 'credentials', 'linkSettings'] as const;
export type HostedTable = (typeof HOSTED_TABLES)[number];

const COPIED_TABLES = [...STORE_TABLES, ...HOSTED_TABLES] as const;
export type CopiedTable = (typeof COPIED_TABLES)[number];

/** By which the rows of a table are told apart, and ordered. */
export const KEYS: Readonly<Record<CopiedTable, readonly string[]>> = {
  links: ['name'],
  cursors: ['link', 'side'],
  pairs: ['link', 'id'],
  halves: ['link', 'side', 'id'],
  shownPages: ['link', 'id'],
  groupPairs: ['link', 'key'],
  journal: ['link', 'id'],
  conflicts: ['link', 'id'],
  rejections: ['link', 'side', 'key'],
  verdicts: ['link', 'leftId', 'rightId'],
  runs: ['link', 'id'],
  budgets: ['key'],
  hosting: ['id'],
  credentials: ['link', 'side'],
  linkSettings: ['name'],
};

/** What only one engine has, follows from the rest, or says who is at work now: it is not copied. */
export const NOT_COPIED: readonly string[] = [
  'leaseOwner',
  'leaseUntilMs',
  'commitKey',
  'groupIds',
  'emailKeys',
  'linksRevision',
];

export type CopiedRow = Readonly<Record<string, string | number | boolean | null>>;

/** Rows of a table that are added to it. */
export type RowBatch<Table extends CopiedTable = CopiedTable> = {
  readonly table: Table;
  readonly rows: readonly CopiedRow[];
};

/** A store's rows, for a copy of all of them. */
export type RowStore<Table extends CopiedTable = CopiedTable> = {
  /** Where it is, for people. */
  readonly place: string;
  /** Whether a process may be at work on one of the links now. */
  isLeased(): Promise<boolean>;
  /** Every row by its key, as texts are ordered byte by byte; so many at a time as fit into memory. */
  rows(table: Table): AsyncIterable<readonly CopiedRow[]>;
  /** Adds rows: all that are given, or none. They are asked for again where it has to begin again. */
  add(batches: () => AsyncIterable<RowBatch<Table>>): Promise<void>;
  close(): Promise<void>;
};

/** How many rows a table has, and what they come to. */
export type TableSum = { readonly table: CopiedTable; readonly rows: number; readonly sha256: string };

const addTo = (hash: ReturnType<typeof createHash>, row: CopiedRow): void => {
  const names = Object.keys(row).toSorted();
  hash.update(`${JSON.stringify(names.map((name) => [name, row[name]]))}\n`);
};

/** A value as every engine can store it; of the JSON texts, the answers in the journal are looked into. */
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
  for (const table of COPIED_TABLES) {
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
  for (const table of COPIED_TABLES) {
    for await (const rows of rowsOf(from, table)) yield { table, rows };
  }
};

/**
 * Copies everything to an empty store, and holds both against each other afterwards. Answers what was copied.
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
