import {
  CONTACT_FIELDS,
  fieldsIn,
  furtherIn,
  listsIn,
  makeContact,
  specOf,
  valueIn,
  type Contact,
  type ContactField,
  type SyncedField,
} from './contact.ts';
import { hasKeys } from './elements.ts';
import { FIELDS } from './fields.ts';
import { listOf, partsOf } from './lists.ts';

/**
 * Differences from the other side that are settled, by field: of a text the other side's value, of a list the keys of its
 * elements, of `buckets` this side's group ids.
 */
export type Declined = Readonly<Partial<Record<SyncedField, readonly string[]>>>;

/** A contact with its membership, as one side gave it: what a base holds. */
export type Snapshot = {
  readonly contact: Contact;
  /** That side's own group ids, sorted. */
  readonly groupIds: readonly string[];
  /** Of a base: what this side did not take of the other one, or an undo gave back. Absent where there is nothing. */
  readonly declined?: Declined;
};

/** Returns the snapshot with these settled differences instead of its own. */
export const withDeclined = ({ contact, groupIds }: Snapshot, declined: Declined): Snapshot =>
  Object.keys(declined).length === 0 ? { contact, groupIds } : { contact, groupIds, declined };

/** The contacts of those that there are. */
export const contactsOf = (
  ...snapshots: readonly (Pick<Snapshot, 'contact'> | null | undefined)[]
): readonly Contact[] => snapshots.flatMap((each) => each?.contact ?? []);

/** Returns the snapshot of a record, without the adapter's raw data. */
export const snapshotOf = ({ contact, groupIds }: Snapshot): Snapshot => ({ contact, groupIds });

const isInOrder = (contact: Contact): boolean => {
  const further = furtherIn(contact);
  if (!hasKeys(contact, further.length === 0 ? CONTACT_FIELDS : [...CONTACT_FIELDS, ...further])) return false;
  for (const field of listsIn(contact)) {
    const parts = partsOf(field);
    for (const element of listOf(contact, field)) if (!hasKeys(element, parts)) return false;
  }
  return true;
};

/** The contact with the keys of every object in the canonical order; nearly every contact comes so. */
const inOrder = (contact: Contact): Contact => {
  if (isInOrder(contact)) return contact;
  return makeContact((field) => specOf(field).inOrder(valueIn(contact, field)), furtherIn(contact));
};

/** The snapshot as JSON that is equal exactly when the snapshots are, whatever the order of object keys. */
export const snapshotText = ({ contact, groupIds }: Snapshot): string => {
  return JSON.stringify({ contact: inOrder(contact), groupIds });
};

/** Whether both contacts hold the same in a field, spelling, labels and order included. */
export const equalIn = (field: ContactField, a: Contact, b: Contact): boolean =>
  specOf(field).equal(valueIn(a, field), valueIn(b, field));

/** Whether both are equal, including spelling, labels and order. */
export const equalSnapshots = (a: Snapshot, b: Snapshot): boolean => {
  const isSameContact =
    a.contact === b.contact || fieldsIn(a.contact, b.contact).every((field) => equalIn(field, a.contact, b.contact));
  return isSameContact && FIELDS.buckets.equal(a.groupIds, b.groupIds);
};

/** The snapshot with every list in an order that does not depend on the side's. */
export const unordered = ({ contact, groupIds }: Snapshot): Snapshot => ({
  contact: makeContact((field) => specOf(field).unordered(valueIn(contact, field)), furtherIn(contact)),
  groupIds: FIELDS.buckets.unordered(groupIds),
});
