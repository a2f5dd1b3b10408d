import type { SyncedField } from '../contact/contact.ts';
import { type Half, isAway, isDeleted } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, otherSide, type Side, SIDES } from '../contact/side.ts';
import { EMPTY_SNAPSHOT, equalSnapshots, type Snapshot } from '../contact/snapshot.ts';
import { newHalf } from '../state/half.ts';
import { storePair, unlinkPair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import type { Bases } from './settle.ts';
import { statusOf, storeWritten, type WrittenHalf } from './store-written.ts';
import { agreedOn, isOpenWith } from './task-halves.ts';
import {
  conflictsOf,
  currentRecord,
  isQuiet,
  pendingFields,
  plannedHalf,
  type Task,
  taskIds,
  taskPairId,
  wantedOn,
} from './task.ts';

/** Settles earlier conflicts about fields that were written later, except writes that restore the winning value. */
const endWrittenConflicts = (set: WorkingSet, task: Task, written: readonly SyncedField[], atMs: number): void => {
  const { leftId, rightId } = taskIds(task);
  if (leftId === null || rightId === null) return;
  const restored = task.decision.kind === 'merge' ? (task.decision.restored ?? []) : [];
  const standing = new Set([...conflictsOf(task).map((conflict) => conflict.field), ...restored]);
  const isSettled = (field: SyncedField): boolean =>
    !standing.has(field) && SIDES.every((side) => !pendingFields(task, side).has(field));
  const fields = written.filter(isSettled);
  if (fields.length > 0) set.add({ kind: 'end-conflicts', leftId, fields, atMs });
};

/** Returns the stored half of a task by the id in the task. */
const knownHalf = (set: WorkingSet, task: Task, side: Side): Half | null => {
  const id = currentRecord(task, side)?.id;
  return id === undefined ? null : set.half(side, id);
};

/** Returns the pair of a task. If the task pairs its halves in this run, it is the pair in which they were stored. */
export const pairIdOf = (set: WorkingSet, task: Task): number | null =>
  taskPairId(task) ?? knownHalf(set, task, 'left')?.pair ?? knownHalf(set, task, 'right')?.pair ?? null;

/** Returns the stored half of a task: by the id in the task, or by the id that the contact got in the meantime. */
const storedHalf = (set: WorkingSet, task: Task, side: Side): Half | null => {
  const known = knownHalf(set, task, side);
  const pairId = pairIdOf(set, task);
  if (known === null || known.pair !== null || !isDeleted(known) || pairId === null) return known;
  return set.pair(pairId)?.[side] ?? known;
};

/** Settles the halves of a pair whose differences the plan leaves on their side. */
const settleRest = (set: WorkingSet, task: Task): void => {
  for (const side of SIDES) {
    const half = storedHalf(set, task, side);
    if (half?.state !== 'changed' || half.base === null) continue;
    if (!isOpenWith(task, half, half.base)) set.put({ ...half, state: 'settled' });
  }
};

const unlinkIfQuiet = (set: WorkingSet, task: Task): void => {
  const stored = pairIdOf(set, task);
  const { decision } = task;
  if (stored !== null && decision.kind === 'merge' && decision.unlinks && isQuiet(task)) unlinkPair(set, stored);
};

/** Returns the half with what both sides agree on. A difference that the plan leaves on its side is settled. */
const withAgreed = (task: Task, half: Half, base: Snapshot): Half => {
  if (isAway(half)) return { ...half, base };
  return { ...half, base, state: isOpenWith(task, half, base) ? 'changed' : 'settled' };
};

/** Returns whether what both sides agree on differs from the stored bases, so that it must be stored before anything is written. */
export const hasNewAgreement = (task: Task): boolean =>
  SIDES.some((side) => {
    const half = plannedHalf(task, side);
    const agreed = agreedOn(task, side);
    return half !== null && agreed !== null && !equalSnapshots(agreed, half.base);
  });

/**
 * Stores what both sides of a merge agree on, before anything is written. If nothing is to be written, the pair is settled. The set
 * must contain both halves.
 */
export const storeAgreed = (set: WorkingSet, task: Task, atMs: number): void => {
  const halves = bySide((side): Half | null => {
    const [planned, base] = [plannedHalf(task, side), agreedOn(task, side)];
    if (planned === null || base === null) return null;
    const stored = storedHalf(set, task, side);
    if (stored === null) return withAgreed(task, newHalf(side, planned.record, atMs), base);
    return withAgreed(task, { ...stored, mergedInto: isAway(stored) ? stored.mergedInto : null }, base);
  });
  storePair(set, { pairId: taskPairId(task), status: statusOf(halves), halves, writtenSide: null });
  unlinkIfQuiet(set, task);
};

/** One operation of a task that was done on a side. */
type DoneOperation = Pick<WrittenHalf, 'record' | 'declinedGroups'> & {
  readonly side: Side;
  /** The fields that it wrote to an existing contact. Earlier conflicts about them have ended. */
  readonly fields: readonly SyncedField[];
  /** The fields whose difference from the other side it settles; left out if they are `fields`. */
  readonly settled?: ReadonlySet<SyncedField>;
  /** Returns both bases after the operation. */
  readonly settle: (bases: Bases, source: Half | null) => Bases;
};

/** Returns the half of a task that is not stored, as it was planned. */
const plannedAs = (task: Task, side: Side, atMs: number): Half | null => {
  const planned = plannedHalf(task, side);
  return planned === null ? null : { ...newHalf(side, planned.record, atMs), base: planned.base };
};

/**
 * Stores an operation of a task that was done: the written half with its current record, both bases, and the end of earlier
 * conflicts about the written fields. The set must contain both halves.
 */
export const storeDone = (set: WorkingSet, task: Task, done: DoneOperation, atMs: number): void => {
  const { side, record, fields, declinedGroups, settle, settled = new Set(fields) } = done;
  endWrittenConflicts(set, task, fields, atMs);
  const other = otherSide(side);
  const half = storedHalf(set, task, side) ?? newHalf(side, record, atMs);
  const written = { half, record, settled, wanted: wantedOn(task, side), declinedGroups };
  if (task.strayed.includes(other)) {
    const pairId = pairIdOf(set, task);
    const kept = pairId === null ? null : (set.pair(pairId)?.[other] ?? null);
    const bases = settle({ target: half.base ?? EMPTY_SNAPSHOT, source: EMPTY_SNAPSHOT }, null);
    storeWritten(set, taskPairId(task), written, { bases, other: null, stays: kept }, atMs);
  } else {
    const source = storedHalf(set, task, other) ?? plannedAs(task, other, atMs);
    const bases = settle({ target: half.base ?? EMPTY_SNAPSHOT, source: source?.base ?? EMPTY_SNAPSHOT }, source);
    storeWritten(set, taskPairId(task), written, { bases, other: source }, atMs);
    settleRest(set, task);
  }
  unlinkIfQuiet(set, task);
};

/** Stores the task's contacts as a pair that is merged like a first match: with empty bases, and open. */
export const storeFirstMeeting = (
  set: WorkingSet,
  task: Task,
  side: Side,
  created: ContactRecord,
  atMs: number,
): void => {
  const halves = bySide((each) => {
    const record = each === side ? created : currentRecord(task, each);
    if (record === null) return null;
    const stored = set.half(each, record.id) ?? newHalf(each, record, atMs);
    return { ...stored, record, base: EMPTY_SNAPSHOT, state: 'changed' as const, mergedInto: null };
  });
  storePair(set, { pairId: taskPairId(task), status: 'linked', halves, writtenSide: side });
};
