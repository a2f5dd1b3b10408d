import {
  deletionRefusalKey,
  fieldFingerprint,
  fieldRefusalKey,
  pairRefusalKey,
  type Refusable,
  refusalKey,
  retryDelayMs,
  sourceFingerprint,
} from '../../core/reconcile/defer.ts';
import { type CreateWrite, targetOf, type Task, type UpdateWrite, type Write } from '../../core/apply/task.ts';
import { type ContactField, filledFields, specOf, type SyncedField } from '../../core/contact/contact.ts';
import type { Half } from '../../core/contact/half.ts';
import { otherSide, type Side, type Sides } from '../../core/contact/side.ts';
import { snapshotOf, snapshotText } from '../../core/contact/snapshot.ts';
import { type Deletion, isOfUndo } from '../../core/reconcile/decision.ts';
import { type Operation, sourceIdOf } from '../../core/reconcile/operation.ts';
import type { JournalEvent } from '../../core/apply/outcome.ts';
import type { Rejection } from '../../core/state/rows.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
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
import type { Execution } from './execution.ts';

/** The subject under which a refusal of a decision is stored; null for an undo, which is not retried. */
const refusable = (decision: Task | Deletion): Refusable | null => {
  if (decision.kind === 'restore' || isOfUndo(decision)) return null;
  if (decision.kind !== 'merge') return decision;
  const { left, right } = decision.pair;
  return left === null || right === null ? null : { kind: 'merge', pair: { left, right } };
};

/** The contacts of an operation as they are stored; null if one is missing. */
const storedContacts = (set: WorkingSet, { leftId, rightId }: Operation): Sides<Half> | null => {
  const left = leftId === null ? null : set.half('left', leftId);
  const right = rightId === null ? null : set.half('right', rightId);
  return left === null || right === null ? null : { left, right };
};

/** The field of an update that writes one field only; null for any other write. */
const loneField = (write: Write): ContactField | null => {
  if (write.kind !== 'update' || write.sharedEmail !== null) return null;
  const [field = null, ...others] = write.operation.fields;
  return others.length === 0 ? field : null;
};

/** The key under which a refusal of the whole write is stored; null in an undo, which the user repeats if needed. */
const wholeKeyOf = ({ operation }: Write): string | null => {
  if (operation.cause === 'undo') return null;
  switch (operation.kind) {
    case 'create':
      return sourceIdOf(operation);
    case 'delete':
      return deletionRefusalKey(operation.before.id);
    case 'update':
    case 'membership':
      return pairRefusalKey(operation.leftId ?? '', operation.rightId ?? '');
  }
};

/** The key under which a refusal of the write is stored; null in an undo. */
export const rejectionKeyOf = (write: Write): string | null => {
  const [key, field] = [wholeKeyOf(write), loneField(write)];
  return key === null || field === null ? key : fieldRefusalKey(key, field);
};

/** The values that the write is computed from: with the same values, a refused write is not repeated before it is due. */
const fingerprintOf = (set: WorkingSet, write: Write): string => {
  const { operation } = write;
  if (operation.kind === 'delete') return snapshotText(snapshotOf(operation.before));
  if (operation.kind === 'create') {
    const source = set.half(otherSide(operation.side), sourceIdOf(operation) ?? '');
    return source === null ? '' : snapshotText(snapshotOf(source.record));
  }
  const pair = storedContacts(set, operation);
  const field = loneField(write);
  if (pair === null) return '';
  return field === null ? sourceFingerprint({ kind: 'merge', pair }) : fieldFingerprint(pair, field);
};

/** The reason of a refusal for people, with the field that it concerns. */
export const refusalReason = (write: Write, reason: string): string => {
  const field = loneField(write);
  return field === null ? reason : `The field "${specOf(field).words}" was not written: ${reason}`;
};

/** The keys of the refusals that are deleted once the write is done. */
export const rejectionKeysEndedBy = (write: Write): readonly string[] => {
  const key = wholeKeyOf(write);
  if (key === null) return [];
  return write.kind === 'update' ? [key, ...write.operation.fields.map((field) => fieldRefusalKey(key, field))] : [key];
};

/**
 * Returns the rejection to store (R15): the reason for `status`, and the earliest time of the next attempt with the same
 * content. The first `immediateTries` failures are retried without a delay. Null for an undo. The set must contain the contacts of the
 * write.
 */
export const rejectionOf = (
  set: WorkingSet,
  write: Write,
  reason: string,
  earlier: Rejection | undefined,
  nowMs: number,
  immediateTries = 0,
): Rejection | null => {
  const key = rejectionKeyOf(write);
  if (key === null) return null;
  const fingerprint = fingerprintOf(set, write);
  const isSame = earlier?.sourceFingerprint === fingerprint;
  const attempts = isSame ? earlier.attempts + 1 : 1;
  const retryAtMs = nowMs + (attempts > immediateTries ? retryDelayMs(attempts - immediateTries) : 0);
  const { leftId, rightId, side } = write.operation;
  return { side, key, sourceFingerprint: fingerprint, leftId, rightId, reason, attempts, retryAtMs };
};

/** The fields of a write that could be written separately. */
const partsOf = ({ operation }: CreateWrite | UpdateWrite): readonly SyncedField[] =>
  operation.kind === 'create' ? filledFields(operation.desired) : operation.fields;

/** Whether a refused write consists of several fields, of which the side may accept some (R15). */
export const canSplit = (write: Write, error: RemoteError): write is CreateWrite | UpdateWrite => {
  if (write.kind !== 'create' && write.kind !== 'update') return false;
  const isWhole = !write.isTrial && (write.kind === 'create' || write.sharedEmail === null);
  return isWhole && write.operation.cause === 'sync' && error instanceof InvalidError && partsOf(write).length > 1;
};

/** Whether a side failed before at the write of a decision. Failures of an undo are not stored. */
export const hasFailedBefore = (
  { failedBefore }: Pick<Execution, 'failedBefore'>,
  side: Side,
  decision: Task | Deletion,
): boolean => {
  const subject = refusable(decision);
  return subject !== null && failedBefore.has(`${side} ${refusalKey(subject)}`);
};

/** Whether a side has failed at a write before. */
export const wasRefusedBefore = ({ failedBefore }: Pick<Execution, 'failedBefore'>, write: Write): boolean => {
  const key = wholeKeyOf(write);
  return key !== null && failedBefore.has(`${write.operation.side} ${key}`);
};

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
  const isGone = error instanceof NotFoundError && targetOf(write) !== null && write.kind !== 'merge-away';
  if (error instanceof StaleError || isGone) return { ...quiet, journal: 'refused', rereads: true };
  return { ...quiet, journal: 'refused', refused: true };
};
