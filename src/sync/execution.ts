import { isDeepStrictEqual } from 'node:util';
import type { SyncedField } from '../contact/contact.ts';
import type { Side } from '../contact/side.ts';
import type { ContactRecord } from '../contact/record.ts';
import type { Decision } from '../reconcile/decision.ts';
import { sourceFingerprint } from '../reconcile/plan.ts';
import { LimitedError, NotFoundError, StaleError, RemoteError, UnavailableError } from '../providers/errors.ts';
import type { WriteResult } from '../providers/remote.ts';
import type { JournalEntry, Rejection, StoreChange } from '../store/store.ts';
import { answerChanges } from './answer-changes.ts';
import type { Session } from './context.ts';
import { rejectionKey } from './prepare.ts';
import { sideValue, statusOf, type Task } from './task.ts';

/** What the writers of one pass share. */
export type Execution = {
  readonly session: Session;
  /** Both halves' ids of each group pair that memberships travel through; null where creating one failed. */
  readonly groupIds: Map<string, { left: string | null; right: string | null }>;
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** Contacts that must be looked at again before the run ends: stale, gone, or answered by silence. */
  readonly again: { needed: boolean };
  /** How many calls in a row on each side left it open whether anything was written. */
  readonly silentCalls: Record<Side, number>;
  readonly progress: Record<Side, { done: number; readonly total: number }>;
};

/** One write on its way: what is journaled, what is sent. */
export type Write<Request> = {
  readonly side: Side;
  readonly decision: Decision;
  readonly entry: JournalEntry;
  readonly request: Request;
  readonly key: string;
};

const FIRST_RETRY_MS = 5 * 60_000;
const LAST_RETRY_MS = 24 * 60 * 60_000;

/** When a refused contact may be tried again, by how often it was refused: five minutes, doubling up to a day (R15). */
const retryDelayMs = (attempts: number): number => Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempts - 1));

/** A side that leaves so many calls in a row open has an outage, whatever it answers to reads: the run ends. */
const MAX_SILENT_CALLS = 10;

const idsOf = ({ leftId, rightId }: JournalEntry) => ({ leftId, rightId });

/** Tells of a refusal and remembers it (R15): the reason for `status`, and when the same content may be tried again. */
const refuse = (
  execution: Execution,
  { side, decision, entry }: Pick<Write<unknown>, 'side' | 'decision' | 'entry'>,
  reason: string,
): StoreChange => {
  execution.session.tally.skipped += 1;
  execution.session.emit({ kind: 'skipped', side, reason, ...idsOf(entry) });
  const key = rejectionKey(decision);
  const fingerprint = sourceFingerprint(decision);
  const earlier = execution.rejections.get(`${side} ${key}`);
  const attempts = earlier?.sourceFingerprint === fingerprint ? earlier.attempts + 1 : 1;
  const retryAtMs = execution.session.clock.now() + retryDelayMs(attempts);
  const rejection = { side, key, ...idsOf(entry), reason, sourceFingerprint: fingerprint, attempts, retryAtMs };
  return { kind: 'reject', rejection };
};

const isOutage = (error: RemoteError): boolean => {
  return error instanceof LimitedError || (error instanceof UnavailableError && error.applied === 'no');
};

/** What an answered write changes in the store; `refused` where the answer is none that may be taken over. */
export type Applied = {
  readonly changes: readonly StoreChange[];
  readonly after: ContactRecord | null;
  readonly refused?: string;
};

type Failure = { readonly changes: readonly StoreChange[]; readonly stop: RemoteError | null };

