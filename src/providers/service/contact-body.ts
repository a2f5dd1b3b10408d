import { filledFields, type Contact, type ContactField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import type { ContactWrite } from './api/schemas-contacts.ts';
import { bodyOf, NO_LISTS, USUAL_MAPPING, type ServiceMapping } from './fields.ts';
import { readRaw } from './mapper.ts';

/** The body's data of a create: only what is filled. */
export const createBody = (draft: Contact, { definitions }: ServiceMapping = USUAL_MAPPING): ContactWrite =>
  bodyOf(filledFields(draft), draft, NO_LISTS, definitions);

/**
 * The body's data of an update: only `fields`. A list is sent whole, in the desired order, with the held entries as they
 * were read.
 */
export const updateBody = (
  current: ContactRecord,
  desired: Contact,
  fields: readonly ContactField[],
  { definitions }: ServiceMapping = USUAL_MAPPING,
): ContactWrite => bodyOf(fields, desired, readRaw(current.raw), definitions);
