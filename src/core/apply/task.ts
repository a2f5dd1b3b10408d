import {
  type Conflict,
  type Creation,
  isNewPairing,
  isOfUndo,
  type Merge,
  type Pair,
  type Restoration,
  writesOf,
} from '../reconcile/decision.ts';
import { type Contact, type SyncedField, syncedIn } from '../contact/contact.ts';
import { type Half, isPresent } from '../contact/half.ts';
import { otherSide, type Side, SIDES } from '../contact/side.ts';
import { contactsOf, EMPTY_SNAPSHOT, type Snapshot, snapshotOf } from '../contact/snapshot.ts';
import { operationsOn, plannedFields, type PlannedOperation } from '../reconcile/planned.ts';

/** A half of a pair at the time of the plan. */
type PlannedHalf = Pick<Half, 'id' | 'record'> & { readonly base: Snapshot };

/** One pair in a run: its decision, and the operations that follow from it. The current contacts are those in the store. */
export type Task = {
  readonly decision: Merge<Pair> | Creation | Restoration;
  readonly operations: readonly PlannedOperation[];
};

/** Returns the task of a decision. */
export const taskOf = (decision: Task['decision']): Task => ({ decision, operations: writesOf(decision) });

/** Returns the id of the pair; null for contacts that this task pairs. */
export const taskPairId = ({ decision }: Task): number | null => decision.pair?.id ?? null;

/** Returns whether the task creates a contact on the side. */
export const isCreatedOn = ({ operations }: Task, side: Side): boolean =>
  operationsOn(operations, side, 'create').length > 0;

/** Returns whether this task pairs the two halves. */
export const startsPairing = ({ decision }: Task): boolean =>
  decision.kind === 'merge' && !isOfUndo(decision) && isNewPairing(decision);

export const conflictsOf = ({ decision }: Task): readonly Conflict[] =>
  decision.kind === 'merge' ? decision.conflicts : [];

/** Returns the half of a side at the time of the plan; null if it did not exist. */
export const plannedHalf = ({ decision }: Task, side: Side): PlannedHalf | null => {
  if (decision.kind === 'create') {
    const { source } = decision;
    return side === decision.side ? null : { id: source.id, record: source, base: EMPTY_SNAPSHOT };
  }
  if (decision.kind === 'restore' && side === decision.side) {
    const { existing } = decision;
    return existing && { id: existing.id, record: existing, base: snapshotOf(existing) };
  }
  const half = decision.pair?.[side] ?? null;
  if (half === null || (decision.kind === 'restore' && !isPresent(half))) return null;
  return { id: half.id, record: half.record, base: half.base ?? EMPTY_SNAPSHOT };
};

/** Returns the fields whose change on a side stays there. */
export const localFieldsOn = (task: Task, side: Side): readonly SyncedField[] => {
  const { decision } = task;
  if (decision.kind === 'merge') return decision.localFields[side];
  if (side === decision.side) return [];
  if (decision.kind === 'create') return decision.localFields ?? [];
  // An undo propagates nothing: changes of the other half that are not synced yet are left for the next run.
  const half = plannedHalf(task, side);
  return syncedIn(decision.image.contact, ...contactsOf(half?.record, half?.base));
};

/** Returns whether a later run must process the pair, regardless of the writes. */
export const isDeferred = (task: Task): boolean => {
  const { decision } = task;
  if (decision.kind === 'merge') return decision.deferred;
  return decision.kind === 'restore' && plannedHalf(task, otherSide(decision.side)) !== null;
};

/** Returns the fields that the task writes to the existing contact of a side. */
export const fieldsOn = ({ operations }: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(plannedFields(operations, side));

/** Returns the email addresses that the task adds to a side, each by a separate write. */
export const sharedEmails = ({ operations }: Task, side: Side): Contact['emailAddresses'] =>
  operationsOn(operations, side, 'share').map(({ email }) => email);

/** Returns whether the task writes nothing to an existing contact. */
export const isQuiet = (task: Task): boolean => SIDES.every((side) => fieldsOn(task, side).size === 0);
