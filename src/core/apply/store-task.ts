import { withValuesOf } from '../contact/chosen.ts';
import {
  listsIn,
  type ScalarField,
  scalarsIn,
  scalarsOf,
  type SyncedField,
  textIn,
  withValue,
  EMPTY_CONTACT,
} from '../contact/contact.ts';
import { type Half, isAway } from '../contact/half.ts';
import { bySide, otherSide, type Side, SIDES, type Sides } from '../contact/side.ts';
import { EMPTY_SNAPSHOT, equalSnapshots, type Snapshot } from '../contact/snapshot.ts';
import type { Merge, Restoration } from '../reconcile/decision.ts';
import { aliasLeftovers, mayBeStored } from '../reconcile/similar.ts';
import { withoutPastDifferences, withSettledDifferences } from '../reconcile/declined.ts';
import { newHalf } from '../state/half-transitions.ts';
import { storePair, unlinkPair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { settleGroups } from './settle.ts';
import { fieldsOn, updatesNothing, plannedRecord, type Task, taskPairId } from './task.ts';
import { keyListsIn, withKeyed } from '../contact/lists.ts';

// Rows that a task stores around its writes: before them the values that both sides agree on, after them those that stay on a side.

/** A task of a sync. An undo settles no difference: the next run decides about changes of either side that are not synced yet. */
type SyncTask = Exclude<Task, Restoration>;

/** Returns the fields whose change on a side stays there. */
const localFieldsOn = (task: SyncTask, side: Side): readonly SyncedField[] => {
  if (task.kind === 'merge') return task.localFields[side];
  return side === task.side ? [] : (task.localFields ?? []);
};

/** Returns the base and the record of a half. Without a base, nothing was agreed on before. */
const versionsOf = ({ base, record }: Half) => ({ base: base ?? EMPTY_SNAPSHOT, record });

type Versions = ReturnType<typeof versionsOf>;

/**
 * Returns the base of a half with everything that both sides agree on when the plan is made. A change that is still to be written
 * stays out of it: after a crash it is found again (R5). Of a list that is still to be written, elements that both sides have,
 * or both lack, are agreed on: otherwise only one base would contain them, and their later removal would be lost. Pure.
 *
 * `outstanding`: fields that are still to be written to either side, or whose change stays on this side. `agreedGroups`: group ids of
 * this side in which both contacts are members, or neither, although a base differs.
 */
export const agreedBase = (
  { base, record }: Versions,
  other: Versions,
  outstanding: ReadonlySet<SyncedField>,
  agreedGroups: readonly string[],
): Snapshot => {
  let { contact } = record;
  for (const field of scalarsIn(base.contact, contact)) {
    if (outstanding.has(field)) contact = withValue(contact, field, textIn(base.contact, field));
  }
  for (const field of listsIn(base.contact, contact)) {
    if (!outstanding.has(field)) continue;
    const versions = {
      left: record.contact,
      leftBase: base.contact,
      right: other.record.contact,
      rightBase: other.base.contact,
    };
    // An element that one side stores in another form is one element, as in the merge.
    const { left: own, leftBase: ownBase, right } = aliasLeftovers(keyListsIn(field, versions));
    const isAgreed = (key: string): boolean => own.has(key) === right.has(key);
    const elements = new Map([...ownBase, ...[...own].filter(([key]) => !ownBase.has(key))]);
    const kept = [...elements].filter(([key]) => (isAgreed(key) ? own : ownBase).has(key));
    contact = withKeyed(contact, field, kept);
  }
  const grouped = outstanding.has('buckets') ? base : { ...base, groupIds: record.groupIds };
  return { ...settleGroups(grouped, agreedGroups, record.groupIds), contact };
};

/** Returns the fields that a person decides: both sides keep their value. */
const askedFields = (task: SyncTask): readonly SyncedField[] =>
  task.kind === 'merge' ? task.conflicts.flatMap(({ field, winner }) => (winner === null ? [field] : [])) : [];

/** Returns whether a person decides any of its fields. */
export const isAsking = (task: SyncTask): boolean => askedFields(task).length > 0;

/** Returns the base of a half with what both sides agree on before anything is written. */
const agreedOn = (task: Merge, side: Side): Snapshot => {
  const [half, other] = [versionsOf(task.pair[side]), versionsOf(task.pair[otherSide(side)])];
  const outstanding = new Set([
    ...fieldsOn(task, otherSide(side)),
    ...localFieldsOn(task, side),
    // A value of this side that the write replaces stays a change until then, whether it lost a conflict or a part of a name.
    ...fieldsOn(task, side),
  ]);
  const base = agreedBase(half, other, outstanding, task.agreedGroups?.[side] ?? []);
  return withoutPastDifferences(base, half.record.contact, other.record.contact);
};

/** Returns the base with the planned values of fields whose difference stays on the side. */
const withLocalFields = (task: SyncTask, side: Side, base: Snapshot): Snapshot => {
  const planned = plannedRecord(task, side);
  const localFields = [...localFieldsOn(task, side), ...askedFields(task)];
  if (planned === null || localFields.length === 0) return base;
  const contact = withValuesOf(base.contact, planned.contact, localFields);
  return { contact, groupIds: localFields.includes('buckets') ? planned.groupIds : base.groupIds };
};

/** Returns whether a half with this base differs from it only in what the plan leaves on its side. */
const isSettledWith = (task: SyncTask, { side, record }: Half, base: Snapshot): boolean =>
  !(task.kind === 'merge' && task.deferred) && equalSnapshots(withLocalFields(task, side, base), record);

/** Returns the half with what both sides agree on. A difference that the plan leaves on its side is settled. */
const withAgreed = (task: Merge, half: Half, base: Snapshot): Half => {
  if (isAway(half)) return { ...half, base };
  return { ...half, base, state: updatesNothing(task) && isSettledWith(task, half, base) ? 'settled' : 'changed' };
};

/** Returns whether what both sides agree on differs from the stored bases, so that it must be stored before anything is written. */
export const hasNewAgreement = (task: Merge): boolean =>
  SIDES.some((side) => !equalSnapshots(agreedOn(task, side), versionsOf(task.pair[side]).base));

/**
 * Stores what both sides of a merge agree on, before anything is written. If nothing is to be written, the pair is settled. The set
 * must contain both halves.
 */
export const storeAgreed = (set: WorkingSet, task: Merge, atMs: number): void => {
  const halves = bySide((side): Half => {
    const { id, record } = task.pair[side];
    const base = agreedOn(task, side);
    const stored = set.half(side, id);
    if (stored === null) return withAgreed(task, newHalf(side, record, atMs), base);
    return withAgreed(task, { ...stored, mergedInto: isAway(stored) ? stored.mergedInto : null }, base);
  });
  storePair(set, { pairId: taskPairId(task), status: 'linked', halves, writtenSide: null });
};

/** Returns whether the pair is unlinked after the writes of the task (R18). */
export const isUnlinking = (task: Task): boolean => task.kind === 'merge' && task.unlinks === true;

/** The earlier conflicts that end when the task has written their fields. */
const endedBy = (task: SyncTask): NonNullable<Merge['ends']> => (task.kind === 'merge' ? (task.ends ?? []) : []);

/** Returns the text that a task writes to a field; null if it writes none. */
const writtenText = ({ writes }: Task, field: ScalarField): string | null => {
  const update = SIDES.map((side) => writes[side].update).find((each) => each?.fields.includes(field));
  return update ? textIn(update.desired, field) : null;
};

/** The texts that a user chose and that the task writes to both contacts, or to one if the other has a form of it (R4). */
const textsOfBoth = (task: SyncTask): readonly ScalarField[] => {
  const taken = task.kind === 'merge' ? (task.taken ?? []).map(({ field }) => field) : [];
  return scalarsOf(taken).filter((field) => {
    const value = writtenText(task, field);
    const hasForm = (side: Side): boolean =>
      value !== null && mayBeStored(textIn(plannedRecord(task, side)?.contact ?? EMPTY_CONTACT, field), value);
    return value !== null && SIDES.every((side) => fieldsOn(task, side).has(field) || hasForm(side));
  });
};

/** Returns whether something of the task is stored after its writes; see {@link finishTask}. */
export const hasEnding = (task: SyncTask): boolean => {
  if (isUnlinking(task) || endedBy(task).length > 0 || textsOfBoth(task).length > 0) return true;
  return isAsking(task) || SIDES.some((side) => localFieldsOn(task, side).length > 0);
};

/**
 * Returns a half that agrees with the other one on texts that a user chose. Each answer left them out of the bases, because the other
 * contact lacked them. A side may store another form of them (R2).
 */
const withTextsOfBoth = (task: SyncTask, half: Half, other: Half, fields: readonly ScalarField[]): Half => {
  const { base, record } = half;
  if (base === null || fields.length === 0) return half;
  const contact = fields.reduce((own, field) => withValue(own, field, textIn(record.contact, field)), base.contact);
  const wanted = fields.reduce((own, field) => withValue(own, field, writtenText(task, field) ?? ''), record.contact);
  const differences = { written: new Set(fields), wanted, now: record.contact };
  const groups = base.declined?.buckets ?? [];
  return {
    ...half,
    base: withSettledDifferences({ ...base, contact }, { ...differences, other: other.record.contact, groups }),
  };
};

/** Settles a half whose differences the plan leaves on its side. */
const settleLocal = (set: WorkingSet, task: SyncTask, half: Half): void => {
  if (half.state !== 'changed' || half.base === null) return;
  if (isSettledWith(task, half, half.base)) set.put({ ...half, state: 'settled' });
};

/**
 * Stores the end of a task after its writes: earlier conflicts about written fields have ended. If everything was written, differences
 * that the plan leaves on their side are settled, and a pair that no side selects is unlinked (R18). `current` are the contacts that
 * exist.
 */
export const finishTask = (
  set: WorkingSet,
  task: SyncTask,
  current: Sides<Half | null>,
  unwritten: ReadonlySet<SyncedField>,
  atMs: number,
): void => {
  const ended = endedBy(task).filter(({ field }) => !unwritten.has(field));
  for (const { leftId, field } of ended) set.add({ kind: 'end-conflicts', leftId, fields: [field], atMs });
  const texts = textsOfBoth(task).filter((field) => !unwritten.has(field));
  const halves = SIDES.flatMap((side): readonly Half[] => {
    const [half, other] = [current[side], current[otherSide(side)]];
    if (half === null) return [];
    return [other === null ? half : withTextsOfBoth(task, half, other, texts)];
  });
  if (texts.length > 0) for (const half of halves) set.put(half);
  if (unwritten.size > 0) return;
  for (const half of halves) settleLocal(set, task, half);
  const [pairId] = halves.flatMap(({ pair }) => pair ?? []);
  if (isUnlinking(task) && pairId !== undefined) unlinkPair(set, pairId);
};
