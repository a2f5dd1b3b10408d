import { fieldsOn, plannedHalf, type Task } from '../../core/apply/task.ts';
import type { SyncedField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { ReadAnswer } from '../../core/contact/requests.ts';
import { type Side, SIDES } from '../../core/contact/side.ts';
import { equalSnapshots } from '../../core/contact/snapshot.ts';
import type { Deletion } from '../../core/reconcile/decision.ts';
import { answeredAbout, observeReadAnswer } from '../../core/state/observe.ts';
import { type AnswerBeingStored, performBatch } from './batch.ts';
import { batchesOf } from './batches.ts';
import { type Executable, type Execution, stateOf } from './execution.ts';
import { inParallel } from './in-parallel.ts';
import { currentHalf, deleteWrites, mergeWrite, needsOf } from './writes.ts';

/** The rest of a plan after its contacts are written: deletions and groups. It is kept in memory while later parts are written. */
export type FinalPart = Pick<Executable, 'groups'> & {
  readonly deletions: readonly Deletion[];
  /** The tasks of the contacts that others were merged into. */
  readonly survivors: readonly Task[];
};

/** The task of the contact into which the deleted contact was merged (R12). */
const survivorOf = (tasks: readonly Task[], { side, after }: Deletion): Task | undefined => {
  const survivorId = after?.survivorId;
  return survivorId === undefined ? undefined : tasks.find((task) => plannedHalf(task, side)?.id === survivorId);
};

/** The tasks of the contacts that other contacts of the plan were merged into. */
export const survivorsOf = ({ decisions }: Pick<Executable, 'decisions'>, tasks: readonly Task[]): ReadonlySet<Task> =>
  new Set(decisions.flatMap((each) => (each.kind === 'delete' ? (survivorOf(tasks, each) ?? []) : [])));

/** Whether all values that only the merged-away contact had are written to the merge survivor or its other half. */
const isDeletable = (execution: Execution, survivors: readonly Task[], deletion: Deletion): boolean => {
  const fields = deletion.after?.fields;
  if (fields === undefined) return true;
  const survivor = survivorOf(survivors, deletion);
  if (survivor === undefined) return false;
  const isWritten = (side: Side, field: SyncedField): boolean =>
    fieldsOn(survivor, side).has(field) && !stateOf(execution, survivor, side).unwritten.has(field);
  return SIDES.every((side) => fields[side].every((field) => isWritten(side, field)));
};

/**
 * Reads contacts directly before they are written. Returns the ids of those that are as expected. The others are stored as
 * read, and a second pass is due.
 */
const readBeforeWrite = async (
  { session, again }: Execution,
  side: Side,
  records: readonly ContactRecord[],
  isExpected: (record: ContactRecord, answer: ReadAnswer | undefined) => boolean,
): Promise<ReadonlySet<string>> => {
  const { clock, remotes, signal, writer } = session;
  const ids = records.map(({ id }) => id);
  const answers = await remotes[side].read(ids, signal);
  const others = ids.filter((_, index) => {
    const record = records[index];
    return record !== undefined && !isExpected(record, answers.get(record.id));
  });
  if (others.length === 0) return new Set(ids);
  again.needed = true;
  await writer.apply(answeredAbout(side, ids, answers), (set) => {
    for (const id of others) observeReadAnswer(set, side, id, answers.get(id), clock.now());
  });
  return new Set(ids).difference(new Set(others));
};

const isUnchanged = (record: ContactRecord, answer: ReadAnswer | undefined): boolean => {
  return answer?.kind === 'found' && equalSnapshots(record, answer.record);
};

/**
 * Returns the deletions of contacts that are unchanged since the plan, or already deleted. No side offers a conditional delete,
 * so each contact is read again: a contact edited in the meantime is not deleted, and a second pass is due (R6).
 */
const unchangedDeletions = async (
  execution: Execution,
  side: Side,
  deletions: readonly Deletion[],
): Promise<readonly Deletion[]> => {
  const records = deletions.map(({ record }) => record);
  const unchangedIds = await readBeforeWrite(execution, side, records, (record, answer) => {
    return answer?.kind === 'gone' || isUnchanged(record, answer);
  });
  return deletions.filter(({ record }) => unchangedIds.has(record.id));
};

/**
 * Merges contacts into their merge survivors by the side's own merge, which keeps data that no field expresses (R10, R12).
 * Returns the remaining deletions.
 */
const mergeIntoSurvivors = async (
  execution: Execution,
  survivors: readonly Task[],
  side: Side,
  deletions: readonly Deletion[],
): Promise<readonly Deletion[]> => {
  const { remotes, writer } = execution.session;
  if (remotes[side].merge === undefined) return deletions;
  const remaining: Deletion[] = [];
  // Sequential, because several contacts may be merged into one survivor.
  for (const deletion of deletions) {
    const task = survivorOf(survivors, deletion);
    const survivor =
      task === undefined
        ? null
        : await writer.read(
            needsOf(execution, [task]),
            (set) => currentHalf(execution, set, task, side)?.record ?? null,
          );
    if (task === undefined || survivor === null) {
      remaining.push(deletion);
      continue;
    }
    const unchangedIds = await readBeforeWrite(execution, side, [deletion.record, survivor], isUnchanged);
    if (unchangedIds.size < 2) continue;
    const { stored } = await performBatch(execution, [mergeWrite(execution, deletion, task, survivor)]);
    if ((await stored).isStillThere) remaining.push(deletion);
  }
  return remaining;
};

/** Deletes contacts of a side, or merges them into their merge survivors. */
export const performDeletions = async (execution: Execution, final: FinalPart, side: Side): Promise<void> => {
  const { session } = execution;
  const { survivors } = final;
  const { deleteBatch, writeConcurrency } = session.remotes[side].capabilities;
  const deletions = final.deletions.filter(
    (deletion) => deletion.side === side && isDeletable(execution, survivors, deletion),
  );
  const remaining = await mergeIntoSurvivors(execution, survivors, side, deletions);
  await inParallel(
    batchesOf(execution, side, remaining, deleteBatch),
    writeConcurrency,
    async (batch): Promise<AnswerBeingStored> => {
      return performBatch(execution, deleteWrites(execution, await unchangedDeletions(execution, side, batch)));
    },
  );
};
