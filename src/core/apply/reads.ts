import { type Half, isPresent } from '../contact/half.ts';
import { scalarsOf, type SyncedField } from '../contact/contact.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { ReadAnswer } from '../contact/requests.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { EMPTY_SNAPSHOT } from '../contact/snapshot.ts';
import type { Pair } from '../reconcile/decision.ts';
import {
  type CreateOperation,
  type DeleteOperation,
  fieldsOf,
  type MembershipOperation,
  sourceIdOf,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import { newHalf } from '../state/half.ts';
import { observeReadAnswer, observeRecord, rename } from '../state/observe.ts';
import { keepAlone } from '../state/pair.ts';
import { unreadableReason } from '../state/unread.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { type Known, NOT_APPLIED, type Outcome, type Unreadable } from './outcome.ts';
import {
  copiedBase,
  createdBase,
  type Evidence,
  settledFields,
  settleGroups,
  settleUpdate,
  withMoves,
} from './settle.ts';
import { storeWritten } from './store-written.ts';
import { type Moves, movesAcross, shownMoves, tookEffect } from './traces.ts';

/** An operation on an existing contact. */
type ExistingOperation = UpdateOperation | MembershipOperation | DeleteOperation;

const NO_MOVES: Moves = { join: [], leave: [] };

/** The pair that an operation wrote to, with its written half (`target`) and its other half. */
type Found = { readonly pair: Pair; readonly target: Half; readonly origin: Half | null };

/**
 * Stores an update or a change of membership that a read found: see {@link settleUpdate}. The other half was not read: whether it exists,
 * and when it was last observed, stay as they are.
 */
const applyFound = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  { pair, target, origin }: Found & { readonly origin: Half },
  record: ContactRecord,
  { groupPairs, atMs }: Known,
): void => {
  const evidence: Evidence = { kind: 'read', record };
  const bases = { target: target.base ?? EMPTY_SNAPSHOT, source: origin.base ?? EMPTY_SNAPSHOT };
  const written = { half: target, record, settled: new Set<SyncedField>(), wanted: null, declinedGroups: [] };
  if (operation.kind === 'membership') {
    const moves = shownMoves(operation, record.groupIds);
    const own = settleGroups(bases.target, [...moves.join, ...moves.leave], record.groupIds);
    const source = withMoves(bases.source, movesAcross(operation.side, moves, groupPairs));
    storeWritten(set, pair.id, written, { bases: { target: own, source }, other: origin }, atMs);
    return;
  }
  const settled = settleUpdate(operation, evidence, bases);
  const fields = scalarsOf(settledFields(operation, evidence));
  const update = { ...written, settled: new Set(fields), wanted: operation.desired };
  storeWritten(set, pair.id, update, { bases: settled, other: origin }, atMs);
};

/**
 * Adds the values of an undo to the base of its side, and to nothing else. The other side keeps its values, and
 * the difference is settled.
 */
const applyUndone = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  { pair, target, origin }: Found,
  record: ContactRecord,
  atMs: number,
): void => {
  const { join, leave } = shownMoves(operation.kind === 'membership' ? operation : NO_MOVES, record.groupIds);
  const moved = [...join, ...leave];
  const bases = { target: target.base ?? EMPTY_SNAPSHOT, source: EMPTY_SNAPSHOT };
  const settled = operation.kind === 'membership' ? bases : settleUpdate(operation, { kind: 'answer', record }, bases);
  const own = settleGroups(settled.target, moved, record.groupIds);
  const written = { half: target, record, settled: new Set(fieldsOf(operation)), wanted: null, declinedGroups: moved };
  const source = origin?.base ?? EMPTY_SNAPSHOT;
  storeWritten(set, pair.id, written, { bases: { target: own, source }, other: origin }, atMs);
};

/** The written half of a create. */
const createdHalf = (set: WorkingSet, side: Side, record: ContactRecord, atMs: number) => {
  const half = set.half(side, record.id) ?? newHalf(side, record, atMs);
  return { half, record, settled: new Set<SyncedField>(), wanted: null, declinedGroups: [] };
};

const applyCreated = (
  set: WorkingSet,
  operation: CreateOperation,
  found: ContactRecord,
  { groupPairs, atMs }: Known,
): Outcome => {
  const { side, pairId, desired, join } = operation;
  const sourceId = sourceIdOf(operation);
  const source = sourceId === null ? null : set.half(otherSide(side), sourceId);
  if (source === null) return { ...NOT_APPLIED, error: `${sourceId}, which it follows from, is not known any more.` };
  const evidence: Evidence = { kind: 'read', record: found };
  const moves = shownMoves({ join, leave: [] }, found.groupIds);
  const bases = {
    target: createdBase(desired, evidence, moves.join),
    source: withMoves(copiedBase(desired, evidence), movesAcross(side, moves, groupPairs)),
  };
  storeWritten(set, pairId, createdHalf(set, side, found, atMs), { bases, other: source }, atMs);
  return { applied: true, after: found, error: null };
};

/** Applies a contact that an undo restored. A contact without its other half gets a new pair. */
const applyRestored = (
  set: WorkingSet,
  { side, pairId, desired, join }: CreateOperation,
  found: ContactRecord,
  { atMs }: Known,
): Outcome => {
  const pair = pairId === null ? null : set.pair(pairId);
  const half = pair?.[otherSide(side)] ?? null;
  const other = isPresent(half) ? half : null;
  const target = createdBase(desired, { kind: 'answer', record: found }, join);
  const bases = { target, source: other?.base ?? EMPTY_SNAPSHOT };
  const id = other === null ? null : (pair?.id ?? null);
  storeWritten(set, id, createdHalf(set, side, found, atMs), { bases, other }, atMs);
  return { applied: true, after: found, error: null };
};

