import type { CreateRequest } from '../../core/contact/requests.ts';
import { withoutExtras } from '../../core/contact/chosen.ts';
import { fieldsIn, type Contact, type ContactField } from '../../core/contact/contact.ts';
import type { ContactRecord } from '../../core/contact/record.ts';
import { bareText } from './entries.ts';
import { tracesOf } from './fields.ts';

/** A contact is recognised by its name, email addresses and phone numbers, else by all its other fields. */
const NAME_FIELDS = ['firstName', 'lastName'] as const;
const TELLING_FIELDS: readonly ContactField[] = [...NAME_FIELDS, 'emailAddresses', 'phoneNumbers'];

/** What stays of some fields, whatever the order of their elements. */
const signature = (contact: Contact, ...fields: readonly ContactField[]): string => {
  return [...new Set(fields.flatMap((field) => tracesOf(field, contact)))].toSorted().join('\n');
};

/** The fields that distinguish contacts of the same name, without computed fields. */
const restFields = (contact: Contact): readonly ContactField[] =>
  fieldsIn(withoutExtras(contact)).filter((field) => !TELLING_FIELDS.includes(field));

/** The service may divide a name otherwise. */
const nameOf = (contact: Contact): string => NAME_FIELDS.flatMap((field) => tracesOf(field, contact)).join('');

const emailsOf = (contact: Contact): string => signature(contact, 'emailAddresses');

const phonesOf = (contact: Contact): string => signature(contact, 'phoneNumbers');

const restOf = (contact: Contact): string => signature(contact, ...restFields(contact));

/**
 * Whether a contact found at the service is what a create of `draft` made there: the same name, email addresses and phone
 * numbers, whatever the service did to case and format. Company and title may have been filled in by the service.
 */
export const resemblesDraft = (draft: Contact, found: Contact): boolean => {
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

/** The traces of the remaining fields, each with its field. */
const restTraces = (contact: Contact): ReadonlySet<string> =>
  new Set(restFields(contact).flatMap((field) => tracesOf(field, contact).map((trace) => `${field} ${trace}`)));

/** In how much of the rest a contact found differs from the draft: the service may fill in or rewrite something. */
const difference = (draft: Contact, found: Contact): number =>
  restTraces(draft).symmetricDifference(restTraces(found)).size;

/** Name, email addresses and phone numbers as one text: only contacts of the same text resemble each other. */
const tellingText = (contact: Contact): string => [nameOf(contact), emailsOf(contact), phonesOf(contact)].join('\n\n');

/**
 * Finds for each request the contact that it made, each contact for one request only; keys are the requests' keys. Among
 * contacts of the same name, the most similar are matched first, so that no create matches the result of another one. With
 * `mostDifferences`
 * 0, only contacts that equal the draft are taken.
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
