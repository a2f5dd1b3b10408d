import { CONTACT_FIELDS, CONTACT_SPECS, LIST_FIELDS, makeContact, type Contact, type ContactField } from './contact.ts';
import { hasKeys } from './elements.ts';
import { FIELDS } from './fields.ts';
import { listOf } from './lists.ts';

/** A contact with its membership, as one side gave it: what a base holds. */
export type Snapshot = {
  readonly contact: Contact;
  /** That side's own group ids, sorted. */
  readonly groupIds: readonly string[];
};

/** What a record says, without what only its adapter understands. */
export const snapshotOf = ({ contact, groupIds }: Snapshot): Snapshot => ({ contact, groupIds });

const LIST_PARTS = LIST_FIELDS.map((field) => ({ field, parts: FIELDS[field].element.parts }));

const isInOrder = (contact: Contact): boolean => {
  if (!hasKeys(contact, CONTACT_FIELDS)) return false;
  for (const { field, parts } of LIST_PARTS) {
    for (const element of listOf(contact, field)) if (!hasKeys(element, parts)) return false;
  }
  return true;
};

/** The contact with the keys of every object in the canonical order; nearly every contact comes so. */
const inOrder = (contact: Contact): Contact => {
  return isInOrder(contact) ? contact : makeContact((field) => CONTACT_SPECS[field].inOrder(contact[field]));
};

/** The snapshot as JSON that is equal exactly when the snapshots are, whatever the order of object keys. */
export const fingerprint = ({ contact, groupIds }: Snapshot): string => {
  return JSON.stringify({ contact: inOrder(contact), groupIds });
};

const equalIn = <Field extends ContactField>(
  field: Field,
  a: Pick<Contact, Field>,
  b: Pick<Contact, Field>,
): boolean => {
  return CONTACT_SPECS[field].equal(a[field], b[field]);
};

/** Whether both say the same, spelling, labels and order included. */
export const equalSnapshots = (a: Snapshot, b: Snapshot): boolean => {
  const isSameContact =
    a.contact === b.contact || CONTACT_FIELDS.every((field) => equalIn(field, a.contact, b.contact));
  return isSameContact && FIELDS.buckets.equal(a.groupIds, b.groupIds);
};

/** The snapshot with every list in an order that does not depend on the side's. */
export const unordered = ({ contact, groupIds }: Snapshot): Snapshot => ({
  contact: makeContact((field) => CONTACT_SPECS[field].unordered(contact[field])),
  groupIds: FIELDS.buckets.unordered(groupIds),
});
