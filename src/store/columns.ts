import {
  byIds,
  byKey,
  byKeyAndSide,
  NO_CURSOR,
  type ConflictRow,
  type Cursor,
  type HalfPut,
  type JournalRow,
  type LinkState,
  type Rejection,
  type RunRow,
  type RunStart,
  type StoreChange,
} from '../core/state/rows.ts';
import { isSyncedField } from '../core/contact/contact.ts';
import type { Half } from '../core/contact/half.ts';
import { emailKey } from '../core/contact/keys.ts';
import { searchText } from '../core/contact/search.ts';
import { bySide } from '../core/contact/side.ts';
import type { GroupPair } from '../core/reconcile/groups.ts';
import type { Verdict } from '../core/reconcile/verdict.ts';
import { decodeBase, decodeRecord, decodeSummary, encodeBase, decodeFields } from './codec.ts';
import { toOperation } from './stored-operation.ts';
import type { conflicts, cursors, groupPairs, halves, journal, links, RowOf, runs } from './tables.ts';

// The values of rows, equal on every engine. Each row also has the name of its link in a column of its own.
// A column named `...Json` holds text, which is parsed when it is read.

type HalfColumns = RowOf<typeof halves>;
/** Columns that follow from the record of a half; only PostgreSQL has the last two. */
const DERIVED = ['search', 'groupIds', 'emailKeys'] as const;
/** The columns of a half that are not read with it. */
export const NOT_READ = ['digest', ...DERIVED] as const;
/** A half as it is read. */
export type HalfCells = Omit<HalfColumns, (typeof NOT_READ)[number]>;

/** Everything of a half but its record, which is the widest part by far, and what follows from it. */
export const narrowHalfColumns = ({
  half,
  digest,
}: HalfPut): Omit<HalfColumns, 'recordJson' | (typeof DERIVED)[number]> => {
  const { record, base, ...columns } = half;
  return { ...columns, digest, baseJson: encodeBase(base, record) };
};

/** The columns of a half; `recordJson` is its encoded record. */
export const halfColumns = (put: HalfPut, recordJson: string): HalfColumns => {
  const { contact, groupIds } = put.half.record;
  return {
    ...narrowHalfColumns(put),
    recordJson,
    search: searchText(contact),
    groupIds,
    emailKeys: contact.emailAddresses.map(({ value }) => emailKey(value)),
  };
};

export const toHalf = ({ baseJson, recordJson, ...columns }: HalfCells): Half => {
  const record = decodeRecord(recordJson);
  return { ...columns, record, base: decodeBase(baseJson, record) };
};

const decodeOptional = (text: string | null) => (text === null ? null : decodeRecord(text));

export const toJournalRow = (row: RowOf<typeof journal>): JournalRow => {
  const { id, run, state, afterJson, error, intendedAtMs, settledAtMs } = row;
  return { ...toOperation(row), id, run, state, after: decodeOptional(afterJson), error, intendedAtMs, settledAtMs };
};

/** The columns of a run that has begun. */
export const runStartColumns = ({ undoes, ...run }: RunStart) => ({
  ...run,
  summaryJson: undoes === null ? null : JSON.stringify({ undoes }),
});

export const toRun = (link: string, cells: RowOf<typeof runs>): RunRow => {
  const { summaryJson, fence: _, ...row } = cells;
  const ending = summaryJson === null ? { undoes: null, override: null, wrote: null } : decodeSummary(summaryJson);
  return { ...row, link, ...ending };
};

/** The outcomes of runs that have ended. */
export const ENDED = ['completed', 'halted', 'failed'] as const;

/** Leaves out conflicts about fields that are no longer synced. */
export const toConflicts = (rows: readonly RowOf<typeof conflicts>[]): readonly ConflictRow[] =>
  rows.flatMap(({ field, ...row }) => (isSyncedField(field) ? [{ ...row, field }] : []));

type GroupPairColumns = RowOf<typeof groupPairs>;

const groupColumns = (of: GroupPair['left']) => ({
  id: of?.id ?? null,
  name: of?.name ?? null,
  nextName: of?.nextName ?? null,
});

export const groupPairColumns = ({ key, status, isUnited, ...sides }: GroupPair): GroupPairColumns => {
  const [left, right] = [groupColumns(sides.left), groupColumns(sides.right)];
  return {
    key,
    status,
    isUnited,
    leftId: left.id,
    leftName: left.name,
    leftNextName: left.nextName,
    rightId: right.id,
    rightName: right.name,
    rightNextName: right.nextName,
  };
};

const groupHalf = (id: string | null, name: string | null, nextName: string | null): GroupPair['left'] =>
  id === null ? null : { id, name: name ?? '', ...(nextName !== null && { nextName }) };

const toGroupPair = ({ key, status, isUnited, ...row }: GroupPairColumns): GroupPair => ({
  key,
  left: groupHalf(row.leftId, row.leftName, row.leftNextName),
  right: groupHalf(row.rightId, row.rightName, row.rightNextName),
  status,
  isUnited,
});

type LinkColumns = RowOf<typeof links>;

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
  ...patch
}: Extract<StoreChange, { kind: 'link' }>['patch']): Partial<LinkColumns> => ({
  ...patch,
  ...(accounts !== undefined && { leftAccount: accounts.left, rightAccount: accounts.right }),
  ...(credentials !== undefined && { leftCredential: credentials.left, rightCredential: credentials.right }),
  ...(accepted !== undefined && { acceptedRun: accepted?.run ?? null, acceptedAtMs: accepted?.atMs ?? null }),
  ...(fields !== undefined && {
    fieldsName: fields.name,
    fieldsJoining: fields.joining && JSON.stringify(fields.joining),
  }),
  ...(selection !== undefined && selectionColumns(selection)),
});

/** Columns with the name and form of their value in a link's state are passed on unchanged. */
const linkValues = ({
  leaseToken: _token,
  leftAccount,
  rightAccount,
  leftCredential,
  rightCredential,
  acceptedRun,
  acceptedAtMs,
  selectionPatterns,
  selectionKey,
  toldTrouble,
  failingSinceMs,
  fieldsName,
  fieldsJoining,
  ...values
}: LinkColumns) => ({
  ...values,
  accounts: { left: leftAccount, right: rightAccount },
  credentials: { left: leftCredential, right: rightCredential },
  acceptedDeletes: acceptedRun === null || acceptedAtMs === null ? null : { run: acceptedRun, atMs: acceptedAtMs },
  selection:
    selectionPatterns === null || selectionKey === null ? null : { patterns: selectionPatterns, key: selectionKey },
  notificationState: { trouble: toldTrouble, failingSinceMs },
  fields: { name: fieldsName, joining: fieldsJoining === null ? null : decodeFields(fieldsJoining) },
});

/** The small rows that belong to a link, in any order. */
type RowsOfLink = {
  readonly cursors: readonly RowOf<typeof cursors>[];
  readonly groupPairs: readonly GroupPairColumns[];
  readonly rejections: readonly Rejection[];
  readonly verdicts: readonly Verdict[];
};

export const toLink = (link: LinkColumns, rows: RowsOfLink): LinkState => ({
  ...linkValues(link),
  cursors: bySide((side): Cursor => {
    const { side: _side, ...cursor } = rows.cursors.find((each) => each.side === side) ?? { side, ...NO_CURSOR };
    return cursor;
  }),
  groupPairs: rows.groupPairs.map(toGroupPair).toSorted(byKey),
  rejections: rows.rejections.toSorted(byKeyAndSide),
  verdicts: rows.verdicts.toSorted(byIds),
});
