import { LABELLED_VALUE, POSTAL_ADDRESS, type LabelledValue } from './elements.ts';
import { addressKey, emailKey, isBlankAddress, nationalForms, phoneKey, websiteKey } from './keys.ts';
import { list, set, text, type ListSpec } from './kinds.ts';

/** Elements that are the same where their values have the same key. */
const byValue = (
  keyOf: (value: string) => string,
  synonyms: Partial<Pick<ListSpec<LabelledValue>, 'synonymsAmong'>> = {},
) => ({
  keyOf: ({ value }: LabelledValue) => keyOf(value),
  isBlank: ({ value }: LabelledValue) => value === '',
  ...synonyms,
});

const BY_ADDRESS = { keyOf: addressKey, isBlank: isBlankAddress };

/**
 * The field registry: every synced field, once. The canonical contact, its comparison, its merge, its stored form and its
 * words for people derive from it, and so does what each provider has to map. The fields of a kind stay in this order
 * wherever a contact is written as JSON; stored snapshots are compared as text, so it must not change.
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

/** The fields of the first edition. */
const FIRST_FIELDS: ReadonlySet<string> = new Set([
  'firstName',
  'lastName',
  'company',
  'title',
  'emailAddresses',
  'phoneNumbers',
  'addresses',
  'websites',
  'buckets',
]);

/**
 * Names the fields that joined the first ones, such as `+birthday`; empty where none did. What a program with another
 * field set read of a remote says nothing of these fields and has to be read again.
 */
export const ADDED_FIELDS = Object.keys(FIELDS)
  .filter((field) => !FIRST_FIELDS.has(field))
  .map((field) => `+${field}`)
  .join('');
