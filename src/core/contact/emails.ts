import type { Contact } from './contact.ts';
import { emailKey } from './keys.ts';

type Emails = Contact['emailAddresses'];

/** The keys by which email addresses are compared. */
export const emailKeys = (emails: Emails): ReadonlySet<string> => new Set(emails.map(({ value }) => emailKey(value)));

/** The contact without some email addresses. */
export const withoutEmails = (contact: Contact, emails: Emails): Contact => {
  if (emails.length === 0) return contact;
  const keys = emailKeys(emails);
  return { ...contact, emailAddresses: contact.emailAddresses.filter(({ value }) => !keys.has(emailKey(value))) };
};

/** The contact with those email addresses that it lacks. */
export const withEmails = (contact: Contact, emails: Emails): Contact => {
  const held = emailKeys(contact.emailAddresses);
  const missing = emails.filter(({ value }) => !held.has(emailKey(value)));
  return { ...contact, emailAddresses: [...contact.emailAddresses, ...missing] };
};
