import { textIn, type Contact, type ContactField } from '../../contact/contact.ts';
import { FURTHER_FIELDS, isNamedField, nameOfNamed, type JoinedPart, type NamedField } from '../../contact/fields.ts';
import { tagText, textTags } from '../../contact/list-text.ts';
import { normaliseText, wordsOnly } from '../../contact/text.ts';
import { withTexts, writable, type BodyEntry } from './body-entry.ts';
import { dateOf, dayOf } from './days.ts';
import {
  personField,
  type ChosenParts,
  type FieldMapping,
  type PersonField,
  type PersonLists,
} from './person-field.ts';
import { valuesOf, writeValues, writtenValues } from './values.ts';

/** A text that is the first entry of a list; the others stay as they are. */
const firstText = (
  name: 'nicknames' | 'biographies',
  field: 'nickname' | 'notes',
  others: Readonly<Record<string, string>> = {},
): FieldMapping<string> => ({
  list: personField(name, (person, target) => {
    const [first, ...rest] = person[name] ?? [];
    const value = textIn(target, field);
    const kept = rest.map(writable);
    if (value === '') return kept;
    return [withTexts(first === undefined ? {} : writable(first), { value, ...others }), ...kept];
  }),
  read: (person) => person[name]?.[0]?.value ?? '',
});

export const NICKNAME = firstText('nicknames', 'nickname');
export const NOTES = firstText('biographies', 'notes', { contentType: 'TEXT_PLAIN' });

/** Google keeps one birthday. A text that is no day stays where it is: Google holds days. */
const writtenBirthday = (person: PersonLists, target: Contact): readonly BodyEntry[] => {
  const [entry] = person.birthdays ?? [];
  const birthday = textIn(target, 'birthday');
  if (birthday === '') return [];
  const date = dateOf(birthday);
  if (date === null) return entry === undefined ? [] : [writable(entry)];
  const { text: _, ...kept } = entry === undefined ? {} : writable(entry);
  return [{ ...kept, date }];
};

export const BIRTHDAY: FieldMapping<string> = {
  list: personField('birthdays', writtenBirthday),
  read: ({ birthdays }) => dayOf(birthdays?.[0]?.date) ?? birthdays?.[0]?.text ?? '',
};

/** Written by requests of its own, which this program does not send. */
export const PHOTO: FieldMapping<string> = {
  list: personField('photos', () => [], { isReadOnly: true }),
  read: ({ photos = [] }) => {
    const photo = photos.find(({ url = '', default: isDefault }) => isDefault !== true && url.startsWith('https://'));
    return photo?.url ?? '';
  },
};

const PERSON_KEYS = { value: 'person', label: 'type' };
const CLIENT_KEYS = { value: 'username', label: 'protocol' };

export const RELATIONS = {
  list: personField('relations', writeValues('relations', 'relations', PERSON_KEYS)),
  read: ({ relations }: PersonLists) => valuesOf(relations, PERSON_KEYS),
};
export const INSTANT_MESSENGERS = {
  list: personField('imClients', writeValues('imClients', 'instantMessengers', CLIENT_KEYS)),
  read: ({ imClients }: PersonLists) => valuesOf(imClients, CLIENT_KEYS),
};

/** Google's own type of such an address, and the networks that people name as its type. */
const PROFILE_TYPES: ReadonlySet<string> = new Set(
  'profile facebook instagram linkedin mastodon bluesky tiktok twitter x xing youtube'.split(' '),
);
const PROFILE = 'profile';

const namesProfile = (label: string | null | undefined): boolean => PROFILE_TYPES.has(wordsOnly(label ?? ''));

const isProfile = ({ type }: { readonly type?: string }): boolean => namesProfile(type);

/** A label that Google would not know again for one of a profile, or of a website, is kept at the side that has it. */
const profileLabel = (label: string | null): string | null => (namesProfile(label) ? label : PROFILE);
const websiteLabel = (label: string | null): string | null => (namesProfile(label) ? null : label);

