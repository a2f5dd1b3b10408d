import type { Contact, ContactField } from '../../contact/contact.ts';
import { textIn } from '../../contact/contact.ts';
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

/** The parts of a name that are fields of a contact. */
const PARTS = {
  firstName: 'givenName',
  lastName: 'familyName',
  middleName: 'middleName',
  namePrefix: 'honorificPrefix',
  nameSuffix: 'honorificSuffix',
} as const;
const PART_FIELDS = Object.keys(PARTS) as readonly (keyof typeof PARTS)[];

const writtenName = (
  { names }: PersonLists,
  target: Contact,
  chosen: ReadonlySet<ContactField>,
): readonly BodyEntry[] => {
  const kept = without(writable(names?.[0] ?? {}), WHOLE_NAMES);
  const texts = PART_FIELDS.filter((field) => chosen.has(field)).map((field) => [PARTS[field], textIn(target, field)]);
  return nonEmpty([withTexts(kept, Object.fromEntries(texts))]);
};

/** A part of a name beside first and last name. */
export const namePart = (part: 'middleName' | 'honorificPrefix' | 'honorificSuffix') => ({
  list: NAMES,
  read: ({ names }: PersonLists): string => {
    const text = names?.[0]?.[part];
    return typeof text === 'string' ? text : '';
  },
});

/** The name of a contact: Google keeps one. */
export const NAMES = personField('names', writtenName, {
  keep: ({ names }) => (names ?? []).slice(0, 1).map(keptName),
});
