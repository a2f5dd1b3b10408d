import { type Contact, fieldsIn, scalarsOf, type SyncedField, textIn, withValue } from '../contact/contact.ts';
import { type Half, isAway } from '../contact/half.ts';
import { withoutEmails } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { otherSide, type Side, SIDES } from '../contact/side.ts';
import { type Declined, equalSnapshots, type Snapshot, withDeclined } from '../contact/snapshot.ts';
import { isOfUndo } from '../reconcile/decision.ts';
import { settleDeclined } from '../reconcile/declined.ts';
import { settleBase } from '../reconcile/settle.ts';
import { newHalf } from '../state/half.ts';
import {
  agreedEmails,
  conflictsOf,
  creationSide,
  currentRecord,
  givenOn,
  heldOn,
  isDeferred,
  isQuiet,
  movedGroups,
  pendingFields,
  plannedHalf,
  type PlannedHalf,
  sharedEmails,
  type Task,
  taskPairId,
  wantedOn,
  writtenFields,
} from './task.ts';

/** Returns the fields that a person decides: both sides keep their value. */
const askedFields = (task: Task): readonly SyncedField[] =>
  conflictsOf(task)
    .filter(({ winner }) => winner === null)
    .map(({ field }) => field);

/** Returns whether a person decides any of its fields. */
export const isAsking = (task: Task): boolean => askedFields(task).length > 0;

/** Returns whether a change of that side stays there for another reason than a pending decision of a person. */
const hasHeld = (task: Task, side: Side): boolean => {
  const asked = askedFields(task);
  return heldOn(task, side).some((field) => !asked.includes(field));
};

/** Returns the base with the values that wait for a person's decision, as they were at the time of the plan. */
const withAsked = (task: Task, base: Snapshot, { contact }: ContactRecord): Snapshot => {
  const asked = scalarsOf(askedFields(task));
  const values = asked.reduce((known, field) => withValue(known, field, textIn(contact, field)), base.contact);
  return { ...base, contact: values };
};

/** Returns the values that the base of a half may take over: the other half's values, and the groups that both sides agree on. */
const agreedOn = (task: Task, side: Side) => {
  // A value that both lack is not agreed on if a side gets a value that neither half has.
  if (SIDES.some((each) => givenOn(task, each).size > 0)) return { other: null, agreedGroups: new Set<string>() };
  const groups = task.decision.kind === 'merge' ? task.decision.agreedGroups?.[side] : undefined;
  const counterpart = plannedHalf(task, otherSide(side))?.record.contact ?? null;
  return {
    other: task.counterparts === undefined ? counterpart : task.counterparts[side],
    agreedGroups: new Set(groups),
  };
};

/**
 * Returns the groups of a side whose membership a write did not change. For an undo or a read operation: all groups that it moved.
 */
const declinedGroups = (
  task: Task,
  { base, record: before }: PlannedHalf,
  moved: ReadonlySet<string>,
  record: ContactRecord,
): readonly string[] => {
  const isUnchanged = (id: string): boolean => before.groupIds.includes(id) === record.groupIds.includes(id);
  const former = (base.declined?.buckets ?? []).filter((id) => !moved.has(id));
  const isEach = isOfUndo(task.decision) || task.counterparts !== undefined;
  return [...former, ...[...moved].filter((id) => isEach || isUnchanged(id))];
};

/** Returns the differences from the other side that are settled after the responses so far (R2). */
const declinedBy = (task: Task, side: Side, half: PlannedHalf, record: ContactRecord): Declined => {
  const other = currentRecord(task, otherSide(side))?.contact;
  const settles = task.done.findLast((each) => each.side === side)?.settles;
  const written = settles === undefined ? writtenFields(task, side) : new Set(settles);
  const isCreated = creationSide(task) === side && settles === undefined;
  const isUntouched = !isCreated && written.size === 0 && half.base.declined === undefined;
  if (other === undefined || isUntouched) return {};
  const wanted = wantedOn(task, side) ?? other;
  const now = record.contact;
  return settleDeclined({
    former: half.base.declined,
    written: isCreated ? new Set<SyncedField>(fieldsIn(wanted, now)) : written,
    wanted,
    now,
    other,
    groups: declinedGroups(task, half, movedGroups(task, side), record),
  });
};

