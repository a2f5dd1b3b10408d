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
import { type Half, stands } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import { contactsOf, type Snapshot, snapshotOf } from '../contact/snapshot.ts';
import type { Operation } from '../reconcile/operation.ts';
import {
  givenFields,
  operationsOn,
  plannedFields,
  type PlannedOperation,
  updateOn,
  withoutPlanned,
} from '../reconcile/planned.ts';
import { EMPTY_SNAPSHOT } from '../reconcile/settle.ts';

/** A half of a pair as the plan found it. */
export type PlannedHalf = Pick<Half, 'record'> & { readonly base: Snapshot };

/** An operation, or a part of one, that was done. */
export type Done = {
  readonly side: Side;
  /**
   * `declined`: the side does not accept the value; `merged`: the side merged another contact into this one; `observed`: the
   * contact was read in the meantime.
   */
  readonly kind: PlannedOperation['kind'] | 'declined' | 'merged' | 'observed';
  readonly fields: readonly SyncedField[];
  /** The side's ids of the groups that the contact joined and left. */
  readonly moved: readonly string[];
  /** The contact as the side returned it. */
  readonly record: ContactRecord;
  /**
   * The email addresses that both sides agree on after an address was added: a concurrent edit of its user is not among them.
   * Left out where all addresses of the record are agreed on.
   */
  readonly agreedEmails?: Contact['emailAddresses'];
  /** Of a write that a later read found: the values that it brought. Left out where the record is its answer. */
  readonly brought?: Contact;
  /** Of a write that a later read found: the fields whose difference from the other side is settled; else `fields`. */
  readonly settles?: readonly SyncedField[];
};

/** One pair in a run: what was decided for it, the operations that are left, and those that are done. */
export type Task = {
  /** After a crash, the decision that one journaled operation followed from, as far as the journal shows it. */
  readonly decision: Merge<Pair> | Creation | Restoration;
  /**
   * Of an operation that a read found, the contact that each side's base is compared with: a value that both hold, or both
   * lack, is agreed on. Null compares with none. Left out in a run: there it is the contact of the other side as planned.
   */
  readonly counterparts?: Sides<Contact | null>;
  /** The operations that are left. */
  operations: readonly PlannedOperation[];
  done: readonly Done[];
  /** Updates without an answer: nothing more is written to their contacts before a read. */
  unanswered: readonly Operation[];
  /** Sides whose contact turned out to belong to another pair: nothing of it is stored with this one. */
  strayed: readonly Side[];
  areConflictsStored: boolean;
};

/** The id of the pair; null for contacts that are paired by this task. */
export const taskPairId = ({ decision }: Task): number | null => decision.pair?.id ?? null;

/** The side on which the task creates a contact; null where it creates none. */
export const creationSide = ({ decision }: Task): Side | null => (decision.kind === 'merge' ? null : decision.side);

/** Whether the two halves are paired by this task. */
export const pairsAnew = ({ decision }: Task): boolean =>
  decision.kind === 'merge' && !isOfUndo(decision) && isNewPairing(decision);

/** Whether the pair was asleep before this task and is not afterwards. An undo wakes no pair. */
export const wakes = ({ decision }: Task): boolean =>
  decision.kind === 'merge' && !isOfUndo(decision) && decision.pair.status === 'asleep';

export const conflictsOf = ({ decision }: Task): readonly Conflict[] =>
  decision.kind === 'merge' ? decision.conflicts : [];

/** The fields in which a side gets a value that neither half holds. */
export const givenOn = ({ decision }: Task, side: Side): ReadonlySet<SyncedField> =>
  decision.kind === 'merge' ? givenFields(decision.writes, side) : new Set();

const halfIn = (decision: Task['decision'], side: Side): PlannedHalf | null => {
  if (decision.kind === 'create') {
    return side === decision.side ? null : { record: decision.source, base: EMPTY_SNAPSHOT };
  }
  if (decision.kind === 'restore' && side === decision.side) {
    const { standing } = decision;
    return standing && { record: standing, base: snapshotOf(standing) };
  }
  const half = decision.pair?.[side] ?? null;
  if (half === null || (decision.kind === 'restore' && !stands(half))) return null;
  return { record: half.record, base: half.base ?? EMPTY_SNAPSHOT };
};

