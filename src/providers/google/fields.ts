import type { Contact, ContactField } from '../../contact/contact.ts';
import { ADDRESSES, postalAddressOf } from './addresses.ts';
import { LISTED_VALUES_MAX } from './limits.ts';
import { NAMES, namesOf } from './names.ts';
import { mappedOrganization, ORGANIZATIONS } from './organizations.ts';
import { personField, type PersonField, type PersonLists } from './person-field.ts';
import { valuesOf, writeValues } from './values.ts';

/** Where a contact field stands in a Person. */
type FieldMapping<Value> = {
  /** The list that holds it, alone or with others: what is asked for, named in a mask, and written whole. */
  readonly list: PersonField;
  /** The field's value, not yet normalised. */
  readonly read: (person: PersonLists) => Value;
};

const CUT = { listedMax: LISTED_VALUES_MAX };
const EMAIL_ADDRESSES = personField('emailAddresses', writeValues('emailAddresses', 'emailAddresses'), CUT);
const PHONE_NUMBERS = personField('phoneNumbers', writeValues('phoneNumbers', 'phoneNumbers'), CUT);
const URLS = personField('urls', writeValues('urls', 'websites'));

/**
 * How each contact field is mapped to a Person. The query, the reading of a Person and the bodies of creates and updates
 * derive from it; all of its lists are part of a create.
 */
export const PERSON_MAPPING: { readonly [Field in ContactField]: FieldMapping<Contact[Field]> } = {
  firstName: { list: NAMES, read: (person) => namesOf(person).firstName },
  lastName: { list: NAMES, read: (person) => namesOf(person).lastName },
  company: { list: ORGANIZATIONS, read: (person) => mappedOrganization(person)?.name ?? '' },
  title: { list: ORGANIZATIONS, read: (person) => mappedOrganization(person)?.title ?? '' },
  emailAddresses: { list: EMAIL_ADDRESSES, read: (person) => valuesOf(person.emailAddresses) },
  phoneNumbers: { list: PHONE_NUMBERS, read: (person) => valuesOf(person.phoneNumbers) },
  addresses: { list: ADDRESSES, read: (person) => (person.addresses ?? []).map(postalAddressOf) },
  websites: { list: URLS, read: (person) => valuesOf(person.urls) },
};

/** The lists of a Person that hold contact fields, each once, in the order in which they are asked for. */
export const PERSON_LISTS: readonly PersonField[] = [
  ...new Set(Object.values(PERSON_MAPPING).map(({ list }): PersonField => list)),
];
