import {
  fieldFingerprint,
  fieldRefusalKey,
  type Refusable,
  refusalKey,
  sourceFingerprint,
  retryDelayMs,
} from '../../core/reconcile/defer.ts';
import { currentRecord, type Task } from '../../core/apply/task.ts';
import { type CreateWrite, targetOf, type UpdateWrite, type Write } from '../../core/apply/write.ts';
import { type ContactField, filledFields, specOf, type SyncedField } from '../../core/contact/contact.ts';
import type { Side } from '../../core/contact/side.ts';
import { type Deletion, isOfUndo } from '../../core/reconcile/decision.ts';
import type { JournalEvent } from '../../core/state/journal.ts';
import type { Rejection } from '../../core/state/rows.ts';
import {
  InvalidError,
  isCredentialError,
  LimitedError,
  NotFoundError,
  RedirectedError,
  type RemoteError,
  StaleError,
  UnavailableError,
} from '../../providers/errors.ts';
import type { WriteResult } from '../../providers/remote.ts';
import type { Execution } from './execution.ts';

/** A side that leaves so many calls in a row open has an outage, whatever it answers to reads: the run ends. */
const MAX_UNANSWERED_CALLS = 10;

/** So many refusals of the same content are no accident: the side does not let two contacts hold the address. */
const CONFIRMED_AFTER = 3;

/** What a refusal is remembered by; null for an undo, which is not tried again. */
const refusable = (decision: Task['decision'] | Deletion): Refusable | null => {
  if (decision.kind === 'restore' || isOfUndo(decision)) return null;
  if (decision.kind !== 'merge') return decision;
  const { left, right } = decision.pair;
  return left === null || right === null ? null : { kind: 'merge', pair: { left, right } };
};

/** What the next plan decides where the write is not done: for a contact that was just created, it is a merge. */
const decisionOf = (write: Write): Refusable | null => {
  if (write.kind === 'delete' || write.kind === 'merge') return refusable(write.deletion);
  const decision = refusable(write.task.decision);
  const [left, right] = [currentRecord(write.task, 'left'), currentRecord(write.task, 'right')];
  if (write.kind === 'create' || decision === null || left === null || right === null) return decision;
  return { kind: 'merge', pair: { left: { id: left.id, record: left }, right: { id: right.id, record: right } } };
};

/** The one field that an update writes alone; null for any other write. */
const loneField = (write: Write): ContactField | null => {
  if (write.kind !== 'update' || write.sharedEmail !== null) return null;
  const [field = null, ...others] = write.request.fields;
  return others.length === 0 ? field : null;
};

/** The key and the fingerprint of a refusal of the write; null in an undo, which is asked for again. */
const subjectOf = (write: Write): Pick<Rejection, 'key' | 'sourceFingerprint'> | null => {
  const decision = decisionOf(write);
  if (decision === null) return null;
  const field = loneField(write);
  if (field === null || decision.kind !== 'merge') {
    return { key: refusalKey(decision), sourceFingerprint: sourceFingerprint(decision) };
  }
  const { pair } = decision;
  return { key: fieldRefusalKey(pair, field), sourceFingerprint: fieldFingerprint(pair, field) };
};

/** The reason of a refusal for people, with the field that it concerns. */
export const refusalReason = (write: Write, reason: string): string => {
  const field = loneField(write);
  return field === null ? reason : `The field "${specOf(field).words}" was not written: ${reason}`;
};

/** The key under which a refusal of the write is remembered; null in an undo, which is asked for again. */
export const rejectionKeyOf = (write: Write): string | null => subjectOf(write)?.key ?? null;

/** The keys of the refusals that end once the write is done. */
export const rejectionKeysEndedBy = (write: Write): readonly string[] => {
  const decision = decisionOf(write);
  if (decision === null) return [];
  const key = refusalKey(decision);
  if (write.kind !== 'update' || decision.kind !== 'merge') return [key];
  return [key, ...write.request.fields.map((field) => fieldRefusalKey(decision.pair, field))];
};

/**
 * The refusal as it is remembered (R15): the reason for `status`, and when the same content may be tried again. What a side
 * fails at for the first time is tried again at once.
 */
