import type { SQL } from 'drizzle-orm';
import type { RowOperation } from './row-operation.ts';
import type { Rows, Step } from './step.ts';

/** The expressions that the databases write differently. */
export type Dialect = {
  /** Whether statements run in this process: two that read little cost less than one that reads more. */
  readonly isLocal: boolean;
  /** Whether a column holds one of the values. */
  isOneOf(column: SQL, values: readonly (string | number)[]): SQL;
  /** Values as a table expression with one column `value`. */
  readonly numbers: (values: readonly number[]) => SQL;
  /** A text column, ordered by bytes. */
  readonly byBytes: (column: SQL) => SQL;
  /** The position of a text within another one, 1 for its beginning; 0 if it is not part of it. */
  readonly position: (text: SQL, part: SQL) => SQL;
  /** A column without its index. */
  readonly unindexed: (column: SQL) => SQL;
  /** Whether a boolean column is true, as partial indexes have it. */
  readonly isTrue: (column: SQL) => SQL;
  /** The id of a record that a column holds as JSON. */
  readonly idInJson: (column: SQL) => SQL;
  /** Selects members of groups: `side`, `id`, `pair`, `state` and `groupId`, one row for each group of a half. */
  readonly members: (link: string, groupIds: readonly string[]) => SQL;
  /** A condition that holds of every half with an email address of one of the keys; it may hold of others too. */
  readonly mayHoldEmail: (keys: readonly string[]) => SQL;
  /** The current time of leases; `nowMs` is that of the caller's clock. */
  readonly leaseTime: (nowMs: number) => SQL;
};

/** The fencing token that a commit must have. */
export type Fence = { readonly link: string; readonly token: number };

/** Statements that are read together, by name. */
export type Statements<Name extends string = string> = Readonly<Record<Name, SQL>>;

/** Runs a step that reads. */
export type RunStep = <Result>(step: Step<Result>) => Promise<Result>;

/** An open database, on either dialect. */
export type SqlDatabase = {
  readonly dialect: Dialect;
  /** The path, or host and name without user and password. */
  readonly place: string;
  /**
   * Runs a step whose statements need not be seen together. `attempt` counts from 1: a later attempt follows one whose answer
   * was lost.
   */
  run<Result>(step: (attempt: number) => Step<Result>): Promise<Result>;
  /** Performs work whose steps all read the database as it was at one moment. It is repeated if the database was unavailable. */
  atOneMoment<Result>(work: (run: RunStep) => Promise<Result>): Promise<Result>;
  /** Reads what several statements select, all at one moment. */
  together<Name extends string>(statements: Statements<Name>): Promise<Readonly<Record<Name, Rows>>>;
  /**
   * Applies operations in their order, all or none. Returns the ids that it assigned to pairs and journal entries.
   *
   * @throws {FenceError} if the token is not that of the link's lease: nothing is changed.
   */
  commit(fence: Fence, operations: Iterable<RowOperation>): Promise<readonly number[]>;
  /** Returns the pages of rows that were deleted to the disk. */
  shrink(): Promise<void>;
  /** Erases deleted and replaced rows from the disk. */
  compact(): Promise<void>;
  /** A name that every process has for this database; null if its directory names it. */
  sharedId(): Promise<string | null>;
  /** Drops the values that are kept for a link while its lease is held. */
  released(link: string): void;
  close(): Promise<void>;
};

/** Rows of a table as they are stored, by the names of their columns. */
export type RowBatch = { readonly table: string; readonly rows: Rows };

/** A database for the copy of a link. */
export type ScratchDatabase = SqlDatabase & {
  /** Adds copied rows, all or none. */
  load(batches: AsyncIterable<RowBatch>): Promise<void>;
};
