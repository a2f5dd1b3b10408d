import {
  EMPTY_CONTACT,
  fieldsIn,
  furtherIn,
  makeContact,
  specOf,
  valueIn,
  type Contact,
  type ContactField,
} from './contact.ts';

/**
 * The canonical contact of what a side gave: every text through `normaliseText`, empty list elements dropped, and of
 * elements that mean the same the first one kept. Values keep the side's own spelling.
 */
export const contactOf = (given: Partial<Contact>): Contact => {
  const contact: Contact = { ...EMPTY_CONTACT, ...given };
  return makeContact((field) => specOf(field).normalise(valueIn(contact, field)), furtherIn(contact));
};

const isOverlong = (field: ContactField, contact: Contact): boolean =>
  specOf(field).isOverlong(valueIn(contact, field));

/** The first field whose value is longer than any that is synced; null where there is none. */
export const overlongField = (contact: Contact): ContactField | null =>
  fieldsIn(contact).find((field) => isOverlong(field, contact)) ?? null;
