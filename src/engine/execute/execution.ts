import { isCreatedOn, sharedEmails, type Task } from '../../core/apply/task.ts';
import type { CreateWrite, GroupIds, UpdateWrite } from '../../core/apply/write.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import type { Half } from '../../core/contact/half.ts';
import type { Side, Sides } from '../../core/contact/side.ts';
import type { Decision, PairIds, Restoration } from '../../core/reconcile/decision.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { updateOn } from '../../core/reconcile/planned.ts';
import type { LinkState, Rejection } from '../../core/state/rows.ts';
import { type Session, writtenContacts } from '../context.ts';
import type { Pass, TaskState } from './writes.ts';

/** The part of a plan that is executed: of a run, or of an undo. */
export type Executable = Pick<Plan, 'groups'> & {
  readonly decisions: readonly (Decision | Restoration)[];
  /** Unpaired contacts to store before anything is written. */
  readonly rest?: readonly Half[];
  /** The selection to store, with which the plan was made; absent if the plan does not include all contacts. */
  readonly selection?: LinkState['selection'];
};

/** The shared state of the writes of one pass. It keeps no task in memory: those of a part are released after it. */
export type Execution = Pass & {
  readonly session: Session;
  /** The tasks whose contact of that side was written, or was to be written. */
  readonly tasks: Sides<WeakMap<Task, TaskState>>;
  /** Filled in as groups are created. */
  readonly groupIds: Map<string, { left: string | null; right: string | null }> & GroupIds;
  /** By side and key. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** The writes, by side and `refusalKey`, that a side failed at before, or of which it refused a field. */
  readonly failedBefore: ReadonlySet<string>;
  /** Whether the run needs a second pass: for contacts that are stale or deleted, or a write of unknown outcome. */
  readonly again: { needed: boolean };
  /** Writes that a side refused and that are written field by field before the run ends (`split-refused.ts`). */
  readonly refused: Record<Side, Refused[]>;
  /** The number of consecutive calls of unknown outcome on each side. */
  readonly unansweredCalls: Record<Side, number>;
  readonly progress: Sides<SideProgress>;
  /** The start of the writes on the monotonic clock, in milliseconds. */
  readonly startedAtMs: number;
};

const UNTOUCHED: TaskState = { writtenId: null, isUnanswered: false, unwritten: new Set() };

/** A create or an update that a side refused, and its reason. */
type Refused = {
  readonly write: CreateWrite | UpdateWrite;
  readonly reason: string;
};

/** The progress of a side: finished writes and all writes, and the number of contacts that the run writes. */
type SideProgress = { done: number; total: number; contacts: number };

/** The first answers do not show the pace: requests are sent in a burst, several at once. */
const MEASURED_AFTER_MS = 2_000;

/** Estimates the duration of the remaining writes of a side from the rate so far, in milliseconds; null while it is unknown. */
const timeLeftMs = ({ session, progress, startedAtMs }: Execution, side: Side): number | null => {
  const { done, total } = progress[side];
  const elapsedMs = session.clock.monotonic() - startedAtMs;
  if (elapsedMs < MEASURED_AFTER_MS || done === 0) return null;
  return Math.round((Math.max(0, total - done) * elapsedMs) / done);
};

/** Reports the written contacts of a side and the estimated remaining time. */
export const reportProgress = (execution: Execution, side: Side): void => {
  const { progress, session } = execution;
  const done = writtenContacts(session.tally[side]);
  const total = Math.max(progress[side].contacts, done);
  session.emit({ kind: 'written', side, done, total, remainingMs: timeLeftMs(execution, side) });
};

/** Returns what the pass has done so far with the task's contact of a side. */
export const stateOf = ({ tasks }: Pick<Execution, 'tasks'>, task: Task, side: Side): TaskState =>
  tasks[side].get(task) ?? UNTOUCHED;

/** Notes what the pass has done with the task's contact of a side. */
export const noteState = (execution: Execution, task: Task, side: Side, change: Partial<TaskState>): void => {
  execution.tasks[side].set(task, { ...stateOf(execution, task, side), ...change });
};

/** Notes whether fields of a task were written to a side as planned. */
export const noteWritten = (
  execution: Execution,
  task: Task,
  side: Side,
  fields: readonly SyncedField[],
  isWritten: boolean,
): void => {
  const { unwritten } = stateOf(execution, task, side);
  const others = new Set(fields);
  noteState(execution, task, side, { unwritten: isWritten ? unwritten.difference(others) : unwritten.union(others) });
};

/** Counts writes that were not planned. */
export const addWrites = ({ progress }: Execution, side: Side, count: number): void => {
  progress[side].total += count;
};

/** Counts finished writes and reports the progress. */
export const advance = (execution: Execution, side: Side, count: number): void => {
  execution.progress[side].done += count;
  reportProgress(execution, side);
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
  tasks.filter(({ writes }) => updateOn(writes, side) !== null);

/** An email address that is added to a contact by a separate write. */
export type Sharing = { readonly task: Task; readonly email: LabelledValue };

/** The email addresses that are added on that side by separate writes, in rounds: at most one for each contact a round. */
export const sharingRounds = (tasks: readonly Task[], side: Side): readonly (readonly Sharing[])[] => {
  const sharings = tasks.flatMap((task) => sharedEmails(task, side).map((email, round) => ({ task, email, round })));
  return [...Map.groupBy(sharings, ({ round }) => round).values()];
};
