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
import type { JournalEvent } from '../../core/state/journal-transitions.ts';
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

/** After this many consecutive calls of unknown outcome the side has an outage, even if it answers reads: the run ends. */
const MAX_UNANSWERED_CALLS = 10;

/** The subject under which a refusal is stored; null for an undo, which is not retried. */
const refusable = (decision: Task['decision'] | Deletion): Refusable | null => {
  if (decision.kind === 'restore' || isOfUndo(decision)) return null;
  if (decision.kind !== 'merge') return decision;
  const { left, right } = decision.pair;
  return left === null || right === null ? null : { kind: 'merge', pair: { left, right } };
};

/** The decision of the next plan if the write is not done. For a contact that was just created, it is a merge. */
const decisionOf = (write: Write): Refusable | null => {
  if (write.kind === 'delete' || write.kind === 'merge') return refusable(write.deletion);
  const decision = refusable(write.task.decision);
  const [left, right] = [currentRecord(write.task, 'left'), currentRecord(write.task, 'right')];
  if (write.kind === 'create' || decision === null || left === null || right === null) return decision;
  return { kind: 'merge', pair: { left: { id: left.id, record: left }, right: { id: right.id, record: right } } };
};

/** The field of an update that writes one field only; null for any other write. */
const loneField = (write: Write): ContactField | null => {
  if (write.kind !== 'update' || write.sharedEmail !== null) return null;
  const [field = null, ...others] = write.request.fields;
  return others.length === 0 ? field : null;
};

/** The key and the fingerprint of a refusal of the write; null in an undo, which the user repeats if needed. */
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

/** The key under which a refusal of the write is stored; null in an undo, which the user repeats if needed. */
export const rejectionKeyOf = (write: Write): string | null => subjectOf(write)?.key ?? null;

/** The keys of the refusals that are deleted once the write is done. */
export const rejectionKeysEndedBy = (write: Write): readonly string[] => {
  const decision = decisionOf(write);
  if (decision === null) return [];
  const key = refusalKey(decision);
  if (write.kind !== 'update' || decision.kind !== 'merge') return [key];
  return [key, ...write.request.fields.map((field) => fieldRefusalKey(decision.pair, field))];
};

/**
 * Returns the rejection to store (R15): the reason for `status`, and the earliest time of the next attempt with the same
 * content. The first `immediateTries` failures are retried without a delay. Null for an undo.
 */
export const rejectionOf = (
  write: Write,
  reason: string,
  earlier: Rejection | undefined,
  nowMs: number,
  immediateTries = 0,
) => {
  const subject = subjectOf(write);
  if (subject === null) return null;
  const isSame = earlier?.sourceFingerprint === subject.sourceFingerprint;
  const attempts = isSame ? earlier.attempts + 1 : 1;
  const retryAtMs = nowMs + (attempts > immediateTries ? retryDelayMs(attempts - immediateTries) : 0);
  const { leftId, rightId } = write.operation;
  return { side: write.side, ...subject, leftId, rightId, reason, attempts, retryAtMs };
};

/** The fields of a write that could be written separately. */
const partsOf = (write: CreateWrite | UpdateWrite): readonly SyncedField[] =>
  write.kind === 'create' ? filledFields(write.request.draft) : write.request.fields;

/** Whether a refused write consists of several fields, of which the side may accept some (R15). */
export const canSplit = (write: Write, error: RemoteError): write is CreateWrite | UpdateWrite => {
  if (write.kind !== 'create' && write.kind !== 'update') return false;
  const isWhole = !write.isTrial && (write.kind === 'create' || write.sharedEmail === null);
  return isWhole && !isOfUndo(write.task.decision) && error instanceof InvalidError && partsOf(write).length > 1;
};

const isKnownFailure = (
  { failedBefore }: Pick<Execution, 'failedBefore'>,
  side: Side,
  decision: Refusable | null,
): boolean => decision !== null && failedBefore.has(`${side} ${refusalKey(decision)}`);

/** Whether a side failed before at the write of a decision. Failures of an undo are not stored. */
export const hasFailedBefore = (
  execution: Pick<Execution, 'failedBefore'>,
  side: Side,
  decision: Task['decision'] | Deletion,
): boolean => isKnownFailure(execution, side, refusable(decision));

/** Whether a side has failed at a write before. */
export const wasRefusedBefore = (execution: Pick<Execution, 'failedBefore'>, write: Write): boolean =>
  isKnownFailure(execution, write.side, decisionOf(write));

/** The consequences of a failed write for its journal entry, the contact and the run. Plain data. */
type FailureOutcome = {
  readonly journal: JournalEvent;
  /** The contact is read, and a second pass includes it before the run ends. */
  readonly rereads: boolean;
  readonly refused: boolean;
  /** The error that ends the run; null if the run continues. */
  readonly endsRun: RemoteError | null;
};

const isOutage = (error: RemoteError): boolean => {
  return error instanceof LimitedError || (error instanceof UnavailableError && error.applied === 'no');
};

/** Returns the consequences of an error for the write that it answers (R15). */
export const judgeFailure = (write: Write, error: RemoteError): FailureOutcome => {
  const quiet = { rereads: false, refused: false, endsRun: null };
  if (isOutage(error)) return { ...quiet, journal: 'refused', endsRun: error };
  if (isCredentialError(error)) {
    return { ...quiet, journal: error.applied === 'no' ? 'refused' : 'unanswered', endsRun: error };
  }
  // The journal entry stays open: recovery settles it before the run ends.
  // A redirect is reported as a refusal too: the answer will be the same for the rest of this run.
  if (error.applied === 'unknown')
    return { ...quiet, journal: 'unanswered', refused: error instanceof RedirectedError };
  // Both contacts of a merge were read directly before it. "Not found" means that the side does not support the merge.
  const isGone = error instanceof NotFoundError && targetOf(write) !== null && write.kind !== 'merge';
  if (error instanceof StaleError || isGone) return { ...quiet, journal: 'refused', rereads: true };
  return { ...quiet, journal: 'refused', refused: true };
};

/** Counts consecutive calls of unknown outcome. Returns the error that ends the run if there were too many, else null. */
export const findOutage = (
  { unansweredCalls }: Execution,
  write: Write,
  results: readonly WriteResult<unknown>[],
): RemoteError | null => {
  const unknown = results.flatMap((result) => (!result.ok && result.error.applied === 'unknown' ? [result.error] : []));
  const isUnanswered = unknown.length > 0 && unknown.length === results.length;
  unansweredCalls[write.side] = isUnanswered ? unansweredCalls[write.side] + 1 : 0;
  return unansweredCalls[write.side] < MAX_UNANSWERED_CALLS ? null : (unknown[0] ?? null);
};
