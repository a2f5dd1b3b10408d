import { type Contact, scalarsOf, type SyncedField } from '../contact/contact.ts';
import { type Half, isAway, isDeleted, isPresent } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { AlteredContact } from '../contact/requests.ts';
import { bySide, otherSide, type Side } from '../contact/side.ts';
import { EMPTY_SNAPSHOT, equalSnapshots, type Snapshot, withDeclined } from '../contact/snapshot.ts';
import {
  type CreateOperation,
  type MembershipOperation,
  sourceIdOf,
  targetIdOf,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import { newHalf } from '../state/half-transitions.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { ApplyContext, GroupHalves } from './outcome.ts';
import {
  type Bases,
  changedBase,
  copiedBase,
  createdBase,
  type Evidence,
  settledFields,
  settleGroups,
  settleUpdate,
  withMoves,
} from './settle.ts';
import { type Moves, movesAcross } from './traces.ts';
import { withoutPastDifferences, withSettledDifferences } from '../reconcile/declined.ts';
import { storePair } from '../state/pair.ts';

// An operation is stored in the same way, whether an answer or a read has shown it.

/** A half after an operation on it. */
type WrittenHalf = {
  /** The half as it was stored, or a new one. */
  readonly half: Half;
  readonly record: ContactRecord;
  /** The fields that were written: a difference from the other side is accepted in them (R2). */
  readonly written: ReadonlySet<SyncedField>;
  /** The requested contact; null for an undo or a change of membership, which compare no values. */
  readonly wanted: Contact | null;
  /** Whether the operation carries an edit of a user (`isEdit` of the operation). */
  readonly isEdit: boolean;
  /** The moved groups in which the two contacts differ. */
  readonly declinedGroups: readonly string[];
};

/** Returns the state of a half: if it differs from its base, the next plan must process it. */
const stateAfterWrite = (record: Snapshot, base: Snapshot): 'settled' | 'changed' =>
  equalSnapshots(base, record) ? 'settled' : 'changed';

/** Returns whether a write has shown other marks, which may change the selection of the contact (R18). */
const hasNewMarks = ({ marks: former = [] }: ContactRecord, { marks = [] }: ContactRecord): boolean =>
  new Set(former).symmetricDifference(new Set(marks)).size > 0;

/** Returns the half that was not written with its new base. A missing contact stays missing. */
const withSourceBase = (half: Half, base: Snapshot, written: ContactRecord): Half => {
  const own = withoutPastDifferences(base, half.record.contact, written.contact);
  return { ...half, base: own, state: isAway(half) ? half.state : stateAfterWrite(half.record, own) };
};

/** Returns the base of a written half with the differences from the other side that the operation settled. */
const differing = (
  base: Snapshot,
  { record, written, wanted, declinedGroups }: WrittenHalf,
  other: Contact,
): Snapshot => {
  const groups = [...(base.declined?.buckets ?? []), ...declinedGroups];
  const now = record.contact;
  if (written.size === 0) return withoutPastDifferences(base, now, other);
  return withSettledDifferences(base, { written, wanted: wanted ?? other, now, other, groups });
};

/**
 * Stores a pair after an operation on one of its halves: that half with its current record, and both bases. A half that differs from
 * its base is planned again. The set must contain both halves.
 */
const storeWritten = (
  set: WorkingSet,
  { pairId, source: other }: Omit<StoredHalves, 'target'>,
  written: WrittenHalf,
  bases: Bases,
  atMs: number,
): void => {
  const base = other === null ? withDeclined(bases.target, {}) : differing(bases.target, written, other.record.contact);
  const { half, record, isEdit } = written;
  const state = hasNewMarks(half.record, record) ? 'changed' : stateAfterWrite(record, base);
  const times = { writtenAtMs: atMs, editWrittenAtMs: isEdit ? atMs : half.editWrittenAtMs, heardAtMs: atMs };
  const own: Half = { ...half, record, base, state, mergedInto: null, ...times };
  const counterpart = other === null ? null : withSourceBase(other, bases.source, record);
  const halves = bySide((side) => (side === half.side ? own : counterpart));
  storePair(set, { pairId, status: other === null ? 'kept' : 'linked', halves, writtenSide: half.side });
};

/** The halves that an operation concerns, as they are stored: the written one, and the one that it is computed from. */
export type StoredHalves = {
  readonly pairId: number | null;
  readonly target: Half | null;
  readonly source: Half | null;
};

/** Returns the halves of an operation. The set must contain its contacts and their pairs. */
export const storedHalves = (
  set: WorkingSet,
  operation: CreateOperation | UpdateOperation | MembershipOperation,
): StoredHalves => {
  const { side } = operation;
  const known = (at: Side, id: string | null): Half | null => (id === null ? null : set.half(at, id));
  const own = known(side, targetIdOf(operation));
  const other = known(otherSide(side), sourceIdOf(operation));
  const pairId = operation.pairId ?? own?.pair ?? other?.pair ?? null;
  const pair = pairId === null ? null : set.pair(pairId);
  // The id of a contact may have changed since the plan: its former id has no pair.
  const current = (half: Half | null, at: Side): Half | null =>
    half === null || (half.pair === null && isDeleted(half)) ? (pair?.[at] ?? half) : half;
  return { pairId, target: current(own, side), source: current(other, otherSide(side)) };
};

const basesOf = ({ target, source }: StoredHalves): Bases => ({
  target: target?.base ?? EMPTY_SNAPSHOT,
  source: source?.base ?? EMPTY_SNAPSHOT,
});

/** Returns the written half with the contact after the operation. The id of the contact may have changed. */
const writtenHalf = (set: WorkingSet, target: Half | null, side: Side, record: ContactRecord, atMs: number) => {
  const half = target?.id === record.id ? target : set.half(side, record.id);
  return { half: half ?? newHalf(side, record, atMs), record };
};

/** Returns the base with the groups of the contact that have no counterpart on the other side: they stay on this side. */
const withUnlinked = (
  base: Snapshot,
  { groupIds: now }: ContactRecord,
  groupPairs: GroupHalves,
  side: Side,
): Snapshot => {
  const linked = new Set(groupPairs.map((pair) => pair[side]?.id));
  return settleGroups(
    base,
    now.filter((id) => !linked.has(id)),
    now,
  );
};

/** A create that was done: the groups that the contact joined by it, and the fields that were written. */
type Created = { readonly join: readonly string[]; readonly written: readonly SyncedField[] };

/** Stores a created contact. A contact that an undo restored gets a new pair if its other half does not exist. */
export const storeCreated = (
  set: WorkingSet,
  operation: CreateOperation,
  evidence: Evidence,
  { join, written: fields }: Created,
  { groupPairs, atMs }: ApplyContext,
): void => {
  const { side, desired, image } = operation;
  const { record } = evidence;
  const stored = storedHalves(set, operation);
  const isAlone = image !== null && !isPresent(stored.source);
  const source = isAlone ? null : stored.source;
  const sourceBase = (): Snapshot => {
    if (image !== null || source === null) return source?.base ?? EMPTY_SNAPSHOT;
    const own = withUnlinked(copiedBase(desired, evidence), source.record, groupPairs, otherSide(side));
    return withMoves(own, movesAcross(side, { join, leave: [] }, groupPairs));
  };
  const made = writtenHalf(set, null, side, record, atMs);
  const written = {
    ...made,
    half: image === null && source !== null ? { ...made.half, editedAtMs: source.editedAtMs } : made.half,
    written: new Set(fields),
    wanted: image === null ? desired : null,
    isEdit: true,
    declinedGroups: [],
  };
  const bases = { target: createdBase(desired, evidence, join), source: sourceBase() };
  storeWritten(set, { pairId: isAlone ? null : stored.pairId, source }, written, bases, atMs);
};

/** Fields and groups that the side changed on the occasion of a write although they were not written. */
export type Altered = Pick<AlteredContact, 'fields' | 'groupIds'>;

export const NOTHING_ALTERED: Altered = { fields: [], groupIds: [] };

/** An update that was done: what shows it, the contact after it, and what the side changed besides. */
type Updated = { readonly evidence: Evidence; readonly record: ContactRecord; readonly altered: Altered };

/**
 * Stores an update that was done. `record` is the whole contact after it; the record of the evidence contains only what the update may
 * have changed. After a read, missing elements of a list may not have arrived: their difference is not settled.
 */
export const storeUpdated = (
  set: WorkingSet,
  operation: UpdateOperation,
  halves: StoredHalves,
  { evidence, record, altered }: Updated,
  atMs: number,
): void => {
  const { side, before, cause, desired } = operation;
  const fields = settledFields(operation, evidence);
  const bases = settleUpdate(operation, evidence, basesOf(halves));
  const target = changedBase(bases.target, before.contact, record.contact, altered.fields);
  const written = {
    ...writtenHalf(set, halves.target, side, record, atMs),
    written: new Set([...(evidence.kind === 'answer' ? fields : scalarsOf(fields)), ...altered.fields]),
    wanted: cause === 'undo' ? null : desired,
    isEdit: operation.isEdit,
    declinedGroups: [],
  };
  const own = { ...bases, target: settleGroups(target, altered.groupIds, record.groupIds) };
  storeWritten(set, halves, written, own, atMs);
};

/** Returns the groups of moves in which a contact is not as requested. */
export const unmovedIn = ({ join, leave }: Moves, groupIds: readonly string[]): readonly string[] => [
  ...join.filter((id) => !groupIds.includes(id)),
  ...leave.filter((id) => groupIds.includes(id)),
];

/** Returns those of the groups in which the other half of the pair has another membership. */
const differingIn = (
  groupIds: readonly string[],
  { side, record }: { readonly side: Side; readonly record: ContactRecord },
  source: Half | null,
  groupPairs: GroupHalves,
): readonly string[] => {
  const across = new Map(groupPairs.map((pair) => [pair[side]?.id, pair[otherSide(side)]?.id ?? '']));
  return groupIds.filter((id) => {
    const counterpart = across.get(id);
    return counterpart !== undefined && source?.record.groupIds.includes(counterpart) !== record.groupIds.includes(id);
  });
};

/** A change of membership that was done. `record` is the contact after it. */
type Moved = { readonly moves: Moves; readonly record: ContactRecord; readonly altered: Altered };

/** Returns the groups in which a change of membership, or a side on its occasion, moved the contact. */
const movedGroups = ({ moves, altered }: Moved): readonly string[] => [
  ...new Set([...moves.join, ...moves.leave, ...altered.groupIds]),
];

/**
 * Stores a change of membership of which these moves were done. An undo propagates nothing: the other side keeps its membership, and
 * the difference is settled.
 */
export const storeMoved = (
  set: WorkingSet,
  operation: MembershipOperation,
  halves: StoredHalves,
  moved: Moved,
  { groupPairs, atMs }: ApplyContext,
): void => {
  const { side, before, cause } = operation;
  const { moves, record, altered } = moved;
  const { target, source } = basesOf(halves);
  const bases = {
    target: settleGroups(
      changedBase(target, before.contact, record.contact, altered.fields),
      movedGroups(moved),
      record.groupIds,
    ),
    source: cause === 'undo' ? source : withMoves(source, movesAcross(side, moves, groupPairs)),
  };
  const declined = cause === 'undo' ? movedGroups(moved) : unmovedIn(moves, record.groupIds);
  const written = {
    ...writtenHalf(set, halves.target, side, record, atMs),
    written: new Set<SyncedField>(['buckets', ...altered.fields]),
    wanted: null,
    isEdit: operation.isEdit,
    declinedGroups: differingIn(declined, { side, record }, halves.source, groupPairs),
  };
  storeWritten(set, halves, written, bases, atMs);
};
