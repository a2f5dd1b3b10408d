import { storeTask } from './store-task.ts';
import { contactFieldsOf } from '../contact/chosen.ts';
import { type Contact, EMPTY_CONTACT, scalarsOf, type SyncedField, syncedIn } from '../contact/contact.ts';
import { type Half, isPresent } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { ReadAnswer } from '../contact/requests.ts';
import { bySide, otherSide, type Side, type Sides } from '../contact/side.ts';
import type { Merge, Pair } from '../reconcile/decision.ts';
import {
  type CreateOperation,
  type DeleteOperation,
  fieldsOf,
  type MembershipOperation,
  sourceIdOf,
  type UpdateOperation,
} from '../reconcile/operation.ts';
import { EMPTY_SNAPSHOT } from '../reconcile/settle.ts';
import { observeReadAnswer, observeRecord, rename } from '../state/observe.ts';
import { keepAlone } from '../state/pair.ts';
import { unreadableReason } from '../state/unread.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { type Known, NOT_APPLIED, type Outcome, type Unreadable } from './outcome.ts';
import { addDone, type Done, type Task, taskOf } from './task.ts';
import {
  arrivedValues,
  writtenValues,
  type Moves,
  movesAcross,
  shownFields,
  shownMoves,
  showsWrite,
  tookEffect,
  withMoves,
} from './traces.ts';

/** An operation on an existing contact. */
type ExistingOperation = UpdateOperation | MembershipOperation | DeleteOperation;

const NO_MOVES: Moves = { join: [], leave: [] };

const NO_FIELDS: ReadonlySet<SyncedField> = new Set();

/** Returns all fields that any of the contacts fills, and the membership, except `fields`. */
const allBut = (fields: ReadonlySet<SyncedField>, ...contacts: readonly Contact[]): readonly SyncedField[] => [
  ...new Set(syncedIn(...contacts)).difference(fields),
];

/** No counterparts: the base of an operation that a read found is compared with no other contact. */
const NO_COUNTERPARTS: Sides<Contact | null> = { left: null, right: null };

/**
 * Returns a task for one operation that a read found. The other operations of its pair are unknown: none of them is left to this
 * task, and the pair stays open.
 */
const foundTask = (decision: Task['decision'], counterparts: Sides<Contact | null> = NO_COUNTERPARTS): Task => ({
  ...taskOf(decision),
  counterparts,
  operations: [],
});

/** Returns a decision for an operation of a pair that a read found. */
const foundMerge = (pair: Pair, held: Sides<readonly SyncedField[]>, ...writes: Merge['writes']): Merge<Pair> => ({
  kind: 'merge',
  pair,
  writes,
  conflicts: [],
  held,
  deferred: true,
});

/** Returns values by side: one for the side that was written, one for the other side. */
const onSides = <Value>(side: Side, own: Value, other: Value): Sides<Value> =>
  bySide((each) => (each === side ? own : other));

/** The pair that an operation wrote to, with its written half (`target`) and its other half. */
type Found = { readonly pair: Pair; readonly target: Half; readonly origin: Half | null };

/** Returns the pair with its halves as they were when the operation was planned. */
const pairWith = (pair: Pair, side: Side, own: Half | null, other: Half | null): Pair => ({
  ...pair,
  ...onSides(side, own, other),
});

/** Stores a pair after a read found its operation; the other half keeps the stored record. */
const storeFound = (set: WorkingSet, task: Task, done: Done, origin: Half | null, atMs: number): void => {
  const { side } = done;
  addDone(task, done);
  if (origin !== null) {
    addDone(task, { side: otherSide(side), kind: 'observed', fields: [], moved: [], record: origin.record });
  }
  storeTask(set, task, side, atMs);
};

/**
 * Stores an update that a read found. The contact's base gets the written values that the contact contains. The source's base gets
 * the source's values that were written (R9, R5).
 */
const applyUpdate = (
  set: WorkingSet,
  operation: UpdateOperation,
  { pair, target, origin }: Found & { readonly origin: Half },
  found: ContactRecord,
  atMs: number,
): void => {
  const { side, fields, given, before, desired } = operation;
  const source = operation.source ?? origin.record;
  // A missing value may be an edit of the contact's user, and the values of another contact are its own. In both cases a different
  // text is no evidence that it replaced the text that was sent.
  const isKnown = found.id === before.id && showsWrite({ fields, before: before.contact, desired }, found.contact);
  const shown = shownFields(fields, desired, found.contact, (isKnown ? before : found).contact);
  const settles = scalarsOf(shown.difference(new Set(given)));
  const brought = writtenValues(desired, found.contact, before.contact);
  const [own, other] = [target.base ?? EMPTY_SNAPSHOT, origin.base ?? EMPTY_SNAPSHOT];
  const known = { ...source, contact: arrivedValues(other.contact, source.contact, desired, brought) };
  const held = onSides(
    side,
    // Either side may have changed a list: only the elements of this write enter the target's base.
    allBut(new Set(settles), own.contact, before.contact, brought),
    allBut(shown, other.contact, known.contact),
  );
  const planned = pairWith(pair, side, { ...target, record: before }, { ...origin, record: known });
  const update = { kind: 'update', side, fields: contactFieldsOf(fields), desired, given } as const;
  const task = foundTask(foundMerge(planned, held, update), onSides(side, source.contact, before.contact));
  // List elements that are missing are sent again. A text that the side stored differently stays so (R2).
  const done: Done = { side, kind: 'update', fields: [...shown], moved: [], record: found, brought, settles };
  storeFound(set, task, done, origin, atMs);
};

