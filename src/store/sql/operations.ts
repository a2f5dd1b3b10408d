import type { HalfPut, StoreChange } from '../../core/state/rows.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { SQL } from 'drizzle-orm';
import { encodeRecord } from '../codec.ts';
import { groupPairColumns, halfColumns, narrowHalfColumns, patchColumns, runStartColumns } from '../columns.ts';
import { operationColumns } from '../stored-operation.ts';
import { INTERRUPTED, PRUNED_AT_ONCE } from '../store.ts';
import type { Cells, RowOperation, Where } from './row-operation.ts';
import type { Dialect, Fence } from './dialect.ts';
import { LINK_TABLE_NAMES, type LinkTableName, MAPPING_TABLES, type TableName } from '../tables.ts';
import { sql } from './drizzle.ts';

/** Returns the operations that delete rows of things that ended before a time. */
const pruneOperations = (dialect: Dialect, link: string, beforeMs: number): readonly RowOperation[] => {
  const id = dialect.byBytes(sql`id`);
  const latest = (isMeant: SQL): SQL => sql`coalesce((select id from runs
    where link = ${link} and ${isMeant} order by fence desc, started_at_ms desc, ${id} desc limit 1), '')`;
  const isOver = sql`started_at_ms < ${beforeMs} and ended_at_ms < ${beforeMs}`;
  const over = sql`(select id from runs where link = ${link} and ${isOver}
    and id not in (select run from journal where link = ${link} and state = 'intended')
    order by started_at_ms, ${id} limit ${PRUNED_AT_ONCE})`;
  const completed = latest(sql`outcome = 'completed' and kind <> 'undo'`);
  // Runs that wrote nothing are many, and cheap to delete.
  const isEmpty = sql`not exists (select 1 from journal where journal.link = ${link} and journal.run = runs.id)`;
  const isLatest = sql`id in (${latest(sql`outcome <> 'running'`)}, ${completed})`;
  const settled = sql`winner is not null and decided is null and at_ms < ${beforeMs}`;
  return [
    { op: 'sweep', table: 'journal', condition: sql`run in ${over}` },
    { op: 'sweep', table: 'runs', condition: sql`(id in ${over} or (${isOver} and ${isEmpty})) and not ${isLatest}` },
    { op: 'sweep', table: 'conflicts', condition: sql`(ended_at_ms < ${beforeMs} or (${settled}))` },
    { op: 'sweep', table: 'rejections', condition: sql`retry_at_ms < ${beforeMs}` },
  ];
};

type Kind = StoreChange['kind'];
type Change<Of extends Kind> = Extract<StoreChange, { readonly kind: Of }>;

/** The part of a commit that the translation of one change needs. */
type Commit = {
  readonly link: string;
  /** The fencing token of the commit. */
  readonly token: number;
  /** Returns an id below zero that is new in this commit. */
  readonly newId: () => number;
  readonly dialect: Dialect;
  /** Encodes a record. The journal entry and the half of an answer have one record, which is encoded once. */
  readonly textOf: (record: ContactRecord) => string;
};

type Translations = { readonly [Of in Kind]: (change: Change<Of>, commit: Commit) => readonly RowOperation[] };

const add = (table: LinkTableName, row: Cells): readonly RowOperation[] => [{ op: 'add', table, row }];
const put = (table: LinkTableName, row: Cells): readonly RowOperation[] => [{ op: 'put', table, row }];
const patch = (table: TableName, where: Where, set: Cells): readonly RowOperation[] => [
  { op: 'patch', table, where, set },
];
const drop = (table: TableName, where: Where): readonly RowOperation[] => [{ op: 'delete', table, where }];

const halfOperations = (change: HalfPut, { textOf }: Commit): readonly RowOperation[] => {
  if (change.keepsRecord !== true) {
    return put('halves', halfColumns(change, textOf(change.half.record)));
  }
  const { side, id, ...set } = narrowHalfColumns(change);
  return patch('halves', { side, id }, set);
};

const notEnded = { endedAtMs: null } as const;

