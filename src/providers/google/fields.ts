import { createHash } from 'node:crypto';
import { contactFieldsOf, nameOfFields, USUAL_FIELDS, type ChosenFields } from '../../core/contact/chosen.ts';
import type { EntryChoice } from '../../core/contact/bound-entries.ts';
import {
  specOf,
  type Contact,
  type ContactField,
  type FurtherField,
  type UsualField,
} from '../../core/contact/contact.ts';
import { ADDED_FIELDS, isNamedField, type NamedField } from '../../core/contact/fields.ts';
import { createRowDigest } from '../listing.ts';
import { ADDRESSES, COMPANY, postalAddressOf, TITLE, valuesOf, writeValues } from './lists.ts';
import {
  BIRTHDAY,
  INSTANT_MESSENGERS,
  NICKNAME,
  NOTES,
  PHOTO,
  RELATIONS,
  SOCIAL_PROFILES,
  TAGS,
  userDefinedMapping,
  WEBSITES,
} from './further-fields.ts';
import { ITEMS_PER_PAGE, LISTED_VALUES_MAX } from './limits.ts';
import { namePart, NAMES, namesOf } from './names.ts';
import { personField, type FieldMapping, type PersonField, type PersonLists } from './person-field.ts';

const CUT = { listedMax: LISTED_VALUES_MAX };
const EMAIL_ADDRESSES = personField('emailAddresses', writeValues('emailAddresses', 'emailAddresses'), CUT);
const PHONE_NUMBERS = personField('phoneNumbers', writeValues('phoneNumbers', 'phoneNumbers'), CUT);

type PlacedField = UsualField | Exclude<FurtherField, NamedField>;

/** How each contact field is mapped to a Person. */
const PERSON_FIELDS: { readonly [Field in PlacedField]: FieldMapping<NonNullable<Contact[Field]>> } = {
  firstName: { list: NAMES, read: (person, chosen) => namesOf(person, chosen).firstName },
  lastName: { list: NAMES, read: (person, chosen) => namesOf(person, chosen).lastName },
  company: COMPANY,
  title: TITLE,
  emailAddresses: { list: EMAIL_ADDRESSES, read: (person) => valuesOf(person.emailAddresses) },
  phoneNumbers: { list: PHONE_NUMBERS, read: (person) => valuesOf(person.phoneNumbers) },
  addresses: { list: ADDRESSES, read: (person) => (person.addresses ?? []).map(postalAddressOf) },
  websites: WEBSITES,
  namePrefix: namePart('honorificPrefix'),
  middleName: namePart('middleName'),
  nameSuffix: namePart('honorificSuffix'),
  nickname: NICKNAME,
  birthday: BIRTHDAY,
  notes: NOTES,
  photo: PHOTO,
  relations: RELATIONS,
  instantMessengers: INSTANT_MESSENGERS,
  socialProfiles: SOCIAL_PROFILES,
  tags: TAGS,
};

/** How a contact field is mapped to a Person. */
export const mappingOf = <Field extends ContactField>(field: Field): FieldMapping<NonNullable<Contact[Field]>> => {
  const name: ContactField = field;
  const mapping = isNamedField(name) ? userDefinedMapping(name) : PERSON_FIELDS[name];
  // The table defines the values of each field.
  return mapping as unknown as FieldMapping<NonNullable<Contact[Field]>>;
};

/** Only what the contact itself holds: nothing that a profile adds. */
export const SOURCES = ['READ_SOURCE_TYPE_CONTACT'];

/**
 * The number is to be raised whenever a record of the same Person comes out otherwise: what was read before is then read
 * again. A field that is added to the registry does it by itself, and so does another choice of fields.
 */
export const READER = `7${ADDED_FIELDS}`;

/** The lists of a Person of which the given fields hold one entry, where there are others (R10). */
const choicesIn = (fields: readonly ContactField[]): ((person: PersonLists) => readonly EntryChoice[]) => {
  const held = fields.flatMap((field) => {
    const { held: entry } = mappingOf(field);
    return entry === undefined ? [] : [{ field, entry }];
  });
  const sets = [...Map.groupBy(held, ({ entry }) => entry.name).values()];
  return (person) =>
    sets.flatMap((set): EntryChoice[] => {
      const given = set.map(({ entry }) => entry.valuesIn(person));
      const [first = []] = given;
      if (first.length < 2) return [];
      const values = set.map(({ field }, place) => given[place]?.map(specOf(field).normalise) ?? []);
      return [
        {
          fields: set.map(({ field }) => field),
          entries: first.map((_, place) => values.map((each) => each[place] ?? '')),
          bound: set[0]?.entry.usualPlace(person) ?? null,
        },
      ];
    });
};

/** How the contacts of a link are mapped, which syncs only the fields that it chose. */
export const personMapping = (chosen: ChosenFields) => {
  const fields = contactFieldsOf(chosen);
  /** The lists of a Person that hold contact fields, each once, in the order in which they are asked for. */
  const lists: readonly PersonField[] = [...new Set(fields.map((field) => mappingOf(field).list))];
  /** What is read of every contact; `metadata` brings deletions, former names and the etags. */
  const personFields = ['metadata', ...lists.map(({ name }) => name), 'memberships', 'clientData'].join(',');
  /** The parameters of both listings; each page and each incremental call must repeat those of the first. */
  const listQuery = {
    resourceName: 'people/me',
    pageSize: ITEMS_PER_PAGE,
    personFields,
    sources: SOURCES,
    requestSyncToken: true,
  };
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
  const name = nameOfFields(chosen);
  return {
    fields,
    chosen: new Set(chosen.filter((each) => each !== 'buckets')),
    lists,
    choicesOf: choicesIn(fields),
    writtenLists: lists.filter(({ isReadOnly }) => !isReadOnly),
    personFields,
    listQuery,
    /** A name of the query and of what is taken from its answers. */
    templateHash: hash(JSON.stringify(listQuery) + name),
    /** The digest of a Person as it came in an answer. */
    digestOf: createRowDigest(name === '' ? READER : `${READER}+${hash(name)}`),
  };
};

export type PersonMapping = ReturnType<typeof personMapping>;

/** How contacts are mapped where a link does not choose fields. */
export const USUAL_MAPPING = personMapping(USUAL_FIELDS);
