import type { Task, Write } from '../../core/apply/task.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { Side, Sides } from '../../core/contact/side.ts';
import { fieldsOf } from '../../core/reconcile/operation.ts';

/** The result of a write, or of planned fields that are not sent. */
export type Result =
  /** `id` is that of the contact after the write; null for a deleted contact. */
  | { readonly kind: 'done'; readonly write: Write; readonly id: string | null }
  /** The side answered, but has not written: the contact existed already, or was gone. `remains`: a merged contact still exists. */
  | { readonly kind: 'not-done'; readonly write: Write; readonly remains: boolean }
  /** `isStored`: the refusal is stored and reported. Otherwise the caller decides what is tried next (`split-refused.ts`). */
  | { readonly kind: 'refused'; readonly write: Write; readonly reason: string; readonly isStored: boolean }
  /** There is no usable answer: a second pass reads the contact. */
  | { readonly kind: 'unanswered'; readonly write: Write }
  /** `task` is null for a deletion. `again`: the contact must be planned again before the run ends. */
  | {
      readonly kind: 'skipped';
      readonly task: Task | null;
      readonly fields: readonly SyncedField[];
      readonly again: boolean;
    };

/** The state of the contact of a task on one side, while its plan is executed. */
type TaskState = {
  /** The id of the contact; null before its first write. */
  readonly writtenId: string | null;
  /** True if a write has no usable answer: the contact is not written again before a read. */
  readonly isUnanswered: boolean;
  /** The fields that were not written as planned. */
  readonly unwritten: ReadonlySet<SyncedField>;
};

const UNTOUCHED: TaskState = { writtenId: null, isUnanswered: false, unwritten: new Set() };

/** The results so far on one side. */
export type SideResults = {
  /** By task; only tasks with a result. */
  readonly states: ReadonlyMap<Task, TaskState>;
  /** Whether a second pass is needed. */
  readonly again: boolean;
};

export const NO_RESULTS: SideResults = { states: new Map(), again: false };

export type HasResults = { readonly results: Sides<SideResults> };

/** Returns the state of the task's contact of a side. */
export const stateOf = ({ results }: HasResults, task: Task, side: Side): TaskState =>
  results[side].states.get(task) ?? UNTOUCHED;

/** Returns whether the contact must be planned again before the run ends. */
export const isAgain = (result: Result): boolean => {
  switch (result.kind) {
    case 'done':
      return result.write.kind === 'merge-away';
    case 'not-done':
      return result.write.kind !== 'delete';
    case 'refused':
      return false;
    case 'unanswered':
      return true;
    case 'skipped':
      return result.again;
  }
};

const taskOf = (result: Result): Task | null => {
  if (result.kind === 'skipped') return result.task;
  return 'task' in result.write ? result.write.task : null;
};

const afterResult = (before: TaskState, result: Result): TaskState => {
  const { unwritten } = before;
  const fields = new Set(result.kind === 'skipped' ? result.fields : fieldsOf(result.write.operation));
  switch (result.kind) {
    case 'done':
      return { ...before, unwritten: unwritten.difference(fields), writtenId: before.writtenId ?? result.id };
    case 'not-done':
      return { ...before, unwritten: unwritten.difference(fields) };
    case 'refused':
    case 'skipped':
      return { ...before, unwritten: unwritten.union(fields) };
    case 'unanswered':
      return {
        ...before,
        unwritten: unwritten.union(fields),
        isUnanswered: before.isUnanswered || result.write.kind === 'update',
      };
  }
};

/** Returns the same with further results of a side. */
export const withResults = <T extends HasResults>(execution: T, side: Side, further: readonly Result[]): T => {
  if (further.length === 0) return execution;
  const states = new Map(execution.results[side].states);
  for (const result of further) {
    const task = taskOf(result);
    if (task !== null) states.set(task, afterResult(states.get(task) ?? UNTOUCHED, result));
  }
  const again = execution.results[side].again || further.some(isAgain);
  return { ...execution, results: { ...execution.results, [side]: { states, again } } };
};
