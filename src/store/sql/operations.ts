import type { HalfPut, RunOutcome, StoreChange } from '../../core/state/rows.ts';
import type { SQL } from 'drizzle-orm';
import { encodeRecord } from '../codec.ts';
import {
  derivedColumns,
  groupPairColumns,
  halfColumns,
  narrowHalfColumns,
  patchColumns,
  runStartColumns,
} from '../rows.ts';
import { operationColumns } from '../stored-operation.ts';
import { INTERRUPTED } from '../store.ts';
import { LINK_TABLES, MAPPING_TABLES, type LinkTableName, type TableName } from '../tables.ts';

/** The value of a column. */
export type Cell = string | number | boolean | null;
/** Values by the properties of a table's columns; a list is that of a derived column. */
export type Cells = Readonly<Record<string, Cell | readonly string[]>>;
/** A condition: every property equals the value, or one of the values. */
export type Where = Readonly<Record<string, Cell | readonly Cell[]>>;

/** An operation on the rows of one link. The commit replaces an id below zero by a new id, wherever it occurs. */
export type RowOperation =
  /** Inserts a row whose key is new. */
  | { readonly op: 'add'; readonly table: LinkTableName; readonly row: Cells }
  /** Inserts a row, or replaces the one with its key. `derived` returns the values of columns that only PostgreSQL has. */
  | { readonly op: 'put'; readonly table: LinkTableName; readonly row: Cells; readonly derived?: () => Cells }
  | { readonly op: 'patch'; readonly table: TableName; readonly where: Where; readonly set: Cells }
  | { readonly op: 'delete'; readonly table: TableName; readonly where: Where }
  /** Deletes rows by a condition of its own: rows that no other operation of the commit touches. */
  | { readonly op: 'sweep'; readonly table: LinkTableName; readonly condition: SQL };

/**
 * Operations, which are made one by one while they are read, once; and the ids below zero whose assigned ids the commit
 * returns, complete after the last operation.
 */
export type Operations = { readonly operations: Iterable<RowOperation>; readonly returned: readonly number[] };

/** Builds the operations that delete rows of things that ended before a time (`sql/prune.ts`). */
export type PruneOperations = (
  link: string,
  beforeMs: number,
  /** Runs that end in the same commit. */
  ended: readonly { readonly id: string; readonly outcome: RunOutcome }[],
) => readonly RowOperation[];

type Kind = StoreChange['kind'];
type Change<Of extends Kind> = Extract<StoreChange, { readonly kind: Of }>;

/** The part of a commit that the translation of one change needs. */
type Commit = {
  readonly link: string;
  /** An id below zero that is new in this commit; `isReturned` if its assigned id is part of the answer. */
  readonly newId: (isReturned: boolean) => number;
  readonly prune: (beforeMs: number) => readonly RowOperation[];
};

type Translations = { readonly [Of in Kind]: (change: Change<Of>, commit: Commit) => readonly RowOperation[] };

const add = (table: LinkTableName, row: Cells): readonly RowOperation[] => [{ op: 'add', table, row }];
const put = (table: LinkTableName, row: Cells): readonly RowOperation[] => [{ op: 'put', table, row }];
const patch = (table: TableName, where: Where, set: Cells): readonly RowOperation[] => [
  { op: 'patch', table, where, set },
];
const drop = (table: TableName, where: Where): readonly RowOperation[] => [{ op: 'delete', table, where }];

const halfOperations = (change: HalfPut): readonly RowOperation[] => {
  if (change.keepsRecord !== true) {
    const derived = () => derivedColumns(change.half.record);
    return [{ op: 'put', table: 'halves', row: halfColumns(change), derived }];
  }
  const { side, id, ...set } = narrowHalfColumns(change);
  return patch('halves', { side, id }, set);
};

const notEnded = { endedAtMs: null } as const;

