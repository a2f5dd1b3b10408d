import { idsOn } from '../contact/pair.ts';
import { isRetryDue, retryDelayMs } from '../reconcile/defer.ts';
import type { ReadAnswer } from '../contact/requests.ts';
import type { JournalRow, Rejection, StoreChange } from './rows.ts';
import type { Side } from '../contact/side.ts';
import { isUnsyncable } from './unsyncable.ts';
import type { WorkingSet } from './working-set.ts';

/**
 * Something that could not be read and must be read again: a contact of a feed row that could not be parsed, or the result of a
 * write with unknown outcome. It is stored as a rejection, with the same backoff (R15), and `status` shows it.
 */
export type Unread = Pick<Rejection, 'side' | 'key' | 'leftId' | 'rightId'>;

const CONTACT = 'unread ';
const WRITE = 'unanswered ';
/** The fingerprint of an entry whose reason is an unreadable row. Other entries have none. */
const ROW = 'row';

/** Returns the reason why an answer contains no information about a contact; null if it does. */
export const unreadableReason = (answer: ReadAnswer | undefined): string | null => {
  if (answer === undefined) return 'the side did not answer for the contact';
  return answer.kind === 'unreadable' || answer.kind === 'withheld' ? answer.reason : null;
};

/** Returns the entry of a contact that a feed reported as changed, in an unknown way. */
export const unreadContact = (side: Side, id: string): Unread => ({ side, key: `${CONTACT}${id}`, ...idsOn(side, id) });

/** Returns the entry of a write whose outcome is unknown, because its target cannot be read. */
export const unansweredWrite = ({ id, side, leftId, rightId }: JournalRow): Unread => ({
  side,
  key: `${WRITE}${id}`,
  leftId,
  rightId,
});

/** Returns the rejections of writes, without those of reads and of fields that are not synced. */
export const refusedWrites = (rejections: readonly Rejection[]): readonly Rejection[] =>
  rejections.filter((each) => !each.key.startsWith(CONTACT) && !each.key.startsWith(WRITE) && !isUnsyncable(each));

/** Returns the changes that forget all refused writes: the next plan decides which writes are needed, and tries them. */
export const forgetRefusals = (rejections: readonly Rejection[]): readonly StoreChange[] =>
  refusedWrites(rejections).map(({ side, key }) => ({ kind: 'drop', table: 'rejections', where: { side, key } }));

const find = (rejections: readonly Rejection[], { side, key }: Unread): Rejection | undefined =>
  rejections.find((rejection) => rejection.side === side && rejection.key === key);

/** Returns the number of reads that failed. */
export const attemptsOf = (rejections: readonly Rejection[], unread: Unread): number =>
  find(rejections, unread)?.attempts ?? 0;

/** Returns whether a failed read is not due for a retry yet. */
export const isWaiting = (rejections: readonly Rejection[], unread: Unread, nowMs: number): boolean => {
  const known = find(rejections, unread);
  return known !== undefined && !isRetryDue(known.retryAtMs, nowMs);
};

const contactsOf = (rejections: readonly Rejection[], side: Side): readonly Rejection[] =>
  rejections.filter((each) => each.side === side && each.key.startsWith(CONTACT));

const idOf = ({ key }: Rejection): string => key.slice(CONTACT.length);

/** Returns the ids of the contacts of a side that could not be read since their side showed a change. */
export const unreadContacts = (rejections: readonly Rejection[], side: Side): readonly string[] =>
  contactsOf(rejections, side).map(idOf);

/** Returns the contacts of a side that are due to be read again at a time, those that have waited longest first. */
export const dueContacts = (rejections: readonly Rejection[], side: Side, nowMs: number): readonly string[] =>
  contactsOf(rejections, side)
    .filter((each) => isRetryDue(each.retryAtMs, nowMs))
    .toSorted((one, other) => one.retryAtMs - other.retryAtMs)
    .map(idOf);

const putUnread = (set: WorkingSet, unread: Unread, result: Omit<Rejection, keyof Unread>): void =>
  set.add({ kind: 'put', table: 'rejections', row: { ...unread, ...result } });

/** Stores that it could not be read, and the time of the next attempt. */
export const rememberUnread = (
  set: WorkingSet,
  unread: Unread,
  reason: string,
  rejections: readonly Rejection[],
  nowMs: number,
): void => {
  const { attempts: earlier = 0, sourceFingerprint = '' } = find(rejections, unread) ?? {};
  const attempts = earlier + 1;
  putUnread(set, unread, { reason, attempts, retryAtMs: nowMs + retryDelayMs(attempts), sourceFingerprint });
};

/**
 * Stores that a row of a feed could not be read. The next run reads the contact, because a server may leave a contact out only
 * once. A contact that was unreadable before waits longer.
 */
export const rememberUnreadRow = (
  set: WorkingSet,
  unread: Unread,
  reason: string,
  rejections: readonly Rejection[],
  nowMs: number,
): void => {
  const isNew = find(rejections, unread) === undefined;
  if (isNew) putUnread(set, unread, { reason, attempts: 0, retryAtMs: nowMs + 1, sourceFingerprint: ROW });
  else rememberUnread(set, unread, reason, rejections, nowMs);
};

/**
 * Schedules a read of a contact in the run that began at `runStartedAtMs`, or in the next one if that run fails before: its feed
 * contradicts a recent write of this link (R11), or may have truncated a text (R17).
 */
export const scheduleRead = (set: WorkingSet, side: Side, id: string, runStartedAtMs: number): void => {
  const reason = 'The feed may show former or incomplete values; the contact is read.';
  putUnread(set, unreadContact(side, id), { reason, attempts: 1, retryAtMs: runStartedAtMs, sourceFingerprint: '' });
};

/** Removes the entries of unreadable rows of contacts that a page shows in readable rows. Other entries stay until a read. */
export const forgetUnreadRows = (
  set: WorkingSet,
  side: Side,
  ids: readonly string[],
  rejections: readonly Rejection[],
): void => {
  const unread = contactsOf(rejections, side).filter(({ sourceFingerprint }) => sourceFingerprint === ROW);
  if (unread.length === 0) return;
  const shown = new Set(ids);
  for (const each of unread) {
    if (shown.has(idOf(each))) set.add({ kind: 'drop', table: 'rejections', where: { side, key: each.key } });
  }
};

/** Removes the entry after a successful read. */
export const forgetUnread = (set: WorkingSet, unread: Unread, rejections: readonly Rejection[]): void => {
  if (find(rejections, unread) !== undefined)
    set.add({ kind: 'drop', table: 'rejections', where: { side: unread.side, key: unread.key } });
};

/** Removes the rejections of a write that was found to be applied. */
export const forgetFaults = (set: WorkingSet, row: JournalRow, rejections: readonly Rejection[]): void => {
  for (const { side, key, leftId, rightId } of refusedWrites(rejections)) {
    const isOfWrite = side === row.side && leftId === row.leftId && rightId === row.rightId;
    if (isOfWrite) set.add({ kind: 'drop', table: 'rejections', where: { side, key } });
  }
};