const TRANSLATIONS: Translations = {
  put: (change, commit) => {
    switch (change.table) {
      case 'groupPairs':
        return put('groupPairs', groupPairColumns(change.row));
      case 'halves':
        return halfOperations(change.row, commit);
      case 'pairs':
        return change.row.id < 0 ? add('pairs', change.row) : put('pairs', change.row);
      case 'cursors':
      case 'rejections':
      case 'verdicts':
        return put(change.table, change.row);
    }
  },
  drop: ({ table, where }) => drop(table, where),
  shown: ({ side, ids }, { newId }) => add('shownPages', { id: newId(), side, idsJson: JSON.stringify(ids) }),
  link: (change, { link }) => {
    const set: Cells = patchColumns(change.patch);
    return Object.keys(set).length === 0 ? [] : patch('links', { name: link }, set);
  },
  'forget-mapping': () => MAPPING_TABLES.flatMap((table) => drop(table, {})),
  'forget-link': (_change, { link }) => [
    ...LINK_TABLE_NAMES.flatMap((table) => drop(table, {})),
    ...drop('links', { name: link }),
  ],
  intend: ({ run, operation, atMs }, { newId }) =>
    add('journal', { id: newId(), run, state: 'intended', intendedAtMs: atMs, ...operationColumns(operation) }),
  journal: ({ id, state, after, error, atMs }, { textOf }) => {
    const afterJson = after === null ? null : textOf(after);
    return patch('journal', { id, state: 'intended' }, { state, error, afterJson, settledAtMs: atMs });
  },
  conflict: ({ run, leftId, rightId, conflict, atMs, endedAtMs = null }, { newId }) => {
    const row = { id: newId(), run, leftId, rightId, ...conflict, atMs, endedAtMs };
    return add('conflicts', { ...row, decided: null });
  },
  'end-conflicts': ({ leftId, fields, atMs }) =>
    patch('conflicts', { leftId, ...(fields !== 'all' && { field: fields }), ...notEnded }, { endedAtMs: atMs }),
  'decide-conflict': ({ leftId, field, decided }) => patch('conflicts', { leftId, field, ...notEnded }, { decided }),
  'run-started': ({ run }, { token }) => [
    ...patch('runs', { outcome: 'running' }, { outcome: 'failed', reason: INTERRUPTED, endedAtMs: run.startedAtMs }),
    ...add('runs', { ...runStartColumns(run), fence: token, outcome: 'running', reason: null, endedAtMs: null }),
  ],
  'patch-run': ({ id, set: { summary, ...set } }) =>
    patch('runs', { id }, { ...set, summaryJson: JSON.stringify(summary) }),
  prune: ({ beforeMs }, { dialect, link }) => pruneOperations(dialect, link, beforeMs),
};

const translate = <Of extends Kind>(change: Change<Of>, commit: Commit): readonly RowOperation[] => {
  const translateKind: (of: Change<Of>, within: Commit) => readonly RowOperation[] = TRANSLATIONS[change.kind];
  return translateKind(change, commit);
};

const translateAll = function* (changes: readonly StoreChange[], commit: Commit): Generator<RowOperation> {
  for (const change of changes) yield* translate(change, commit);
};

/** Translates the changes of a commit to row operations, one by one while they are read: once. */
export const operationsOf = (
  dialect: Dialect,
  { link, token }: Fence,
  changes: readonly StoreChange[],
): Iterable<RowOperation> => {
  const isPair = (change: StoreChange) => change.kind === 'put' && change.table === 'pairs';
  let lastId = changes.filter(isPair).reduce((least, { row }) => Math.min(least, row.id), 0);
  const newId = (): number => {
    lastId -= 1;
    return lastId;
  };
  const texts = new Map<ContactRecord, string>();
  const textOf = (record: ContactRecord): string => {
    const text = texts.get(record) ?? encodeRecord(record);
    texts.set(record, text);
    return text;
  };
  return translateAll(changes, { link, token, newId, dialect, textOf });
};

/** Whether the commit returns the id that is assigned to the row of an operation. */
export const isIdReturned = ({ table }: RowOperation): boolean => table === 'pairs' || table === 'journal';

/** The value of a cell, with the assigned id in place of one below zero. */
export const assignedValue = (
  property: string,
  value: Cells[string],
  ids: ReadonlyMap<number, number>,
): Cells[string] =>
  typeof value === 'number' && value < 0 && (property === 'id' || property === 'pair')
    ? (ids.get(value) ?? value)
    : value;
