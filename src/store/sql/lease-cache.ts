import type { ConflictRow, JournalRow, LinkState, RunRow } from '../../core/state/rows.ts';
import type { SQL } from 'drizzle-orm';
import { HALF_STATES, type Half } from '../../core/contact/half.ts';
import type { Sides } from '../../core/contact/side.ts';
import type { Cells, RowOperation, Where } from './operations.ts';
import { toConflicts, toLink, type HalfCells, type LinkRows } from '../rows.ts';
import type { Dialect, Statements } from './dialect.ts';
import { sql } from './drizzle.ts';
import { halvesOf, presenceOf, selectHalves, selectPresence } from './read-halves.ts';
import { journalOf, runsOf, selectConflicts, selectJournal, selectRuns } from './read-history.ts';
import { linkRowsOf, selectLinks, type LinkPart } from './read-links.ts';
import type { Rows } from './step.ts';
import type { HalfQuery, JournalQuery, RunQuery } from '../store.ts';
import { LINK_TABLES, type TableName } from '../tables.ts';

// While a process holds a link's lease, no other process commits to the link, except to the link's own row (a pause, the state of
// notifications; see `dropLink`). So a row that was read under the lease stays current until the process itself commits a
// change of it. Once the lease is lost, its fencing token lets no commit pass.

/** The most halves that are kept. If a query returns more, none is kept. */
const MOST_HALVES = 200;
const UNSETTLED: HalfQuery = { by: 'state', states: HALF_STATES.filter((state) => state !== 'settled') };
/** The halves of pairs that have only one. */
const ALONE: HalfQuery = { by: 'alone' };

type FirstRead = LinkPart | 'openJournal' | 'openConflicts' | 'completed' | 'presence' | 'unsettled' | 'alone';

/** Selects the rows that most runs read repeatedly. */
export const selectFirstReads = (dialect: Dialect, link: string): Statements<FirstRead> => {
  const atMostKept = (query: HalfQuery): SQL => sql`${selectHalves(dialect, link, query)} limit ${MOST_HALVES + 1}`;
  return {
    ...selectLinks(link),
    openJournal: selectJournal(dialect, link, { open: true }),
    openConflicts: selectConflicts(link, false),
    completed: selectRuns(dialect, link, { latest: 'completed' }),
    presence: selectPresence(link),
    unsettled: atMostKept(UNSETTLED),
    alone: atMostKept(ALONE),
  };
};

/** The rows that a cached value was read from: rows of these tables with these values. */
const DEPENDS_ON = {
  openJournal: [{ table: 'journal', where: { state: 'intended' } }],
  openConflicts: [{ table: 'conflicts', where: { resolvedAtMs: null } }],
  completed: [{ table: 'runs', where: { outcome: 'completed' } }],
  presence: [{ table: 'halves', where: {} }],
  unsettled: [{ table: 'halves', where: {} }],
  alone: [
    { table: 'halves', where: {} },
    { table: 'pairs', where: {} },
  ],
} as const satisfies Record<string, readonly { readonly table: TableName; readonly where: Cells }[]>;

type Cached = {
  readonly openJournal: readonly JournalRow[];
  readonly openConflicts: readonly ConflictRow[];
  readonly completed: readonly RunRow[];
  readonly presence: Sides<boolean>;
  readonly unsettled: readonly Half[];
  readonly alone: readonly Half[];
};

/** Whether a row with these values may have this value of a property. */
const mayHave = (values: Where | Cells, property: string, value: Cells[string]): boolean => {
  const given = values[property];
  return given === undefined || given === value || (Array.isArray(given) && given.some((each) => each === value));
};

/** Whether an operation may add, change or remove a row with these values. */
const mayConcern = (operation: RowOperation, where: Cells): boolean => {
  const wanted = Object.entries(where);
  switch (operation.op) {
    case 'add':
      return wanted.every(([property, value]) => mayHave(operation.row, property, value));
    case 'patch': {
      const isBefore = wanted.every(([property, value]) => mayHave(operation.where, property, value));
      const after = { ...operation.where, ...operation.set };
      return isBefore || wanted.every(([property, value]) => mayHave(after, property, value));
    }
    case 'delete':
      return wanted.every(([property, value]) => mayHave(operation.where, property, value));
    // Their rows are not compared: any row may change.
    case 'put':
    case 'sweep':
      return true;
  }
};

const CACHED = Object.keys(DEPENDS_ON) as (keyof Cached)[];

/** Whether an operation may change a cached value. */
const mayInvalidate = (name: keyof Cached, operation: RowOperation): boolean =>
  DEPENDS_ON[name].some(({ table, where }) => table === operation.table && mayConcern(operation, where));

const SMALL_TABLES = ['cursors', 'groupPairs', 'rejections', 'verdicts'] as const;
type SmallTable = (typeof SMALL_TABLES)[number];
const isSmall = (table: TableName): table is SmallTable => SMALL_TABLES.some((each) => each === table);

/** A link's row and its small rows, updated by each operation. */
class LinkCache {
  #row: Cells;
  readonly #rows: Readonly<Record<SmallTable, Map<string, Cells>>>;
  #state: LinkState | null = null;

