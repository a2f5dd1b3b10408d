import { keepChosen } from '../contact/chosen.ts';
import {
  type Contact,
  type ContactField,
  type ListField,
  listsOf,
  type ScalarField,
  scalarsOf,
  type SyncedField,
  textIn,
  withValue,
} from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { keyListsIn, withKeyed } from '../contact/lists.ts';
import type { ContactRecord } from '../contact/record.ts';
import { equalSnapshots, unordered } from '../contact/snapshot.ts';
import type { MembershipOperation, UpdateOperation } from '../reconcile/operation.ts';

/** A journaled write to an existing contact, with the contact after it. */
type DoneWrite<Operation> = Operation & { readonly after: ContactRecord | null };

/** The contact after the newest operation on it; `isExact` if the answer to that operation contained the whole contact. */
export type LastOutcome = { readonly record: ContactRecord; readonly isExact: boolean; readonly atMs: number };

/** The contact that a write is reverted on. */
type Current = {
  /** The current contact. If several writes are reverted, it is as the reversals before this one left it. */
  readonly record: ContactRecord;
  /** The ids of the groups that exist on its side and are synced. */
  readonly groups: ReadonlySet<string>;
  /** Returns whether a field may be reverted. */
  readonly isReverted: (field: SyncedField) => boolean;
};

/** A field that stays unchanged, and the reason. */
type FieldRefusal = { readonly field: SyncedField; readonly reason: string };

/** The contact without a write, and its fields that are changed by that. */
type Reversal = {
  readonly record: ContactRecord;
  readonly fields: readonly ContactField[];
  readonly refused: readonly FieldRefusal[];
};

const CHANGED = 'it was changed since';

/** Returns the contact with the text of before the operation, if the contact still has the text that it wrote. */
const invertScalar = (field: ScalarField, contact: Contact, before: Contact, after: Contact): Contact | 'changed' => {
  const [now, former, written] = [textIn(contact, field), textIn(before, field), textIn(after, field)];
  if (former === written || now === former) return contact;
  return now === written ? withValue(contact, field, former) : 'changed';
};

/** Returns the list without elements that the operation added, and with those that it removed and that are missing. */
const invertList = (field: ListField, contact: Contact, before: Contact, after: Contact): Contact => {
  const keyed = keyListsIn(field, { before, after, now: contact });
  const isAdded = (key: string): boolean => keyed.after.has(key) && !keyed.before.has(key);
  const kept = [...keyed.now].filter(([key]) => !isAdded(key));
  const back = [...keyed.before].filter(([key]) => !keyed.after.has(key) && !keyed.now.has(key));
  if (kept.length === keyed.now.size && back.length === 0) return contact;
  return withKeyed(contact, field, [...kept, ...back]);
};

const revertUpdate = (
  { before, after, fields }: DoneWrite<UpdateOperation>,
  { record, isReverted }: Current,
): Reversal => {
  const refused: FieldRefusal[] = [];
  const changed: ContactField[] = [];
  let { contact } = record;
  const take = (field: ContactField, next: Contact): void => {
    if (next !== contact) changed.push(field);
    contact = next;
  };
  if (after === null) return { record, fields: [], refused };
  const own = fields.filter(isReverted);
  // A value that a side computes has no former value to restore.
  for (const field of scalarsOf(own).filter((each) => !isExtraField(each))) {
    const next = invertScalar(field, contact, before.contact, after.contact);
    if (next === 'changed') refused.push({ field, reason: CHANGED });
    else take(field, next);
  }
  for (const field of listsOf(own)) take(field, invertList(field, contact, before.contact, after.contact));
  return { record: { ...record, contact }, fields: changed, refused };
};

const revertMembership = (
  { before, after, join: joined, leave: left }: DoneWrite<MembershipOperation>,
  { record, groups, isReverted }: Current,
): Reversal => {
  if (after === null || !isReverted('buckets')) return { record, fields: [], refused: [] };
  const [was, came, is] = [new Set(before.groupIds), new Set(after.groupIds), new Set(record.groupIds)];
  const leave = new Set(joined.filter((id) => came.has(id) && !was.has(id) && is.has(id)));
  const lost = left.filter((id) => was.has(id) && !came.has(id) && !is.has(id));
  const groupIds = [...record.groupIds.filter((id) => !leave.has(id)), ...lost.filter((id) => groups.has(id))];
  const reason = 'the group it left is deleted or no longer synced';
  const refused = lost.filter((id) => !groups.has(id)).map((): FieldRefusal => ({ field: 'buckets', reason }));
  return { record: { ...record, groupIds }, fields: [], refused };
};

/**
 * Returns the current contact without a journaled write. Values that were changed since are refused and stay; those that are already as
 * before need no change. Pure.
 */
export const revertWrite = (
  write: DoneWrite<UpdateOperation> | DoneWrite<MembershipOperation>,
  current: Current,
): Reversal => (write.kind === 'update' ? revertUpdate(write, current) : revertMembership(write, current));

/** How much later than our write a modification time may be that the write itself caused. A longer time would hide an edit (R5). */
const WRITE_MARGIN_MS = 60_000;

/**
 * Returns whether a contact is unchanged since the last operation, so that a deletion loses nothing: the same values, no further
 * group, and no sign of a change to values that the canonical contact cannot represent.
 */
const isUntouched = (record: ContactRecord, outcome: LastOutcome, fields: ReadonlySet<SyncedField>): boolean => {
  // A change of a field that is no longer synced is visible only in the version.
  const content = (of: ContactRecord) => unordered({ contact: keepChosen(of.contact, fields), groupIds: [] });
  const isSame = equalSnapshots(content(record), content(outcome.record));
  const hasNewGroup = record.groupIds.some((id) => !outcome.record.groupIds.includes(id));
  if (!isSame || hasNewGroup) return false;
  if (record.version === outcome.record.version) return true;
  // The answer to a change of membership does not contain the contact's new version: a later edit is visible only in the time.
  return !outcome.isExact && record.modifiedAtMs !== null && record.modifiedAtMs <= outcome.atMs + WRITE_MARGIN_MS;
};

/** Returns the reason why a contact that a run created must not be deleted; null if that loses nothing. Pure. */
export const refusalToDelete = (
  record: ContactRecord,
  outcome: LastOutcome | null,
  fields: ReadonlySet<SyncedField>,
): string | null => {
  if (outcome === null) return 'it is no longer linked';
  return isUntouched(record, outcome, fields) ? null : 'it was changed since it was created';
};
