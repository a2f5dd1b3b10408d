import type { Contact } from '../../contact/contact.ts';
import { emailKey } from '../../contact/keys.ts';
import type { ContactRecord } from '../../contact/record.ts';
import type { CreateRequest } from '../remote.ts';

/** How many closing digits of a phone number stay the same however it is written. */
const TELLING_DIGITS = 9;

const bareText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

const bareDigits = (text: string): string => text.normalize('NFKC').replace(/\D+/gu, '').slice(-TELLING_DIGITS);

const signature = (values: readonly string[]): string => [...new Set(values)].toSorted().join('\n');

const nameOf = (contact: Contact): string => bareText(contact.firstName) + bareText(contact.lastName);

const emailsOf = (contact: Contact): string => signature(contact.emailAddresses.map((entry) => emailKey(entry.value)));

const phonesOf = (contact: Contact): string => signature(contact.phoneNumbers.map((entry) => bareDigits(entry.value)));

/** What is left to tell a contact by that has neither name, email address nor phone number. */
const restOf = (contact: Contact): string => {
  const addresses = contact.addresses.map((entry) => bareText(entry.street + entry.city + entry.postalCode));
  const websites = contact.websites.map((entry) => bareText(entry.value));
  return signature([bareText(contact.company), bareText(contact.title), ...addresses, ...websites]);
};

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
