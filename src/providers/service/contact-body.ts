import { CONTACT_FIELDS, type Contact, type ContactField } from '../../contact/contact.ts';
import type { ContactRecord } from '../../contact/record.ts';
import type { ContactWrite, SyncedLists } from './api/schemas-contacts.ts';
import { ATTRIBUTE_MAPPING } from './fields.ts';
import { NO_LISTS, readRaw } from './mapper.ts';

const fieldBody = <Field extends ContactField>(
  field: Field,
  contact: Pick<Contact, Field>,
  held: SyncedLists,
): ContactWrite => ATTRIBUTE_MAPPING[field].write(contact[field], held);

const bodyOf = (fields: readonly ContactField[], contact: Contact, held: SyncedLists): ContactWrite => {
  return fields.reduce<ContactWrite>((body, field) => ({ ...body, ...fieldBody(field, contact, held) }), {});
};

/** The body's data of a create: only what is filled. */
export const createBody = (draft: Contact): ContactWrite => {
  const filled = CONTACT_FIELDS.filter((field) => draft[field].length > 0);
  return bodyOf(filled, draft, NO_LISTS);
};

/**
 * The body's data of an update: only `fields`. A list is sent whole, in the desired order, with the held entries as they
 * were read.
 */
export const updateBody = (current: ContactRecord, desired: Contact, fields: readonly ContactField[]): ContactWrite => {
  return bodyOf(fields, desired, readRaw(current.raw));
};
