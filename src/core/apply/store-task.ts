import type { SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { isDeleted } from '../contact/half.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, type Side, SIDES } from '../contact/side.ts';
import { EMPTY_SNAPSHOT } from '../reconcile/settle.ts';
import { newHalf } from '../state/half.ts';
import { storePair, unlinkPair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { halfToStore } from './task-halves.ts';
import {
  conflictsOf,
  creationSide,
  currentRecord,
  isQuiet,
  pendingFields,
  type Task,
  taskIds,
  taskPairId,
  writtenFields,
} from './task.ts';

/** Settles earlier conflicts about fields that were written later, except writes that restore the winning value. */
const endWrittenConflicts = (set: WorkingSet, task: Task, writtenSide: Side | null, atMs: number): void => {
  const { leftId, rightId } = taskIds(task);
  if (leftId === null || rightId === null || writtenSide === null) return;
  const restored = task.decision.kind === 'merge' ? (task.decision.restored ?? []) : [];
  const standing = new Set([...conflictsOf(task).map((conflict) => conflict.field), ...restored]);
  const isSettled = (field: SyncedField): boolean =>
    !standing.has(field) && SIDES.every((side) => !pendingFields(task, side).has(field));
  const fields = [...writtenFields(task, writtenSide)].filter(isSettled);
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

/** Stores the pair of a task after an operation. The set must contain both halves. */
export const storeTask = (set: WorkingSet, task: Task, writtenSide: Side | null, atMs: number): void => {
  const pairId = pairIdOf(set, task);
  const kept = creationSide(task) === null && pairId !== null ? set.pair(pairId) : null;
  const halves = bySide((side) => {
    if (currentRecord(task, side) === null) return kept?.[side] ?? null;
    return halfToStore(task, side, storedHalf(set, task, side), { writtenSide, atMs });
  });
  const status = halves.left !== null && halves.right !== null ? 'linked' : 'kept';
  storePair(set, { pairId: taskPairId(task), status, halves, writtenSide });
  const stored = pairIdOf(set, task);
  const { decision } = task;
  if (stored !== null && decision.kind === 'merge' && decision.unlinks && isQuiet(task)) unlinkPair(set, stored);
};

/**
 * Stores the pair of a task after an operation, and settles conflicts about the written fields. The set must contain both halves.
 */
export const storeAnswered = (set: WorkingSet, task: Task, writtenSide: Side | null, atMs: number): void => {
  endWrittenConflicts(set, task, writtenSide, atMs);
  storeTask(set, task, writtenSide, atMs);
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
