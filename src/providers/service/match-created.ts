import type { CreateRequest } from '../../core/contact/requests.ts';
import { withoutExtras } from '../../core/contact/chosen.ts';
import { fieldsIn, type Contact, type ContactField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { bareText } from './entries.ts';
import { tracesOf } from './fields.ts';

/** A contact is identified by its name, email addresses and phone numbers; if it has none of these, by all other fields. */
const NAME_FIELDS = ['firstName', 'lastName'] as const;
const TELLING_FIELDS: readonly ContactField[] = [...NAME_FIELDS, 'emailAddresses', 'phoneNumbers'];

/** Returns the traces of a field as one text, independent of the order of its elements. */
const signature = (contact: Contact, field: ContactField): string =>
  [...new Set(tracesOf(field, contact))].toSorted().join('\n');

/** Returns the fields that distinguish contacts of the same name, without computed fields. */
const restFields = (contact: Contact): readonly ContactField[] =>
  fieldsIn(withoutExtras(contact)).filter((field) => !TELLING_FIELDS.includes(field));

/** Joins first and last name, because the service may divide a name differently. */
const nameOf = (contact: Contact): string => NAME_FIELDS.flatMap((field) => tracesOf(field, contact)).join('');

const emailsOf = (contact: Contact): string => signature(contact, 'emailAddresses');

const phonesOf = (contact: Contact): string => signature(contact, 'phoneNumbers');

/** Returns the traces of the remaining fields, each with its field. */
const restTraces = (contact: Contact): ReadonlySet<string> =>
  new Set(restFields(contact).flatMap((field) => tracesOf(field, contact).map((trace) => `${field} ${trace}`)));

/** Returns the number of remaining traces that differ from the draft: the service may fill in or rewrite values. */
const difference = (draft: Contact, found: Contact): number =>
  restTraces(draft).symmetricDifference(restTraces(found)).size;

/**
 * Returns whether a contact at the service may be the result of a create of `draft`: same name, email addresses and phone
 * numbers, independent of case and format. The service may have filled in company and title.
 */
export const resemblesDraft = (draft: Contact, found: Contact): boolean => {
  if (nameOf(draft) !== nameOf(found)) return false;
  if (emailsOf(draft) !== emailsOf(found) || phonesOf(draft) !== phonesOf(found)) return false;
  const isNameless = nameOf(draft) + emailsOf(draft) + phonesOf(draft) === '';
  if (isNameless) return difference(draft, found) === 0;
  return draft.company === '' || bareText(draft.company) === bareText(found.company);
};

/** Returns whether a contact with the name `[first, last]` may be the result of a create of `draft`; null: not given. */
export const mayBeNamed = (draft: Contact, name: readonly [string | null, string | null]): boolean => {
  const given = name.filter((part) => part !== null);
  return given.length === 0 || given.map(bareText).join('') === nameOf(draft);
};

/** Returns name, email addresses and phone numbers as one text. Only contacts with the same text resemble each other. */
const tellingText = (contact: Contact): string => [nameOf(contact), emailsOf(contact), phonesOf(contact)].join('\n\n');

/**
 * Returns the contact that each request created, by the key of the request. A contact is matched with one request only.
 * Among contacts of the same name, the most similar are matched first, so that no create matches the result of another one.
 * With `mostDifferences` 0, only contacts that equal the draft are matched.
 */
export const matchCreated = (
  requests: readonly CreateRequest[],
  found: readonly ContactRecord[],
  mostDifferences = Number.POSITIVE_INFINITY,
): ReadonlyMap<string, ContactRecord> => {
  const namesakes = Map.groupBy(found, ({ contact }) => tellingText(contact));
  const candidates = requests.flatMap(({ key, draft }) =>
    (namesakes.get(tellingText(draft)) ?? [])
      .filter((record) => resemblesDraft(draft, record.contact))
      .map((record) => ({ key, record, differences: difference(draft, record.contact) })),
  );
  const left = new Set(found);
  const matches = new Map<string, ContactRecord>();
  for (const { key, record, differences } of candidates.toSorted((a, b) => a.differences - b.differences)) {
    if (differences > mostDifferences || matches.has(key) || !left.delete(record)) continue;
    matches.set(key, record);
  }
  return matches;
};