/** The addresses of one of the two fields; where profiles are no field of their own, all are websites. */
const urlsOf = ({ urls = [] }: PersonLists, chosen: ChosenParts, profiles: boolean) =>
  chosen.has('socialProfiles') ? urls.filter((entry) => isProfile(entry) === profiles) : profiles ? [] : urls;

const writtenWebsites = (person: PersonLists, { websites }: Contact, chosen: ChosenParts): readonly BodyEntry[] => {
  const entries = urlsOf(person, chosen, false);
  if (!chosen.has('websites')) return entries.map(writable);
  if (!chosen.has('socialProfiles')) return writtenValues('websites', entries, websites);
  const wanted = websites.map(({ value, label }) => ({ value, label: websiteLabel(label) }));
  return writtenValues('websites', entries, wanted);
};

const writtenUrls = (person: PersonLists, target: Contact, chosen: ChosenParts): readonly BodyEntry[] => {
  const labelled = (target.socialProfiles ?? []).map(({ value, label }) => ({ value, label: profileLabel(label) }));
  // Networks that Google does not know have one label there.
  const profiles = FURTHER_FIELDS.socialProfiles.normalise(labelled);
  return [
    ...writtenWebsites(person, target, chosen),
    ...writtenValues('socialProfiles', urlsOf(person, chosen, true), profiles),
  ];
};

const URLS = personField('urls', writtenUrls);

export const WEBSITES = {
  list: URLS,
  read: (person: PersonLists, chosen: ChosenParts) => valuesOf(urlsOf(person, chosen, false)),
};
export const SOCIAL_PROFILES = {
  list: URLS,
  read: (person: PersonLists, chosen: ChosenParts) => valuesOf(urlsOf(person, chosen, true)),
};

/** Fields that stand in custom fields of Google, by the names of those. */
const TAGS_NAME = 'Tags';

const nameOfUserDefined = (field: ContactField | JoinedPart): string | null => {
  if (field === 'tags') return TAGS_NAME;
  return isNamedField(field) ? nameOfNamed(field) : null;
};

const isNamed = (name: string, { key }: { readonly key?: string }): boolean =>
  normaliseText(key).toLowerCase() === name.toLowerCase();

const writtenUserDefined = (person: PersonLists, target: Contact, chosen: ChosenParts): readonly BodyEntry[] => {
  const mapped = [...chosen].flatMap((field) => {
    const name = nameOfUserDefined(field);
    return name === null ? [] : [{ name, value: textOfUserDefined(target, field) }];
  });
  const entries = person.userDefined ?? [];
  const standing = mapped.map(({ name }) => entries.find((entry) => isNamed(name, entry)));
  const kept = entries.flatMap((entry) => {
    const place = standing.indexOf(entry);
    const value = mapped[place]?.value;
    if (value === undefined || normaliseText(entry.value) === normaliseText(value)) return [writable(entry)];
    return value === '' ? [] : [{ ...writable(entry), value }];
  });
  const added = mapped.filter(({ value }, place) => value !== '' && standing[place] === undefined);
  return [...kept, ...added.map(({ name, value }) => ({ key: name, value }))];
};

const textOfUserDefined = (target: Contact, field: ContactField | JoinedPart): string =>
  isNamedField(field) ? textIn(target, field) : tagText(target.tags ?? []);

const USER_DEFINED: PersonField = personField('userDefined', writtenUserDefined);

const userDefinedText = ({ userDefined = [] }: PersonLists, name: string): string =>
  userDefined.find((entry) => isNamed(name, entry))?.value ?? '';

export const TAGS = {
  list: USER_DEFINED,
  read: (person: PersonLists) => textTags(userDefinedText(person, TAGS_NAME)),
};

/** A custom field of Google, which people call as the field is called. */
export const userDefinedMapping = (field: NamedField): FieldMapping<string> => ({
  list: USER_DEFINED,
  read: (person) => userDefinedText(person, nameOfNamed(field)),
});
