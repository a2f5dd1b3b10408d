import { scalarsOf, type SyncedField } from '../contact/contact.ts';
import { type Half, isDeleted, isPresent } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { AlteredContact } from '../contact/requests.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { EMPTY_SNAPSHOT, equalSnapshots, type Snapshot } from '../contact/snapshot.ts';
import {
  type CreateOperation,
  type MembershipOperation,
  sourceIdOf,
  targetIdOf,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import { newHalf } from '../state/half.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { Known } from './outcome.ts';
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
import { storeWritten } from './store-written.ts';
import { movesAcross, type Moves } from './traces.ts';

// An operation is stored in the same way, whether an answer or a read has shown it.

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
  groupPairs: Known['groupPairs'],
  side: Side,
): Snapshot => {
  const linked = new Set(groupPairs.map((pair) => pair[side]?.id));
  return settleGroups(
    base,
    now.filter((id) => !linked.has(id)),
    now,
  );
};

/** A create that was done: the groups that the contact joined by it, and the fields whose difference from the source is settled. */
type Created = { readonly join: readonly string[]; readonly settled: readonly SyncedField[] };

/** Stores a created contact. A contact that an undo restored gets a new pair if its other half does not exist. */
export const storeCreated = (
  set: WorkingSet,
  operation: CreateOperation,
  evidence: Evidence,
  { join, settled }: Created,
  { groupPairs, atMs }: Known,
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
  const written = {
    ...writtenHalf(set, null, side, record, atMs),
    settled: new Set(settled),
    wanted: image === null ? desired : null,
    isEdit: true,
    declinedGroups: [],
  };
  const bases = { target: createdBase(desired, evidence, join), source: sourceBase() };
  storeWritten(set, isAlone ? null : stored.pairId, written, { bases, other: source }, atMs);
};

/** Fields and groups that the side changed on the occasion of a write although they were not written. */
export type Altered = Pick<AlteredContact, 'fields' | 'groupIds'>;

export const NOTHING_ALTERED: Altered = { fields: [], groupIds: [] };

/**
 * Stores an update that was done. `record` is the contact after it, and the evidence the part of it that the update may have
 * changed. Missing elements of a list that was only read may not have arrived, so their difference is not settled.
 */
export const storeUpdated = (
  set: WorkingSet,
  operation: UpdateOperation,
  halves: StoredHalves,
  {
    evidence,
    record,
    altered,
  }: { readonly evidence: Evidence; readonly record: ContactRecord; readonly altered: Altered },
  atMs: number,
): void => {
  const { side, before, cause, desired } = operation;
  const bases = settleUpdate(operation, evidence, basesOf(halves));
  const target = changedBase(bases.target, before.contact, record.contact, altered.fields);
  const fields = settledFields(operation, evidence);
  const written = {
    ...writtenHalf(set, halves.target, side, record, atMs),
    settled: new Set([...(evidence.kind === 'answer' ? fields : scalarsOf(fields)), ...altered.fields]),
    wanted: cause === 'undo' ? null : desired,
    isEdit: operation.isEdit,
    declinedGroups: [],
  };
  const own = { ...bases, target: settleGroups(target, altered.groupIds, record.groupIds) };
  storeWritten(set, halves.pairId, written, { bases: own, other: halves.source }, atMs);
};

/** Returns the groups of moves in which a contact is not as requested. */
const unmovedIn = ({ join, leave }: Moves, groupIds: readonly string[]): readonly string[] => [
  ...join.filter((id) => !groupIds.includes(id)),
  ...leave.filter((id) => groupIds.includes(id)),
];

/** A change of membership that was done. `record` is the contact after it. */
type Moved = { readonly moves: Moves; readonly record: ContactRecord; readonly altered: Altered };

/** Returns the groups in which a change of membership, or a side on its occasion, moved the contact. */
const movedGroups = ({ moves, altered }: Moved): readonly string[] => [
  ...new Set([...moves.join, ...moves.leave, ...altered.groupIds]),
];

/** Returns both bases after a change of membership. An undo propagates nothing: the base of the other side stays. */
const movedBases = (
  { side, before, cause }: MembershipOperation,
  halves: StoredHalves,
  moved: Moved,
  groupPairs: Known['groupPairs'],
): Bases => {
  const { target, source } = basesOf(halves);
  const { moves, record, altered } = moved;
  const own = changedBase(target, before.contact, record.contact, altered.fields);
  return {
    target: settleGroups(own, movedGroups(moved), record.groupIds),
    source: cause === 'undo' ? source : withMoves(source, movesAcross(side, moves, groupPairs)),
  };
};

/** Returns whether the stored bases contain a change of membership that a contact already has. An undo is always stored. */
export const isMoveStored = (
  operation: MembershipOperation,
  halves: StoredHalves,
  moved: Moved,
  groupPairs: Known['groupPairs'],
): boolean => {
  const [stored, bases] = [basesOf(halves), movedBases(operation, halves, moved, groupPairs)];
  return (
    operation.cause !== 'undo' &&
    (['target', 'source'] as const).every(
      (half) => stored[half].declined?.buckets === undefined && equalSnapshots(stored[half], bases[half]),
    )
  );
};

/**
 * Stores a change of membership of which these moves were done. An undo propagates nothing: the other side keeps its membership, and
 * the difference is settled.
 */
export const storeMoved = (
  set: WorkingSet,
  operation: MembershipOperation,
  halves: StoredHalves,
  moved: Moved,
  { groupPairs, atMs }: Known,
): void => {
  const { side, cause } = operation;
  const { moves, record, altered } = moved;
  const written = {
    ...writtenHalf(set, halves.target, side, record, atMs),
    settled: new Set<SyncedField>(['buckets', ...altered.fields]),
    wanted: null,
    isEdit: operation.isEdit,
    declinedGroups: cause === 'undo' ? movedGroups(moved) : unmovedIn(moves, record.groupIds),
  };
  const bases = movedBases(operation, halves, moved, groupPairs);
  storeWritten(set, halves.pairId, written, { bases, other: halves.source }, atMs);
};
