import { isPresent } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { ReadAnswer } from '../contact/requests.ts';
import { otherSide } from '../contact/side.ts';
import type { Pair } from '../contact/pair.ts';
import {
  type CreateOperation,
  type DeleteOperation,
  type MembershipOperation,
  sourceIdOf,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import { observeReadAnswer, observeRecord, rename } from '../state/observe.ts';
import { keepAlone } from '../state/pair.ts';
import { unreadableReason } from '../state/unread.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { type ApplyContext, NOT_APPLIED, type Outcome, type Unreadable } from './outcome.ts';
import { createdBase, type Evidence, updatedContact } from './settle.ts';
import {
  NOTHING_ALTERED,
  storeCreated,
  type StoredHalves,
  storedHalves,
  storeMoved,
  storeUpdated,
} from './store-operation.ts';
import { shownMoves, tookEffect } from './traces.ts';

/** An operation on an existing contact. */
type ExistingOperation = UpdateOperation | MembershipOperation | DeleteOperation;

/**
 * Applies a create without an answer, using the result of a search for its contact (R9); null means not found. The set must
 * contain the source contact of the create, with its pair.
 */
export const applySearch = (
  set: WorkingSet,
  operation: CreateOperation,
  found: ContactRecord | null,
  context: ApplyContext,
): Outcome => {
  if (found === null) return NOT_APPLIED;
  const { image, join } = operation;
  const sourceId = sourceIdOf(operation);
  if (image === null && storedHalves(set, operation).source === null) {
    return { ...NOT_APPLIED, error: `${sourceId}, which it follows from, is not known any more.` };
  }
  const evidence: Evidence = { kind: image === null ? 'read' : 'answer', record: found };
  const joined = image === null ? shownMoves({ join, leave: [] }, found.groupIds).join : join;
  storeCreated(set, operation, evidence, { join: joined, written: [] }, context);
  const { contact } = createdBase(operation.desired, evidence, joined);
  return { applied: true, after: { ...found, contact }, error: null };
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
const pairOfOperation = (set: WorkingSet, { side, pairId: known }: ExistingOperation, id: string): Pair | null => {
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

/** Stores the part of an operation that a contact contains. Of an undo all of it counts, because it propagates nothing. */
const storeShown = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  halves: StoredHalves,
  record: ContactRecord,
  context: ApplyContext,
): void => {
  if (operation.kind === 'membership') {
    const moves = shownMoves(operation, record.groupIds);
    storeMoved(set, operation, halves, { moves, record, altered: NOTHING_ALTERED }, context);
    return;
  }
  const evidence: Evidence = { kind: operation.cause === 'undo' ? 'answer' : 'read', record };
  storeUpdated(set, operation, halves, { evidence, record, altered: NOTHING_ALTERED }, context.atMs);
};

/** Returns the pair of an operation with its written contact; null if that contact is not the one that was read. */
const pairWith = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  { id }: ContactRecord,
): StoredHalves | null => {
  const pair = pairOfOperation(set, operation, id);
  const target = pair?.[operation.side] ?? null;
  // A contact that was merged into the contact of another pair contains no part of the operation.
  if (pair === null || target?.id !== id) return null;
  const source = pair[otherSide(operation.side)];
  return { pairId: pair.id, target, source: isPresent(source) ? source : null };
};

/** Applies an operation that the contact contains. Returns null if the contact contains no part of it. */
const applyShown = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  record: ContactRecord,
  context: ApplyContext,
): Outcome | null => {
  const halves = pairWith(set, operation, record);
  if (halves === null) return null;
  const isUndo = operation.cause === 'undo';
  const extent = extentOf(operation, record);
  const isStored = isPresent(halves.target) && (isUndo || halves.source !== null);
  // Of a contact without its other half, groups are left as they are. A changed text is reported as applied.
  const isApplied = !isUndo && operation.kind === 'membership' ? isStored : extent !== 'none';
  if (!isApplied || (isUndo && !isStored)) return null;
  if (isStored) storeShown(set, operation, halves, record, context);
  const contact = operation.kind === 'update' ? updatedContact(operation, { kind: 'read', record }) : record.contact;
  return { applied: extent === 'all', after: { ...record, contact }, error: null };
};

/** Applies a read that did not find the contact. */
const applyAbsent = (
  set: WorkingSet,
  operation: ExistingOperation,
  answer: ReadAnswer | undefined,
  { lagMs, atMs }: ApplyContext,
): Outcome => {
  const { side, kind, cause, before } = operation;
  const isDeleted = kind === 'delete' && answer?.kind === 'gone';
  const pairId = cause === 'undo' && isDeleted ? (pairOfOperation(set, operation, before.id)?.id ?? null) : null;
  // The counterpart of a contact that an undo deleted is not deleted.
  if (pairId !== null) keepAlone(set, pairId, otherSide(side), atMs);
  else observeReadAnswer(set, side, before.id, answer, lagMs, atMs);
  return { ...NOT_APPLIED, applied: isDeleted };
};

/**
 * Applies an operation without an answer, using a read of its contact (R9). The set must contain the contact, its pair, and the
 * contact that the read returned. Changes by an undo do not count as a user's edit or deletion, which would be propagated.
 */
export const applyRead = (
  set: WorkingSet,
  operation: ExistingOperation,
  answer: ReadAnswer | undefined,
  context: ApplyContext,
): Outcome | Unreadable => {
  const { side, cause, before } = operation;
  const { lagMs, atMs } = context;
  const unreadable = unreadableReason(answer);
  if (unreadable !== null) return applyUnreadable(set, operation, unreadable);
  if (answer?.kind !== 'found' && answer?.kind !== 'moved') return applyAbsent(set, operation, answer, context);
  const { record } = answer;
  rename(set, side, before.id, record.id, atMs);
  const outcome = operation.kind === 'delete' ? null : applyShown(set, operation, record, context);
  if (outcome !== null) return outcome;
  if (answer.kind === 'moved' || cause === 'undo')
    observeReadAnswer(set, side, record.id, { kind: 'found', record }, lagMs, atMs);
  else observeRecord(set, side, record, atMs);
  return cause === 'undo' ? NOT_APPLIED : { ...NOT_APPLIED, after: record };
};
