import type { Contact } from '../../contact/contact.ts';
import { normaliseText } from '../../contact/text.ts';
import { nonEmpty, withTexts, without, writable, type BodyEntry } from './body-entry.ts';
import { personField, type PersonLists } from './person-field.ts';
import type { NameEntry } from './schema.ts';

/** First and last name; a name that was only typed as a whole is a first name. */
export const namesOf = ({ names }: PersonLists): Pick<Contact, 'firstName' | 'lastName'> => {
  const name = names?.[0];
  const [firstName, lastName] = [normaliseText(name?.givenName), normaliseText(name?.familyName)];
  if (firstName !== '' || lastName !== '') return { firstName, lastName };
  return { firstName: normaliseText(name?.unstructuredName) || normaliseText(name?.displayName), lastName: '' };
};

const NAME_PARTS = ['givenName', 'familyName', 'middleName', 'honorificPrefix', 'honorificSuffix'] as const;
const WHOLE_NAMES = ['displayName', 'displayNameLastFirst', 'unstructuredName'] as const;

/** A name that was only typed as a whole stays one; else the parts speak and the whole is Google's to make. */
const keptName = (entry: NameEntry): BodyEntry => {
  const parts = without(writable(entry), WHOLE_NAMES);
  if (NAME_PARTS.some((part) => parts[part] !== undefined)) return parts;
  return withTexts(parts, { unstructuredName: entry.unstructuredName ?? entry.displayName ?? '' });
};

const writtenName = ({ names }: PersonLists, target: Contact): readonly BodyEntry[] => {
  const kept = without(writable(names?.[0] ?? {}), WHOLE_NAMES);
  return nonEmpty([withTexts(kept, { givenName: target.firstName, familyName: target.lastName })]);
};

/** The name of a contact: Google keeps one. */
export const NAMES = personField('names', writtenName, {
  keep: ({ names }) => (names ?? []).slice(0, 1).map(keptName),
});