const TRANSLATIONS: Translations = {
  put: (change) => put(change.table, change.table === 'groupPairs' ? groupPairColumns(change.row) : change.row),
  drop: ({ table, where }) => drop(table, where),
  'put-half': (change) => halfOperations(change),
  'put-pair': ({ id, status, halves }, { newId }) => {
    const pair = id ?? newId(true);
    const row = { id: pair, status };
    return [
      ...(id === null ? add('pairs', row) : put('pairs', row)),
      ...halves.flatMap(({ half, ...rest }) => halfOperations({ ...rest, half: { ...half, pair } })),
    ];
  },
  shown: ({ side, ids }, { newId }) => add('shownPages', { id: newId(false), side, idsJson: JSON.stringify(ids) }),
  link: (change, { link }) => {
    const set: Cells = patchColumns(change.patch);
    return Object.keys(set).length === 0 ? [] : patch('links', { name: link }, set);
  },
  'forget-mapping': () => MAPPING_TABLES.flatMap((table) => drop(table, {})),
  'forget-link': (_change, { link }) => [
    ...(Object.keys(LINK_TABLES) as LinkTableName[]).flatMap((table) => drop(table, {})),
    ...drop('links', { name: link }),
  ],
  intend: ({ run, operation, atMs }, { newId }) =>
    add('journal', { id: newId(true), run, state: 'intended', intendedAtMs: atMs, ...operationColumns(operation) }),
  journal: ({ id, state, after, error, atMs }) => {
    const afterJson = after === null ? null : encodeRecord(after);
    return patch('journal', { id, state: 'intended' }, { state, error, afterJson, settledAtMs: atMs });
  },
  conflict: ({ run, leftId, rightId, conflict, atMs, endedAtMs = null }, { newId }) => {
    const row = { id: newId(false), run, leftId, rightId, ...conflict, atMs, endedAtMs };
    return add('conflicts', { ...row, decided: null });
  },
  'end-conflicts': ({ leftId, fields, atMs }) =>
    patch('conflicts', { leftId, ...(fields !== 'all' && { field: fields }), ...notEnded }, { endedAtMs: atMs }),
  'decide-conflict': ({ leftId, field, decided }) => patch('conflicts', { leftId, field, ...notEnded }, { decided }),
  'run-started': ({ run }) => [
    ...patch('runs', { outcome: 'running' }, { outcome: 'failed', reason: INTERRUPTED, endedAtMs: run.startedAtMs }),
    ...add('runs', { ...runStartColumns(run), outcome: 'running', reason: null, endedAtMs: null }),
  ],
  'patch-run': ({ id, set: { summary, ...set } }) =>
    patch('runs', { id }, { ...set, summaryJson: JSON.stringify(summary) }),
  prune: ({ beforeMs }, { prune }) => prune(beforeMs),
};

const translate = <Of extends Kind>(change: Change<Of>, commit: Commit): readonly RowOperation[] => {
  const translateKind: (of: Change<Of>, within: Commit) => readonly RowOperation[] = TRANSLATIONS[change.kind];
  return translateKind(change, commit);
};

const translateAll = function* (changes: readonly StoreChange[], commit: Commit): Generator<RowOperation> {
  for (const change of changes) yield* translate(change, commit);
};

/** Translates the changes of a commit to row operations. */
export const operationsOf = (
  link: string,
  changes: readonly StoreChange[],
  pruneOperations: PruneOperations,
): Operations => {
  const returned: number[] = [];
  let lastId = 0;
  const ended = changes.flatMap((change) =>
    change.kind === 'patch-run' && 'outcome' in change.set ? [{ id: change.id, outcome: change.set.outcome }] : [],
  );
  const commit: Commit = {
    link,
    newId: (isReturned) => {
      lastId -= 1;
      if (isReturned) returned.push(lastId);
      return lastId;
    },
    prune: (beforeMs) => pruneOperations(link, beforeMs, ended),
  };
  return { operations: translateAll(changes, commit), returned };
};

/** The id below zero of the row that an operation adds; null if it adds none that needs an id. */
export const newIdOf = (operation: RowOperation): number | null => {
  const id = operation.op === 'add' ? operation.row['id'] : null;
  return typeof id === 'number' && id < 0 ? id : null;
};

/** The value of a cell, with the assigned id in place of one below zero. */
export const assignedValue = (
  property: string,
  value: Cells[string],
  ids: ReadonlyMap<number, number>,
): Cells[string] =>
  typeof value === 'number' && value < 0 && (property === 'id' || property === 'pair')
    ? (ids.get(value) ?? value)
    : value;
