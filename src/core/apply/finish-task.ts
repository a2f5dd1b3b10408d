import type { SyncedField } from '../contact/contact.ts';
import type { Half } from '../contact/half.ts';
import { SIDES, type Sides } from '../contact/side.ts';
import { unlinkPair } from '../state/pair.ts';
import type { WorkingSet } from '../state/working-set.ts';
import { isAsking, isSettledWith } from './store-agreed.ts';
import { localFieldsOn, type Task } from './task.ts';

const isUnlinking = (task: Task): boolean => task.kind === 'merge' && task.unlinks === true;

/** The fields of earlier conflicts that end when the task has written them. */
const endedBy = (task: Task): readonly SyncedField[] => (task.kind === 'merge' ? (task.ends ?? []) : []);

/** Returns whether something of the task is stored after its writes; see {@link finishTask}. */
export const hasEnding = (task: Task): boolean => {
  if (isUnlinking(task) || endedBy(task).length > 0) return true;
  return isAsking(task) || SIDES.some((side) => localFieldsOn(task, side).length > 0);
};

/** Settles a half whose differences the plan leaves on its side. */
const settleLocal = (set: WorkingSet, task: Task, half: Half): void => {
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
  task: Task,
  current: Sides<Half | null>,
  unwritten: ReadonlySet<SyncedField>,
  atMs: number,
): void => {
  const fields = endedBy(task).filter((field) => !unwritten.has(field));
  const halves = SIDES.flatMap((side) => current[side] ?? []);
  if (current.left !== null && fields.length > 0) {
    set.add({ kind: 'end-conflicts', leftId: current.left.id, fields, atMs });
  }
  if (unwritten.size > 0) return;
  for (const half of halves) settleLocal(set, task, half);
  const [pairId] = halves.flatMap(({ pair }) => pair ?? []);
  if (isUnlinking(task) && pairId !== undefined) unlinkPair(set, pairId);
};