/** Adds the written memberships to both bases; a later difference is a user's change (R9, R5). */
const applyMembership = (
  set: WorkingSet,
  operation: MembershipOperation,
  { pair, target, origin }: Found & { readonly origin: Half },
  found: ContactRecord,
  { groupPairs, atMs }: Known,
): void => {
  const { side, before, given } = operation;
  const moves = shownMoves(operation, found.groupIds);
  const across = given.includes('buckets') ? NO_MOVES : movesAcross(side, moves, groupPairs);
  const other = origin.base ?? EMPTY_SNAPSHOT;
  const known = { ...origin.record, groupIds: withMoves(other.groupIds, across) };
  const contacts = [target.base, origin.base, before, found, known].flatMap((each) => each?.contact ?? []);
  const held = onSides(side, allBut(NO_FIELDS, ...contacts), allBut(new Set(['buckets']), ...contacts));
  const planned = pairWith(pair, side, { ...target, record: before }, { ...origin, record: known });
  const task = foundTask(foundMerge(planned, held, { kind: 'membership', side, joins: [], leaves: [], given }));
  const moved = [...moves.join, ...moves.leave];
  const done: Done = { side, kind: 'membership', fields: ['buckets'], moved, record: found, settles: [] };
  storeFound(set, task, done, origin, atMs);
};

/**
 * Adds the values of an undo to the base of its side, and to nothing else. The other side keeps its values, and
 * the difference is settled.
 */
const applyUndone = (
  set: WorkingSet,
  operation: UpdateOperation | MembershipOperation,
  { pair, target, origin }: Found,
  found: ContactRecord,
  atMs: number,
): void => {
  const { side, before } = operation;
  const fields = fieldsOf(operation);
  const { join, leave } = shownMoves(operation.kind === 'membership' ? operation : NO_MOVES, found.groupIds);
  const halves = [target, ...(origin === null ? [] : [origin])];
  const contacts = [...halves.flatMap((half) => [half.base, half.record]), before, found].flatMap(
    (each) => each?.contact ?? [],
  );
  const held = onSides(side, allBut(new Set(scalarsOf(fields)), ...contacts), allBut(NO_FIELDS, ...contacts));
  const merge = foundMerge(pairWith(pair, side, { ...target, record: before }, origin), held);
  const task = foundTask(merge);
  const done: Done = { side, kind: operation.kind, fields, moved: [...join, ...leave], record: found };
  storeFound(set, task, done, origin, atMs);
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
  const brought = writtenValues(desired, found.contact, EMPTY_CONTACT);
  const moves = shownMoves({ join, leave: [] }, found.groupIds);
  const groupIds = movesAcross(side, moves, groupPairs).join.toSorted();
  const known = { ...source.record, contact: arrivedValues(EMPTY_CONTACT, desired, desired, brought), groupIds };
  const held = onSides(side, allBut(NO_FIELDS, brought, found.contact), []);
  const origin = { ...source, record: known, base: null };
  const pair = pairWith({ id: pairId, status: 'linked', left: null, right: null }, side, null, origin);
  const task = foundTask(foundMerge(pair, held));
  const done: Done = { side, kind: 'create', fields: [], moved: moves.join, record: found, brought, settles: [] };
  storeFound(set, task, done, source, atMs);
  return { applied: true, after: found, error: null };
};

/** Applies a contact that an undo restored. A contact without its other half gets a new pair. */
const applyRestored = (
  set: WorkingSet,
  operation: CreateOperation,
  image: ContactRecord,
  found: ContactRecord,
  { atMs }: Known,
): Outcome => {
  const { side, pairId, desired: contact } = operation;
  const pair = pairId === null ? null : set.pair(pairId);
  const half = pair?.[otherSide(side)] ?? null;
  const other = isPresent(half) ? half : null;
  const task = foundTask({
    kind: 'restore',
    side,
    image: { ...image, contact },
    pair: other === null ? null : pair,
    joins: [],
    standing: null,
  });
  storeFound(set, task, { side, kind: 'create', fields: [], moved: [], record: found }, other, atMs);
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
    : applyRestored(set, operation, operation.image, found, known);
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
  if (operation.kind === 'membership') {
    if (isWhole) applyMembership(set, operation, { pair, target, origin }, record, known);
    return isWhole;
  }
  if (extentOf(operation, record) === 'none') return false;
  if (isWhole) applyUpdate(set, operation, { pair, target, origin }, record, known.atMs);
  return true;
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
