import type { Contact, LabelledValue } from './contact.ts';

/** A contact with its membership, as one side gave it: what a base holds. */
export type Snapshot = {
  readonly contact: Contact;
  /** That side's own group ids, sorted. */
  readonly groupIds: readonly string[];
};

/** What a record says, without what only its adapter understands. */
export const snapshotOf = ({ contact, groupIds }: Snapshot): Snapshot => ({ contact, groupIds });

const values = (list: readonly LabelledValue[]) => list.map(({ value, label }) => ({ value, label }));

/** The contact with the keys of every object in one order. */
const inOrder = (contact: Contact): Contact => ({
  firstName: contact.firstName,
  lastName: contact.lastName,
  company: contact.company,
  title: contact.title,
  emailAddresses: values(contact.emailAddresses),
  phoneNumbers: values(contact.phoneNumbers),
  addresses: contact.addresses.map(({ street, city, region, postalCode, country, label }) => {
    return { street, city, region, postalCode, country, label };
  }),
  websites: values(contact.websites),
});

/** The snapshot as JSON that is equal exactly when the snapshots are, whatever the order of object keys. */
export const fingerprint = ({ contact, groupIds }: Snapshot): string => {
  return JSON.stringify({ contact: inOrder(contact), groupIds });
};

/** Whether both say the same, spelling, labels and order included. */
export const equalSnapshots = (a: Snapshot, b: Snapshot): boolean => {
  const isSameContact =
    a.contact === b.contact || JSON.stringify(inOrder(a.contact)) === JSON.stringify(inOrder(b.contact));
  return isSameContact && JSON.stringify(a.groupIds) === JSON.stringify(b.groupIds);
};

const sorted = <T>(list: readonly T[]): readonly T[] => {
  return list
    .map((item) => ({ item, text: JSON.stringify(item) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ item }) => item);
};

/** The snapshot with every list in an order that does not depend on the side's. */
export const unordered = (snapshot: Snapshot): Snapshot => {
  const contact = inOrder(snapshot.contact);
  return {
    contact: {
      ...contact,
      emailAddresses: sorted(contact.emailAddresses),
      phoneNumbers: sorted(contact.phoneNumbers),
      addresses: sorted(contact.addresses),
      websites: sorted(contact.websites),
    },
    groupIds: sorted(snapshot.groupIds),
  };
};
