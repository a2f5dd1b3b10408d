import { startsPairing, type Task } from '../../core/apply/task.ts';
import { bySide, SIDES } from '../../core/contact/side.ts';
import { wholeRefusalKey } from '../../core/reconcile/defer.ts';
import { confirmAccounts, originScopes } from '../accounts.ts';
import { onBothSides, type Session, writtenContacts } from '../context.ts';
import type { LaterPart } from '../parts.ts';
import { performDeletions, type FinalPart, survivorsOf } from './delete-contacts.ts';
import { type Executable, type Execution, reportProgress, tasksOf } from './execution.ts';
import { deleteGroups, reportDuplicates, storeGroupPairs, writeGroups } from './groups.ts';
import { yieldToEventLoop } from './in-parallel.ts';
import { plannedWrites } from './planned-writes.ts';
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

const begin = async (
  session: Session,
  plan: Executable,
  tasks: readonly Task[],
  later: readonly LaterPart[],
): Promise<Execution> => {
  const { fields, rejections } = session.state();
  const writes = writesWith(session, plan, tasks, later);
  const contacts = bySide((side) => writtenContacts(session.tally[side]) + writes[side].contacts);
  session.emit({ kind: 'planned', contacts });
  const execution: Execution = {
    session,
    groupIds: new Map(plan.groups.links.map(({ key, left, right }) => [key, { left, right }])),
    scopes: originScopes(session),
    rejections: new Map(rejections.map((rejection) => [`${rejection.side} ${rejection.key}`, rejection])),
    failedBefore: new Set(rejections.map(({ side, key }) => `${side} ${wholeRefusalKey(key)}`)),
    cause: session.undoes === null ? 'sync' : 'undo',
    joining: new Set(session.undoes === null ? fields.joining : []),
    again: { needed: false },
    tasks: { left: new WeakMap(), right: new WeakMap() },
    refused: { left: [], right: [] },
    unansweredCalls: { left: 0, right: 0 },
    progress: bySide((side) => ({ done: 0, total: writes[side].writes, contacts: contacts[side] })),
    startedAtMs: session.clock.monotonic(),
  };
  // A side that an earlier pass wrote has contacts without further writes.
  for (const side of SIDES) if (contacts[side] > 0) reportProgress(execution, side);
  return execution;
};

const writesAnything = ({ progress }: Execution): boolean => SIDES.some((side) => progress[side].total > 0);

/** Writes contacts and then their memberships, on both sides at the same time. */
const writeTasks = async (execution: Execution, plan: Executable, tasks: readonly Task[]): Promise<void> => {
  await storeBeforeWrites(execution, plan, tasks);
  await onBothSides((side) => writeContacts(execution, tasks, side));
  await onBothSides((side) => writeMemberships(execution, tasks, side));
  await finishTasks(execution, tasks);
  execution.session.tally.paired += tasks.filter(startsPairing).length;
};

type StartedExecution = { readonly execution: Execution; readonly final: FinalPart };

/**
 * Starts to execute a plan: writes groups, then contacts, then memberships, on both sides at the same time. The
 * progress includes the contacts that `later` parts create.
 *
 * @throws {HaltError} if a side is another account than the link was made with: nothing is written.
 * @throws {RemoteError} if a remote is unavailable or a credential is refused; completed writes are stored.
 */
export const executeFirst = async (
  session: Session,
  plan: Executable,
  later: readonly LaterPart[] = [],
): Promise<StartedExecution> => {
  const tasks = await withSharedEmails(session, tasksOf(plan));
  await yieldToEventLoop();
  const execution = await begin(session, plan, tasks, later);
  if (later.length > 0 || writesAnything(execution)) await confirmAccounts(session);
  const { groups } = plan;
  reportDuplicates(session, groups);
  await writeGroups(execution, groups);
  await writeTasks(execution, plan, tasks);
  const deletions = plan.decisions.filter((decision) => decision.kind === 'delete');
  return { execution, final: { groups, deletions, survivors: [...survivorsOf(plan, tasks)] } };
};

/** Executes a later part, which pairs and creates contacts and deletes nothing. `later` are the parts after it. */
export const executeLater = async (
  execution: Execution,
  plan: Executable,
  later: readonly LaterPart[],
): Promise<void> => {
  const { progress, session } = execution;
  const tasks = await withSharedEmails(session, tasksOf(plan));
  const writes = writesWith(session, plan, tasks, later);
  for (const side of SIDES) {
    const own = progress[side];
    own.total = own.done + writes[side].writes;
    own.contacts = writtenContacts(session.tally[side]) + writes[side].contacts;
  }
  await writeTasks(execution, plan, tasks);
};

/**
 * Performs the deletions and settles the groups, after all parts are written.
 *
 * @returns whether a second pass is needed: a contact was stale, vanished, or has a write of unknown outcome.
 * @throws {RemoteError} if a remote is unavailable or a credential is refused; completed writes are stored.
 */
export const finishExecution = async (execution: Execution, final: FinalPart): Promise<boolean> => {
  await onBothSides((side) => performDeletions(execution, final, side));
  await deleteGroups(execution, final.groups);
  await storeGroupPairs(execution, final.groups);
  return execution.again.needed;
};

/**
 * Executes a plan of one part; see {@link executeFirst} and {@link finishExecution}. Returns whether a contact must be read again:
 * its write was stale or has an unknown outcome.
 */
export const execute = async (session: Session, plan: Executable): Promise<boolean> => {
  const { execution, final } = await executeFirst(session, plan);
  return finishExecution(execution, final);
};
