import { isSyncedField } from '../contact/contact.ts';
import type { Half, HalfState } from '../contact/half.ts';
import { searchText } from '../contact/search.ts';
import type { Side } from '../contact/side.ts';
import { bySide } from '../contact/side.ts';
import type { PairStatus, Review } from '../reconcile/decision.ts';
import type { GroupPair } from '../reconcile/groups.ts';
import type { Verdict } from '../reconcile/verdict.ts';
import { NO_ACTIVITY } from './activity.ts';
import {
  decodeActivity,
  decodeBase,
  decodeIntent,
  decodeRecord,
  decodeSummary,
  encodeBase,
  encodeIntent,
  decodeFields,
  encodeRecord,
} from './codec.ts';
import {
  NO_CURSOR,
  type ConflictRow,
  type Counts,
  type Cursor,
  type HalfPut,
  type JournalEntry,
  type JournalRow,
  type JournalState,
  type LinkState,
  type Rejection,
  type RunRow,
  type RunStart,
  type StoreChange,
  type WriteKind,
} from './store.ts';
import type { Told } from './told.ts';

// How values stand in the rows of a database, whatever its engine. Every row also names its link, which stands beside it.
// A column named `...Json` holds text, which is parsed when it is read.

export type HalfColumns = {
  readonly side: Side;
  readonly id: string;
  readonly pair: number | null;
  readonly state: HalfState;
  readonly absences: number;
  readonly lastListedAtMs: number | null;
  readonly heardAtMs: number;
  readonly writtenAtMs: number | null;
  readonly mergedInto: string | null;
  readonly digest: string | null;
  readonly baseJson: string | null;
  readonly recordJson: string;
  /** What people find the contact by. */
  readonly search: string;
};

/** Everything of a half but its record, which is the widest part by far, and what follows from it. */
export const narrowHalfColumns = ({ half, digest }: HalfPut): Omit<HalfColumns, 'recordJson' | 'search'> => {
  const { record, base, ...columns } = half;
  return { ...columns, digest, baseJson: encodeBase(base, record) };
};

export const halfColumns = (put: HalfPut): HalfColumns => ({
  ...narrowHalfColumns(put),
  recordJson: encodeRecord(put.half.record),
  search: searchText(put.half.record.contact),
});

export const toHalf = ({ baseJson, recordJson, ...columns }: Omit<HalfColumns, 'digest' | 'search'>): Half => {
  const record = decodeRecord(recordJson);
  return { ...columns, record, base: decodeBase(baseJson, record) };
};

/** Halves of a side: all of them, those that are missing or gone, or those of no pair that it does not select. */
type Counted = readonly { readonly side: Side; readonly n: number }[];

type Counting = {
  readonly pairs: readonly { readonly status: PairStatus; readonly n: number }[];
  readonly all: Counted;
  readonly away: Counted;
  readonly unselected: Counted;
};

export const toCounts = ({ pairs, all, away, unselected }: Counting): Counts => {
  const sum = (rows: Counted, side: Side): number => rows.find((row) => row.side === side)?.n ?? 0;
  const pairsOf = (asked: PairStatus): number => pairs.find(({ status }) => status === asked)?.n ?? 0;
  return {
    pairs: pairsOf('linked'),
    asleep: pairsOf('asleep'),
    present: bySide((side) => sum(all, side) - sum(away, side)),
    unselected: bySide((side) => sum(unselected, side)),
  };
};

/** An entry as it is journaled; it has no outcome yet. */
export type IntentColumns = Omit<JournalEntry, 'intent' | 'before'> & {
  readonly run: string;
  readonly intentJson: string;
  readonly beforeJson: string | null;
  readonly intendedAtMs: number;
};

export type JournalColumns = IntentColumns & {
  readonly id: number;
  readonly kind: WriteKind;
  readonly state: JournalState;
  readonly afterJson: string | null;
  readonly error: string | null;
  readonly settledAtMs: number | null;
};

export const intentColumns = (
  run: string,
  { intent, before, ...columns }: JournalEntry,
  atMs: number,
): IntentColumns => {
  const beforeJson = before === null ? null : encodeRecord(before);
  return { ...columns, run, intentJson: encodeIntent(intent), beforeJson, intendedAtMs: atMs };
};

const decodeOptional = (text: string | null) => (text === null ? null : decodeRecord(text));

export const toJournalRow = ({ intentJson, beforeJson, afterJson, ...columns }: JournalColumns): JournalRow => ({
  ...columns,
  intent: decodeIntent(intentJson),
  before: decodeOptional(beforeJson),
  after: decodeOptional(afterJson),
});

export type RunColumns = Pick<RunRow, 'id' | 'link' | 'kind' | 'outcome' | 'reason' | 'startedAtMs' | 'endedAtMs'> & {
  readonly summaryJson: string | null;
};

/** A run that has begun. */
export type RunStartColumns = Omit<RunStart, 'undoes'> & { readonly summaryJson: string | null };

export const runStartColumns = ({ undoes, ...run }: RunStart): RunStartColumns => ({
  ...run,
  summaryJson: undoes === null ? null : JSON.stringify({ undoes }),
});

export const toRun = ({ summaryJson, ...row }: RunColumns): RunRow => ({
  ...row,
  ...(summaryJson === null ? { undoes: null, override: null, repaired: 0, wrote: null } : decodeSummary(summaryJson)),
});

/** How a run ended, where a query asks for the latest that ended in any way. */
export const ENDED = ['completed', 'halted', 'failed'] as const;

export type ConflictColumns = Omit<ConflictRow, 'field'> & { readonly field: string };

