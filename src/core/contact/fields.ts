import { isAmbiguousDay, normaliseDay } from './days.ts';
import { LABELLED_VALUE, type LabelledValue, POSTAL_ADDRESS } from './elements.ts';
import {
  addressKey,
  emailKey,
  isBlankAddress,
  nationalForms,
  phoneKey,
  profileKey,
  typedKey,
  unitedAddress,
  unitedProfile,
  unitedTyped,
  websiteKey,
} from './keys.ts';
import { type FieldSpec, list, type ListSpec, set, text } from './kinds.ts';
import { normaliseNotes, normaliseText, textKey } from './text.ts';

/** Elements are the same if their values have the same key. */
const byValue = (
  keyOf: (value: string) => string,
  synonyms: Partial<Pick<ListSpec<LabelledValue>, 'synonymsAmong'>> = {},
) => ({
  keyOf: ({ value }: LabelledValue) => keyOf(value),
  isBlank: ({ value }: LabelledValue) => value === '',
  ...synonyms,
});

const BY_ADDRESS = { keyOf: addressKey, isBlank: isBlankAddress, united: unitedAddress };

const isBlankValue = ({ value }: LabelledValue): boolean => value === '';

/** The type is part of the element's identity: one user name at two networks is two elements. */
const BY_TYPE = { keyOf: typedKey, isBlank: isBlankValue, united: unitedTyped, isTyped: true };
const BY_PROFILE = { keyOf: profileKey, isBlank: isBlankValue, united: unitedProfile, isTyped: true };

/**
 * The field registry: each synced field is defined here once. The canonical contact, its comparison, its merge, its stored form,
 * its display names and the mappings that each provider must have derive from it. The fields of a kind stay in this order wherever
 * a contact is written as JSON. Stored snapshots are compared as text, so the order must not change.
 */
export const FIELDS = {
  firstName: text('first name'),
  lastName: text('last name'),
  company: text('company'),
  title: text('title'),
  emailAddresses: list('email addresses', LABELLED_VALUE, byValue(emailKey)),
  phoneNumbers: list('phone numbers', LABELLED_VALUE, byValue(phoneKey, { synonymsAmong: nationalForms })),
  addresses: list('addresses', POSTAL_ADDRESS, BY_ADDRESS),
  websites: list('websites', LABELLED_VALUE, byValue(websiteKey)),
  buckets: set('buckets'),
};

const TWO_DAYS = 'it may be either of two days: write the year first, as 1980-05-17';

/**
 * The fields that a link syncs only if it chooses them (`chosen.ts`). A contact contains such a field only if it has a
 * value, so that the stored form of contacts of other links does not change. They follow the other fields in this order,
 * before the custom fields by name.
 */
export const FURTHER_FIELDS = {
  namePrefix: text('name prefix'),
  middleName: text('middle name'),
  nameSuffix: text('name suffix'),
  nickname: text('nickname'),
  birthday: text('birthday', normaliseDay, (day) => (isAmbiguousDay(day) ? TWO_DAYS : null)),
  notes: text('notes', normaliseNotes),
  photo: text('photo'),
  relations: list('relations', LABELLED_VALUE, BY_TYPE),
  instantMessengers: list('instant messengers', LABELLED_VALUE, BY_TYPE),
  socialProfiles: list('social profiles', LABELLED_VALUE, BY_PROFILE),
  tags: list('tags', LABELLED_VALUE, byValue(textKey)),
};

/** A text field that a user of the account defined, by its name. */
export type CustomField = `custom:${string}`;

const CUSTOM = 'custom:';

export const isCustomField = (name: string): name is CustomField =>
  name.startsWith(CUSTOM) && normaliseText(name.slice(CUSTOM.length)) === name.slice(CUSTOM.length) && name !== CUSTOM;

/** Fields that one side computes for display on the other side, with their names there. They are texts that are synced one way. */
export const EXTRAS = {
  lastContacted: 'Last contacted',
  relationshipStatus: 'Relationship',
  reminderInterval: 'Reminder interval',
  assignedUser: 'Assigned to',
} as const;

export type ExtraField = keyof typeof EXTRAS;

export const isExtraField = (name: string): name is ExtraField => Object.hasOwn(EXTRAS, name);

/** A text field that a custom field with its name contains. */
export type NamedField = CustomField | ExtraField;

export const isNamedField = (name: string): name is NamedField => isCustomField(name) || isExtraField(name);

/** Returns the display name of the field. */
export const nameOfNamed = (field: NamedField): string =>
  isExtraField(field) ? EXTRAS[field] : field.slice(CUSTOM.length);

/** Returns the specification of a field that a custom field contains. */
export const namedSpec = (field: NamedField): FieldSpec<'text', string> => text(nameOfNamed(field), normaliseNotes);
