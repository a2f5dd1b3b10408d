import type { Contact, LabelledValue } from './contact.ts';

/** A contact with its membership, as one side gave it: what a base holds. */
export type Snapshot = {
  readonly contact: Contact;
  /** That side's own group ids, sorted. */
  readonly groupIds: readonly string[];
};

const values = (list: readonly LabelledValue[]) => list.map(({ value, label }) => ({ value, label }));

/** The snapshot as JSON that is equal exactly when the snapshots are, whatever the order of object keys. */
export const fingerprint = ({ contact, groupIds }: Snapshot): string => {
  return JSON.stringify({
    contact: {
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
    },
    groupIds,
  });
};

/** Whether both say the same, spelling, labels and order included. */
export const equalSnapshots = (a: Snapshot, b: Snapshot): boolean => a === b || fingerprint(a) === fingerprint(b);

const sorted = <T>(list: readonly T[]): readonly T[] => {
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
};

/** The snapshot with every list in an order that does not depend on the side's. */
export const unordered = (snapshot: Snapshot): Snapshot => ({
  contact: {
    ...snapshot.contact,
    emailAddresses: sorted(snapshot.contact.emailAddresses),
    phoneNumbers: sorted(snapshot.contact.phoneNumbers),
    addresses: sorted(snapshot.contact.addresses),
    websites: sorted(snapshot.contact.websites),
  },
  groupIds: sorted(snapshot.groupIds),
});
