import type { Known } from '../../core/apply/outcome.ts';
import type { Task } from '../../core/apply/task.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import type { Half } from '../../core/contact/half.ts';
import { bySide, type Side } from '../../core/contact/side.ts';
import { type Decision, isCreatedOn, type PairIds, type Restoration } from '../../core/reconcile/decision.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import type { LinkState, Rejection } from '../../core/state/rows.ts';
import type { Session } from '../session.ts';
import { type Done, type Writing, stateOf, type TaskState } from './writes.ts';

/** The part of a plan that is executed: of a run, or of an undo. */
export type Executable = Pick<Plan, 'groups'> & {
  readonly decisions: readonly (Decision | Restoration)[];
  /** Unpaired contacts to store before anything is written. */
  readonly rest?: readonly Half[];
  /** The selection to store, with which the plan was made; absent if the plan does not include all contacts. */
  readonly selection?: LinkState['selection'];
};

/** The values with which the contacts of a plan are written, and what was done so far ({@link Writing.done}). */
export type Execution = Writing & {
  readonly session: Session;
  /** By side and key. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** The writes, by side and `refusalKey`, that a side failed at before, or of which it refused a field. */
  readonly failedBefore: ReadonlySet<string>;
};

/**
 * Returns both groups of each group pair, with those that the plan creates. The links of an undo are those of one side, so it uses the
 * stored pairs.
 */
export const groupPairsOf = ({ cause, groupIds, session }: Execution): Known['groupPairs'] =>
  cause === 'undo'
    ? session.state().groupPairs
    : [...groupIds.values()].map((ids) => bySide((side) => (ids[side] === null ? null : { id: ids[side] })));

/** Returns the state of a task's contact after fields of it were written as planned, or were not. */
export const afterWriteOf = (state: TaskState, fields: readonly SyncedField[], isWritten: boolean): TaskState => {
  const { unwritten } = state;
  const written = new Set(fields);
  return { ...state, unwritten: isWritten ? unwritten.difference(written) : unwritten.union(written) };
};

/** Returns the result for tasks with fields that are not written as planned. */
export const notWritten = (
  execution: Execution,
  side: Side,
  fields: ReadonlyMap<Task, readonly SyncedField[]>,
  again: boolean,
): Done => ({
  states: new Map([...fields].map(([task, some]) => [task, afterWriteOf(stateOf(execution, task, side), some, false)])),
  again,
});

/** Returns several results as one. A later state of a task replaces an earlier one. */
export const together = (results: readonly Done[]): Done => ({
  states: new Map(results.flatMap(({ states }) => [...states])),
  again: results.some(({ again }) => again),
});

/** Returns the execution after these results of writes on a side. */
export const withResults = (execution: Execution, side: Side, results: readonly Done[]): Execution => {
  if (results.every(({ states, again }) => states.size === 0 && !again)) return execution;
  const done = together([execution.done[side], ...results]);
  return { ...execution, done: { ...execution.done, [side]: done } };
};

/** Reports written fields that the side did not store (R2). */
export const reportNotTaken = (session: Session, ids: PairIds, side: Side, fields: readonly SyncedField[]): void => {
  if (fields.length > 0) session.emit({ kind: 'not-taken', side, fields, ...ids });
};

/** The decisions of a plan except deletions and unlinks. A merge may have no writes. */
export const tasksOf = ({ decisions }: Pick<Executable, 'decisions'>): readonly Task[] =>
  decisions.filter((decision) => decision.kind !== 'delete' && decision.kind !== 'unlink');

/** The tasks whose contact is to be created on that side. */
export const creationsOn = (tasks: readonly Task[], side: Side): readonly Task[] =>
  tasks.filter((task) => isCreatedOn(task, side));

/** The tasks with fields that are to be written to their contact on that side. */
export const updatesOn = (tasks: readonly Task[], side: Side): readonly Task[] =>
  tasks.filter(({ writes }) => writes[side].update !== null);

/** An email address that is added to a contact by a separate write. */
export type Sharing = { readonly task: Task; readonly email: LabelledValue };

/** The email addresses that are added on that side by separate writes, in rounds: at most one for each contact a round. */
export const sharingRounds = (tasks: readonly Task[], side: Side): readonly (readonly Sharing[])[] => {
  const sharings = tasks.flatMap((task) => task.writes[side].shares.map((email, round) => ({ task, email, round })));
  return [...Map.groupBy(sharings, ({ round }) => round).values()];
};
