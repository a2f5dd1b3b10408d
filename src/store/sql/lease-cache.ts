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

// While a process holds a link's lease, no other process commits anything to it: what was read under the lease stays true
// until a commit of the process itself changes it. Once the lease is lost, its fencing token lets no commit pass.

/** More halves than that are not kept. */
const MOST_HALVES = 200;
const UNSETTLED: HalfQuery = { by: 'state', states: HALF_STATES.filter((state) => state !== 'settled') };
const ALONE: HalfQuery = { by: 'alone' };

type OpeningPart = LinkPart | 'open' | 'openConflicts' | 'completed' | 'presence' | 'unsettled' | 'alone';

/** Selects what most runs read, and more than once. */
export const selectOpening = (dialect: Dialect, link: string): Statements<OpeningPart> => {
  const few = (query: HalfQuery): SQL => sql`${selectHalves(dialect, link, query)} limit ${MOST_HALVES + 1}`;
  return {
    ...selectLinks(link),
    open: selectJournal(dialect, link, { open: true }),
    openConflicts: selectConflicts(link, false),
    completed: selectRuns(dialect, link, { latest: 'completed' }),
    presence: selectPresence(link),
    unsettled: few(UNSETTLED),
    alone: few(ALONE),
  };
};

/** Rows that a cached value was read from: those of these tables that have these values. Null: another value is needed. */
const DEPENDS_ON = {
  open: [{ table: 'journal', where: { state: 'intended' } }],
  conflicts: [{ table: 'conflicts', where: { resolvedAtMs: null } }],
  completed: [{ table: 'runs', where: { outcome: 'completed' } }],
  presence: [{ table: 'halves', where: {} }],
  unsettled: [{ table: 'halves', where: {} }],
  alone: [
    { table: 'halves', where: {} },
    { table: 'pairs', where: {} },
  ],
} as const satisfies Record<string, readonly { readonly table: TableName; readonly where: Cells }[]>;

type Cached = {
  readonly open: readonly JournalRow[];
  readonly conflicts: readonly ConflictRow[];
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

/** Whether an operation may change which rows have these values, or a row that has them. */
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
    case 'put':
    case 'sweep':
      return true;
  }
};

const CACHED = Object.keys(DEPENDS_ON) as (keyof Cached)[];

/** Whether an operation may change a cached value. */
const isOld = (name: keyof Cached, operation: RowOperation): boolean =>
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

  /** Returns whether the rows still say what is stored. */
  apply(operation: RowOperation): boolean {
    const { op, table } = operation;
    if (table === 'links') {
      if (op !== 'patch') return false;
      this.#row = { ...this.#row, ...operation.set };
    } else if (!isSmall(table)) return true;
    else if (op === 'put') this.#rows[table].set(keyOf(table, operation.row), operation.row);
    else if (op === 'delete' && Object.keys(operation.where).length === LINK_TABLES[table].key.length) {
      this.#rows[table].delete(keyOf(table, operation.where as Cells));
    } else return false;
    this.#state = null;
    return true;
  }
}

const keyOf = (table: SmallTable, row: Cells): string =>
  JSON.stringify(LINK_TABLES[table].key.map((property) => row[property]));

const fewHalves = (query: HalfQuery, rows: Rows): readonly Half[] | null =>
  rows.length > MOST_HALVES ? null : halvesOf(query, rows as unknown as readonly HalfCells[]);

/** The cached rows of a link whose lease the process holds, and the operations that wait for its next commit. */
export class LeaseCache {
  readonly owner: string;
  readonly token: number;
  waiting: readonly RowOperation[] = [];
  #link: LinkCache | null = null;
  #cached: Partial<Cached> = {};

  /** `read` is what {@link selectOpening} selected under this lease; null where that is not known. */
  constructor(link: string, owner: string, token: number, read: Readonly<Record<OpeningPart, Rows>> | null) {
    this.owner = owner;
    this.token = token;
    if (read === null) return;
    const [rows] = linkRowsOf(read);
    if (rows !== undefined) this.#link = new LinkCache(rows);
    const [unsettled, alone] = [fewHalves(UNSETTLED, read.unsettled), fewHalves(ALONE, read.alone)];
    // Each was selected with the columns of its table.
    this.#cached = {
      open: journalOf(read.open as unknown as Parameters<typeof journalOf>[0]),
      conflicts: toConflicts(read.openConflicts as unknown as Parameters<typeof toConflicts>[0]),
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
    const isAsked = (half: Half): boolean => states.includes(half.state) && (side ?? half.side) === half.side;
    return this.#cached.unsettled?.filter(isAsked) ?? null;
  }

  journal(query: JournalQuery): readonly JournalRow[] | null {
    return 'open' in query ? (this.#cached.open ?? null) : null;
  }

  runs(query: RunQuery): readonly RunRow[] | null {
    return 'latest' in query && query.latest === 'completed' ? (this.#cached.completed ?? null) : null;
  }

  conflicts(isAll: boolean): readonly ConflictRow[] | null {
    return isAll ? null : (this.#cached.conflicts ?? null);
  }

  /**
   * Passes operations on that are about to be committed, and drops the cached values that they may change. Adds to `ofLink`
   * the operations that {@link follow} needs.
   */
  *watch(lists: readonly Iterable<RowOperation>[], ofLink: RowOperation[]): Generator<RowOperation> {
    for (const operations of lists) {
      for (const operation of operations) {
        if (operation.table === 'links' || isSmall(operation.table)) ofLink.push(operation);
        for (const name of CACHED) {
          if (this.#cached[name] !== undefined && isOld(name, operation)) delete this.#cached[name];
        }
        yield operation;
      }
    }
  }

  /** Follows operations on the link's rows that were committed. */
  follow(operations: readonly RowOperation[]): void {
    for (const operation of operations) if (this.#link?.apply(operation) === false) this.#link = null;
  }

  /** Forgets the link's own row, which another process may change without a lease. */
  forgetLink(): void {
    this.#link = null;
  }

  /** Forgets everything: part of a commit may have been made. */
  forget(): void {
    this.#link = null;
    this.#cached = {};
  }
}