/**
 * Applies a create without a response, using the result of a search for its contact (R9); null means not found. The set must
 * contain the source contact of the create, with its pair.
 */
export const applySearch = (
  set: WorkingSet,
  operation: CreateOperation,
  found: ContactRecord | null,
  known: Known,
): Outcome => {
  if (found === null) return NOT_APPLIED;
  return operation.image === null
    ? applyCreated(set, operation, found, known)
    : applyRestored(set, operation, found, known);
};

/**
 * Returns how much of an operation a contact contains. A membership takes a request for each direction, and
 * one may be applied alone.
 */
const extentOf = (operation: UpdateOperation | MembershipOperation, now: ContactRecord): 'all' | 'part' | 'none' => {
  if (operation.kind === 'update') {
    return tookEffect({ ...operation, before: operation.before.contact }, now.contact) ? 'all' : 'none';
  }
  const { join, leave } = shownMoves(operation, now.groupIds);
  const count = join.length + leave.length;
  if (count === operation.join.length + operation.leave.length) return 'all';
  return count === 0 ? 'none' : 'part';
};

/** Returns the pair that an operation on an existing contact belongs to, or null. */
export const pairOfOperation = (
  set: WorkingSet,
  { side, pairId: known }: ExistingOperation,
  id: string,
): Pair | null => {
  const pairId = known ?? set.half(side, id)?.pair ?? null;
  return pairId === null ? null : set.pair(pairId);
};

/**
 * Applies a failed read of a contact. While the contact is not known to be deleted, the operation may have been applied. For a
 * contact that is known to be deleted the outcome is final.
 */
const applyUnreadable = (
  set: WorkingSet,
  { kind, side, before }: ExistingOperation,
  unreadable: string,
): Outcome | Unreadable => {
  const half = set.half(side, before.id);
  return isPresent(half) ? { unreadable } : { ...NOT_APPLIED, applied: kind === 'delete' && half !== null };
};

/** Applies an operation of a sync that the contact contains. Returns whether the contact contains any part of it. */
const applyToPair = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  { pair, target, origin }: Found,
  record: ContactRecord,
  known: Known,
): boolean => {
  const isWhole = isPresent(target) && origin !== null;
  // The groups of a contact without its other half are left as they are; a changed text is reported as applied.
  const isShown = operation.kind === 'membership' ? isWhole : extentOf(operation, record) !== 'none';
  if (isShown && isWhole) applyFound(set, operation, { pair, target, origin }, record, known);
  return isShown;
};

/** Applies an operation that the contact contains. Returns null if the contact contains no part of it. */
const applyShown = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  record: ContactRecord,
  known: Known,
): Outcome | null => {
  const { side, cause } = operation;
  const pair = pairOfOperation(set, operation, record.id);
  const target = pair?.[side] ?? null;
  // A contact that was merged into the contact of another pair contains no part of the operation.
  if (pair === null || target?.id !== record.id) return null;
  const extent = extentOf(operation, record);
  const half = pair[otherSide(side)];
  const found: Found = { pair, target, origin: isPresent(half) ? half : null };
  const outcome: Outcome = { applied: extent === 'all', after: record, error: null };
  if (cause === 'sync') return applyToPair(set, operation, found, record, known) ? outcome : null;
  if (!isPresent(target) || extent === 'none') return null;
  applyUndone(set, operation, found, record, known.atMs);
  return outcome;
};

/** Applies a read that did not find the contact. */
const applyAbsent = (
  set: WorkingSet,
  operation: ExistingOperation,
  answer: ReadAnswer | undefined,
  atMs: number,
): Outcome => {
  const { side, kind, cause, before } = operation;
  const isDeleted = kind === 'delete' && answer?.kind === 'gone';
  const pairId = cause === 'undo' && isDeleted ? (pairOfOperation(set, operation, before.id)?.id ?? null) : null;
  // The counterpart of a contact that an undo deleted is not deleted.
  if (pairId !== null) keepAlone(set, pairId, otherSide(side), atMs);
  else observeReadAnswer(set, side, before.id, answer, atMs);
  return { ...NOT_APPLIED, applied: isDeleted };
};

/**
 * Applies an operation without a response, using a read of its contact (R9). The set must contain the contact, its pair, and the
 * contact that the read returned. Changes by an undo do not count as a user's edit or deletion, which would be propagated.
 */
export const applyRead = (
  set: WorkingSet,
  operation: ExistingOperation,
  answer: ReadAnswer | undefined,
  known: Known,
): Outcome | Unreadable => {
  const { side, cause, before } = operation;
  const { atMs } = known;
  const unreadable = unreadableReason(answer);
  if (unreadable !== null) return applyUnreadable(set, operation, unreadable);
  if (answer?.kind !== 'found' && answer?.kind !== 'moved') return applyAbsent(set, operation, answer, atMs);
  const { record } = answer;
  rename(set, side, before.id, record.id, atMs);
  const outcome = operation.kind === 'delete' ? null : applyShown(set, operation, record, known);
  if (outcome !== null) return outcome;
  if (answer.kind === 'moved' || cause === 'undo')
    observeReadAnswer(set, side, record.id, { kind: 'found', record }, atMs);
  else observeRecord(set, side, record, atMs);
  return cause === 'undo' ? NOT_APPLIED : { ...NOT_APPLIED, after: record };
};
