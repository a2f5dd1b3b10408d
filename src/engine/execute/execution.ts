import type { GroupHalves } from '../../core/apply/outcome.ts';
import { type GroupIds, plannedRecord, type Task, taskPairId } from '../../core/apply/task.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import { type Half, isPresent } from '../../core/contact/half.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import type { PairIds } from '../../core/contact/pair.ts';
import { type Decision, isCreatedOn, type Restoration } from '../../core/reconcile/decision.ts';
import type { Operation } from '../../core/reconcile/operation.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import type { LinkState, Rejection } from '../../core/state/rows.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import type { Session } from '../session.ts';
import { type HasResults, type SideResults, stateOf } from './results.ts';

/** The values from which the operations of a plan are made. */
export type Writing = {
  readonly groupIds: GroupIds;
  /** The names of both accounts in the origin ids that are written to the other side (R9). */
  readonly scopes: Sides<string>;
  readonly cause: Operation['cause'];
  /** The fields that the link has just started to sync; empty in an undo, which restores former edits. */
  readonly joining: ReadonlySet<SyncedField>;
  /** The results so far. */
  readonly results: Sides<SideResults>;
};

/** The id of the task's contact on a side; null if it does not exist. */
const currentId = (writing: HasResults, task: Task, side: Side): string | null =>
  stateOf(writing, task, side).writtenId ?? plannedRecord(task, side)?.id ?? null;

/** The ids of the tasks' contacts on both sides, and their pairs, for the writer. */
export const needsOf = (writing: HasResults, tasks: readonly Task[]) => ({
  ids: bySide((side) => tasks.flatMap((task) => currentId(writing, task, side) ?? [])),
  pairs: tasks.flatMap((task) => taskPairId(task) ?? []),
});

/** Returns the stored half of a task's contact; null if the contact does not exist. The set must contain the task's contacts. */
export const currentHalf = (writing: HasResults, set: WorkingSet, task: Task, side: Side): Half | null => {
  const id = currentId(writing, task, side);
  const half = id === null ? null : set.half(side, id);
  return isPresent(half) ? half : null;
};

/** Returns the current ids of a task's contacts and of its pair: null for a pair that the task makes. */
export const addressOf = (writing: Writing, task: Task): PairIds & { readonly pairId: number | null } => ({
  leftId: currentId(writing, task, 'left'),
  rightId: currentId(writing, task, 'right'),
  pairId: taskPairId(task),
});

/** The part of a plan that is executed: of a run, or of an undo. */
export type Executable = Pick<Plan, 'groups'> & {
  readonly decisions: readonly (Decision | Restoration)[];
  /** Unpaired contacts to store before anything is written. */
  readonly rest?: readonly Half[];
  /** The selection to store, with which the plan was made; absent if the plan does not include all contacts. */
  readonly selection?: LinkState['selection'];
};

/** The values with which the contacts of a plan are written, and what was done so far ({@link Writing.results}). */
export type Execution = Writing & {
  readonly session: Session;
  /** By side and key. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /**
   * The writes, by side and `refusalKey`, that a side failed at before, or of which it refused a field. Empty in an undo, whose failures
   * are not stored.
   */
  readonly failedBefore: ReadonlySet<string>;
};

/**
 * Returns both groups of each group pair, with those that the plan creates. The links of an undo are those of one side, so it uses the
 * stored pairs.
 */
export const groupPairsOf = ({ cause, groupIds, session }: Execution): GroupHalves =>
  cause === 'undo'
    ? session.state().groupPairs
    : [...groupIds.values()].map((ids) => bySide((side) => (ids[side] === null ? null : { id: ids[side] })));

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
