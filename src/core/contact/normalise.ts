import { without } from './chosen.ts';
import {
  EMPTY_CONTACT,
  fieldsIn,
  furtherIn,
  makeContact,
  specOf,
  valueIn,
  type Contact,
  type ContactField,
  type SyncedField,
} from './contact.ts';
import type { ContactRecord, UnsyncableField } from './record.ts';

/**
 * The canonical contact of what a side gave: every text through `normaliseText`, empty list elements dropped, and of
 * elements that mean the same the first one kept. Values keep the side's own spelling.
 */
export const contactOf = (given: Partial<Contact>): Contact => {
  const contact: Contact = { ...EMPTY_CONTACT, ...given };
  return makeContact((field) => specOf(field).normalise(valueIn(contact, field)), furtherIn(contact));
};

const refusalOf = (field: ContactField, contact: Contact): string | null =>
  specOf(field).refusalOf(valueIn(contact, field));

/** The fields of a record that are not synced, with the reasons. */
export const unsyncableIn = ({ unsyncable = [] }: Pick<ContactRecord, 'unsyncable'>): readonly UnsyncableField[] =>
  unsyncable;

/** The fields that are not synced in any of the records. */
export const unsyncableFields = (...records: readonly Pick<ContactRecord, 'unsyncable'>[]): ReadonlySet<SyncedField> =>
  new Set(records.flatMap((record) => unsyncableIn(record).map(({ field }) => field)));

/** A contact as far as its values can be synced, and its fields that cannot; those are empty in the contact. */
export type SyncableContact = { readonly contact: Contact; readonly unsyncable: readonly UnsyncableField[] };

/** Separates the values of a side that can be synced from those that cannot, as one that is too long (R15). Pure. */
export const syncableContact = (given: Partial<Contact>): SyncableContact => {
  const contact = contactOf(given);
  const unsyncable = fieldsIn(contact).flatMap((field): UnsyncableField[] => {
    const reason = refusalOf(field, contact);
    return reason === null ? [] : [{ field, reason }];
  });
  const fields = unsyncable.map(({ field }) => field);
  return { contact: without(contact, fields), unsyncable };
};
