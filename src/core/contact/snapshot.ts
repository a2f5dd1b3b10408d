import {
  CONTACT_FIELDS,
  EMPTY_CONTACT,
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
 * Differences from the other side that are settled, by field: for a text the other side's value, for a list the keys of its
 * elements, for `buckets` this side's group ids.
 */
export type Declined = Readonly<Partial<Record<SyncedField, readonly string[]>>>;

/** A contact with its membership, as one side returned it: the content of a base. */
export type Snapshot = {
  readonly contact: Contact;
  /** That side's own group ids, sorted. */
  readonly groupIds: readonly string[];
  /** For a base: values of the other side that this side did not accept, or that an undo reverted. Absent if there are none. */
  readonly declined?: Declined;
};

/** The base of a contact without a counterpart so far. */
export const EMPTY_SNAPSHOT: Snapshot = { contact: EMPTY_CONTACT, groupIds: [] };

/** Returns the snapshot with these settled differences instead of its own. */
export const withDeclined = ({ contact, groupIds }: Snapshot, declined: Declined): Snapshot =>
  Object.keys(declined).length === 0 ? { contact, groupIds } : { contact, groupIds, declined };

/** Returns the contacts of the snapshots that are not null or undefined. */
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

/** Returns the contact with the keys of every object in the canonical order; most contacts already have this order. */
const inOrder = (contact: Contact): Contact => {
  if (isInOrder(contact)) return contact;
  return makeContact((field) => specOf(field).inOrder(valueIn(contact, field)), furtherIn(contact));
};

/** Returns the snapshot as JSON. Two texts are equal exactly if the snapshots are equal, ignoring the order of object keys. */
export const snapshotText = ({ contact, groupIds }: Snapshot): string =>
  JSON.stringify({ contact: inOrder(contact), groupIds });

/** Returns whether both contacts have the same value in a field, including spelling, labels and order. */
export const equalIn = (field: ContactField, a: Contact, b: Contact): boolean =>
  specOf(field).equal(valueIn(a, field), valueIn(b, field));

/** Returns whether both are equal, including spelling, labels and order. */
export const equalSnapshots = (a: Snapshot, b: Snapshot): boolean => {
  const isSameContact =
    a.contact === b.contact || fieldsIn(a.contact, b.contact).every((field) => equalIn(field, a.contact, b.contact));
  return isSameContact && FIELDS.buckets.equal(a.groupIds, b.groupIds);
};

/** Returns the snapshot with every list in an order that does not depend on the side's. */
export const unordered = ({ contact, groupIds }: Snapshot): Snapshot => ({
  contact: makeContact((field) => specOf(field).unordered(valueIn(contact, field)), furtherIn(contact)),
  groupIds: FIELDS.buckets.unordered(groupIds),
});
