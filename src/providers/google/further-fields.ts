import { type Contact, type ContactField, type ScalarField, textIn } from '../../core/contact/contact.ts';
import { partsOfDay } from '../../core/contact/days.ts';
import { FURTHER_FIELDS, isNamedField, type NamedField, nameOfNamed } from '../../core/contact/fields.ts';
import { tagText, textTags, withOtherSpellings } from '../../core/contact/lists.ts';
import { normaliseText, wordsOnly } from '../../core/contact/text.ts';
import {
  type BodyEntry,
  type BoundTo,
  type ChosenParts,
  type EntrySet,
  type FieldMapping,
  boundEntry,
  boundField,
  personField,
  type PersonLists,
  withTexts,
  writable,
} from './person-field.ts';
import type { EntryOf } from './schema.ts';
import { valueField, elementsOf, writtenValues } from './lists.ts';

type TextEntry = EntryOf<'nicknames' | 'biographies'>;
type UserDefinedEntry = EntryOf<'userDefined'>;

/** A date in Google's format. An unknown part is missing or 0. */
type GoogleDate = { readonly year?: number; readonly month?: number; readonly day?: number };

const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

/** Returns the day in the format of a contact, `1980-05-17` or `--05-17`; null if month or day is unknown. */
export const dayOf = ({ year = 0, month = 0, day = 0 }: GoogleDate = {}): string | null => {
  if (month === 0 || day === 0) return null;
  return `${year === 0 ? '-' : padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
};

/** Returns the date of a day; null if the text is not a calendar day. */
export const dateOf = (text: string): GoogleDate | null => {
  const parts = partsOfDay(text);
  if (parts === null) return null;
  const { year, month, day } = parts;
  return { ...(year !== null && { year }), month, day };
};

/** Returns the mapping of a text in one entry of a list. Other entries stay unchanged. */
const boundText = (
  name: 'nicknames' | 'biographies',
  field: ScalarField,
  others: Readonly<Record<string, string>> = {},
): FieldMapping<string> => {
  const set: EntrySet<TextEntry> = {
    name,
    in: (person) => person[name] ?? [],
    isFilled: ({ value }) => normaliseText(value) !== '',
    isPreferred: () => false,
  };
  const list = personField(name, (person, target, _, bound) => {
    const own = boundEntry(set, person, field, bound);
    const value = textIn(target, field);
    const entries = set.in(person);
    const written = (entry: TextEntry | undefined): readonly BodyEntry[] =>
      value === '' ? [] : [withTexts(entry === undefined ? {} : writable(entry), { value, ...others })];
    if (own === undefined) return [...written(undefined), ...entries.map(writable)];
    return entries.flatMap((entry) => (entry === own ? written(entry) : [writable(entry)]));
  });
  return boundField(list, set, (entry) => entry?.value ?? '');
};

/** Google stores one birthday, as a date. A text that is not a date is not written. */
const writtenBirthday = (person: PersonLists, target: Contact): readonly BodyEntry[] => {
  const [entry] = person.birthdays ?? [];
  const birthday = textIn(target, 'birthday');
  if (birthday === '') return [];
  const date = dateOf(birthday);
  if (date === null) return entry === undefined ? [] : [writable(entry)];
  const { text: _, ...kept } = entry === undefined ? {} : writable(entry);
  return [{ ...kept, date }];
};

const BIRTHDAY: FieldMapping<string> = {
  list: personField('birthdays', writtenBirthday),
  read: ({ birthdays }) => dayOf(birthdays?.[0]?.date) ?? birthdays?.[0]?.text ?? '',
};

/** Read-only: Google requires separate requests to write a photo, and this program does not send them. */
const PHOTO: FieldMapping<string> = {
  list: personField('photos', () => [], { isReadOnly: true }),
  read: ({ photos = [] }) => {
    const photo = photos.find(({ url = '', default: isDefault }) => isDefault !== true && url.startsWith('https://'));
    return photo?.url ?? '';
  },
};

/** Google's own type of such an address, and the networks that users enter as its type. */
const PROFILE_TYPES: ReadonlySet<string> = new Set(
  'profile facebook instagram linkedin mastodon bluesky tiktok twitter x xing youtube'.split(' '),
);
const PROFILE = 'profile';

const namesProfile = (label: string | null | undefined): boolean => PROFILE_TYPES.has(wordsOnly(label ?? ''));

/** A label that Google would not return as one of a profile, or of a website, is kept only on the other side. */
const profileLabel = (label: string | null): string | null => (namesProfile(label) ? label : PROFILE);
const websiteLabel = (label: string | null): string | null => (namesProfile(label) ? null : label);

/** Returns the addresses of one of the two fields. If profiles are not synced separately, all addresses are websites. */
const urlsOf = ({ urls = [] }: PersonLists, chosen: ChosenParts, profiles: boolean) =>
  chosen.has('socialProfiles') ? urls.filter(({ type }) => namesProfile(type) === profiles) : profiles ? [] : urls;

const writtenWebsites = (person: PersonLists, { websites }: Contact, chosen: ChosenParts): readonly BodyEntry[] => {
  const entries = urlsOf(person, chosen, false);
  if (!chosen.has('websites')) return entries.map(writable);
  if (!chosen.has('socialProfiles')) return writtenValues('websites', entries, websites);
  const wanted = websites.map(({ value, label }) => ({ value, label: websiteLabel(label) }));
  return writtenValues('websites', entries, wanted);
};

const writtenUrls = (person: PersonLists, target: Contact, chosen: ChosenParts): readonly BodyEntry[] => {
  const labelled = (target.socialProfiles ?? []).map(({ value, label }) => ({ value, label: profileLabel(label) }));
  // Google has one label for all networks that it does not support.
  const profiles = FURTHER_FIELDS.socialProfiles.normalise(labelled);
  return [
    ...writtenWebsites(person, target, chosen),
    ...writtenValues('socialProfiles', urlsOf(person, chosen, true), profiles),
  ];
};

const URLS = personField('urls', writtenUrls);

export const WEBSITES = {
  list: URLS,
  read: (person: PersonLists, chosen: ChosenParts) => elementsOf(urlsOf(person, chosen, false)),
};
const SOCIAL_PROFILES = {
  list: URLS,
  read: (person: PersonLists, chosen: ChosenParts) => elementsOf(urlsOf(person, chosen, true)),
};

/** Contact fields that Google stores in custom fields, by the names of these. */
const TAGS_NAME = 'Tags';

type UserDefinedField = NamedField | 'tags';

const isUserDefined = (field: ContactField): field is UserDefinedField => field === 'tags' || isNamedField(field);

const nameOfUserDefined = (field: UserDefinedField): string => (field === 'tags' ? TAGS_NAME : nameOfNamed(field));

const isNamed = (name: string, { key }: { readonly key?: string }): boolean =>
  normaliseText(key).toLowerCase() === name.toLowerCase();

/** Returns the custom fields with one name. */
const entriesNamed = (name: string): EntrySet<UserDefinedEntry> => ({
  name: `userDefined ${name}`,
  in: ({ userDefined = [] }) => userDefined.filter((entry) => isNamed(name, entry)),
  isFilled: ({ value }) => normaliseText(value) !== '',
  isPreferred: () => false,
});

const writtenUserDefined = (
  person: PersonLists,
  target: Contact,
  chosen: ChosenParts,
  bound: BoundTo,
): readonly BodyEntry[] => {
  const entries = person.userDefined ?? [];
  const mapped = [...chosen].filter(isUserDefined).map((field) => {
    const name = nameOfUserDefined(field);
    const own = boundEntry(entriesNamed(name), person, field, bound);
    return { name, own, value: textOfUserDefined(target, field, own) };
  });
  const kept = entries.flatMap((entry) => {
    const value = mapped.find(({ own }) => own === entry)?.value;
    if (value === undefined || normaliseText(entry.value) === normaliseText(value)) return [writable(entry)];
    return value === '' ? [] : [{ ...writable(entry), value }];
  });
  const added = mapped.filter(({ value, own }) => value !== '' && own === undefined);
  const [first, last] = [true, false].map((isFirst) =>
    added
      .filter(({ name }) => entries.some((entry) => isNamed(name, entry)) === isFirst)
      .map(({ name, value }) => ({ key: name, value })),
  );
  // Of several entries with one name, the field normally uses the first.
  return [...(first ?? []), ...kept, ...(last ?? [])];
};

const textOfUserDefined = (target: Contact, field: UserDefinedField, own: UserDefinedEntry | undefined): string =>
  field === 'tags'
    ? tagText(withOtherSpellings('tags', target.tags ?? [], textTags(own?.value ?? '')))
    : textIn(target, field);

const USER_DEFINED = personField('userDefined', writtenUserDefined);

const TAGS = boundField(USER_DEFINED, entriesNamed(TAGS_NAME), (entry) => textTags(entry?.value ?? ''));

/** The mappings of the fields that a link syncs only if it chooses them, except the parts of a name. */
export const FURTHER_MAPPINGS = {
  nickname: boundText('nicknames', 'nickname'),
  birthday: BIRTHDAY,
  notes: boundText('biographies', 'notes', { contentType: 'TEXT_PLAIN' }),
  photo: PHOTO,
  relations: valueField('relations', 'relations', { value: 'person', label: 'type' }),
  instantMessengers: valueField('imClients', 'instantMessengers', { value: 'username', label: 'protocol' }),
  socialProfiles: SOCIAL_PROFILES,
  tags: TAGS,
};

/** Returns the mapping of a named field to the custom field of the same name. */
export const userDefinedMapping = (field: NamedField): FieldMapping<string> =>
  boundField(USER_DEFINED, entriesNamed(nameOfNamed(field)), (entry) => entry?.value ?? '');
