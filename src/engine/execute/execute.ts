import { hasNewAgreement, storeAgreed } from '../../core/apply/store-task.ts';
import {
  type Executable,
  type Execution,
  reportProgress,
  creationsOn,
  sharingRounds,
  tasksOf,
  updatesOn,
} from './execution.ts';
import { isAsking } from '../../core/apply/task-halves.ts';
import { confirmAccounts, originScopes } from '../accounts.ts';
import { storeAlreadyMoved } from '../../core/apply/answers.ts';
import {
  creationSide,
  currentRecord,
  isQuiet,
  isUnanswered,
  startsPairing,
  pendingFields,
  type Task,
  taskIds,
  taskPairId,
  writtenFields,
} from '../../core/apply/task.ts';
import { movesOf } from '../../core/apply/write.ts';
import type { ContactField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { ReadAnswer } from '../../core/contact/requests.ts';
import { bySide, type Side, type Sides, SIDES } from '../../core/contact/side.ts';
import { equalSnapshots, snapshotOf } from '../../core/contact/snapshot.ts';
import type { Deletion, Unlink } from '../../core/reconcile/decision.ts';
import { wholeRefusalKey } from '../../core/reconcile/defer.ts';
import { membershipOn, updateOn } from '../../core/reconcile/planned.ts';
import { answeredAbout, observeReadAnswer } from '../../core/state/observe.ts';
import { endPair, storePair, unlinkPair } from '../../core/state/pair.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import { onBothSides, type Session } from '../context.ts';
import type { LaterPart } from '../parts.ts';
import { type AnswerBeingStored, performBatch } from './batch.ts';
import { batchesOf, withoutFailed } from './batches.ts';
import { conflictChanges } from './conflicts.ts';
import { moveSteps, plannedWrites } from './planned-writes.ts';
import { deleteGroups, reportDuplicates, settleGroups, writeGroups } from './groups.ts';
import { chunks } from '../../util/batches.ts';
import { inParallel, yieldToEventLoop } from './in-parallel.ts';
import { withSharedEmails } from './shared-emails.ts';
import { splitRefused } from './split-refused.ts';
import { createWrites, deleteWrites, membershipWrites, mergeWrite, sharingWrites, updateWrites } from './writes.ts';

const COMMIT_CHUNK = 500;

/** The contact ids of the tasks on both sides, and their pairs, for the writer. */
const needsOf = (tasks: readonly Task[]) => ({
  ids: {
    left: tasks.flatMap((task) => taskIds(task).leftId ?? []),
    right: tasks.flatMap((task) => taskIds(task).rightId ?? []),
  },
  pairs: tasks.flatMap((task) => taskPairId(task) ?? []),
});

/** Deletes a pair, or keeps it for its remaining half; nothing is written to a remote. */
const storeUnlink = (set: WorkingSet, { pair, to }: Unlink): void => {
  if (pair.id === null) return;
  if (to === 'drop') {
    endPair(set, pair.id);
    return;
  }
  if (to === 'unselected') {
    // Whether a missing contact exists is decided later.
    for (const half of [pair.left, pair.right]) if (half?.state === 'changed') set.put({ ...half, state: 'settled' });
    unlinkPair(set, pair.id);
    return;
  }
  const halves = bySide((side) => {
    const half = pair[side];
    if (half === null || half.state === 'gone') return null;
    return { ...half, base: snapshotOf(half.record), state: 'settled' as const };
  });
  storePair(set, { pairId: pair.id, status: to, halves, writtenSide: null });
};

/** The task of the contact into which the deleted contact was merged (R12). */
const survivorOf = (tasks: readonly Task[], { side, after }: Deletion): Task | undefined => {
  const survivorId = after?.survivorId;
  return survivorId === undefined ? undefined : tasks.find((task) => currentRecord(task, side)?.id === survivorId);
};

/** The tasks of the contacts that other contacts of the plan were merged into. */
const survivorsOf = ({ decisions }: Pick<Executable, 'decisions'>, tasks: readonly Task[]): ReadonlySet<Task> =>
  new Set(decisions.flatMap((each) => (each.kind === 'delete' ? (survivorOf(tasks, each) ?? []) : [])));

/** Whether the pair is stored before anything is written to its two contacts, with the values on which both sides agree. */
const isStoredAhead = (task: Task): boolean =>
  startsPairing(task) || (task.decision.kind === 'merge' && task.decision.unites === true) || hasNewAgreement(task);

/**
 * Stores what must be stored before the first write:
 * - decisions that need no write: questions to a user, pairings, equal changes, ends of pairs.
 * - conflicts: the losing value stays readable even if the answer to the write of the winner is lost. A question to a user is stored
 *   together with its pairing: there is no question about unpaired contacts.
 * - what both sides agree on, so that each operation afterwards settles its own values only. A pair in a group whose members are
 *   united now loses that group from its bases: otherwise a refused membership would never be found again (R15).
 * - new pairings: if a run stops after the name of one contact was written, the two might no longer match as one person (R13).
 */
const storeBeforeWrites = async (execution: Execution, plan: Executable, all: readonly Task[]): Promise<void> => {
  const { session } = execution;
  const { clock, writer } = session;
  const unlinked = plan.decisions.filter((decision) => decision.kind === 'unlink');
  for (const unlinks of chunks(unlinked, COMMIT_CHUNK)) {
    await writer.apply({ pairs: unlinks.flatMap(({ pair }) => pair.id ?? []) }, (set) => {
      for (const unlink of unlinks) storeUnlink(set, unlink);
    });
  }
  const isStored = (task: Task): boolean => creationSide(task) === null && (isQuiet(task) || isStoredAhead(task));
  const survivors = survivorsOf(plan, all);
  const isDisputed = (task: Task): boolean => isAsking(task) || !isQuiet(task) || survivors.has(task);
  for (const tasks of chunks(all, COMMIT_CHUNK)) {
    const stored = tasks.filter(isStored);
    const conflicts = await conflictChanges(session, tasks.filter(isDisputed));
    await writer.apply(needsOf(stored), (set) => {
      for (const task of stored) storeAgreed(set, task, clock.now());
      set.add(...conflicts);
    });
  }
  await settleSelection(execution, plan);
};

/** Stores for each unpaired contact whether it is selected, and then the selection itself. */
const settleSelection = async (
  { session: { state, writer } }: Execution,
  { rest = [], selection }: Executable,
): Promise<void> => {
  for (const chunk of chunks(rest, COMMIT_CHUNK)) {
    const ids = bySide((side) => chunk.filter((half) => half.side === side).map(({ id }) => id));
    await writer.apply({ ids }, (set) => {
      for (const half of chunk) set.put(half);
    });
  }
  if (selection === undefined || state().selection?.key === selection?.key) return;
  await writer.apply({}, (set) => set.add({ kind: 'link', patch: { selection } }));
};

const createContacts = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<void> => {
  const { createBatch, writeConcurrency } = execution.session.remotes[side].capabilities;
  const batches = batchesOf(execution, side, creationsOn(tasks, side), createBatch);
  await inParallel(batches, writeConcurrency, (batch) => performBatch(execution, createWrites(execution, side, batch)));
};

/**
 * Whether more may be written to the task's contact. After an update of unknown outcome, the contact may have changed.
 */
const isWritable = (task: Task, side: Side): boolean => currentRecord(task, side) !== null && !isUnanswered(task, side);

/** Whether no other address of the contact is still to be written: the write of a shared one would count them as written. */
const areOtherEmailsWritten = ({ operations }: Task, side: Side): boolean =>
  updateOn(operations, side)?.fields.includes('emailAddresses') !== true;

const writeContacts = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<void> => {
  const { updateBatch, writeConcurrency } = execution.session.remotes[side].capabilities;
  await createContacts(execution, tasks, side);
  await inParallel(chunks(updatesOn(tasks, side), updateBatch), writeConcurrency, (batch) =>
    performBatch(execution, updateWrites(execution, side, batch)),
  );
  await splitRefused(execution, side);
  for (const round of sharingRounds(tasks, side)) {
    const sharings = round.filter(({ task }) => isWritable(task, side) && areOtherEmailsWritten(task, side));
    await inParallel(chunks(sharings, updateBatch), writeConcurrency, (batch) => {
      return performBatch(execution, sharingWrites(execution, side, batch));
    });
  }
};

/** Orders tasks so that those that join one group are adjacent: a bulk route takes many contacts of one group. */
const byGroup = (tasks: readonly Task[], side: Side): readonly Task[] => {
  return [...Map.groupBy(tasks, (task) => movesOf(task, side).joins[0]).values()].flat();
};

/** Writes memberships (R11); a task whose contact already has them needs no request. */
const writeMemberships = async (execution: Execution, tasks: readonly Task[], side: Side): Promise<void> => {
  const { session, groupIds } = execution;
  const { clock, remotes, writer } = session;
  const { capabilities } = remotes[side];
  const moving = tasks.filter((task) => membershipOn(task.operations, side) !== null && isWritable(task, side));
  const { sound, failed } = withoutFailed(execution, side, moving);
  for (const batch of [...moveSteps(byGroup(sound, side), side, capabilities), ...chunks(failed, 1)]) {
    const writes = membershipWrites(execution, side, batch);
    const sent = new Set(writes.flatMap((write) => (write.kind === 'membership' ? [write.task] : [])));
    const alreadyMoved = batch.filter((task) => !sent.has(task));
    await writer.apply(needsOf(alreadyMoved), (set) => {
      for (const task of alreadyMoved) storeAlreadyMoved({ set, groupIds, atMs: clock.now() }, task, side);
    });
    const { stored } = await performBatch(execution, writes);
    await stored;
  }
};

/** Whether all values that only the merged-away contact had are written to the merge survivor or its other half. */
const isDeletable = (tasks: readonly Task[], deletion: Deletion): boolean => {
  const survivor = survivorOf(tasks, deletion);
  const fields = deletion.after?.fields;
  const isWritten = (side: Side, field: ContactField): boolean => {
    return (
      survivor !== undefined && writtenFields(survivor, side).has(field) && !pendingFields(survivor, side).has(field)
    );
  };
  return fields === undefined || SIDES.every((side) => fields[side].every((field) => isWritten(side, field)));
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
const mergeContacts = async (
  execution: Execution,
  survivors: readonly Task[],
  side: Side,
  deletions: readonly Deletion[],
): Promise<readonly Deletion[]> => {
  if (execution.session.remotes[side].merge === undefined) return deletions;
  const remaining: Deletion[] = [];
  // Sequential, because several contacts may be merged into one survivor.
  for (const deletion of deletions) {
    const task = survivorOf(survivors, deletion);
    const survivor = task === undefined ? null : currentRecord(task, side);
    if (task === undefined || survivor === null) {
      remaining.push(deletion);
      continue;
    }
    const unchangedIds = await readBeforeWrite(execution, side, [deletion.record, survivor], isUnchanged);
    if (unchangedIds.size < 2) continue;
    const { stored } = await performBatch(execution, [mergeWrite(execution, deletion, { task, survivor })]);
    if ((await stored).isStillThere) remaining.push(deletion);
  }
  return remaining;
};

const deleteContacts = async (execution: Execution, final: FinalPart, side: Side): Promise<void> => {
  const { session } = execution;
  const { survivors } = final;
  const { deleteBatch, writeConcurrency } = session.remotes[side].capabilities;
  const deletions = final.deletions.filter((deletion) => deletion.side === side && isDeletable(survivors, deletion));
  const remaining = await mergeContacts(execution, survivors, side, deletions);
  await inParallel(
    batchesOf(execution, side, remaining, deleteBatch),
    writeConcurrency,
    async (batch): Promise<AnswerBeingStored> => {
      return performBatch(execution, deleteWrites(execution, await unchangedDeletions(execution, side, batch)));
    },
  );
};

/** The number of writes of a plan, including the contacts that later parts create. */
const writesWith = (
  { remotes }: Session,
  plan: Executable,
  tasks: readonly Task[],
  later: readonly LaterPart[],
): Sides<number> => {
  const planned = plannedWrites(
    plan,
    tasks,
    bySide((side) => remotes[side].capabilities),
  );
  return bySide((side) => later.reduce((sum, { creates }) => sum + creates[side], planned[side].writes));
};

const begin = async (
  session: Session,
  plan: Executable,
  tasks: readonly Task[],
  later: readonly LaterPart[],
): Promise<Execution> => {
  const { fields, rejections } = session.state();
  const writes = writesWith(session, plan, tasks, later);
  session.emit({ kind: 'planned', writes });
  const execution: Execution = {
    session,
    groupIds: new Map(plan.groups.links.map(({ key, left, right }) => [key, { left, right }])),
    scopes: originScopes(session),
    rejections: new Map(rejections.map((rejection) => [`${rejection.side} ${rejection.key}`, rejection])),
    failedBefore: new Set(rejections.map(({ side, key }) => `${side} ${wholeRefusalKey(key)}`)),
    cause: session.undoes === null ? 'sync' : 'undo',
    joining: new Set(session.undoes === null ? fields.joining : []),
    again: { needed: false },
    refused: { left: [], right: [] },
    unansweredCalls: { left: 0, right: 0 },
    progress: bySide((side) => ({ done: 0, total: writes[side] })),
    startedAtMs: session.clock.monotonic(),
  };
  for (const side of SIDES) if (writes[side] > 0) reportProgress(execution, side);
  return execution;
};

const writesAnything = ({ progress }: Execution): boolean => SIDES.some((side) => progress[side].total > 0);

/** Writes contacts and then their memberships, on both sides at the same time. */
const writeTasks = async (execution: Execution, plan: Executable, tasks: readonly Task[]): Promise<void> => {
  await storeBeforeWrites(execution, plan, tasks);
  await onBothSides((side) => writeContacts(execution, tasks, side));
  await onBothSides((side) => writeMemberships(execution, tasks, side));
  execution.session.tally.paired += tasks.filter(startsPairing).length;
};

/** The rest of a plan after its contacts are written: deletions and groups. It is kept in memory while later parts are written. */
type FinalPart = Pick<Executable, 'groups'> & {
  readonly deletions: readonly Deletion[];
  /** The tasks of the contacts that others were merged into. */
  readonly survivors: readonly Task[];
};

type StartedExecution = { readonly execution: Execution; readonly final: FinalPart };

/**
 * Starts to execute a plan: writes groups, then contacts, then memberships, on both sides at the same time. The
 * progress includes the contacts that `later` parts create.
 *
 * @throws {HaltError} if a side is another account than the link was made with: nothing is written.
 * @throws {RemoteError} if a remote is unavailable or a credential is refused; completed writes are stored.
 */
export const startExecution = async (
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
export const executePart = async (
  execution: Execution,
  plan: Executable,
  later: readonly LaterPart[],
): Promise<void> => {
  const { progress, session } = execution;
  const tasks = await withSharedEmails(session, tasksOf(plan));
  const writes = writesWith(session, plan, tasks, later);
  for (const side of SIDES) progress[side].total = progress[side].done + writes[side];
  await writeTasks(execution, plan, tasks);
};

/**
 * Performs the deletions and settles the groups, after all parts are written.
 *
 * @returns whether a second pass is needed: a contact was stale, vanished, or has a write of unknown outcome.
 * @throws {RemoteError} if a remote is unavailable or a credential is refused; completed writes are stored.
 */
export const finishExecution = async (execution: Execution, final: FinalPart): Promise<boolean> => {
  await onBothSides((side) => deleteContacts(execution, final, side));
  await deleteGroups(execution, final.groups);
  await settleGroups(execution, final.groups);
  return execution.again.needed;
};

/**
 * Executes a plan of one part; see {@link startExecution} and {@link finishExecution}. Returns whether a contact must be read again:
 * its write was stale or has an unknown outcome.
 */
export const execute = async (session: Session, plan: Executable): Promise<boolean> => {
  const { execution, final } = await startExecution(session, plan);
  return finishExecution(execution, final);
};
