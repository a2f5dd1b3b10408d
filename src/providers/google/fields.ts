import { contactFieldsOf, nameOfFields, type ChosenFields } from '../../core/contact/chosen.ts';
import type { EntryChoice } from '../../core/contact/record.ts';
import { specOf, type Contact, type ContactField, USUAL_FIELDS } from '../../core/contact/contact.ts';
import { isNamedField, type NamedField } from '../../core/contact/fields.ts';
import { digest } from '../../util/secret.ts';
import { createRowDigest } from '../listing.ts';
import { ADDRESSES, COMPANY, postalAddressOf, TITLE, USUAL_KEYS, valueField } from './lists.ts';
import { FURTHER_MAPPINGS, userDefinedMapping, WEBSITES } from './further-fields.ts';
import { ITEMS_PER_PAGE, LISTED_VALUES_MAX } from './limits.ts';
import { namePart, NAMES, namesOf } from './names.ts';
import { type FieldMapping, type PersonField, type PersonLists } from './person-field.ts';

const CUT = { ...USUAL_KEYS, listedMax: LISTED_VALUES_MAX };

type PlacedField = Exclude<ContactField, NamedField>;

/** The mapping of each contact field to a Person. */
const PERSON_FIELDS: { readonly [Field in PlacedField]: FieldMapping<NonNullable<Contact[Field]>> } = {
  firstName: { list: NAMES, read: (person) => namesOf(person).firstName },
  lastName: { list: NAMES, read: (person) => namesOf(person).lastName },
  company: COMPANY,
  title: TITLE,
  emailAddresses: valueField('emailAddresses', 'emailAddresses', CUT),
  phoneNumbers: valueField('phoneNumbers', 'phoneNumbers', CUT),
  addresses: { list: ADDRESSES, read: (person) => (person.addresses ?? []).map(postalAddressOf) },
  websites: WEBSITES,
  namePrefix: namePart('namePrefix'),
  middleName: namePart('middleName'),
  nameSuffix: namePart('nameSuffix'),
  ...FURTHER_MAPPINGS,
};

/** Returns the mapping of a contact field to a Person. */
export const mappingOf = <Field extends ContactField>(field: Field): FieldMapping<NonNullable<Contact[Field]>> => {
  const name: ContactField = field;
  const mapping = isNamedField(name) ? userDefinedMapping(name) : PERSON_FIELDS[name];
  // The table defines the values of each field.
  return mapping as unknown as FieldMapping<NonNullable<Contact[Field]>>;
};

/** Reads only the contact's own data, without the data that a profile adds. */
export const SOURCES = ['READ_SOURCE_TYPE_CONTACT'];

/**
 * Raise the number when the same Person gives a different record, also if it has one more field by default: all contacts are then
 * read again. Another choice of fields has the same effect without it.
 */
export const READER = '2';

/** Returns the choices of the given fields that are mapped to one entry of a list with several entries (R10). */
const choicesIn = (fields: readonly ContactField[]): ((person: PersonLists) => readonly EntryChoice[]) => {
  const mapped = fields.flatMap((field) => {
    const { entry } = mappingOf(field);
    return entry === undefined ? [] : [{ field, entry }];
  });
  const sets = [...Map.groupBy(mapped, ({ entry }) => entry.name).values()];
  return (person) =>
    sets.flatMap((set): EntryChoice[] => {
      const choices = set.map(({ entry }) => entry.valuesIn(person));
      const [first = []] = choices;
      if (first.length < 2) return [];
      const values = set.map(({ field }, place) => choices[place]?.map(specOf(field).normalise) ?? []);
      return [
        {
          fields: set.map(({ field }) => field),
          entries: first.map((_, place) => values.map((each) => each[place] ?? '')),
          bound: set[0]?.entry.usualPlace(person) ?? null,
        },
      ];
    });
};

/** Returns the mapping of contacts for a link that syncs the chosen fields. */
export const personMapping = (chosen: ChosenFields) => {
  const fields = contactFieldsOf(chosen);
  /** The lists of a Person that contain contact fields, each once, in the order of the request. */
  const lists: readonly PersonField[] = [...new Set(fields.map((field) => mappingOf(field).list))];
  /** The fields requested for every contact; `metadata` contains deletions, former names and etags. */
  const personFields = ['metadata', ...lists.map(({ name }) => name), 'memberships', 'clientData'].join(',');
  /** The parameters of both listings. Each page and each incremental call must repeat those of the first one. */
  const listQuery = {
    resourceName: 'people/me',
    pageSize: ITEMS_PER_PAGE,
    personFields,
    sources: SOURCES,
    requestSyncToken: true,
  };
  const name = nameOfFields(chosen);
  return {
    fields,
    chosen: new Set(chosen.filter((each) => each !== 'buckets')),
    lists,
    choicesOf: choicesIn(fields),
    writtenLists: lists.filter(({ isReadOnly }) => !isReadOnly),
    personFields,
    listQuery,
    /** Identifies the query and the fields that are read from its answers. */
    templateHash: digest(JSON.stringify(listQuery) + name, 16),
    /** Returns the digest of a Person as an answer contains it. */
    digestOf: createRowDigest(name === '' ? READER : `${READER}+${digest(name, 16)}`),
  };
};

export type PersonMapping = ReturnType<typeof personMapping>;

/** The mapping of a link that does not choose fields. */
export const USUAL_MAPPING = personMapping(USUAL_FIELDS);
