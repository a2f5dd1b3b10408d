import { wholeKeyOf } from './refusals.ts';
import { refusalKey } from '../../core/reconcile/defer.ts';
import { type CreateWrite, type Task, type UpdateWrite, type Write } from '../../core/apply/task.ts';
import { filledFields, type SyncedField } from '../../core/contact/contact.ts';
import type { Side } from '../../core/contact/side.ts';
import type { Deletion } from '../../core/reconcile/decision.ts';
import type { JournalState } from '../../core/state/rows.ts';
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

/** The fields of a write that could be written separately. */
const partsOf = ({ operation }: CreateWrite | UpdateWrite): readonly SyncedField[] =>
  operation.kind === 'create' ? filledFields(operation.desired) : operation.fields;

/** Whether a refused write consists of several fields, of which the side may accept some (R15). */
export const canSplit = (write: Write, error: RemoteError): write is CreateWrite | UpdateWrite => {
  if (write.kind !== 'create' && write.kind !== 'update') return false;
  const isWhole = !write.isTrial && (write.kind === 'create' || write.sharedEmail === null);
  return isWhole && write.operation.cause === 'sync' && error instanceof InvalidError && partsOf(write).length > 1;
};

/** Whether a side failed before at the write of a decision. */
export const hasFailedBefore = (
  { failedBefore }: Pick<Execution, 'failedBefore'>,
  side: Side,
  decision: Task | Deletion,
): boolean => decision.kind !== 'restore' && failedBefore.has(`${side} ${refusalKey(decision)}`);

/** Whether a side has failed at a write before. */
export const wasRefusedBefore = ({ failedBefore }: Pick<Execution, 'failedBefore'>, write: Write): boolean => {
  const key = wholeKeyOf(write);
  return key !== null && failedBefore.has(`${write.operation.side} ${key}`);
};

/** The consequences of a failed write for its journal entry, the contact and the run. Plain data. */
type FailureOutcome = {
  readonly journal: JournalState;
  /** The contact is read, and a second pass includes it before the run ends. */
  readonly rereads: boolean;
  readonly refused: boolean;
  /** The error that ends the run; null if the run continues. */
  readonly endsRun: RemoteError | null;
};

const isOutage = (error: RemoteError): boolean =>
  error instanceof LimitedError || (error instanceof UnavailableError && error.applied === 'no');

/** Returns the consequences of an error for the write that it answers (R15). */
export const judgeFailure = (write: Write, error: RemoteError): FailureOutcome => {
  const quiet = { rereads: false, refused: false, endsRun: null };
  if (isOutage(error)) return { ...quiet, journal: 'failed', endsRun: error };
  if (isCredentialError(error)) {
    return { ...quiet, journal: error.applied === 'no' ? 'failed' : 'intended', endsRun: error };
  }
  // The journal entry stays open: recovery settles it before the run ends.
  // A redirect is reported as a refusal too: the answer will be the same for the rest of this run.
  if (error.applied === 'unknown') return { ...quiet, journal: 'intended', refused: error instanceof RedirectedError };
  // Both contacts of a merge were read directly before it. "Not found" means that the side does not support the merge.
  const isGone = error instanceof NotFoundError && write.kind !== 'create' && write.kind !== 'merge-away';
  if (error instanceof StaleError || isGone) return { ...quiet, journal: 'failed', rereads: true };
  return { ...quiet, journal: 'failed', refused: true };
};
