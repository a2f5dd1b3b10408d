import { type Executable, creationsOn, updatesOn } from './execution.ts';
import { sharedEmails, type Task, wasWritten } from '../../core/apply/task.ts';
import { movesOf } from '../../core/apply/write.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import type { ContactOperationKind } from '../../core/reconcile/operation.ts';
import { membershipOn } from '../../core/reconcile/planned.ts';
import type { RemoteCapabilities } from '../../providers/remote.ts';

/** The kind of a write: a kind of contact operation, or any write to a group. */
type WrittenKind = ContactOperationKind | 'group';

/** The number of writes due on a side, and the estimated number of requests, in total and for each write. */
export type Effort = {
  readonly writes: number;
  readonly requests: number;
  readonly requestsPer: Readonly<Record<WrittenKind, number>>;
};

/** Estimates the requests for the membership changes: one for each contact, or fewer if one request takes several of a group. */
const moveRequests = (
  moves: readonly Task[],
  isWritten: (task: Task) => boolean,
  side: Side,
  { moveBatch }: RemoteCapabilities,
): number => {
  const joinsOnly = (task: Task): boolean => movesOf(task, side).leaves.length === 0;
  const together = moves.filter((task) => moveBatch.of === 'all' || (isWritten(task) && joinsOnly(task)));
  const members = new Map<string, number>();
  for (const { joins, leaves } of together.map((task) => movesOf(task, side))) {
    for (const key of [...joins, ...leaves]) members.set(key, (members.get(key) ?? 0) + 1);
  }
  const byGroup = [...members.values()].reduce((sum, count) => sum + Math.ceil(count / moveBatch.size), 0);
  return Math.min(together.length, byGroup) + moves.length - together.length;
};

const MOVES_PER_STEP = 2000;
/** The number of requests that a rate limit of 500 a minute allows within seconds. */
const REQUESTS_PER_STEP = 50;

/** Splitting into steps may cost at most a tenth more requests than one step. */
const MOST_MORE = 1.1;

/**
 * Splits membership changes into steps of few requests each: a run can be stopped between two of them. Contacts stay in one
 * step if a split would repeat the requests for the same groups.
 */
export const moveSteps = (
  moves: readonly Task[],
  side: Side,
  capabilities: RemoteCapabilities,
): readonly (readonly Task[])[] => {
  const requestsOf = (some: readonly Task[]): number =>
    moveRequests(some, (task) => wasWritten(task, side), side, capabilities);
  const requests = requestsOf(moves);
  if (moves.length <= MOVES_PER_STEP && requests <= REQUESTS_PER_STEP) return moves.length === 0 ? [] : [moves];
  const middle = Math.ceil(moves.length / 2);
  const parts = [moves.slice(0, middle), moves.slice(middle)];
  const apart = parts.reduce((sum, part) => sum + requestsOf(part), 0);
  if (moves.length <= MOVES_PER_STEP && apart > requests * MOST_MORE) return [moves];
  return parts.flatMap((part) => moveSteps(part, side, capabilities));
};

const effortOn = (
  { groups: { actions }, decisions }: Executable,
  tasks: readonly Task[],
  side: Side,
  capabilities: RemoteCapabilities,
): Effort => {
  const { createBatch, updateBatch, deleteBatch, createsWithGroups } = capabilities;
  const creates = new Set(creationsOn(tasks, side));
  const updated = new Set(updatesOn(tasks, side));
  const updates = updated.size + tasks.reduce((sum, task) => sum + sharedEmails(task, side).length, 0);
  const moves = tasks.filter(
    (task) => membershipOn(task.operations, side) !== null && !(creates.has(task) && createsWithGroups),
  );
  const deletes = decisions.filter((decision) => decision.kind === 'delete' && decision.side === side).length;
  const groups = actions.filter((action) => action.side === side).length;
  const isWritten = (task: Task): boolean => creates.has(task) || updated.has(task);
  const requests: Record<WrittenKind, number> = {
    create: Math.ceil(creates.size / createBatch),
    update: Math.ceil(updates / updateBatch),
    membership: moveRequests(moves, isWritten, side, capabilities),
    delete: Math.ceil(deletes / deleteBatch),
    group: groups,
  };
  const of = (kind: WrittenKind, writes: number): number => (writes === 0 ? 0 : requests[kind] / writes);
  return {
    writes: creates.size + updates + moves.length + deletes + groups,
    requests: Object.values(requests).reduce((sum, count) => sum + count, 0),
    requestsPer: {
      create: of('create', creates.size),
      update: of('update', updates),
      membership: of('membership', moves.length),
      delete: of('delete', deletes),
      group: of('group', groups),
    },
  };
};

/** Estimates the effort of a plan with these tasks on each side, with remotes of these capabilities. */
export const effortOf = (
  plan: Executable,
  tasks: readonly Task[],
  capabilities: Sides<RemoteCapabilities>,
): Sides<Effort> => bySide((side) => effortOn(plan, tasks, side, capabilities[side]));

/** Returns the effort with `more` contacts to create, each as costly as the `creates` that it already includes. */
export const withMore = (effort: Effort, creates: number, more: number): Effort => {
  if (more === 0) return effort;
  if (creates === 0) return { ...effort, writes: effort.writes + more, requests: effort.requests + more };
  const times = (creates + more) / creates;
  return { ...effort, writes: Math.round(effort.writes * times), requests: Math.ceil(effort.requests * times) };
};
