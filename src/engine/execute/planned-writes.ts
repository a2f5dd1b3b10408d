import { creationsOn, type Executable, updatesOn } from './execution.ts';
import type { Task } from '../../core/apply/task.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import { isMoved } from '../../core/reconcile/decision.ts';
import type { RemoteCapabilities } from '../../providers/remote.ts';
import { chunks } from '../../util/batches.ts';

/** The number of contacts to write on a side, and of their writes, and the estimated number of requests for these. */
type PlannedWrites = { readonly contacts: number; readonly writes: number; readonly requests: number };

type IsWritten = (task: Task) => boolean;

/** Returns whether one request may move several contacts of a group, this one among them. */
const movesTogether =
  (side: Side, isWritten: IsWritten, { moveBatch }: RemoteCapabilities) =>
  (task: Task): boolean =>
    moveBatch.of === 'all' || (isWritten(task) && task.writes[side].leaves.length === 0);

/** Estimates the requests for the membership changes: one for each contact, or fewer if one request takes several of a group. */
const moveRequests = (
  moves: readonly Task[],
  isWritten: IsWritten,
  side: Side,
  capabilities: RemoteCapabilities,
): number => {
  const together = moves.filter(movesTogether(side, isWritten, capabilities));
  const members = new Map<string, number>();
  for (const { writes } of together) {
    const { joins, leaves } = writes[side];
    for (const key of [...joins, ...leaves]) members.set(key, (members.get(key) ?? 0) + 1);
  }
  const { size } = capabilities.moveBatch;
  const byGroup = [...members.values()].reduce((sum, count) => sum + Math.ceil(count / size), 0);
  return Math.min(together.length, byGroup) + moves.length - together.length;
};

/** The number of contacts in a step. A smaller one would repeat the requests for the same groups. */
const TOGETHER_PER_STEP = 2000;
/** The number of contacts that take a request each, and that a rate limit of 500 a minute allows within seconds. */
const ALONE_PER_STEP = 50;

/** Splits membership changes into steps: a run can be stopped between two of them. */
export const moveSteps = (
  moves: readonly Task[],
  wasWritten: IsWritten,
  side: Side,
  capabilities: RemoteCapabilities,
): readonly (readonly Task[])[] => {
  const isTogether = movesTogether(side, wasWritten, capabilities);
  const alone = moves.filter((task) => !isTogether(task));
  return [...chunks(moves.filter(isTogether), TOGETHER_PER_STEP), ...chunks(alone, ALONE_PER_STEP)];
};

const plannedOn = (
  { groups: { actions }, decisions }: Executable,
  tasks: readonly Task[],
  side: Side,
  capabilities: RemoteCapabilities,
): PlannedWrites => {
  const { writeBatch, createsWithGroups, writesOneByOne = false } = capabilities;
  const requestsFor = (contacts: number): number => Math.ceil(contacts / (writesOneByOne ? 1 : writeBatch));
  const creates = new Set(creationsOn(tasks, side));
  const updated = new Set(updatesOn(tasks, side));
  const updates = updated.size + tasks.reduce((sum, task) => sum + task.writes[side].shares.length, 0);
  const moves = tasks.filter((task) => isMoved(task.writes[side]) && !(creates.has(task) && createsWithGroups));
  const deletes = decisions.filter((decision) => decision.kind === 'delete' && decision.side === side).length;
  const groups = actions.filter((action) => action.side === side).length;
  const isWritten: IsWritten = (task) => creates.has(task) || updated.has(task);
  const requests =
    requestsFor(creates.size) +
    requestsFor(updates) +
    moveRequests(moves, isWritten, side, capabilities) +
    requestsFor(deletes) +
    groups;
  const contacts = creates.size + updated.union(new Set(moves)).difference(creates).size + deletes;
  return { contacts, writes: creates.size + updates + moves.length + deletes + groups, requests };
};

/** Counts the writes of a plan with these tasks on each side, with remotes of these capabilities. */
export const plannedWrites = (
  plan: Executable,
  tasks: readonly Task[],
  capabilities: Sides<RemoteCapabilities>,
): Sides<PlannedWrites> => bySide((side) => plannedOn(plan, tasks, side, capabilities[side]));
