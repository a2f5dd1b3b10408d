import { type Executable, creationsOn, updatesOn } from './execution.ts';
import { sharedEmails, type Task, wasWritten } from '../../core/apply/task.ts';
import { movesOf } from '../../core/apply/write.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import type { ContactOperationKind } from '../../core/reconcile/operation.ts';
import { membershipOn } from '../../core/reconcile/planned.ts';
import type { RemoteCapabilities } from '../../providers/remote.ts';

/** What is written: a contact, by the kind of write, or a group. */
export type WrittenKind = ContactOperationKind | 'group';

/** How much is to be written on a side: so many writes, with about so many requests in all and for each write. */
export type Effort = {
  readonly writes: number;
  readonly requests: number;
  readonly requestsPer: Readonly<Record<WrittenKind, number>>;
};

/** About so many requests change the memberships: one for each contact, or fewer where those of a group go together. */
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
/** What a rate limit of 500 a minute lets pass within seconds. */
const REQUESTS_PER_STEP = 50;

/** Steps may take a tenth more requests than all at once would. */
const MOST_MORE = 1.1;

/**
 * Membership changes in steps, each of few requests: a run can be stopped between two of them. Contacts stay together where two
 * steps would ask for the same groups twice.
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

/** How much a plan with these tasks writes on each side, with remotes of these capabilities. */
export const effortOf = (
  plan: Executable,
  tasks: readonly Task[],
  capabilities: Sides<RemoteCapabilities>,
): Sides<Effort> => bySide((side) => effortOn(plan, tasks, side, capabilities[side]));

/** The effort when so many contacts more are to be created, which take as much as the `creates` that are in it. */
export const withMore = (effort: Effort, creates: number, more: number): Effort => {
  if (more === 0) return effort;
  if (creates === 0) return { ...effort, writes: effort.writes + more, requests: effort.requests + more };
  const times = (creates + more) / creates;
  return { ...effort, writes: Math.round(effort.writes * times), requests: Math.ceil(effort.requests * times) };
};
