import { isToBeCreated, sharedEmails, type Task, taskOf } from '../../core/apply/task.ts';
import type { CreateWrite, GroupIds, UpdateWrite } from '../../core/apply/write.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { LabelledValue } from '../../core/contact/elements.ts';
import type { Half } from '../../core/contact/half.ts';
import type { Side, Sides } from '../../core/contact/side.ts';
import type { Decision, PairIds, Restoration } from '../../core/reconcile/decision.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { updateOn } from '../../core/reconcile/planned.ts';
import type { LinkState, Rejection } from '../../core/state/rows.ts';
import type { Session } from '../context.ts';
import type { Effort, WrittenKind } from './effort.ts';
import type { Pass } from './writes.ts';

/** The part of a plan that is executed: of a run, or of an undo. */
export type Executable = Pick<Plan, 'groups'> & {
  readonly decisions: readonly (Decision | Restoration)[];
  /** Contacts of no pair as they are to be stored before anything is written. */
  readonly rest?: readonly Half[];
  /** The selection to store, by which it was planned; left out where the plan does not include all contacts. */
  readonly selection?: LinkState['selection'];
};

/** What the writes of one pass share. */
export type Execution = Pass & {
  readonly session: Session;
  /** Filled in as groups are created. */
  readonly groupIds: Map<string, { left: string | null; right: string | null }> & GroupIds;
  /** By side and key. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** The writes, by side and `refusalKey`, that a side has not done before, or of which it refused a field. */
  readonly failedBefore: ReadonlySet<string>;
  /** Contacts that must be looked at again before the run ends: stale, gone, or of an unknown outcome. */
  readonly again: { needed: boolean };
  /** Writes that a side refused and that are written field by field before the run ends (`split-refused.ts`). */
  readonly refused: Record<Side, Refused[]>;
  /** How many calls in a row on each side left it open whether anything was written. */
  readonly unansweredCalls: Record<Side, number>;
  readonly progress: Sides<SideProgress>;
  /** When the writing began, on the clock that never jumps. */
  readonly startedAtMs: number;
};

/** A create or an update that a side refused, and its reason. */
type Refused = {
  readonly write: CreateWrite | UpdateWrite;
  readonly reason: string;
};

type SideProgress = {
  done: number;
  /** About so many requests of the effort have been sent. */
  sent: number;
  effort: Effort;
};

/** The first answers say little of the pace: requests go out in a burst, and several at once. */
const MEASURED_AFTER_MS = 10_000;

/**
 * How long the writes of a side that are left take, in milliseconds: by the rate limit, or by the pace so far where that is
 * slower. Null while nothing is known of either.
 */
const timeLeftMs = ({ session, progress, startedAtMs }: Execution, side: Side): number | null => {
  const { sent, effort } = progress[side];
  // What is written in parts of a request adds up to whole ones but for rounding.
  const left = Math.max(0, Math.ceil(effort.requests - sent - 0.001));
  const pacedMs = session.remotes[side].timeToSendMs?.(left) ?? null;
  const elapsedMs = session.clock.monotonic() - startedAtMs;
  if (elapsedMs < MEASURED_AFTER_MS || sent === 0) return pacedMs;
  return Math.round(Math.max(pacedMs ?? 0, (left * elapsedMs) / sent));
};

/** Reports how far the writes of a side are, and how long they still take. */
export const tellProgress = (execution: Execution, side: Side): void => {
  const { done, effort } = execution.progress[side];
  const leftMs = timeLeftMs(execution, side);
  execution.session.emit({ kind: 'written', side, done, total: effort.writes, leftMs });
};

/** Counts writes that were not planned. */
export const addEffort = ({ progress }: Execution, side: Side, kind: WrittenKind, count: number): void => {
  const { effort } = progress[side];
  const requests = effort.requests + count * effort.requestsPer[kind];
  progress[side].effort = { ...effort, writes: effort.writes + count, requests };
};

/** Reports that writes of one kind are done with. */
export const advance = (execution: Execution, side: Side, kind: WrittenKind, count: number): void => {
  const progress = execution.progress[side];
  progress.done += count;
  progress.sent += count * progress.effort.requestsPer[kind];
  tellProgress(execution, side);
};

/** Reports which of the fields that were written the side did not take (R2). */
export const reportNotTaken = (session: Session, ids: PairIds, side: Side, fields: readonly SyncedField[]): void => {
  if (fields.length > 0) session.emit({ kind: 'not-taken', side, fields, ...ids });
};

/** The tasks of a plan, one for each decision that writes to the contacts of a pair. */
export const tasksOf = ({ decisions }: Pick<Executable, 'decisions'>): readonly Task[] =>
  decisions.flatMap((decision) => (decision.kind === 'delete' || decision.kind === 'unlink' ? [] : [taskOf(decision)]));

/** The tasks whose contact is to be created on that side. */
export const creationsOn = (tasks: readonly Task[], side: Side): readonly Task[] =>
  tasks.filter((task) => isToBeCreated(task, side));

/** The tasks with fields that are to be written to their contact on that side. */
export const updatesOn = (tasks: readonly Task[], side: Side): readonly Task[] =>
  tasks.filter(({ operations }) => updateOn(operations, side) !== null);

/** An email address that is added to a contact by a write of its own. */
export type Sharing = { readonly task: Task; readonly email: LabelledValue };

/** The email addresses that are added on that side by writes of their own, in rounds: one for each contact at a time. */
export const sharingRounds = (tasks: readonly Task[], side: Side): readonly (readonly Sharing[])[] => {
  const sharings = tasks.flatMap((task) => sharedEmails(task, side).map((email, round) => ({ task, email, round })));
  return [...Map.groupBy(sharings, ({ round }) => round).values()];
};