/** What a failed write leaves behind: a refusal, a second look, or the end of the run. */
const judgeFailure = async (
  execution: Execution,
  write: Write<unknown>,
  journalId: number,
  error: RemoteError,
): Promise<Failure> => {
  const { session } = execution;
  const atMs = session.clock.now();
  const failed: StoreChange = {
    kind: 'journal',
    id: journalId,
    state: 'failed',
    after: null,
    error: error.message,
    atMs,
  };
  const id = (write.side === 'left' ? write.entry.leftId : write.entry.rightId) ?? '';
  if (isOutage(error)) return { changes: [failed], stop: error };
  if (error.applied === 'unknown') {
    // The journal row stays `intended`: recovery settles it before the run ends.
    execution.again.needed = true;
    return { changes: [], stop: null };
  }
  if (error instanceof StaleError || (error instanceof NotFoundError && write.entry.kind !== 'create')) {
    execution.again.needed = true;
    const answer = (await session.remotes[write.side].read([id], session.signal)).get(id);
    return { changes: [failed, ...answerChanges(write.side, id, answer, atMs)], stop: null };
  }
  return { changes: [failed, refuse(execution, write, error.message)], stop: null };
};

/** What could not even be judged stays `intended`: the answers of the others are stored all the same. */
const failureToJudge = (error: unknown): Failure => {
  if (error instanceof RemoteError) return { changes: [], stop: error };
  throw error;
};

const answered = (
  execution: Execution,
  write: Write<unknown>,
  id: number,
  { changes, after, refused }: Applied,
): readonly StoreChange[] => {
  const atMs = execution.session.clock.now();
  if (refused !== undefined) {
    return [{ kind: 'journal', id, state: 'failed', after, error: refused, atMs }, refuse(execution, write, refused)];
  }
  const key = rejectionKey(write.decision);
  const wasRefused = execution.rejections.has(`${write.side} ${key}`);
  const accepted: readonly StoreChange[] = wasRefused ? [{ kind: 'accept', side: write.side, key }] : [];
  return [{ kind: 'journal', id, state: 'done', after, error: null, atMs }, ...accepted, ...changes];
};

/** Writes that were answered; `stored` settles when what they changed is on disk. */
export type Answered = { readonly stored: Promise<void> };

const NOTHING_WRITTEN: Answered = { stored: Promise.resolve() };

/** Says that writes of a side are over and done with, for the progress bar. */
export const advance = (execution: Execution, side: Side, count: number): void => {
  const progress = execution.progress[side];
  progress.done += count;
  execution.session.emit({ kind: 'written', side, done: progress.done, total: progress.total });
};

/** Counts the calls in a row that were answered by silence; answers the error that ends the run, if there were too many. */
const hearSilence = (
  { silentCalls }: Execution,
  side: Side,
  results: readonly WriteResult<unknown>[],
): RemoteError | null => {
  const silences = results.flatMap((result) =>
    !result.ok && result.error.applied === 'unknown' ? [result.error] : [],
  );
  const isSilent = silences.length > 0 && silences.length === results.length;
  silentCalls[side] = isSilent ? silentCalls[side] + 1 : 0;
  return silentCalls[side] < MAX_SILENT_CALLS ? null : (silences[0] ?? null);
};

/**
 * Journals a batch of writes, sends it, and commits each answer together with its journal row (R9). One item's failure
 * leaves the others alone (R15). The answers may still be on their way to the disk when it resolves.
 *
 * @throws {RemoteError} where the remote is unavailable or the credential is refused; what was written is stored.
 */
export const perform = async <Request, Value>(
  execution: Execution,
  writes: readonly Write<Request>[],
  send: (requests: readonly Request[], signal: AbortSignal) => Promise<readonly WriteResult<Value>[]>,
  applied: (write: Write<Request>, value: Value) => Applied,
): Promise<Answered> => {
  const { session } = execution;
  const [first] = writes;
  if (first === undefined) return NOTHING_WRITTEN;
  session.signal.throwIfAborted();
  session.stop?.throwIfAborted();
  const undoes = session.undoes !== null;
  const entries = writes.map(({ entry }) => ({ ...entry, intent: { ...entry.intent, undoes } }));
  const ids = await session.store.intend(session.link, session.run, entries, session.clock.now());
  const results = await send(
    writes.map((write) => write.request),
    session.signal,
  );
  const byKey = new Map(results.map((result) => [result.key, result]));
  const changes: StoreChange[] = [];
  let stop = hearSilence(execution, first.side, results);
  for (const [index, write] of writes.entries()) {
    const result = byKey.get(write.key);
    const journalId = ids[index];
    if (result === undefined || journalId === undefined) continue;
    if (result.ok) {
      changes.push(...answered(execution, write, journalId, applied(write, result.value)));
    } else {
      const failure = await judgeFailure(execution, write, journalId, result.error).catch(failureToJudge);
      changes.push(...failure.changes);
      stop ??= failure.stop;
    }
  }
  // A sync tries a refused write again by itself; an undo is asked for again.
  const isKept = ({ kind }: StoreChange): boolean => !undoes || (kind !== 'reject' && kind !== 'accept');
  const storing = session.store.commit(session.link, changes.filter(isKept));
  const stored = storing.then(() => advance(execution, first.side, writes.length));
  if (stop === null) return { stored };
  await stored;
  throw stop;
};

