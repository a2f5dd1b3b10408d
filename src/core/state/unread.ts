import { isRetryDue, retryDelayMs } from '../reconcile/defer.ts';
import type { ReadAnswer } from '../contact/requests.ts';
import type { JournalRow, Rejection } from './rows.ts';
import type { Side } from '../contact/side.ts';
import { isUnsyncable } from './unsyncable.ts';
import type { WorkingSet } from './working-set.ts';

/**
 * What could not be read and must be read again: a contact that a feed showed in a row which was not understood, or what a
 * write of unknown outcome left. It is kept among what a side refused, with the same backoff (R15): `status` names it.
 */
type Unread = Pick<Rejection, 'side' | 'key' | 'leftId' | 'rightId'>;

const CONTACT = 'unread ';
const WRITE = 'unsettled ';

/** Why an answer says nothing of a contact; null where it does say something. */
export const unreadableReason = (answer: ReadAnswer | undefined): string | null => {
  if (answer === undefined) return 'the side did not answer for the contact';
  return answer.kind === 'unreadable' || answer.kind === 'withheld' ? answer.reason : null;
};

/** A contact that a feed says has changed, and of which nobody knows how. */
export const unreadContact = (side: Side, id: string): Unread => {
  return { side, key: `${CONTACT}${id}`, leftId: null, rightId: null, [`${side}Id`]: id };
};

/** A write of which nobody knows whether it was applied, since what it was to write cannot be read. */
export const unsettledWrite = ({ id, side, leftId, rightId }: JournalRow): Unread => {
  return { side, key: `${WRITE}${id}`, leftId, rightId };
};

const find = (rejections: readonly Rejection[], { side, key }: Unread): Rejection | undefined => {
  return rejections.find((rejection) => rejection.side === side && rejection.key === key);
};

/** Whether it was read in vain so recently that it is not read yet again. */
export const isWaiting = (rejections: readonly Rejection[], unread: Unread, nowMs: number): boolean => {
  const known = find(rejections, unread);
  return known !== undefined && !isRetryDue(known.retryAtMs, nowMs);
};

/** The contacts of a side that are to be read again now, those first that have waited longest. */
export const dueContacts = (rejections: readonly Rejection[], side: Side, nowMs: number): readonly string[] => {
  return rejections
    .filter((each) => each.side === side && each.key.startsWith(CONTACT) && isRetryDue(each.retryAtMs, nowMs))
    .toSorted((one, other) => one.retryAtMs - other.retryAtMs)
    .map(({ key }) => key.slice(CONTACT.length));
};

/** Remembers that it could not be read, and when it is read again. */
export const rememberUnread = (
  set: WorkingSet,
  unread: Unread,
  reason: string,
  rejections: readonly Rejection[],
  nowMs: number,
): void => {
  const attempts = (find(rejections, unread)?.attempts ?? 0) + 1;
  const retryAtMs = nowMs + retryDelayMs(attempts);
  set.add({ kind: 'put', table: 'rejections', row: { ...unread, reason, sourceFingerprint: '', attempts, retryAtMs } });
};

/** Has a contact read by this run: its feed contradicts what this link has just written (R11), or may have cut a text (R17). */
export const readAgain = (set: WorkingSet, side: Side, id: string, nowMs: number): void => {
  const reason = 'The feed may show former or incomplete values; the contact is read.';
  const rejection = { ...unreadContact(side, id), reason, sourceFingerprint: '', attempts: 1, retryAtMs: nowMs };
  set.add({ kind: 'put', table: 'rejections', row: rejection });
};

/** Forgets it once it was read. */
export const forgetUnread = (set: WorkingSet, unread: Unread, rejections: readonly Rejection[]): void => {
  if (find(rejections, unread) !== undefined)
    set.add({ kind: 'drop', table: 'rejections', where: { side: unread.side, key: unread.key } });
};

/** Forgets that the side failed at a write which was applied after all. */
export const forgetFaults = (set: WorkingSet, row: JournalRow, rejections: readonly Rejection[]): void => {
  for (const { side, key, leftId, rightId } of rejections) {
    const isOfWrite = side === row.side && leftId === row.leftId && rightId === row.rightId;
    const isRefusal = !key.startsWith(CONTACT) && !key.startsWith(WRITE) && !isUnsyncable({ key });
    if (isOfWrite && isRefusal) set.add({ kind: 'drop', table: 'rejections', where: { side, key } });
  }
};
