import {
  CONTACT_FIELDS,
  CONTACT_SPECS,
  EMPTY_CONTACT,
  makeContact,
  type Contact,
  type ContactField,
} from './contact.ts';

/**
 * The canonical contact of what a side gave: every text through `normaliseText`, empty list elements dropped, and of
 * elements that mean the same the first one kept. Values keep the side's own spelling.
 */
export const contactOf = (given: Partial<Contact>): Contact => {
  const contact = { ...EMPTY_CONTACT, ...given };
  return makeContact((field) => CONTACT_SPECS[field].normalise(contact[field]));
};

const isOverlong = <Field extends ContactField>(field: Field, contact: Pick<Contact, Field>): boolean =>
  CONTACT_SPECS[field].isOverlong(contact[field]);

/** The first field whose value is longer than any that is synced; null where there is none. */
export const overlongField = (contact: Contact): ContactField | null =>
  CONTACT_FIELDS.find((field) => isOverlong(field, contact)) ?? null;
