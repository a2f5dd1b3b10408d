import { withoutExtras } from '../../contact/chosen.ts';
import { fieldsIn, type Contact, type ContactField } from '../../contact/contact.ts';
import type { ContactRecord } from '../../contact/record.ts';
import type { CreateRequest } from '../remote.ts';
import { bareText } from './entries.ts';
import { tracesOf } from './fields.ts';

/** A contact is recognised by its name, email addresses and phone numbers, else by all its other fields. */
const NAME_FIELDS = ['firstName', 'lastName'] as const;
const TELLING_FIELDS: readonly ContactField[] = [...NAME_FIELDS, 'emailAddresses', 'phoneNumbers'];

/** What stays of some fields, whatever the order of their elements. */
const signature = (contact: Contact, ...fields: readonly ContactField[]): string => {
  return [...new Set(fields.flatMap((field) => tracesOf(field, contact)))].toSorted().join('\n');
};

/** The service may divide a name otherwise. */
const nameOf = (contact: Contact): string => NAME_FIELDS.flatMap((field) => tracesOf(field, contact)).join('');

const emailsOf = (contact: Contact): string => signature(contact, 'emailAddresses');

const phonesOf = (contact: Contact): string => signature(contact, 'phoneNumbers');

const restOf = (contact: Contact): string =>
  signature(contact, ...fieldsIn(withoutExtras(contact)).filter((field) => !TELLING_FIELDS.includes(field)));

/**
 * Whether a contact found at the service is what a create of `draft` made there: the same name, email addresses and phone
 * numbers, whatever the service did to case and format. Company and title may have been filled in by the service.
 */
export const resembles = (draft: Contact, found: Contact): boolean => {
  if (nameOf(draft) !== nameOf(found)) return false;
  if (emailsOf(draft) !== emailsOf(found) || phonesOf(draft) !== phonesOf(found)) return false;
  const isNameless = nameOf(draft) + emailsOf(draft) + phonesOf(draft) === '';
  if (isNameless) return restOf(draft) === restOf(found);
  return draft.company === '' || bareText(draft.company) === bareText(found.company);
};

/** Whether a contact of that name, `[first, last]`, may be what a create of `draft` made; null is a name that was not given. */
export const mayBeNamed = (draft: Contact, name: readonly [string | null, string | null]): boolean => {
  const given = name.filter((part) => part !== null);
  return given.length === 0 || given.map(bareText).join('') === nameOf(draft);
};

/** Finds for each request the contact that it made, each contact for one request only; keys are the requests' keys. */
export const matchCreated = (
  requests: readonly CreateRequest[],
  found: readonly ContactRecord[],
): ReadonlyMap<string, ContactRecord> => {
  const left = new Set(found);
  const matches = new Map<string, ContactRecord>();
  for (const request of requests) {
    const record = [...left].find((candidate) => resembles(request.draft, candidate.contact));
    if (record === undefined) continue;
    left.delete(record);
    matches.set(request.key, record);
  }
  return matches;
};
