import {
  type Conflict,
  type Creation,
  isNewPairing,
  isOfUndo,
  type Merge,
  type Pair,
  type Restoration,
} from '../reconcile/decision.ts';
import { type Contact, type SyncedField, syncedIn } from '../contact/contact.ts';
import { type Half, isPresent } from '../contact/half.ts';
import { otherSide, type Side, SIDES } from '../contact/side.ts';
import { contactsOf, EMPTY_SNAPSHOT, type Snapshot, snapshotOf } from '../contact/snapshot.ts';
import { operationsOn, plannedFields } from '../reconcile/planned.ts';

/** A half of a pair at the time of the plan. */
type PlannedHalf = Pick<Half, 'id' | 'record'> & { readonly base: Snapshot };

/** A decision that may write to the contacts of one pair. It has them as they were planned; the current ones are in the store. */
export type Task = Merge<Pair> | Creation | Restoration;

/** Returns the id of the pair; null for contacts that this task pairs. */
export const taskPairId = ({ pair }: Task): number | null => pair?.id ?? null;

/** Returns whether the task creates a contact on the side. */
export const isCreatedOn = ({ writes }: Task, side: Side): boolean => operationsOn(writes, side, 'create').length > 0;

/** Returns whether this task pairs the two halves. */
export const startsPairing = (task: Task): boolean => task.kind === 'merge' && !isOfUndo(task) && isNewPairing(task);

export const conflictsOf = (task: Task): readonly Conflict[] => (task.kind === 'merge' ? task.conflicts : []);

/** Returns the half of a side at the time of the plan; null if it did not exist. */
export const plannedHalf = (task: Task, side: Side): PlannedHalf | null => {
  if (task.kind === 'create') {
    const { source } = task;
    return side === task.side ? null : { id: source.id, record: source, base: EMPTY_SNAPSHOT };
  }
  if (task.kind === 'restore' && side === task.side) {
    const { existing } = task;
    return existing && { id: existing.id, record: existing, base: snapshotOf(existing) };
  }
  const half = task.pair?.[side] ?? null;
  if (half === null || (task.kind === 'restore' && !isPresent(half))) return null;
  return { id: half.id, record: half.record, base: half.base ?? EMPTY_SNAPSHOT };
};

/** Returns the fields whose change on a side stays there. */
export const localFieldsOn = (task: Task, side: Side): readonly SyncedField[] => {
  if (task.kind === 'merge') return task.localFields[side];
  if (side === task.side) return [];
  if (task.kind === 'create') return task.localFields ?? [];
  // An undo propagates nothing: changes of the other half that are not synced yet are left for the next run.
  const half = plannedHalf(task, side);
  return syncedIn(task.image.contact, ...contactsOf(half?.record, half?.base));
};

/** Returns whether a later run must process the pair, regardless of the writes. */
export const isDeferred = (task: Task): boolean =>
  task.kind === 'merge' ? task.deferred : task.kind === 'restore' && plannedHalf(task, otherSide(task.side)) !== null;

/** Returns the fields that the task writes to the existing contact of a side. */
export const fieldsOn = ({ writes }: Task, side: Side): ReadonlySet<SyncedField> =>
  new Set(plannedFields(writes, side));

/** Returns the email addresses that the task adds to a side, each by a separate write. */
export const sharedEmails = ({ writes }: Task, side: Side): Contact['emailAddresses'] =>
  operationsOn(writes, side, 'share').map(({ email }) => email);

/** Returns whether the task writes nothing to an existing contact. */
export const isQuiet = (task: Task): boolean => SIDES.every((side) => fieldsOn(task, side).size === 0);
