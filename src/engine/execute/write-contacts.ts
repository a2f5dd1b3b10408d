import { storeAlreadyMoved } from '../../core/apply/answers.ts';
import { isCreatedOn, type Task } from '../../core/apply/task.ts';
import { hasAllGroups, type MembershipWrite } from '../../core/apply/write.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { Side } from '../../core/contact/side.ts';
import { membershipOn, updateOn } from '../../core/reconcile/planned.ts';
import { chunks } from '../../util/batches.ts';
import { type AnswerBeingStored, performBatch } from './batch.ts';
import { batchesOf, withoutFailed } from './batches.ts';
import { creationsOn, type Execution, noteWritten, sharingRounds, stateOf, updatesOn } from './execution.ts';
import { inParallel } from './in-parallel.ts';
import { moveSteps } from './planned-writes.ts';
import { splitRefused } from './split-refused.ts';
import { createWrites, membershipWrites, needsOf, sharingWrites, updateWrites } from './writes.ts';

const createContacts = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<void> => {
  const { createBatch, writeConcurrency } = execution.session.remotes[side].capabilities;
  const batches = batchesOf(execution, side, creationsOn(tasks, side), createBatch);
  await inParallel(batches, writeConcurrency, (batch) => performBatch(execution, createWrites(execution, side, batch)));
};

/** Whether more may be written to the task's contact. After an update of unknown outcome, the contact may have changed. */
const isWritable = (execution: Execution, task: Task, side: Side): boolean =>
  !stateOf(execution, task, side).isUnanswered;

const updateContacts = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<AnswerBeingStored> => {
  const { writer } = execution.session;
  const writes = await writer.read(needsOf(execution, tasks), (set) => updateWrites(execution, set, side, tasks));
  const written = new Map(writes.map(({ task, operation }) => [task, new Set<SyncedField>(operation.fields)]));
  for (const task of tasks) {
    const changed = (updateOn(task.writes, side)?.fields ?? []).filter((field) => !written.get(task)?.has(field));
    if (changed.length > 0) execution.again.needed = true;
    noteWritten(execution, task, side, changed, false);
  }
  return performBatch(execution, writes);
};

/** Whether the other addresses of the contact are written: the write of a shared one would count them as written. */
const areOtherEmailsWritten = (execution: Execution, task: Task, side: Side): boolean =>
  updateOn(task.writes, side)?.fields.includes('emailAddresses') !== true ||
  !stateOf(execution, task, side).unwritten.has('emailAddresses');

/** Creates and updates the contacts of a side, and then adds the addresses that other contacts of the side have. */
export const writeContacts = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<void> => {
  const { remotes, writer } = execution.session;
  const { updateBatch, writeConcurrency } = remotes[side].capabilities;
  await createContacts(execution, tasks, side);
  await inParallel(chunks(updatesOn(tasks, side), updateBatch), writeConcurrency, (batch) =>
    updateContacts(execution, batch, side),
  );
  await splitRefused(execution, side);
  for (const round of sharingRounds(tasks, side)) {
    const sharings = round.filter(
      ({ task }) => isWritable(execution, task, side) && areOtherEmailsWritten(execution, task, side),
    );
    await inParallel(chunks(sharings, updateBatch), writeConcurrency, async (batch) => {
      const needs = needsOf(
        execution,
        batch.map(({ task }) => task),
      );
      return performBatch(execution, await writer.read(needs, (set) => sharingWrites(execution, set, side, batch)));
    });
  }
};

/** Orders tasks so that those that join one group are adjacent: a bulk route takes many contacts of one group. */
const byGroup = (tasks: readonly Task[], side: Side): readonly Task[] => {
  return [...Map.groupBy(tasks, ({ writes }) => membershipOn(writes, side)?.joins[0]).values()].flat();
};

/** Writes memberships (R11); a task whose contact already has them needs no request. */
export const writeMemberships = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<void> => {
  const { session, groupIds } = execution;
  const { clock, remotes, writer } = session;
  const { capabilities } = remotes[side];
  const due = tasks.filter((task) => membershipOn(task.writes, side) !== null && isWritable(execution, task, side));
  for (const task of due)
    if (!hasAllGroups(groupIds, task, side)) noteWritten(execution, task, side, ['buckets'], false);
  const isDone = (task: Task): boolean => capabilities.createsWithGroups && isCreatedOn(task, side);
  const moving = due.filter((task) => !isDone(task));
  const { sound, failed } = withoutFailed(execution, side, moving);
  const wasWritten = (task: Task): boolean => stateOf(execution, task, side).writtenId !== null;
  const steps = moveSteps(byGroup(sound, side), wasWritten, side, capabilities);
  for (const batch of [...steps, ...chunks(failed, 1)]) {
    const needs = needsOf(execution, batch);
    const writes = await writer.read(needs, (set) => membershipWrites(execution, set, side, batch));
    const isNeeded = ({ operation: { join, leave } }: MembershipWrite): boolean => join.length + leave.length > 0;
    await writer.apply(needs, (set) => {
      for (const write of writes) {
        if (!isNeeded(write)) storeAlreadyMoved({ set, groupIds, atMs: clock.now() }, write);
      }
    });
    const { stored } = await performBatch(execution, writes.filter(isNeeded));
    await stored;
  }
};
