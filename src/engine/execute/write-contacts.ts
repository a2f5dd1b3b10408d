import { storeAlreadyMoved } from '../../core/apply/answers.ts';
import { isUnlinking } from '../../core/apply/store-task.ts';
import { hasAllGroups, type MembershipWrite, type Task, type UpdateWrite } from '../../core/apply/task.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import { type Side, SIDES } from '../../core/contact/side.ts';
import { isCreatedOn, isMoved } from '../../core/reconcile/decision.ts';
import { chunks } from '../../util/batches.ts';
import { applyingIn, sendBatch } from './send.ts';
import { batchesOf, inTurn, withoutFailed } from './batches.ts';
import { creationsOn, type Execution, needsOf, type Sharing, sharingRounds, updatesOn } from './execution.ts';
import { moveSteps } from './planned-writes.ts';
import { type Result, type SideResults, stateOf, withResults } from './results.ts';
import { splitRefused } from './split-refused.ts';
import { createWrites, membershipWrites, sharingWrites, updateWrites } from './writes.ts';

const createContacts = (execution: Execution, tasks: readonly Task[], side: Side): Promise<readonly Result[]> => {
  const { writeBatch } = execution.session.remotes[side].capabilities;
  const batches = batchesOf(execution, side, creationsOn(tasks, side), writeBatch);
  return inTurn(batches, (batch) => sendBatch(execution, createWrites(execution, side, batch)));
};

/** Whether more may be written to the task's contact. After an update of unknown outcome, the contact may have changed. */
const isWritable = (execution: Execution, task: Task, side: Side): boolean =>
  !stateOf(execution, task, side).isUnanswered;

/** The planned fields of the tasks that the updates do not write, because a user has changed them since the plan. */
const changedFields = (tasks: readonly Task[], side: Side, writes: readonly UpdateWrite[]): readonly Result[] => {
  const written = new Map(writes.map(({ task, operation }) => [task, new Set<SyncedField>(operation.fields)]));
  return tasks.flatMap((task): Result[] => {
    const fields = (task.writes[side].update?.fields ?? []).filter((field) => !written.get(task)?.has(field));
    return fields.length === 0 ? [] : [{ kind: 'skipped', task, fields, again: true }];
  });
};

const updateBatch = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<readonly Result[]> => {
  const { writer } = execution.session;
  const writes = await writer.read(needsOf(execution, tasks), (set) => updateWrites(execution, set, side, tasks));
  const skipped = changedFields(tasks, side, writes);
  return [...skipped, ...(await sendBatch(execution, writes))];
};

const updateContacts = (execution: Execution, tasks: readonly Task[], side: Side): Promise<readonly Result[]> => {
  const { capabilities } = execution.session.remotes[side];
  const batches = chunks(updatesOn(tasks, side), capabilities.writeBatch);
  return inTurn(batches, (batch) => updateBatch(execution, batch, side));
};

/** Whether the other addresses of the contact are written: the write of a shared one would count them as written. */
const areOtherEmailsWritten = (execution: Execution, task: Task, side: Side): boolean =>
  task.writes[side].update?.fields.includes('emailAddresses') !== true ||
  !stateOf(execution, task, side).unwritten.has('emailAddresses');

/** Adds an address to each of these contacts. */
const shareBatch = async (execution: Execution, sharings: readonly Sharing[], side: Side) => {
  const needs = needsOf(
    execution,
    sharings.map(({ task }) => task),
  );
  const { writer } = execution.session;
  return sendBatch(execution, await writer.read(needs, (set) => sharingWrites(execution, set, side, sharings)));
};

/**
 * Creates and updates the contacts of a side, and then adds the addresses that other contacts of the side have. Returns what was done
 * on the side.
 */
export const writeContacts = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<SideResults> => {
  const { capabilities } = execution.session.remotes[side];
  const created = await createContacts(execution, tasks, side);
  const afterCreates = withResults(execution, side, created);
  const updated = await updateContacts(afterCreates, tasks, side);
  let current = await splitRefused(withResults(afterCreates, side, updated), [...created, ...updated]);
  for (const round of sharingRounds(tasks, side)) {
    const sharings = round.filter(
      ({ task }) => isWritable(current, task, side) && areOtherEmailsWritten(current, task, side),
    );
    const batches = chunks(sharings, capabilities.writeBatch);
    const before = current;
    const shared = await inTurn(batches, (batch) => shareBatch(before, batch, side));
    current = withResults(current, side, shared);
  }
  return current.results[side];
};

/** Orders tasks so that those that join one group are adjacent: a bulk route takes many contacts of one group. */
const byGroup = (tasks: readonly Task[], side: Side): readonly Task[] =>
  [...Map.groupBy(tasks, ({ writes }) => writes[side].joins[0]).values()].flat();

/** Stores that contacts already have their memberships, and requests the others. */
const moveBatch = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<readonly Result[]> => {
  const { writer } = execution.session;
  const isNeeded = ({ operation: { join, leave } }: MembershipWrite): boolean => join.length + leave.length > 0;
  const needed: MembershipWrite[] = [];
  await writer.apply(needsOf(execution, tasks), (set) => {
    const context = applyingIn(execution, set, side);
    for (const write of membershipWrites(execution, set, side, tasks)) {
      if (isNeeded(write)) needed.push(write);
      // The answer to a create has settled the memberships that it shows.
      else if (write.task.kind !== 'create') storeAlreadyMoved(set, write, context);
    }
  });
  return sendBatch(execution, needed);
};

/** Writes memberships (R11); a task whose contact already has them needs no request. Returns what was done on the side. */
export const writeMemberships = async (
  execution: Execution,
  tasks: readonly Task[],
  side: Side,
): Promise<SideResults> => {
  const { capabilities } = execution.session.remotes[side];
  const due = tasks.filter((task) => isMoved(task.writes[side]) && isWritable(execution, task, side));
  const isUnwritten = (task: Task): boolean => SIDES.some((each) => stateOf(execution, task, each).unwritten.size > 0);
  const waiting = due.filter(
    (task) => !hasAllGroups(execution.groupIds, task, side) || (isUnlinking(task) && isUnwritten(task)),
  );
  // A contact that is unlinked after its writes keeps all its groups until then: one of them may be why its side selects it (R18).
  const kept = new Set(waiting.filter(isUnlinking));
  const isDone = (task: Task): boolean => capabilities.createsWithGroups && isCreatedOn(task, side);
  const moving = due.filter((task) => !isDone(task) && !kept.has(task));
  const { sound, failed } = withoutFailed(execution, side, moving);
  const wasWritten = (task: Task): boolean => stateOf(execution, task, side).writtenId !== null;
  const steps = moveSteps(byGroup(sound, side), wasWritten, side, capabilities);
  let current = execution;
  for (const batch of [...steps, ...chunks(failed, 1)]) {
    current = withResults(current, side, await moveBatch(current, batch, side));
  }
  // After the moves to the groups that exist: their answers count the field as written.
  const unmoved = waiting.map((task): Result => ({ kind: 'skipped', task, fields: ['buckets'], again: false }));
  return withResults(current, side, unmoved).results[side];
};
