import {
  alteredGroups,
  type AnsweredWrite,
  applyAnswer,
  type Applying,
  isOfAnotherPair,
} from '../../core/apply/answers.ts';
import { changesToClose } from '../../core/apply/outcome.ts';
import type { Write } from '../../core/apply/task.ts';
import { beforeOf } from '../../core/reconcile/operation.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { ReadAnswer } from '../../core/contact/requests.ts';
import type { Side } from '../../core/contact/side.ts';
import type { PairIds } from '../../core/contact/pair.ts';
import { type GroupPair, newGroupKey } from '../../core/reconcile/groups.ts';
import { isAsKnown } from '../../core/state/half-transitions.ts';
import { answeredAbout } from '../../core/state/observe.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import { isCredentialError, isFault, RemoteError, StaleError } from '../../providers/errors.ts';
import type { Session } from '../session.ts';
import { COUNTED_AS } from '../tally.ts';
import { type Execution, groupPairsOf } from './execution.ts';
import { canSplit, judgeFailure, wasRefusedBefore } from './failure.ts';
import { isTrial, rejectionKeysEndedBy, storeFault, storeReadAnswer, storeRefusal } from './refusals.ts';
import { requestWrites, reread, type SentWrite } from './request.ts';
import { type Result, stateOf } from './results.ts';

/** The values that answers of a side are applied with. */
export const applyingIn = (execution: Execution, set: WorkingSet, side: Side): Applying => {
  const { session } = execution;
  const { createsWithGroups, lagMs, writesConditionally = false } = session.remotes[side].capabilities;
  const manners = { createsWithGroups, lagMs, isConditional: writesConditionally };
  return { set, groupPairs: groupPairsOf(execution), ...manners, atMs: session.clock.now() };
};

/**
 * Returns the group pairs for groups that exist only because the side altered a write: a group that no user made has no counterpart
 * on the other side. The answers of the writes are stored although a group cannot be read, so its error is returned.
 */
const pairsOfAlteredGroups = async (
  { session }: Execution,
  side: Side,
  sent: readonly SentWrite[],
): Promise<{ readonly groupPairs: readonly GroupPair[]; readonly groupError: RemoteError | null }> => {
  const { remotes, signal } = session;
  const groupPairs: GroupPair[] = [];
  const isConditional = remotes[side].capabilities.writesConditionally === true;
  const ids = new Set(isConditional ? sent.flatMap((each) => (each.kind === 'failed' ? [] : alteredGroups(each))) : []);
  const paired = new Set(session.state().groupPairs.map((pair) => pair[side]?.id));
  try {
    for (const id of ids.difference(paired)) {
      const group = await remotes[side].readGroup(id, signal);
      if (group === null) continue;
      const halves = { left: null, right: null, [side]: { id, name: group.name } };
      const key = newGroupKey(side, id, session.state().groupPairs);
      groupPairs.push({ key, ...halves, status: 'kept', isUnited: false });
    }
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    return { groupPairs, groupError: error };
  }
  return { groupPairs, groupError: null };
};

/** Counts a write that was done. Each contact counts once, by its first write. */
const countWrite = (execution: Execution, write: Write): void => {
  const { operation } = write;
  const { side } = operation;
  if ('task' in write && stateOf(execution, write.task, side).writtenId !== null) return;
  execution.session.tally[side][COUNTED_AS[operation.kind]] += 1;
};

/** The ids of a write's contacts, with that of a created contact. */
const writtenIds = ({ kind, operation: { leftId, rightId, side } }: Write, after: ContactRecord | null): PairIds => ({
  leftId,
  rightId,
  ...(kind === 'create' && { [`${side}Id`]: after?.id ?? null }),
});

/** Returns a refusal, and stores and reports it (R15), unless its caller decides what is tried next. */
const refusal = (execution: Execution, set: WorkingSet, write: Write, reason: string, canSplitIt = false): Result => {
  const isStored = !isTrial(write) && !canSplitIt;
  if (isStored) storeRefusal(execution, set, write, reason);
  return { kind: 'refused', write, reason, isStored };
};

/** Applies one answer: updates the store, counts the write and reports it. */
const applyOneAnswer = (execution: Execution, set: WorkingSet, answered: AnsweredWrite, journalId: number): Result => {
  const { session } = execution;
  const { write } = answered;
  const { side } = write.operation;
  const atMs = session.clock.now();
  // The journal entry stays open: recovery reads that contact after all other answers are stored.
  if (isOfAnotherPair(set, answered)) return { kind: 'unanswered', write };
  const outcome = applyAnswer(applyingIn(execution, set, side), answered);
  const { after } = outcome;
  const [state, error] = outcome.kind === 'done' ? (['done', null] as const) : (['failed', outcome.error] as const);
  set.add(...changesToClose(journalId, state, { after, error }, atMs));
  if (outcome.kind === 'refused') return refusal(execution, set, write, outcome.error);
  const ended = rejectionKeysEndedBy(write).filter((key) => execution.rejections.has(`${side} ${key}`));
  for (const key of ended) set.add({ kind: 'drop', table: 'rejections', where: { side, key } });
  if (outcome.kind === 'not-done') return { kind: 'not-done', write, remains: outcome.remains };
  countWrite(execution, write);
  // Written fields that the side did not store (R2).
  if (outcome.notTaken.length > 0)
    session.emit({ kind: 'not-taken', side, fields: outcome.notTaken, ...writtenIds(write, after) });
  return { kind: 'done', write, id: after?.id ?? null };
};

