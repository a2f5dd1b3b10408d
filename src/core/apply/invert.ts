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
import type { CreateOperation, DeleteOperation, MembershipOperation, UpdateOperation } from '../reconcile/operation.ts';

type Done<Kind> = Kind & { readonly after: ContactRecord | null };

/** A journaled and completed operation on a contact, with the contact after it. */
type DoneOperation = Done<CreateOperation | UpdateOperation | MembershipOperation | DeleteOperation>;

/** The contact after the newest operation on it; `isExact` if the response to that operation contained the whole contact. */
type LastOutcome = { readonly record: ContactRecord; readonly isExact: boolean; readonly atMs: number };

/** The contact that an operation is reverted on. */
export type Current = {
  /** The current contact. If several operations are reverted, it includes the inverse operations before this one. */
  readonly record: ContactRecord;
  readonly outcome: LastOutcome | null;
  /** The ids of the groups that exist on its side and are synced. */
  readonly groups: ReadonlySet<string>;
  /** The fields that the link syncs now. */
  readonly fields: ReadonlySet<SyncedField>;
  /** Returns whether a field may be reverted. */
  readonly isReverted: (field: SyncedField) => boolean;
};

/** The operation that reverts another one on the same side. Groups are given by the side's ids. */
type Inverse =
  | { readonly kind: 'update'; readonly fields: readonly ContactField[]; readonly desired: Contact }
  | { readonly kind: 'membership'; readonly join: readonly string[]; readonly leave: readonly string[] }
  /** Restores a deleted contact with the values of this image. */
  | { readonly kind: 'create'; readonly image: ContactRecord }
  | { readonly kind: 'delete'; readonly record: ContactRecord };

/** Values that stay unchanged, and the reason; `field` is null for the whole contact. */
type FieldRefusal = { readonly field: SyncedField | null; readonly reason: string };

/** The inverse of an operation; null if nothing of it is to be reverted. */
type Inversion = { readonly inverse: Inverse | null; readonly refused: readonly FieldRefusal[] };

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

const invertUpdate = ({ before, after, fields }: Done<UpdateOperation>, { record, isReverted }: Current): Inversion => {
  const refused: FieldRefusal[] = [];
  const changed: ContactField[] = [];
  let desired = record.contact;
  const take = (field: ContactField, next: Contact): void => {
    if (next !== desired) changed.push(field);
    desired = next;
  };
  if (after === null) return { inverse: null, refused };
  const own = fields.filter(isReverted);
  // A value that a side computes has no former value to restore.
  for (const field of scalarsOf(own).filter((each) => !isExtraField(each))) {
    const next = invertScalar(field, desired, before.contact, after.contact);
    if (next === 'changed') refused.push({ field, reason: CHANGED });
    else take(field, next);
  }
  for (const field of listsOf(own)) take(field, invertList(field, desired, before.contact, after.contact));
  return { inverse: changed.length === 0 ? null : { kind: 'update', fields: changed, desired }, refused };
};

const invertMembership = (
  { before, after, join: joined, leave: left }: Done<MembershipOperation>,
  { record, groups, isReverted }: Current,
): Inversion => {
  if (after === null || !isReverted('buckets')) return { inverse: null, refused: [] };
  const [was, came, is] = [new Set(before.groupIds), new Set(after.groupIds), new Set(record.groupIds)];
  const leave = joined.filter((id) => came.has(id) && !was.has(id) && is.has(id));
  const lost = left.filter((id) => was.has(id) && !came.has(id) && !is.has(id));
  const join = lost.filter((id) => groups.has(id));
  const refused = lost
    .filter((id) => !groups.has(id))
    .map((): FieldRefusal => {
      return { field: 'buckets', reason: 'the group it left is deleted or no longer synced' };
    });
  return { inverse: join.length + leave.length === 0 ? null : { kind: 'membership', join, leave }, refused };
};

/** The assumed maximum difference between the side's clock and our own. */
const CLOCK_MARGIN_MS = 60_000;

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
  // The response to a change of membership does not contain the contact's new version: a later edit is visible only in the time.
  return !outcome.isExact && record.modifiedAtMs !== null && record.modifiedAtMs <= outcome.atMs + CLOCK_MARGIN_MS;
};

const invertCreate = ({ record, outcome, fields }: Current): Inversion => {
  if (outcome === null) return { inverse: null, refused: [{ field: null, reason: 'it is no longer linked' }] };
  return isUntouched(record, outcome, fields)
    ? { inverse: { kind: 'delete', record }, refused: [] }
    : { inverse: null, refused: [{ field: null, reason: 'it was changed since it was created' }] };
};

/**
 * Returns the operation that reverts a journaled one on its own side, for the current contact. Values that were changed since are
 * refused. Values that are already as before need no operation. Pure.
 */
export const invert = (operation: DoneOperation, current: Current): Inversion => {
  switch (operation.kind) {
    case 'create':
      return invertCreate(current);
    case 'update':
      return invertUpdate(operation, current);
    case 'membership':
      return invertMembership(operation, current);
    case 'delete':
      return { inverse: { kind: 'create', image: operation.before }, refused: [] };
  }
};

/** Returns the contact after an inverse operation that changes it. */
export const afterInverse = (record: ContactRecord, inverse: Inverse | null): ContactRecord => {
  switch (inverse?.kind) {
    case 'update':
      return { ...record, contact: inverse.desired };
    case 'membership': {
      const { join, leave } = inverse;
      return { ...record, groupIds: [...record.groupIds.filter((id) => !leave.includes(id)), ...join] };
    }
    case 'create':
    case 'delete':
    case undefined:
      return record;
  }
};