/** The fields whose change on a side stays there. */
export const heldOn = ({ decision }: Task, side: Side): readonly SyncedField[] => {
  if (decision.kind === 'merge') return decision.held[side];
  if (side === decision.side) return [];
  if (decision.kind === 'create') return decision.held ?? [];
  // An undo propagates nothing: changes of the other half that are not synced yet are left for the next run.
  const half = halfIn(decision, side);
  return syncedIn(decision.image.contact, ...contactsOf(half?.record, half?.base));
};

/** Whether a later run must look at the pair, whatever is written. */
export const isDeferred = ({ decision }: Task): boolean => {
  if (decision.kind === 'merge') return decision.deferred;
  return decision.kind === 'restore' && halfIn(decision, otherSide(decision.side)) !== null;
};

/** The contact that a side is to hold; null where it is not written, or by an undo: then it may differ from the other side. */
export const wantedOn = ({ decision }: Task, side: Side): Contact | null => {
  if (isOfUndo(decision)) return null;
  if (decision.kind === 'merge') return updateOn(decision.writes, side)?.desired ?? null;
  return side === decision.side ? draftOf(decision) : null;
};

/** The fields that are still to be written to a side. */
export const pendingFields = ({ operations }: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(plannedFields(operations, side));

/** The email addresses that are still to be added to a side, each by a write of its own. */
export const sharedEmails = ({ operations }: Task, side: Side): Contact['emailAddresses'] =>
  operationsOn(operations, side, 'share').map(({ email }) => email);

const doneOn = ({ done }: Task, side: Side): readonly Done[] => done.filter((each) => each.side === side);

/** The fields that were written to an existing contact of a side, or that it declined. */
export const writtenFields = (task: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(doneOn(task, side).flatMap(({ fields }) => fields));

/** The side's ids of the groups that the contact joined and left in this run. */
export const movedGroups = (task: Task, side: Side): ReadonlySet<string> =>
  new Set(doneOn(task, side).flatMap(({ moved }) => moved));

/** Whether the contact of a side was written in this run: it counts once. */
export const wasWritten = (task: Task, side: Side): boolean =>
  doneOn(task, side).some(({ kind }) => kind !== 'declined' && kind !== 'merged' && kind !== 'observed');

/** Whether an update of the contact of a side has no answer: it may be another contact by now. */
export const isUnanswered = ({ unanswered }: Task, side: Side): boolean =>
  unanswered.some((operation) => operation.side === side);

/** The half of a side as the plan found it, or as it was created; null where it does not exist. */
export const plannedHalf = (task: Task, side: Side): PlannedHalf | null => {
  if (task.strayed.includes(side)) return null;
  const created = doneOn(task, side).find(({ kind }) => kind === 'create');
  if (created === undefined) return halfIn(task.decision, side);
  const { record, brought, moved } = created;
  const base = brought === undefined ? snapshotOf(record) : { contact: brought, groupIds: [...moved].toSorted() };
  return { base, record };
};

/** The contact of a side as it was last returned; null where it does not exist. */
export const currentRecord = (task: Task, side: Side): ContactRecord | null =>
  task.strayed.includes(side)
    ? null
    : (doneOn(task, side).at(-1)?.record ?? halfIn(task.decision, side)?.record ?? null);

/** The email addresses of a side that both sides agree on, where they are not those of its record. */
export const agreedEmails = (task: Task, side: Side): Contact['emailAddresses'] | null =>
  doneOn(task, side).findLast((each) => each.agreedEmails !== undefined)?.agreedEmails ?? null;

/** Whether a contact is still to be created on a side. */
export const isToBeCreated = (task: Task, side: Side): boolean =>
  creationSide(task) === side && currentRecord(task, side) === null;

/** Whether nothing is left to be written. */
export const isQuiet = (task: Task): boolean => SIDES.every((side) => pendingFields(task, side).size === 0);

/** The ids of the task's contacts; null where one does not exist. */
export const taskIds = (task: Task): PairIds => ({
  leftId: currentRecord(task, 'left')?.id ?? null,
  rightId: currentRecord(task, 'right')?.id ?? null,
});

/** Notes what was done; `shared` is the address of a `share` operation. The fields that it wrote are no longer pending. */
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

/** Notes that the memberships of a side need no more requests. */
export const endMoves = (task: Task, side: Side): void => {
  task.operations = withoutPlanned(task.operations, side, new Set<SyncedField>(['buckets']));
};

/** The task of a decision: nothing is done yet. */
export const taskOf = (decision: Task['decision']): Task => ({
  decision,
  operations: writesOf(decision),
  done: [],
  unanswered: [],
  strayed: [],
  areConflictsStored: false,
});