/** Closes the entries of a batch that was refused as a whole because of its credential: none of it was written. */
const closeRefused = async ({ clock, writer }: Session, ids: readonly number[], error: unknown): Promise<void> => {
  if (!isCredentialError(error) || error.applied !== 'no') return;
  const atMs = clock.now();
  await writer.apply({}, (set) => {
    for (const id of ids) set.add(...changesToClose(id, 'failed', { after: null, error: error.message }, atMs));
  });
};

/** The error of a write; null if it was answered. */
const errorOf = (sent: SentWrite): RemoteError | null => (sent.kind === 'failed' ? sent.error : null);

/** The ids of the contacts, on both sides, that are needed to apply the outcomes. */
const neededFor = (sent: readonly SentWrite[], answers: ReadonlyMap<string, ReadAnswer>, side: Side) => {
  const about = answeredAbout(side, [...answers.keys()], answers);
  const ids: Record<Side, string[]> = { left: [], right: [], [side]: [...(about.ids[side] ?? [])] };
  const pairs: number[] = [];
  for (const each of sent) {
    const { write } = each;
    const { leftId, rightId, pairId } = write.operation;
    if (leftId !== null) ids.left.push(leftId);
    if (rightId !== null) ids.right.push(rightId);
    if (pairId !== null) pairs.push(pairId);
    if (each.kind === 'record') ids[side].push(each.value.id);
    if (write.kind === 'merge-away') ids[side].push(write.operation.survivor.id);
  }
  return { ids, pairs, gone: about.gone };
};

/**
 * Journals writes of one kind, sends them, and stores each answer together with its journal entry (R9). A failed write
 * does not affect the others (R15).
 *
 * @throws {RemoteError} if the remote is unavailable or the credential is refused; completed writes are stored.
 */
export const sendBatch = async (execution: Execution, writes: readonly Write[]): Promise<readonly Result[]> => {
  const { session } = execution;
  const { clock, signal, writer } = session;
  const [first] = writes;
  if (first === undefined) return [];
  const { side } = first.operation;
  signal.throwIfAborted();
  session.stop?.throwIfAborted();
  const operations = writes.map(({ operation }) => operation);
  const journalIds = await writer.intend(session.run, operations, clock.now());
  const journalIdOf = (write: Write): number => {
    const id = journalIds[writes.indexOf(write)];
    if (id === undefined) throw new Error('The store did not journal every write of the batch.');
    return id;
  };
  const sent = await requestWrites(execution, side, first.kind, writes).catch(async (error: unknown) => {
    await closeRefused(session, journalIds, error);
    throw error;
  });
  const { answers, readError } = await reread(session, side, sent);
  const { groupPairs, groupError } = await pairsOfAlteredGroups(execution, side, sent);
  // Writes that the side failed at before are no evidence of an outage.
  const allFailedBefore = writes.every((write) => wasRefusedBefore(execution, write));
  let endsRun = (allFailedBefore ? null : session.countCall(side, sent.map(errorOf))) ?? readError ?? groupError;
  const apply = (set: WorkingSet, each: SentWrite): Result =>
    each.kind === 'failed'
      ? applyOneFailure(execution, set, each, journalIdOf(each.write), answers)
      : applyOneAnswer(execution, set, each, journalIdOf(each.write));
  const results: Result[] = [];
  await writer.apply(neededFor(sent, answers, side), (set) => {
    for (const row of groupPairs) set.add({ kind: 'put', table: 'groupPairs', row });
    for (const each of sent) results.push(apply(set, each));
  });
  session.progress.advance(side, writes.length);
  for (const each of sent) if (each.kind === 'failed') endsRun ??= judgeFailure(each.write, each.error).endsRun;
  if (endsRun !== null) throw endsRun;
  return results;
};

/** A read of a contact whose write was refused with this error. */
type Reread = { readonly id: string; readonly answer: ReadAnswer | undefined; readonly error: RemoteError };

/** Applies the result of reading a contact again. */
const applyOneRead = ({ session }: Execution, set: WorkingSet, side: Side, { id, answer, error }: Reread): void => {
  // `stale` means that the contact exists and changed since it was last read. A read that does not find it is only late.
  const isLate = error instanceof StaleError && answer?.kind === 'gone';
  if (!isLate) storeReadAnswer(session, set, side, id, answer);
};

/**
 * Returns whether the side will probably refuse the write again as stale or not found: it refuses a contact that a read shows unchanged, or
 * a new one.
 */
const willRepeat = (write: Write, error: RemoteError, answer: ReadAnswer | undefined, atMs: number): boolean => {
  const { operation } = write;
  if (!judgeFailure(write, error).rereads) return false;
  if (operation.kind === 'create') return true;
  return answer?.kind === 'found' && isAsKnown(operation.before, answer.record, atMs);
};

/** Applies one failure. If the contact had to be read and the read failed, its journal entry stays open. */
const applyOneFailure = (
  execution: Execution,
  set: WorkingSet,
  { write, error }: Extract<SentWrite, { kind: 'failed' }>,
  journalId: number,
  answers: ReadonlyMap<string, ReadAnswer>,
): Result => {
  const atMs = execution.session.clock.now();
  const { side } = write.operation;
  const { journal, refused, rereads } = judgeFailure(write, error);
  const id = rereads ? beforeOf(write.operation)?.id : undefined;
  const answer = answers.get(id ?? '');
  if (isFault(error) || willRepeat(write, error, answer, atMs)) storeFault(execution, set, write, error.message);
  if (id !== undefined && answer === undefined) return { kind: 'unanswered', write };
  set.add(...changesToClose(journalId, journal, { after: null, error: error.message }, atMs));
  if (id !== undefined) applyOneRead(execution, set, side, { id, answer, error });
  if (!refused) return { kind: 'unanswered', write };
  const result = refusal(execution, set, write, error.message, canSplit(write, error));
  return journal === 'intended' ? { kind: 'unanswered', write } : result;
};
