import {
  type Conflict,
  type Creation,
  draftOf,
  isNewPairing,
  isOfUndo,
  type Merge,
  type Pair,
  type Restoration,
  writesOf,
  type PairIds,
} from '../reconcile/decision.ts';
import { type Contact, type SyncedField, syncedIn } from '../contact/contact.ts';
import type { LabelledValue } from '../contact/elements.ts';
import { type Half, isPresent } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, SIDES } from '../contact/side.ts';
import { contactsOf, EMPTY_SNAPSHOT, type Snapshot, snapshotOf } from '../contact/snapshot.ts';
import type { Operation } from '../reconcile/operation.ts';
import { operationsOn, plannedFields, type PlannedOperation, updateOn, withoutPlanned } from '../reconcile/planned.ts';

/** A half of a pair at the time of the plan. */
export type PlannedHalf = Pick<Half, 'record'> & { readonly base: Snapshot };

/** An operation, or a part of an operation, that was done. */
export type Done = {
  readonly side: Side;
  /** `merged`: the side merged another contact into this one. */
  readonly kind: PlannedOperation['kind'] | 'merged';
  readonly fields: readonly SyncedField[];
  /** The contact that the side returned. */
  readonly record: ContactRecord;
};

/** One pair in a run: its decision, its remaining operations, and those that are done. */
export type Task = {
  readonly decision: Merge<Pair> | Creation | Restoration;
  /** The remaining operations. */
  operations: readonly PlannedOperation[];
  done: readonly Done[];
  /** Updates without a response: their contacts are not written again before a read. */
  unanswered: readonly Operation[];
  /** Sides whose contact belongs to another pair: it is not stored with this pair. */
  strayed: readonly Side[];
};

/** Returns the id of the pair; null for contacts that this task pairs. */
export const taskPairId = ({ decision }: Task): number | null => decision.pair?.id ?? null;

/** Returns the side on which the task creates a contact, or null. */
export const creationSide = ({ decision }: Task): Side | null => (decision.kind === 'merge' ? null : decision.side);

/** Returns whether this task pairs the two halves. */
export const startsPairing = ({ decision }: Task): boolean =>
  decision.kind === 'merge' && !isOfUndo(decision) && isNewPairing(decision);

export const conflictsOf = ({ decision }: Task): readonly Conflict[] =>
  decision.kind === 'merge' ? decision.conflicts : [];

const halfIn = (decision: Task['decision'], side: Side): PlannedHalf | null => {
  if (decision.kind === 'create') {
    return side === decision.side ? null : { record: decision.source, base: EMPTY_SNAPSHOT };
  }
  if (decision.kind === 'restore' && side === decision.side) {
    const { standing } = decision;
    return standing && { record: standing, base: snapshotOf(standing) };
  }
  const half = decision.pair?.[side] ?? null;
  if (half === null || (decision.kind === 'restore' && !isPresent(half))) return null;
  return { record: half.record, base: half.base ?? EMPTY_SNAPSHOT };
};

/** Returns the fields whose change on a side stays there. */
export const heldOn = ({ decision }: Task, side: Side): readonly SyncedField[] => {
  if (decision.kind === 'merge') return decision.held[side];
  if (side === decision.side) return [];
  if (decision.kind === 'create') return decision.held ?? [];
  // An undo propagates nothing: changes of the other half that are not synced yet are left for the next run.
  const half = halfIn(decision, side);
  return syncedIn(decision.image.contact, ...contactsOf(half?.record, half?.base));
};

/** Returns whether a later run must process the pair, regardless of the writes. */
export const isDeferred = ({ decision }: Task): boolean => {
  if (decision.kind === 'merge') return decision.deferred;
  return decision.kind === 'restore' && halfIn(decision, otherSide(decision.side)) !== null;
};

/**
 * Returns the target contact of a side. Null if the side is not written, or is written by an undo: then it may
 * differ from the other side.
 */
export const wantedOn = ({ decision }: Task, side: Side): Contact | null => {
  if (isOfUndo(decision)) return null;
  if (decision.kind === 'merge') return updateOn(decision.writes, side)?.desired ?? null;
  return side === decision.side ? draftOf(decision) : null;
};

/** Returns the fields that are still to be written to a side. */
export const pendingFields = ({ operations }: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(plannedFields(operations, side));

/** Returns the email addresses that are still to be added to a side, each by a separate write. */
export const sharedEmails = ({ operations }: Task, side: Side): Contact['emailAddresses'] =>
  operationsOn(operations, side, 'share').map(({ email }) => email);

const doneOn = ({ done }: Task, side: Side): readonly Done[] => done.filter((each) => each.side === side);

/** Returns the fields that were written to an existing contact of a side. */
export const writtenFields = (task: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(doneOn(task, side).flatMap(({ fields }) => fields));

/** Returns whether the contact of a side was written in this run. Each contact counts once. */
export const wasWritten = (task: Task, side: Side): boolean => doneOn(task, side).some(({ kind }) => kind !== 'merged');

/** Returns whether an update of the contact of a side has no response. The contact may be another one now. */
export const isUnanswered = ({ unanswered }: Task, side: Side): boolean =>
  unanswered.some((operation) => operation.side === side);

/** Returns the half of a side at the time of the plan; null if it did not exist. */
export const plannedHalf = (task: Task, side: Side): PlannedHalf | null =>
  task.strayed.includes(side) ? null : halfIn(task.decision, side);

/** Returns the contact of a side as it was last returned; null if it does not exist. */
export const currentRecord = (task: Task, side: Side): ContactRecord | null =>
  task.strayed.includes(side)
    ? null
    : (doneOn(task, side).at(-1)?.record ?? halfIn(task.decision, side)?.record ?? null);

/** Returns whether a contact is still to be created on a side. */
export const isToBeCreated = (task: Task, side: Side): boolean =>
  creationSide(task) === side && currentRecord(task, side) === null;

/** Returns whether nothing is left to be written. */
export const isQuiet = (task: Task): boolean => SIDES.every((side) => pendingFields(task, side).size === 0);

/** Returns the ids of the task's contacts; null if one does not exist. */
export const taskIds = (task: Task): PairIds => ({
  leftId: currentRecord(task, 'left')?.id ?? null,
  rightId: currentRecord(task, 'right')?.id ?? null,
});

/** Records what was done; `shared` is the address of a `share` operation. The written fields are no longer pending. */
export const addDone = (task: Task, done: Done, shared: LabelledValue | null = null): void => {
  const { side, kind, fields } = done;
  const isOver = (operation: PlannedOperation): boolean => {
    if (operation.side !== side) return false;
    return operation.kind === 'share' ? operation.email === shared : operation.kind === 'create' && kind === 'create';
  };
  const written = shared === null ? fields.filter((field) => field !== 'buckets') : [];
  task.done = [...task.done, done];
  const left = task.operations.filter((operation) => !isOver(operation));
  task.operations = withoutPlanned(left, side, new Set(written));
};

/** Records that the memberships of a side need no more requests. */
export const endMoves = (task: Task, side: Side): void => {
  task.operations = withoutPlanned(task.operations, side, new Set<SyncedField>(['buckets']));
};

/** Returns the task of a decision, with nothing done yet. */
export const taskOf = (decision: Task['decision']): Task => ({
  decision,
  operations: writesOf(decision),
  done: [],
  unanswered: [],
  strayed: [],
});