/**
 * Returns the base at the time of the plan, with the email addresses that were written to the other side: all except those that
 * are still to be added there.
 */
const baseWithArrived = (task: Task, side: Side, { base, record }: PlannedHalf): Snapshot => {
  const target = otherSide(side);
  const shared = sharedEmails(task, target);
  const hasWritten = task.done.some(
    (each) => each.side === target && (each.kind === 'create' || each.fields.includes('emailAddresses')),
  );
  if (shared.length === 0 || !hasWritten || heldOn(task, side).includes('emailAddresses')) return base;
  const { emailAddresses } = withoutEmails(record.contact, shared);
  return { ...base, contact: { ...base.contact, emailAddresses } };
};

/** Returns the values of a record that both sides agree on: those of a response, without concurrent edits. */
const agreedContact = (task: Task, side: Side, { contact }: ContactRecord): Contact => {
  const emailAddresses = agreedEmails(task, side);
  if (emailAddresses !== null) return { ...contact, emailAddresses };
  return task.done.findLast((each) => each.side === side)?.brought ?? contact;
};

/** Returns the base of a half after the responses so far, and whether the next plan must process it. */
const settledValue = (
  task: Task,
  side: Side,
  half: PlannedHalf,
  record: ContactRecord,
): { readonly base: Snapshot; readonly isOpen: boolean } => {
  const given = givenOn(task, side);
  const outstanding = new Set([
    ...pendingFields(task, otherSide(side)),
    ...heldOn(task, side),
    // A text of this side that the write replaces stays a change until then, whether it lost a conflict or a part of a name.
    ...scalarsOf(pendingFields(task, side)),
    ...given,
  ]);
  const settled = settleBase({
    base: baseWithArrived(task, side, half),
    before: half.record,
    now: { ...record, contact: agreedContact(task, side, record) },
    written: writtenFields(task, side).difference(given),
    moved: given.has('buckets') ? new Set() : movedGroups(task, side),
    outstanding,
    ...agreedOn(task, side),
  });
  const base = withDeclined(settled, declinedBy(task, side, half, record));
  // A given value is not part of the base, regardless of other held fields: the next plan copies it to the other side.
  const waits = isDeferred(task) || !isQuiet(task) || given.size > 0;
  const isSurprising = !hasHeld(task, side) && !equalSnapshots(withAsked(task, base, half.record), record);
  return { base, isOpen: waits || isSurprising };
};

/** Returns whether the store has a newer record of a half than the task. */
const isNewer = ({ state, record }: Half, current: ContactRecord): boolean => {
  if (state === 'settled' || record === current) return false;
  return JSON.stringify(record) !== JSON.stringify(current);
};

/** A half that was not written keeps what was observed in the meantime: a newer record, or that the contact is missing. */
const withObserved = (stored: Half, current: ContactRecord, next: Half): Half => {
  const { pair, base } = next;
  if (isAway(stored)) return { ...stored, pair, base };
  return isNewer(stored, current) ? { ...next, record: stored.record, state: 'changed' } : next;
};

/** Returns whether the last record of a side is the one that was stored before. */
const isObserved = ({ done }: Task, side: Side): boolean =>
  done.findLast((each) => each.side === side)?.kind === 'observed';

/** Returns a half of the task that replaces the stored half; null if the task has no such half. */
export const halfToStore = (
  task: Task,
  side: Side,
  stored: Half | null,
  { writtenSide, atMs }: { readonly writtenSide: Side | null; readonly atMs: number },
): Half | null => {
  const [half, record] = [plannedHalf(task, side), currentRecord(task, side)];
  if (half === null || record === null) return null;
  const { base, isOpen } = settledValue(task, side, half, record);
  const known = stored ?? newHalf(side, record, atMs);
  const next: Half = {
    ...known,
    pair: taskPairId(task),
    record,
    base,
    state: isOpen ? 'changed' : 'settled',
    mergedInto: null,
    heardAtMs: atMs,
  };
  if (writtenSide === side) return { ...next, writtenAtMs: atMs };
  // The other half was not read: storing it after a recovery does not change the time of its last observation.
  if (isObserved(task, side)) return { ...next, heardAtMs: known.heardAtMs };
  return stored === null ? next : withObserved(stored, record, next);
};