/**
 * Records what the tasks' writes are about to decide against one side (R4). It is done ahead of the writes: the losing value
 * stays readable also where a write's answer is lost. A write that was refused and is tried again decides nothing new.
 */
export const recordConflicts = async (session: Session, tasks: readonly Task[]): Promise<void> => {
  const disputing = tasks.filter((task) => task.conflicts.length > 0 && !task.conflictsStored);
  if (disputing.length === 0) return;
  for (const task of disputing) task.conflictsStored = true;
  const open = await session.store.conflicts(session.link, { all: false });
  const changes = disputing.flatMap((task): StoreChange[] => {
    const { left, right } = task.halves;
    if (left === null || right === null) return [];
    const ids = { leftId: left.record.id, rightId: right.record.id };
    const atMs = session.clock.now();
    return task.conflicts.flatMap((conflict): StoreChange[] => {
      if (open.some((row) => isDeepStrictEqual({ ...row, ...ids, ...conflict }, row))) return [];
      session.tally.conflicts += 1;
      session.emit({ kind: 'conflict', conflict, ...ids });
      return [
        { kind: 'resolve-conflicts', leftId: ids.leftId, fields: [conflict.field], atMs },
        { kind: 'conflict', run: session.run, ...ids, conflict, atMs },
      ];
    });
  });
  if (changes.length > 0) await session.store.commit(session.link, changes);
};

/** A later write of a field settles earlier conflicts about it. */
const resolvedConflicts = (session: Session, task: Task, writtenSide: Side | null): readonly StoreChange[] => {
  const { left, right } = task.halves;
  if (left === null || right === null || writtenSide === null) return [];
  const disputed = new Set(task.conflicts.map((conflict) => conflict.field));
  const fields = [...(task.halves[writtenSide]?.written ?? [])].filter((field) => !disputed.has(field));
  if (fields.length === 0) return [];
  return [{ kind: 'resolve-conflicts', leftId: left.record.id, fields, atMs: session.clock.now() }];
};

/** The changes that store where a task's pair stands now. */
export const pairChanges = (session: Session, task: Task, writtenSide: Side | null): readonly StoreChange[] => {
  const pair: StoreChange = {
    kind: 'pair',
    pairId: task.pairId,
    status: statusOf(task),
    left: sideValue(task, 'left'),
    right: sideValue(task, 'right'),
    writtenSide,
    atMs: session.clock.now(),
  };
  return [...resolvedConflicts(session, task, writtenSide), pair];
};

/** Counts a contact as written on a side, once. */
export const countWrite = (session: Session, task: Task, side: Side, as: 'created' | 'updated'): void => {
  if (task.counted.has(side)) return;
  task.counted.add(side);
  session.tally[side][as] += 1;
};

/** Tells which of the fields that were written the side did not take (R2). */
export const reportNotTaken = (
  session: Session,
  ids: { readonly leftId: string | null; readonly rightId: string | null },
  side: Side,
  fields: readonly SyncedField[],
): void => {
  if (fields.length > 0) session.emit({ kind: 'not-taken', side, fields, ...ids });
};
