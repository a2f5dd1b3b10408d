import type { Side } from '../contact/side.ts';
import type { PairStatus } from '../reconcile/decision.ts';
import type { Verdict } from '../reconcile/verdict.ts';
import { encodeIntent, encodeRecord } from './codec.ts';
import {
  groupPairColumns,
  intentColumns,
  patchColumns,
  runStartColumns,
  type ConflictColumns,
  type CursorColumns,
  type GroupPairColumns,
  type IntentColumns,
  type JournalColumns,
  type PairColumns,
  type PatchColumns,
  type ReviewColumns,
  type RunColumns,
  type RunStartColumns,
} from './rows.ts';
import { INTERRUPTED, type HalfPut, type Rejection, type StoreChange } from './store.ts';

/** The tables that say which contacts belong together, and what was written: what a link forgets with its mapping (R8). */
const MAPPING_TABLES = [
  'cursors',
  'pairs',
  'halves',
  'shownPages',
  'groupPairs',
  'journal',
  'conflicts',
  'rejections',
  'verdicts',
] as const;

/** Every table whose rows belong to a link, but for that of the links. */
export const LINK_TABLES = [...MAPPING_TABLES, 'runs'] as const;
export type LinkTable = (typeof LINK_TABLES)[number];

/** What an engine does to the rows of one link; the SQL of each is its own. `put` adds a row or replaces it. */
export type RowWriter = {
  putHalf(put: HalfPut): void;
  dropHalf(side: Side, id: string): void;
  /** Answers the id by which later rows of the same commit name the pair; {@link RowWriter} says what it becomes. */
  addPair(status: PairStatus): number;
  putPair(row: PairColumns): void;
  dropPair(id: number): void;
  putCursor(row: CursorColumns): void;
  addShown(side: Side, ids: readonly string[]): void;
  dropShown(side: Side): void;
  patchLink(columns: Partial<PatchColumns>): void;
  /** Answers the entry's id. */
  addEntry(row: IntentColumns): number;
  /** Of an entry that is open. */
  settleEntry(
    row: Pick<JournalColumns, 'id' | 'state' | 'afterJson' | 'error'> & { readonly settledAtMs: number },
  ): void;
  dropEntry(id: number): void;
  /** Leaves nothing of an entry but its kind, its outcome and this intent. */
  blankEntry(id: number, intentJson: string): void;
  putGroupPair(row: GroupPairColumns): void;
  dropGroupPair(key: string): void;
  addConflict(row: Omit<ConflictColumns, 'id' | 'review' | 'reviewedAtMs'>): void;
  /** Of those that are open. */
  resolveConflicts(leftId: string, fields: readonly string[], atMs: number): void;
  /** Of the one that is open. */
  reviewConflict(row: ReviewColumns): void;
  dropConflicts(leftId: string): void;
  putRejection(row: Rejection): void;
  dropRejection(side: Side, key: string): void;
  putVerdict(row: Verdict): void;
  dropVerdict(leftId: string, rightId: string): void;
  /** Adds a run; those of the link that run still have failed for that reason. */
  addRun(row: RunStartColumns, reasonOfOthers: string): void;
  endRun(row: Pick<RunColumns, 'id' | 'outcome' | 'reason' | 'summaryJson'> & { readonly endedAtMs: number }): void;
  /** In the summary too; of a run without one nothing is set there. */
  setReason(id: string, reason: string | null): void;
  /** What the change `prune` says. */
  prune(beforeMs: number): void;
  clear(tables: readonly LinkTable[]): void;
  /** The row of the link itself, and with it its lease. */
  dropLink(): void;
};

const optionalRecord = (record: Parameters<typeof encodeRecord>[0] | null): string | null =>
  record === null ? null : encodeRecord(record);

/** Answers the id that came of a change, as {@link RowWriter} gives it; null where none did. */
const applyChange = (rows: RowWriter, change: StoreChange): number | null | void => {
  switch (change.kind) {
    case 'put-half':
      return rows.putHalf(change);
    case 'drop-half':
      return rows.dropHalf(change.side, change.id);
    case 'put-pair': {
      const { status } = change;
      const pair = change.id ?? rows.addPair(status);
      if (change.id !== null) rows.putPair({ id: pair, status });
      for (const put of change.halves) rows.putHalf({ ...put, half: { ...put.half, pair } });
      return change.id === null ? pair : null;
    }
    case 'drop-pair':
      return rows.dropPair(change.id);
    case 'cursor':
      return rows.putCursor({ side: change.side, ...change.cursor });
    case 'shown':
      return rows.addShown(change.side, change.ids);
    case 'forget-shown':
      return rows.dropShown(change.side);
    case 'link':
      return rows.patchLink(patchColumns(change.patch));
    case 'intend':
      return rows.addEntry(intentColumns(change.run, change.entry, change.atMs));
    case 'journal': {
      const { id, state, error, atMs } = change;
      return rows.settleEntry({ id, state, error, afterJson: optionalRecord(change.after), settledAtMs: atMs });
    }
    case 'drop-entry':
      return rows.dropEntry(change.id);
    case 'redact-entry':
      return rows.blankEntry(change.id, encodeIntent(change.intent));
    case 'group-pair':
      return rows.putGroupPair(groupPairColumns(change.pair));
    case 'drop-group-pair':
      return rows.dropGroupPair(change.key);
    case 'reject':
      return rows.putRejection(change.rejection);
    case 'accept':
      return rows.dropRejection(change.side, change.key);
    case 'verdict':
      return rows.putVerdict(change.verdict);
    case 'drop-verdict':
      return rows.dropVerdict(change.leftId, change.rightId);
    case 'forget-mapping':
      return rows.clear(MAPPING_TABLES);
    case 'forget-link':
      rows.clear(LINK_TABLES);
      return rows.dropLink();
    default:
      return applyToHistory(rows, change);
  }
};

type HistoryChange = Extract<
  StoreChange,
  {
    kind:
      | 'conflict'
      | 'resolve-conflicts'
      | 'review-conflict'
      | 'drop-conflicts'
      | 'run-started'
      | 'run-ended'
      | 'run-reason'
      | 'prune';
  }
>;

const applyToHistory = (rows: RowWriter, change: HistoryChange): void => {
  switch (change.kind) {
    case 'conflict': {
      const { run, leftId, rightId, conflict, atMs, resolvedAtMs = null } = change;
      return rows.addConflict({ run, leftId, rightId, ...conflict, atMs, resolvedAtMs });
    }
    case 'resolve-conflicts':
      return rows.resolveConflicts(change.leftId, change.fields, change.atMs);
    case 'review-conflict': {
      const { leftId, field, review, atMs } = change;
      return rows.reviewConflict({ leftId, field, review, reviewedAtMs: review === null ? null : atMs });
    }
    case 'drop-conflicts':
      return rows.dropConflicts(change.leftId);
    case 'run-started':
      return rows.addRun(runStartColumns(change.run), INTERRUPTED);
    case 'run-ended': {
      const { summary, ...end } = change.end;
      return rows.endRun({ id: change.id, ...end, summaryJson: JSON.stringify(summary) });
    }
    case 'run-reason':
      return rows.setReason(change.id, change.reason);
    case 'prune':
      return rows.prune(change.beforeMs);
  }
};

/**
 * What each change of a commit does to the rows, in their order. Answers the ids of new pairs and of intents, as the writer
 * gave them.
 */
export const applyChanges = (rows: RowWriter, changes: readonly StoreChange[]): readonly number[] =>
  changes.flatMap((change) => applyChange(rows, change) ?? []);
