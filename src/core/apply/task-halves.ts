import { contactFieldsOf } from '../contact/chosen.ts';
import { type SyncedField, valueIn, withValue } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { equalSnapshots, type Snapshot } from '../contact/snapshot.ts';
import { agreedBase } from '../reconcile/agreed.ts';
import { isOfUndo } from '../reconcile/decision.ts';
import { withoutPastDifferences } from '../reconcile/declined.ts';
import { conflictsOf, heldOn, isDeferred, isQuiet, pendingFields, plannedHalf, type Task } from './task.ts';

/** Returns the fields that a person decides: both sides keep their value. */
const askedFields = (task: Task): readonly SyncedField[] =>
  conflictsOf(task)
    .filter(({ winner }) => winner === null)
    .map(({ field }) => field);

/** Returns whether a person decides any of its fields. */
export const isAsking = (task: Task): boolean => askedFields(task).length > 0;

/**
 * Returns the base of a half with what both sides agree on before anything is written; null if the task does not merge two halves:
 * nothing is agreed on then.
 */
export const agreedOn = (task: Task, side: Side): Snapshot | null => {
  const { decision } = task;
  const half = plannedHalf(task, side);
  if (decision.kind !== 'merge' || half === null) return null;
  if (isOfUndo(decision)) return half.base;
  const other = plannedHalf(task, otherSide(side))?.record.contact;
  if (other === undefined) return null;
  const outstanding = new Set([
    ...pendingFields(task, otherSide(side)),
    ...heldOn(task, side),
    // A value of this side that the write replaces stays a change until then, whether it lost a conflict or a part of a name.
    ...pendingFields(task, side),
  ]);
  const base = agreedBase({
    base: half.base,
    record: half.record,
    other,
    outstanding,
    agreedGroups: new Set(decision.agreedGroups?.[side]),
  });
  return withoutPastDifferences(base, half.record.contact, other);
};

/** Returns the base with the planned values of fields whose difference stays on the side. */
const withHeld = (task: Task, side: Side, base: Snapshot): Snapshot => {
  const planned = plannedHalf(task, side)?.record;
  const held = [...heldOn(task, side), ...askedFields(task)];
  if (planned === undefined || held.length === 0) return base;
  const contact = contactFieldsOf(held).reduce(
    (own, field) => withValue(own, field, valueIn(planned.contact, field)),
    base.contact,
  );
  return { contact, groupIds: held.includes('buckets') ? planned.groupIds : base.groupIds };
};

/** Returns whether the next plan must process a half with this base: something differs that the plan did not leave on its side. */
export const isOpenWith = (task: Task, { side, record }: Half, base: Snapshot): boolean =>
  isDeferred(task) || !isQuiet(task) || !equalSnapshots(withHeld(task, side, base), record);
