import { fieldsOn, plannedRecord, type Task } from '../../core/apply/task.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { type Side, SIDES } from '../../core/contact/side.ts';
import type { Deletion } from '../../core/reconcile/decision.ts';
import { isAsKnown } from '../../core/state/half-transitions.ts';
import { answeredAbout } from '../../core/state/observe.ts';
import { isWaiting, unreadableReason, unreadContact } from '../../core/state/unread.ts';
import type { Session } from '../session.ts';
import { storeReadAnswer } from './refusals.ts';
import { sendBatch } from './send.ts';
import { batchesOf, inTurn } from './batches.ts';
import { type Executable, type Execution, currentHalf, needsOf } from './execution.ts';
import { isAgain, type Result, stateOf } from './results.ts';
import { deleteWrites, mergeWrite } from './writes.ts';

/** The task of the contact into which the deleted contact was merged (R12). */
const survivorOf = (tasks: readonly Task[], { side, after }: Deletion): Task | undefined => {
  const survivorId = after?.survivorId;
  return survivorId === undefined ? undefined : tasks.find((task) => plannedRecord(task, side)?.id === survivorId);
};

/** The tasks of the contacts that other contacts of the plan were merged into. */
export const survivorsOf = ({ decisions }: Pick<Executable, 'decisions'>, tasks: readonly Task[]): ReadonlySet<Task> =>
  new Set(decisions.flatMap((each) => (each.kind === 'delete' ? (survivorOf(tasks, each) ?? []) : [])));

/** Whether all values that only the merged-away contact had are written to the merge survivor or its other half. */
const isDeletable = (execution: Execution, tasks: readonly Task[], deletion: Deletion): boolean => {
  const fields = deletion.after?.fields;
  if (fields === undefined) return true;
  const survivor = survivorOf(tasks, deletion);
  if (survivor === undefined) return false;
  const isWritten = (side: Side, field: SyncedField): boolean =>
    fieldsOn(survivor, side).has(field) && !stateOf(execution, survivor, side).unwritten.has(field);
  return SIDES.every((side) => fields[side].every((field) => isWritten(side, field)));
};

/** The contacts that a read directly before their write has shown unchanged, or has not found, and whether others need a second pass. */
type ReadBefore = {
  readonly unchanged: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
  readonly again: boolean;
};

/**
 * Reads contacts directly before they are written. Those that changed are stored as read, and those that are gone unless they are to be
 * deleted anyway. Those that cannot be read are reported, and read again by later runs (R15).
 */
const readBeforeWrite = async (
  session: Session,
  side: Side,
  records: readonly ContactRecord[],
  { keepsGone }: { readonly keepsGone: boolean },
): Promise<ReadBefore> => {
  const { clock, remotes, signal, writer } = session;
  const ids = records.map(({ id }) => id);
  const answers = await remotes[side].read(ids, signal);
  const isUnchanged = (record: ContactRecord): boolean => {
    const answer = answers.get(record.id);
    return answer?.kind === 'found' && isAsKnown(record, answer.record, clock.now());
  };
  const unchanged = new Set(records.filter(isUnchanged).map(({ id }) => id));
  const gone = new Set(ids.filter((id) => keepsGone && answers.get(id)?.kind === 'gone'));
  const others = ids.filter((id) => !unchanged.has(id) && !gone.has(id));
  if (others.length === 0) return { unchanged, gone, again: false };
  await writer.apply(answeredAbout(side, ids, answers), (set) => {
    for (const id of others) storeReadAnswer(session, set, side, id, answers.get(id));
  });
  return { unchanged, gone, again: others.some((id) => unreadableReason(answers.get(id)) === null) };
};

/** A contact that has changed since the plan. */
const CHANGED: Result = { kind: 'skipped', task: null, fields: [], again: true };

/**
 * Deletes the contacts that are unchanged since the plan, or that the read does not find: it may lag. No side offers a conditional
 * delete, so each contact is read again: a contact edited in the meantime is not deleted, and a second pass is due (R6).
 */
const deleteBatch = async (
  execution: Execution,
  side: Side,
  deletions: readonly Deletion[],
): Promise<readonly Result[]> => {
  const records = deletions.map(({ record }) => record);
  const { unchanged, gone, again } = await readBeforeWrite(execution.session, side, records, { keepsGone: true });
  const due = deletions.filter(({ record: { id } }) => unchanged.has(id) || gone.has(id));
  const results = await sendBatch(execution, deleteWrites(execution, due, gone));
  return again ? [CHANGED, ...results] : results;
};

/** The result of a merge: whether a second pass is due, and whether the contact must still be deleted. */
type MergeResult = { readonly again: boolean; readonly remains: boolean };

const NOT_MERGED: MergeResult = { again: false, remains: true };

/** Merges a contact into its merge survivor, which is the contact of the task. */
const mergeOne = async (execution: Execution, task: Task, deletion: Deletion): Promise<MergeResult> => {
  const { session } = execution;
  const { side } = deletion;
  const survivor = await session.writer.read(
    needsOf(execution, [task]),
    (set) => currentHalf(execution, set, task, side)?.record ?? null,
  );
  if (survivor === null) return NOT_MERGED;
  const both = [deletion.record, survivor];
  const { unchanged, again } = await readBeforeWrite(session, side, both, { keepsGone: false });
  if (unchanged.size < 2) return { again, remains: false };
  const results = await sendBatch(execution, [mergeWrite(execution, deletion, task, survivor)]);
  return {
    again: results.some(isAgain),
    remains: results.some((result) => result.kind === 'not-done' && result.remains),
  };
};

/**
 * Deletes contacts of a side. If the side has a merge of its own, contacts are merged into their merge survivors by it, because it keeps
 * data that no field expresses (R10, R12). Returns whether a second pass is due.
 */
export const performDeletions = async (
  execution: Execution,
  { decisions }: Executable,
  tasks: readonly Task[],
  side: Side,
): Promise<boolean> => {
  const remote = execution.session.remotes[side];
  const { clock, state } = execution.session;
  const isUnread = ({ record: { id } }: Deletion): boolean =>
    isWaiting(state().rejections, unreadContact(side, id), clock.now());
  const deletions = decisions
    .filter((decision) => decision.kind === 'delete')
    .filter((deletion) => deletion.side === side && isDeletable(execution, tasks, deletion) && !isUnread(deletion));
  const remaining: Deletion[] = [];
  let again = false;
  // Sequential, because several contacts may be merged into one survivor.
  for (const deletion of deletions) {
    const task = remote.merge === undefined ? undefined : survivorOf(tasks, deletion);
    const merged = task === undefined ? NOT_MERGED : await mergeOne(execution, task, deletion);
    again ||= merged.again;
    if (merged.remains) remaining.push(deletion);
  }
  const batches = batchesOf(execution, side, remaining, remote.capabilities.writeBatch);
  const deleted = await inTurn(batches, (batch) => deleteBatch(execution, side, batch));
  return again || deleted.some(isAgain);
};
