import type { Write } from '../../core/apply/task.ts';
import type { ReadAnswer } from '../../core/contact/requests.ts';
import type { Side } from '../../core/contact/side.ts';
import { idsOn } from '../../core/contact/pair.ts';
import { observeReadAnswer } from '../../core/state/observe.ts';
import type { Rejection } from '../../core/state/rows.ts';
import { rememberUnread, unreadableReason, unreadContact } from '../../core/state/unread.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import type { Session } from '../session.ts';
import type { Execution } from './execution.ts';
import { refusalReason, rejectionKeyOf, rejectionOf } from './failure.ts';

/** Returns the rejection to store for a refused write; null for an undo. */
const rejectionBy = (
  { rejections, session }: Execution,
  set: WorkingSet,
  write: Write,
  reason: string,
  immediateTries = 0,
): Rejection | null => {
  const earlier = rejections.get(`${write.operation.side} ${rejectionKeyOf(write)}`);
  return rejectionOf(set, write, reason, earlier, session.clock.now(), immediateTries);
};

/**
 * Whether a write tests if a side accepts a part of a refused write (`split-refused.ts`). Its failure may be caused by the tested
 * values and is expected, so it is not stored as a failure of the contact. The caller decides what is written and stored.
 */
const isTrial = (write: Write): boolean => (write.kind === 'create' || write.kind === 'update') && write.isTrial;

/** Reports that something is not written in this run. */
const reportSkipped = ({ session: { emit, tally } }: Execution, { operation }: Write, reason: string): void => {
  const { leftId, rightId, side } = operation;
  tally.skipped += 1;
  emit({ kind: 'skipped', side, reason, leftId, rightId });
};

/** Stores that a side failed at a write. A repeated failure is reported and waits like a refusal (R15). */
export const storeFault = (execution: Execution, set: WorkingSet, write: Write, reason: string): void => {
  const rejection = isTrial(write) ? null : rejectionBy(execution, set, write, reason, 1);
  if (rejection === null) return;
  if (rejection.attempts > 1) reportSkipped(execution, write, reason);
  set.add({ kind: 'put', table: 'rejections', row: rejection });
};

/** Stores and reports that a write is not done, for this reason. */
const store = (execution: Execution, set: WorkingSet, write: Write, reason: string): void => {
  const shownReason = refusalReason(write, reason);
  reportSkipped(execution, write, shownReason);
  const rejection = rejectionBy(execution, set, write, shownReason);
  if (rejection !== null) set.add({ kind: 'put', table: 'rejections', row: rejection });
};

/** Stores and reports that a side refused a write (R15). The reason of a refused trial is only returned; otherwise null. */
export const storeRefusal = (execution: Execution, set: WorkingSet, write: Write, reason: string): string | null => {
  if (isTrial(write)) return reason;
  store(execution, set, write, reason);
  return null;
};

/** Stores the answer of a read of a contact. A contact that cannot be read is reported, and read again by later runs (R15). */
export const storeReadAnswer = (
  { clock, emit, state, tally }: Session,
  set: WorkingSet,
  side: Side,
  id: string,
  answer: ReadAnswer | undefined,
): void => {
  const reason = unreadableReason(answer);
  if (reason === null) return observeReadAnswer(set, side, id, answer, clock.now());
  tally.skipped += 1;
  emit({ kind: 'skipped', side, reason, ...idsOn(side, id) });
  rememberUnread(set, unreadContact(side, id), reason, state().rejections, clock.now());
};

/** Stores and reports a refusal that was first tried in parts (`split-refused.ts`). */
export const storeRefusalAfterSplit = async (execution: Execution, write: Write, reason: string): Promise<void> => {
  const { leftId, rightId } = write.operation;
  const ids = { left: leftId === null ? [] : [leftId], right: rightId === null ? [] : [rightId] };
  await execution.session.writer.apply({ ids }, (set) => store(execution, set, write, reason));
};