export const rejectionOf = (
  write: Write,
  reason: string,
  earlier: Rejection | undefined,
  nowMs: number,
  triesAtOnce = 0,
) => {
  const subject = subjectOf(write);
  if (subject === null) return null;
  const isSame = earlier?.sourceFingerprint === subject.sourceFingerprint;
  const attempts = isSame ? earlier.attempts + 1 : 1;
  const retryAtMs = nowMs + (attempts > triesAtOnce ? retryDelayMs(attempts - triesAtOnce) : 0);
  const { leftId, rightId } = write.operation;
  return { side: write.side, ...subject, leftId, rightId, reason, attempts, retryAtMs };
};

/**
 * Whether a refused write counts as done, without what it was to bring (R2): an email address that another contact of the
 * side holds, and nothing else, was refused time and again. One refusal may have any cause.
 */
export const isNotTaken = (write: Write, error: RemoteError, { attempts }: Rejection): boolean => {
  const isOfAddress = write.kind === 'update' && write.sharedEmail !== null && error instanceof InvalidError;
  return isOfAddress && attempts >= CONFIRMED_AFTER;
};

/** The fields that a write brings and that could be written apart. */
const partsOf = (write: CreateWrite | UpdateWrite): readonly SyncedField[] =>
  write.kind === 'create' ? filledFields(write.request.draft) : write.request.fields;

/** Whether a refused write consists of several fields, of which the side may take some (R15). */
export const canSplit = (write: Write, error: RemoteError): write is CreateWrite | UpdateWrite => {
  if (write.kind !== 'create' && write.kind !== 'update') return false;
  const isWhole = write.trial === null && (write.kind === 'create' || write.sharedEmail === null);
  return isWhole && !isOfUndo(write.task.decision) && error instanceof InvalidError && partsOf(write).length > 1;
};

const isKnownFailure = (
  { failedBefore }: Pick<Execution, 'failedBefore'>,
  side: Side,
  decision: Refusable | null,
): boolean => decision !== null && failedBefore.has(`${side} ${refusalKey(decision)}`);

/** Whether a side has not done before what follows from a decision; what an undo writes is not remembered. */
export const hasFailedBefore = (
  execution: Pick<Execution, 'failedBefore'>,
  side: Side,
  decision: Task['decision'] | Deletion,
): boolean => isKnownFailure(execution, side, refusable(decision));

/** Whether a side has failed at a write before. */
export const wasRefusedBefore = (execution: Pick<Execution, 'failedBefore'>, write: Write): boolean =>
  isKnownFailure(execution, write.side, decisionOf(write));

/** What a failed write means: for its journal entry, for the contact, for the run. Plain data. */
export type FailureOutcome = {
  readonly journal: JournalEvent;
  /** The contact is read, and looked at again before the run ends. */
  readonly rereads: boolean;
  readonly refused: boolean;
  /** Ends the run; null where it continues. */
  readonly stop: RemoteError | null;
};

const isOutage = (error: RemoteError): boolean => {
  return error instanceof LimitedError || (error instanceof UnavailableError && error.applied === 'no');
};

/** What an error says about the write that it answers (R15). */
export const judgeFailure = (write: Write, error: RemoteError): FailureOutcome => {
  const quiet = { rereads: false, refused: false, stop: null };
  if (isOutage(error)) return { ...quiet, journal: 'refused', stop: error };
  if (isCredentialError(error)) {
    return { ...quiet, journal: error.applied === 'no' ? 'refused' : 'unanswered', stop: error };
  }
  // The journal entry stays open: recovery settles it before the run ends.
  // A redirect is reported all the same: it is not going to be answered otherwise in this run.
  if (error.applied === 'unknown')
    return { ...quiet, journal: 'unanswered', refused: error instanceof RedirectedError };
  // Both contacts of a merge were read a moment ago: it is the merge that the side does not know.
  const isGone = error instanceof NotFoundError && targetOf(write) !== null && write.kind !== 'merge';
  if (error instanceof StaleError || isGone) return { ...quiet, journal: 'refused', rereads: true };
  return { ...quiet, journal: 'refused', refused: true };
};

/** Counts calls in a row of unknown outcome; answers the error that ends the run where there were too many. */
export const countUnanswered = (
  { unansweredCalls }: Execution,
  write: Write,
  results: readonly WriteResult<unknown>[],
): RemoteError | null => {
  const unknown = results.flatMap((result) => (!result.ok && result.error.applied === 'unknown' ? [result.error] : []));
  const isUnanswered = unknown.length > 0 && unknown.length === results.length;
  unansweredCalls[write.side] = isUnanswered ? unansweredCalls[write.side] + 1 : 0;
  return unansweredCalls[write.side] < MAX_UNANSWERED_CALLS ? null : (unknown[0] ?? null);
};
