import type { Task } from '../../core/apply/task.ts';
import { bySide, type Side, SIDES } from '../../core/contact/side.ts';
import { wholeRefusalKey } from '../../core/reconcile/defer.ts';
import type { GroupPlan } from '../../core/reconcile/groups.ts';
import { confirmAccounts, originScopes } from '../accounts.ts';
import { onBothSides, type Session } from '../session.ts';
import type { LaterPart } from '../parts.ts';
import { haveNewIds } from '../plan.ts';
import { performDeletions } from './delete-contacts.ts';
import { type Executable, type Execution, tasksOf } from './execution.ts';
import { deleteGroups, reportDuplicates, storeGroupPairs, writeGroups } from './groups.ts';
import { yieldToEventLoop } from '../../util/event-loop.ts';
import { plannedWrites } from './planned-writes.ts';
import { NO_RESULTS, type SideResults } from './results.ts';
import { withSharedEmails } from './shared-emails.ts';
import { finishTasks, storeBeforeWrites } from './store-around.ts';
import { writeContacts, writeMemberships } from './write-contacts.ts';

/** The writes of a plan and their contacts, including the contacts that later parts create. */
const writesWith = ({ remotes }: Session, plan: Executable, tasks: readonly Task[], later: readonly LaterPart[]) => {
  const planned = plannedWrites(
    plan,
    tasks,
    bySide((side) => remotes[side].capabilities),
  );
  return bySide((side) => {
    const created = later.reduce((sum, { creates }) => sum + creates[side], 0);
    return { contacts: planned[side].contacts + created, writes: planned[side].writes + created };
  });
};

const executionOf = (session: Session, groupIds: Execution['groupIds']): Execution => {
  const { fields, rejections } = session.state();
  const isUndo = session.undoes !== null;
  return {
    session,
    groupIds,
    scopes: originScopes(session),
    rejections: new Map(rejections.map((rejection) => [`${rejection.side} ${rejection.key}`, rejection])),
    failedBefore: new Set(isUndo ? [] : rejections.map(({ side, key }) => `${side} ${wholeRefusalKey(key)}`)),
    cause: isUndo ? 'undo' : 'sync',
    joining: new Set(isUndo ? [] : fields.joining),
    results: { left: NO_RESULTS, right: NO_RESULTS },
  };
};

/** Performs a step on both sides at the same time, and returns the execution after it. */
const onEachSide = async (
  execution: Execution,
  step: (execution: Execution, side: Side) => Promise<SideResults>,
): Promise<Execution> => ({ ...execution, results: await onBothSides((side) => step(execution, side)) });

/**
 * Writes contacts, then their memberships, and then performs the deletions. An undo only writes: the two sides agree on nothing by it.
 * Returns whether a second pass is needed.
 */
const writePlan = async (before: Execution, plan: Executable, tasks: readonly Task[]): Promise<boolean> => {
  const isSync = before.cause === 'sync';
  if (isSync) await storeBeforeWrites(before, plan, tasks);
  const withContacts = await onEachSide(before, (current, side) => writeContacts(current, tasks, side));
  const execution = await onEachSide(withContacts, (current, side) => writeMemberships(current, tasks, side));
  if (isSync) await finishTasks(execution, tasks);
  const { left, right } = await onBothSides((side) => performDeletions(execution, plan, tasks, side));
  return left || right || SIDES.some((side) => execution.results[side].again);
};

/** The place of a plan among the parts of a first sync (`parts.ts`). */
type Place = {
  /** The parts after it: their contacts are included in the progress. */
  readonly later: readonly LaterPart[];
  readonly isFirst: boolean;
};

/**
 * Executes a plan: writes its groups, then contacts on both sides at the same time. The groups still need {@link finishGroups}.
 *
 * @returns whether a second pass is needed: a contact was stale, vanished, or has a write of unknown outcome; or a rename changed the id
 * of a group, and no contact is written yet.
 * @throws {HaltError} if a side is another account than the link was made with: nothing is written.
 * @throws {RemoteError} if a remote is unavailable or a credential is refused; completed writes are stored.
 */
export const execute = async (
  session: Session,
  plan: Executable,
  { later, isFirst }: Place = { later: [], isFirst: true },
): Promise<boolean> => {
  const tasks = await withSharedEmails(session, tasksOf(plan));
  await yieldToEventLoop();
  const writes = writesWith(session, plan, tasks, later);
  session.progress.expect(writes, isFirst);
  if (later.length > 0 || SIDES.some((side) => writes[side].writes > 0)) await confirmAccounts(session);
  reportDuplicates(session, plan.groups);
  const groupIds = await writeGroups(session, plan.groups);
  return haveNewIds(session, plan.groups) ? true : writePlan(executionOf(session, groupIds), plan, tasks);
};

/** Deletes groups, and stores the group pairs as united, after all members are written. */
export const finishGroups = async (session: Session, groups: GroupPlan): Promise<void> => {
  await deleteGroups(session, groups);
  await storeGroupPairs(session, groups);
};
