import { type Operation, sourceIdOf } from '../../core/reconcile/operation.ts';
import { snapshotText } from '../../core/contact/snapshot.ts';
import type { Half } from '../../core/contact/half.ts';
import { idsIn } from '../../core/contact/pair.ts';
import { type ContactField, specOf } from '../../core/contact/contact.ts';
import {
  deletionRefusalKey,
  fieldFingerprint,
  fieldRefusalKey,
  pairFingerprint,
  pairRefusalKey,
  retryDelayMs,
} from '../../core/reconcile/defer.ts';
import type { Write } from '../../core/apply/task.ts';
import type { ReadAnswer } from '../../core/contact/requests.ts';
import { type Side, otherSide, type Sides } from '../../core/contact/side.ts';
import { observeReadAnswer } from '../../core/state/observe.ts';
import type { Rejection } from '../../core/state/rows.ts';
import { rememberUnread, unreadableReason, unreadContact, type Unread } from '../../core/state/unread.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import { reportSkipped, type Session } from '../session.ts';
import type { Execution } from './execution.ts';

/** The earlier refusals, and the time. */
type RefusalContext = Pick<Execution, 'rejections'> & { readonly session: Pick<Session, 'clock'> };

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
export const wholeKeyOf = ({ operation }: Write): string | null => {
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
const rejectionKeyOf = (write: Write): string | null => {
  const [key, field] = [wholeKeyOf(write), loneField(write)];
  return key === null || field === null ? key : fieldRefusalKey(key, field);
};

/** The values that the write is computed from: with the same values, a refused write is not repeated before it is due. */
const fingerprintOf = (set: WorkingSet, write: Write): string => {
  const { operation } = write;
  if (operation.kind === 'delete') return snapshotText(operation.before);
  if (operation.kind === 'create') {
    const source = set.half(otherSide(operation.side), sourceIdOf(operation) ?? '');
    return source === null ? '' : snapshotText(source.record);
  }
  const pair = storedContacts(set, operation);
  const field = loneField(write);
  if (pair === null) return '';
  return field === null ? pairFingerprint(pair) : fieldFingerprint(pair, field);
};

/** The reason of a refusal for people, with the field that it concerns. */
const refusalReason = (write: Write, reason: string): string => {
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
  { rejections, session: { clock } }: RefusalContext,
  set: WorkingSet,
  write: Write,
  reason: string,
  immediateTries = 0,
): Rejection | null => {
  const key = rejectionKeyOf(write);
  if (key === null) return null;
  const { leftId, rightId, side } = write.operation;
  const earlier = rejections.get(`${side} ${key}`);
  const fingerprint = fingerprintOf(set, write);
  const isSame = earlier?.sourceFingerprint === fingerprint;
  const attempts = isSame ? earlier.attempts + 1 : 1;
  const retryAtMs = clock.now() + (attempts > immediateTries ? retryDelayMs(attempts - immediateTries) : 0);
  return { side, key, sourceFingerprint: fingerprint, leftId, rightId, reason, attempts, retryAtMs };
};

/**
 * Whether a write tests if a side accepts a part of a refused write (`split-refused.ts`). Its failure may be caused by the tested
 * values and is expected, so it is not stored as a failure of the contact. The caller decides what is written and stored.
 */
export const isTrial = (write: Write): boolean => (write.kind === 'create' || write.kind === 'update') && write.isTrial;

/** Stores that a side failed at a write. A repeated failure is reported and waits like a refusal (R15). */
export const storeFault = (execution: Execution, set: WorkingSet, write: Write, reason: string): void => {
  const rejection = isTrial(write) ? null : rejectionOf(execution, set, write, reason, 1);
  if (rejection === null) return;
  const { operation } = write;
  if (rejection.attempts > 1) reportSkipped(execution.session, operation.side, reason, operation);
  set.add({ kind: 'put', table: 'rejections', row: rejection });
};

/** Stores and reports that a side refused a write (R15). */
export const storeRefusal = (execution: Execution, set: WorkingSet, write: Write, reason: string): void => {
  const shownReason = refusalReason(write, reason);
  reportSkipped(execution.session, write.operation.side, shownReason, write.operation);
  const rejection = rejectionOf(execution, set, write, shownReason);
  if (rejection !== null) set.add({ kind: 'put', table: 'rejections', row: rejection });
};

/** Reports that something cannot be read, and stores that later runs read it again (R15). */
export const skipUnread = (session: Session, set: WorkingSet, unread: Unread, reason: string): void => {
  reportSkipped(session, unread.side, reason, unread);
  rememberUnread(set, unread, reason, session.state().rejections, session.clock.now());
};

/** Stores the answer of a read of a contact. A contact that cannot be read is reported, and read again by later runs (R15). */
export const storeReadAnswer = (
  session: Session,
  set: WorkingSet,
  side: Side,
  id: string,
  answer: ReadAnswer | undefined,
): void => {
  const reason = unreadableReason(answer);
  const { lagMs } = session.remotes[side].capabilities;
  if (reason === null) return observeReadAnswer(set, side, id, answer, lagMs, session.clock.now());
  skipUnread(session, set, unreadContact(side, id), reason);
};

/** Stores and reports a refusal that was first tried in parts (`split-refused.ts`). */
export const storeRefusalAfterSplit = async (execution: Execution, write: Write, reason: string): Promise<void> => {
  await execution.session.writer.apply({ ids: idsIn([write.operation]) }, (set) =>
    storeRefusal(execution, set, write, reason),
  );
};
