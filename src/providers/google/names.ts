import { type Contact, textIn } from '../../core/contact/contact.ts';
import { foldText } from '../../core/contact/names.ts';
import { normaliseText } from '../../core/contact/text.ts';
import { unsyncedNameOf } from '../../core/contact/unsynced-name.ts';
import {
  type BodyEntry,
  type ChosenParts,
  nonEmpty,
  personField,
  type PersonLists,
  withoutKeys,
  withTexts,
  writable,
} from './person-field.ts';
import type { EntryOf } from './schema.ts';

type NameEntry = EntryOf<'names'>;

/** The parts of a name that are contact fields. */
const PARTS = {
  firstName: 'givenName',
  lastName: 'familyName',
  middleName: 'middleName',
  namePrefix: 'honorificPrefix',
  nameSuffix: 'honorificSuffix',
} as const;
const NAME_FIELDS = ['firstName', 'lastName', 'middleName', 'namePrefix', 'nameSuffix'] as const;

/** Returns a text of a name as it was read; empty if the name has none. */
const textAt = (name: NameEntry | undefined, key: string): string => {
  const text = name?.[key];
  return typeof text === 'string' ? text : '';
};

/** Returns first and last name. A name without any part becomes the first name. */
export const namesOf = ({ names }: PersonLists): Pick<Contact, 'firstName' | 'lastName'> => {
  const name = names?.[0];
  // The whole name contains every part: as the first name, a prefix would be written a second time.
  const hasParts = NAME_FIELDS.some((field) => normaliseText(textAt(name, PARTS[field])) !== '');
  if (hasParts) return { firstName: normaliseText(name?.givenName), lastName: normaliseText(name?.familyName) };
  return { firstName: normaliseText(name?.unstructuredName) || normaliseText(name?.displayName), lastName: '' };
};

/** Returns the parts of a name that the link does not sync. */
export const unsyncedName = ({ names }: PersonLists, chosen: ChosenParts): ReturnType<typeof unsyncedNameOf> => {
  const [name] = names ?? [];
  const spoken = ['phoneticGivenName', 'phoneticMiddleName', 'phoneticFamilyName'].map((key) => textAt(name, key));
  return unsyncedNameOf(chosen, {
    namePrefix: textAt(name, PARTS.namePrefix),
    middleName: textAt(name, PARTS.middleName),
    nameSuffix: textAt(name, PARTS.nameSuffix),
    phonetic: spoken.join(' ').trim() || textAt(name, 'phoneticFullName'),
  });
};

const WHOLE_NAMES = ['displayName', 'displayNameLastFirst', 'unstructuredName'] as const;

/** A name without parts stays a whole name. Otherwise only the parts are sent, and Google computes the whole name. */
const keptName = (entry: NameEntry): BodyEntry => {
  const parts = withoutKeys(writable(entry), WHOLE_NAMES);
  if (NAME_FIELDS.some((field) => parts[PARTS[field]] !== undefined)) return parts;
  return withTexts(parts, { unstructuredName: entry.unstructuredName ?? entry.displayName ?? '' });
};

type End = 'start' | 'end';

/** Returns the text without a part of a name at one end; null if the text does not have it there, or has nothing else. */
const withoutWords = (text: string, part: string, at: End, isEqual: (word: string, other: string) => boolean) => {
  const [words, own] = [text.split(' '), foldText(part).split(' ')];
  const count = part === '' ? words.length : own.length;
  if (words.length <= count) return null;
  const [rest, found] =
    at === 'start' ? [words.slice(count), words.slice(0, count)] : [words.slice(0, -count), words.slice(-count)];
  return found.every((word, index) => isEqual(foldText(word), own[index] ?? '')) ? rest.join(' ') : null;
};

const isSame = (word: string, other: string): boolean => word === other;

const isInitial = (word: string, other: string): boolean =>
  word === other || ((word.length === 1 || other.length === 1) && word[0] === other[0]);

/**
 * Returns the text without the words of another part of the name, which Google displays before or after it. With a middle
 * name Ann, the given name Mary Ann would be displayed as Mary Ann Ann. A repetition that the Google user entered stays.
 */
const withoutPart = (text: string, former: string, part: string, at: End, isEqual = isSame): string => {
  const rest = withoutWords(text, part, at, isEqual);
  return rest === null || withoutWords(former, part, at, isEqual) !== null ? text : rest;
};

/** The parts of a name that Google stores separately from first and last name, as they are after the write. */
type ApartParts = Readonly<Record<'namePrefix' | 'middleName' | 'nameSuffix', string>>;

const apartParts = (name: NameEntry, target: Contact, chosen: ChosenParts): ApartParts => {
  const textOf = (field: keyof ApartParts): string =>
    chosen.has(field) ? textIn(target, field) : normaliseText(textAt(name, PARTS[field]));
  return { namePrefix: textOf('namePrefix'), middleName: textOf('middleName'), nameSuffix: textOf('nameSuffix') };
};

/** Returns a given name without the prefix and the middle name that Google displays around it. */
const givenOf = (name: NameEntry, text: string, { namePrefix, middleName }: ApartParts): string => {
  const givenName = normaliseText(name.givenName);
  if (givenName === text) return text;
  if (middleName !== '' && givenName !== '' && foldText(text) === foldText(`${givenName} ${middleName}`))
    return givenName;
  const unprefixed = withoutPart(text, givenName, namePrefix, 'start');
  return withoutPart(unprefixed, givenName, middleName, 'end', isInitial);
};

/** Returns a family name without the middle name and the suffix that Google displays around it. */
const familyOf = (name: NameEntry, text: string, { middleName, nameSuffix }: ApartParts): string => {
  const family = normaliseText(name.familyName);
  if (family === text) return text;
  return withoutPart(withoutPart(text, family, middleName, 'start'), family, nameSuffix, 'end');
};

const writtenName = ({ names }: PersonLists, target: Contact, chosen: ChosenParts): readonly BodyEntry[] => {
  const name = names?.[0] ?? {};
  const kept = withoutKeys(writable(name), WHOLE_NAMES);
  const apart = apartParts(name, target, chosen);
  const valueOf = (field: keyof typeof PARTS): string => {
    if (field === 'firstName') return givenOf(name, target.firstName, apart);
    return field === 'lastName' ? familyOf(name, target.lastName, apart) : textIn(target, field);
  };
  const isWritten = (field: keyof typeof PARTS): boolean =>
    field === 'firstName' ? normaliseText(name.givenName) !== valueOf(field) : chosen.has(field);
  const own = NAME_FIELDS.filter(isWritten).map((field) => [PARTS[field], valueOf(field)]);
  return nonEmpty([withTexts(kept, Object.fromEntries(own))]);
};

/** Returns the mapping of a part of a name other than first and last name. */
export const namePart = (field: keyof ApartParts) => ({
  list: NAMES,
  read: ({ names }: PersonLists): string => textAt(names?.[0], PARTS[field]),
});

/** The name of a contact. Google stores one. */
export const NAMES = personField('names', writtenName, {
  keep: ({ names }) => (names ?? []).slice(0, 1).map(keptName),
});
