import { creationsOn, type Executable, updatesOn } from './execution.ts';
import type { Task } from '../../core/apply/task.ts';
import { bySide, type Side, type Sides } from '../../core/contact/side.ts';
import { isMoved } from '../../core/reconcile/decision.ts';
import type { RemoteCapabilities } from '../../providers/remote.ts';

/** The number of contacts to write on a side, and of their writes, and the estimated number of requests for these. */
type PlannedWrites = { readonly contacts: number; readonly writes: number; readonly requests: number };

/** Estimates the requests for the membership changes: one for each contact, or fewer if one request takes several of a group. */
const moveRequests = (
  moves: readonly Task[],
  isWritten: (task: Task) => boolean,
  side: Side,
  { moveBatch }: RemoteCapabilities,
): number => {
  const movesOf = ({ writes }: Task) => writes[side];
  const joinsOnly = (task: Task): boolean => movesOf(task).leaves.length === 0;
  const together = moves.filter((task) => moveBatch.of === 'all' || (isWritten(task) && joinsOnly(task)));
  const members = new Map<string, number>();
  for (const { joins, leaves } of together.map(movesOf)) {
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
  wasWritten: (task: Task) => boolean,
  side: Side,
  capabilities: RemoteCapabilities,
): readonly (readonly Task[])[] => {
  const requestsOf = (some: readonly Task[]): number => moveRequests(some, wasWritten, side, capabilities);
  const requests = requestsOf(moves);
  if (moves.length <= MOVES_PER_STEP && requests <= REQUESTS_PER_STEP) return moves.length === 0 ? [] : [moves];
  const middle = Math.ceil(moves.length / 2);
  const parts = [moves.slice(0, middle), moves.slice(middle)];
  const apart = parts.reduce((sum, part) => sum + requestsOf(part), 0);
  if (moves.length <= MOVES_PER_STEP && apart > requests * MOST_MORE) return [moves];
  return parts.flatMap((part) => moveSteps(part, wasWritten, side, capabilities));
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
  const isWritten = (task: Task): boolean => creates.has(task) || updated.has(task);
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