  constructor({ link, ...rows }: LinkRows) {
    this.#row = link;
    const byKey = (table: SmallTable): Map<string, Cells> =>
      new Map(rows[table].map((row: Cells) => [keyOf(table, row), row]));
    this.#rows = {
      cursors: byKey('cursors'),
      groupPairs: byKey('groupPairs'),
      rejections: byKey('rejections'),
      verdicts: byKey('verdicts'),
    };
  }

  get state(): LinkState {
    // The rows are those that the constructor was given, and rows of the same tables that operations put in their place.
    const rows = Object.fromEntries(SMALL_TABLES.map((table) => [table, [...this.#rows[table].values()]]));
    return (this.#state ??= toLink({ link: this.#row, ...rows } as unknown as LinkRows));
  }

  /** Applies an operation to the rows. Returns false if it cannot: the rows must be read again. */
  apply(operation: RowOperation): boolean {
    const { op, table } = operation;
    if (table !== 'links' && !isSmall(table)) return true;
    this.#state = null;
    if (table === 'links') {
      if (op !== 'patch') return false;
      this.#row = { ...this.#row, ...operation.set };
      return true;
    }
    if (op === 'put') {
      this.#rows[table].set(keyOf(table, operation.row), operation.row);
      return true;
    }
    const namesOneRow = op === 'delete' && Object.keys(operation.where).length === LINK_TABLES[table].key.length;
    if (namesOneRow) this.#rows[table].delete(keyOf(table, operation.where as Cells));
    return namesOneRow;
  }
}

const keyOf = (table: SmallTable, row: Cells): string =>
  JSON.stringify(LINK_TABLES[table].key.map((property) => row[property]));

const fewHalves = (query: HalfQuery, rows: Rows): readonly Half[] | null =>
  rows.length > MOST_HALVES ? null : halvesOf(query, rows as unknown as readonly HalfCells[]);

/**
 * The cached rows of a link whose lease the process holds, and the operations that wait for its next commit. A getter or a query
 * returns null if the value is not cached and must be read from the database.
 */
export class LeaseCache {
  readonly owner: string;
  readonly token: number;
  /** Operations that the store commits with the next commit of the link. */
  uncommitted: readonly RowOperation[] = [];
  #link: LinkCache | null = null;
  #cached: Partial<Cached> = {};

  /** `read` is what {@link selectFirstReads} selected under this lease; null where that is not known. */
  constructor(link: string, owner: string, token: number, read: Readonly<Record<FirstRead, Rows>> | null) {
    this.owner = owner;
    this.token = token;
    if (read === null) return;
    const [rows] = linkRowsOf(read);
    if (rows !== undefined) this.#link = new LinkCache(rows);
    const [unsettled, alone] = [fewHalves(UNSETTLED, read.unsettled), fewHalves(ALONE, read.alone)];
    // Each was selected with the columns of its table.
    this.#cached = {
      openJournal: journalOf(read.openJournal as unknown as Parameters<typeof journalOf>[0]),
      openConflicts: toConflicts(read.openConflicts as unknown as Parameters<typeof toConflicts>[0]),
      completed: runsOf(link, read.completed as unknown as Parameters<typeof runsOf>[1]),
      presence: presenceOf(read.presence as unknown as Parameters<typeof presenceOf>[0]),
      ...(unsettled !== null && { unsettled }),
      ...(alone !== null && { alone }),
    };
  }

  get link(): LinkState | null {
    return this.#link?.state ?? null;
  }

  keepLink(rows: LinkRows): void {
    this.#link = new LinkCache(rows);
  }

  get presence(): Sides<boolean> | null {
    return this.#cached.presence ?? null;
  }

  halves(query: HalfQuery): readonly Half[] | null {
    if (query.by === 'alone') return this.#cached.alone ?? null;
    if (query.by !== 'state' || query.states.includes('settled')) return null;
    const { side, states } = query;
    const isAsked = (half: Half): boolean => states.includes(half.state) && (side === undefined || side === half.side);
    return this.#cached.unsettled?.filter(isAsked) ?? null;
  }

  journal(query: JournalQuery): readonly JournalRow[] | null {
    return 'open' in query ? (this.#cached.openJournal ?? null) : null;
  }

  runs(query: RunQuery): readonly RunRow[] | null {
    return 'latest' in query && query.latest === 'completed' ? (this.#cached.completed ?? null) : null;
  }

  conflicts(isAll: boolean): readonly ConflictRow[] | null {
    return isAll ? null : (this.#cached.openConflicts ?? null);
  }

  /**
   * Yields operations that are about to be committed. While it is iterated, it drops the cached values that they may change, and
   * adds to `ofLink` the operations that {@link afterCommit} needs.
   */
  *beforeCommit(lists: readonly Iterable<RowOperation>[], ofLink: RowOperation[]): Generator<RowOperation> {
    for (const operations of lists) {
      for (const operation of operations) {
        if (operation.table === 'links' || isSmall(operation.table)) ofLink.push(operation);
        for (const name of CACHED) {
          if (this.#cached[name] !== undefined && mayInvalidate(name, operation)) delete this.#cached[name];
        }
        yield operation;
      }
    }
  }

  /** Applies operations on the link's rows that were committed. */
  afterCommit(operations: readonly RowOperation[]): void {
    for (const operation of operations) if (this.#link?.apply(operation) === false) this.#link = null;
  }

  /** Drops the link's own row, which another process may change without a lease. */
  dropLink(): void {
    this.#link = null;
  }

  /** Drops everything: part of a commit may have been made. */
  dropAll(): void {
    this.#link = null;
    this.#cached = {};
  }
}
