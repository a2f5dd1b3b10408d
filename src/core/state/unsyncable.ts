import { idsOn } from '../contact/pair.ts';
import { isSyncedField, specOf } from '../contact/contact.ts';
import { type Half, isDeleted } from '../contact/half.ts';
import { type ContactRecord, unsyncableIn } from '../contact/record.ts';
import type { Rejection, StoreChange } from './rows.ts';

const KEY = 'unsyncable ';

/**
 * Returns whether a stored rejection is about fields with values that are not synced (R15), and not about a refused write. It is
 * removed when the value is removed, and is not retried.
 */
export const isUnsyncable = ({ key }: Pick<Rejection, 'key'>): boolean => key.startsWith(KEY);

/** Returns the rejections of writes and of reads, without the rejections of fields that are not synced. */
export const refusalsIn = (rejections: readonly Rejection[]): readonly Rejection[] =>
  rejections.filter((rejection) => !isUnsyncable(rejection));

/** The latest time that a date can have: such a row is neither retried nor pruned. */
const NEVER_MS = 8_640_000_000_000_000;

/** Returns the reason why fields of a contact are not synced; null if all are. It contains no value. */
const unsyncableReason = (record: Pick<ContactRecord, 'unsyncable'>): string | null => {
  const reasons = unsyncableIn(record).map(({ field, reason }) => {
    return `The field "${specOf(field).words}" is not synced: ${reason}.`;
  });
  return reasons.length === 0 ? null : reasons.join(' ');
};

/** Returns the reason why fields of a half differ from the other side; null if its side declined no value. */
const declinedReason = ({ base, pair }: Half): string | null => {
  const fields = Object.keys(base?.declined ?? {}).filter(isSyncedField);
  if (pair === null || fields.length === 0) return null;
  const words = fields.map((field) => `"${field === 'buckets' ? 'groups' : specOf(field).words}"`).join(', ');
  return `Not equal on both sides: ${words}. This side did not store the value, or an undo reverted it.`;
};

const reasonOf = (half: Half | null): string | null => {
  if (half === null || isDeleted(half)) return null;
  const reasons = [unsyncableReason(half.record), declinedReason(half)].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : reasons.join(' ');
};

/** Returns the reason why fields of the record are not synced, if it differs from that of the known half; otherwise null. */
export const newUnsyncableReason = (known: Half | null, record: ContactRecord): string | null => {
  const reason = unsyncableReason(record);
  return known !== null && !isDeleted(known) && reason === unsyncableReason(known.record) ? null : reason;
};

/** Returns the changes that keep the stored list equal to the fields of the halves that are not synced, or were declined (R2). */
export const unsyncableChanges = (before: Half | null, after: Half | null): readonly StoreChange[] => {
  const [former, reason] = [reasonOf(before), reasonOf(after)];
  const half = after ?? before;
  if (former === reason || half === null) return [];
  const { side, id } = half;
  const key = `${KEY}${id}`;
  if (reason === null) return [{ kind: 'drop', table: 'rejections', where: { side, key } }];
  const rejection = { side, key, ...idsOn(side, id), reason, sourceFingerprint: '', attempts: 1, retryAtMs: NEVER_MS };
  return [{ kind: 'put', table: 'rejections', row: rejection }];
};