/** What a person said of the open conflict of a field. */
export type ReviewColumns = {
  readonly leftId: string;
  readonly field: string;
  readonly review: Review | null;
  readonly reviewedAtMs: number | null;
};

/** A conflict about a field that is no longer synced concerns nobody. */
export const toConflicts = (rows: readonly ConflictColumns[]): readonly ConflictRow[] =>
  rows.flatMap(({ field, ...row }) => (isSyncedField(field) ? [{ ...row, field }] : []));

export type GroupPairColumns = Pick<GroupPair, 'key' | 'status' | 'settled'> & {
  readonly leftId: string | null;
  readonly leftName: string | null;
  readonly rightId: string | null;
  readonly rightName: string | null;
};

export const groupPairColumns = ({ key, status, settled, left, right }: GroupPair): GroupPairColumns => {
  const [leftId, leftName] = [left?.id ?? null, left?.name ?? null];
  const [rightId, rightName] = [right?.id ?? null, right?.name ?? null];
  return { key, status, settled, leftId, leftName, rightId, rightName };
};

const groupHalf = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? '' });

const toGroupPair = ({ key, status, settled, ...row }: GroupPairColumns): GroupPair => ({
  key,
  left: groupHalf(row.leftId, row.leftName),
  right: groupHalf(row.rightId, row.rightName),
  status,
  settled,
});

export type PairColumns = { readonly id: number; readonly status: PairStatus };

export type CursorColumns = Cursor & { readonly side: Side };

/** What of a link's row a commit may change. */
export type PatchColumns = {
  readonly state: LinkState['state'];
  readonly reason: string | null;
  readonly leftAccount: string | null;
  readonly rightAccount: string | null;
  readonly accountsKey: string | null;
  readonly leftCredential: string | null;
  readonly rightCredential: string | null;
  readonly acceptedRun: string | null;
  readonly acceptedAtMs: number | null;
  readonly fieldsName: string;
  readonly fieldsJoining: string | null;
  readonly selectionPatterns: string | null;
  readonly selectionKey: string | null;
  readonly activityJson: string | null;
  readonly forgottenAtMs: number | null;
};

export type LinkColumns = PatchColumns & {
  readonly name: string;
  readonly toldTrouble: Told['trouble'];
  readonly failingSinceMs: number | null;
  readonly claimedUntilMs: number | null;
  readonly pausedByHandAtMs: number | null;
};

type Patch = Extract<StoreChange, { kind: 'link' }>['patch'];

const selectionColumns = (selection: LinkState['selection']) => ({
  selectionPatterns: selection?.patterns ?? null,
  selectionKey: selection?.key ?? null,
});

/** The columns that a patch sets. */
export const patchColumns = ({
  accounts,
  credentials,
  acceptedDeletes: accepted,
  fields,
  selection,
  activity,
  ...patch
}: Patch): Partial<PatchColumns> => ({
  ...patch,
  ...(accounts !== undefined && { leftAccount: accounts.left, rightAccount: accounts.right }),
  ...(credentials !== undefined && { leftCredential: credentials.left, rightCredential: credentials.right }),
  ...(accepted !== undefined && { acceptedRun: accepted?.run ?? null, acceptedAtMs: accepted?.atMs ?? null }),
  ...(fields !== undefined && {
    fieldsName: fields.name,
    fieldsJoining: fields.joining && JSON.stringify(fields.joining),
  }),
  ...(selection !== undefined && selectionColumns(selection)),
  ...(activity !== undefined && { activityJson: JSON.stringify(activity) }),
});

const accepted = ({ acceptedRun, acceptedAtMs }: PatchColumns): LinkState['acceptedDeletes'] =>
  acceptedRun === null || acceptedAtMs === null ? null : { run: acceptedRun, atMs: acceptedAtMs };

const selected = ({ selectionPatterns, selectionKey }: PatchColumns): LinkState['selection'] =>
  selectionPatterns === null || selectionKey === null ? null : { patterns: selectionPatterns, key: selectionKey };

/** The small rows that stand around a link's own. */
export type LinkRows = {
  readonly cursors: readonly CursorColumns[];
  /** Ordered by key. */
  readonly groupPairs: readonly GroupPairColumns[];
  /** Ordered by key, then by side. */
  readonly rejections: readonly Rejection[];
  /** Ordered by the id on the left, then on the right side. */
  readonly verdicts: readonly Verdict[];
};

export const toLink = (row: LinkColumns, { cursors, groupPairs, rejections, verdicts }: LinkRows): LinkState => ({
  name: row.name,
  state: row.state,
  reason: row.reason,
  accounts: { left: row.leftAccount, right: row.rightAccount },
  accountsKey: row.accountsKey,
  credentials: { left: row.leftCredential, right: row.rightCredential },
  acceptedDeletes: accepted(row),
  selection: selected(row),
  pausedByHandAtMs: row.pausedByHandAtMs,
  fields: { name: row.fieldsName, joining: row.fieldsJoining === null ? null : decodeFields(row.fieldsJoining) },
  activity: row.activityJson === null ? NO_ACTIVITY : decodeActivity(row.activityJson),
  forgottenAtMs: row.forgottenAtMs,
  told: { trouble: row.toldTrouble, failingSinceMs: row.failingSinceMs, claimedUntilMs: row.claimedUntilMs },
  cursors: bySide((side): Cursor => {
    const found = cursors.find((each) => each.side === side);
    if (found === undefined) return NO_CURSOR;
    const { cursor, readAtMs, resume, listingStartedAtMs, listedAtMs } = found;
    return { cursor, readAtMs, resume, listingStartedAtMs, listedAtMs };
  }),
  groupPairs: groupPairs.map(toGroupPair),
  rejections,
  verdicts,
});
