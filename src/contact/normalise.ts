import { CONTACT_SPECS, EMPTY_CONTACT, makeContact, type Contact } from './contact.ts';

/**
 * The canonical contact of what a side gave: every text through `normaliseText`, empty list elements dropped, and of
 * elements that mean the same the first one kept. Values keep the side's own spelling.
 */
export const contactOf = (given: Partial<Contact>): Contact => {
  const contact = { ...EMPTY_CONTACT, ...given };
  return makeContact((field) => CONTACT_SPECS[field].normalise(contact[field]));
};
