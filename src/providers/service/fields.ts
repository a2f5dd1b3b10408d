import { createHash } from 'node:crypto';
import {
  type ChosenFields,
  contactFieldsOf,
  syncedFieldsOf,
  nameOfFields,
  USUAL_FIELDS,
} from '../../core/contact/chosen.ts';
import { type Contact, type ContactField, textIn, type UsualField, valueIn } from '../../core/contact/contact.ts';
import type { LabelledValue, PostalAddress } from '../../core/contact/elements.ts';
import {
  type CustomField,
  type Extra,
  type ExtraField,
  extraOf,
  isCustomField,
  isExtraField,
  nameOfNamed,
} from '../../core/contact/fields.ts';
import { listText, textList, withOtherSpellings } from '../../core/contact/lists.ts';
import { normaliseText } from '../../core/contact/text.ts';
import type { ContactWrite, ServiceContact, SyncedLists } from './api/schemas-contacts.ts';
import { customFieldValues, customText, type Definitions, foldName, learn } from './custom-fields.ts';
import {
  ADDRESS_ENTRIES,
  bareText,
  EMAIL_ENTRIES,
  type EntryKind,
  PHONE_ENTRIES,
  PROFILE_ENTRIES,
  WEBSITE_ENTRIES,
} from './entries.ts';
import { listBody } from './list-body.ts';

const DAY_LENGTH = '2026-01-31'.length;

/** The day of a time, in UTC. */
const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, DAY_LENGTH);

/** The keys that may contain a user's name, in order of preference. */
const NAME_KEYS = ['name', 'email'] as const;

const textAt = (value: object, key: string): string => {
  const text: unknown = Object.entries(value).find(([name]) => name === key)?.[1];
  return typeof text === 'string' ? text.trim() : '';
};

/** A user as the service describes one; the documented shape shows null alone (API.md, Contact). */
const userName = (user: unknown): string => {
  if (typeof user !== 'object' || user === null) return '';
  const parts = [textAt(user, 'first_name'), textAt(user, 'last_name')].filter((part) => part !== '');
  return parts.join(' ') || (NAME_KEYS.map((key) => textAt(user, key)).find((text) => text !== '') ?? '');
};

/** The computed values of a contact as texts for people; empty for a value that is not set. */
const EXTRA_READERS: Readonly<Record<Extra, (contact: ServiceContact) => string>> = {
  lastContacted: ({ extra_data: { last_contacted: last } }) => (last === null ? '' : dayOf(last.epochMs)),
  relationshipStatus: ({ extra_data: { relationship_status: status } }) => (status === 'none' ? '' : (status ?? '')),
  reminderInterval: ({ extra_data: { buckets } }) => {
    const intervals = (buckets ?? []).flatMap(({ reminder_interval: interval }) => interval ?? []);
    return intervals.length === 0 ? '' : String(Math.min(...intervals));
  },
  assignedUser: ({ assigned_to_id: id, extra_data: { assigned_to: user } }) => userName(user) || (id ?? ''),
};

/** How a contact field is mapped to an attribute of a contact of the service. */
type FieldMapping<Value> = {
  /** The field's value, not yet normalised. */
  readonly read: (contact: ServiceContact) => Value;
  /** The attribute as a body sends it; `held` are the lists as the service gave them, whose unmapped parts stay (R10). */
  readonly write: (value: Value, held: SyncedLists) => ContactWrite;
  /** The part of the value that survives every rewriting by the service; empty for a blank text. */
  readonly tracesOf: (value: Value) => readonly string[];
};

/** The attributes that can be read and written, and that are read as a value of that type. */
type AttributeOf<Value> = {
  [Name in keyof ServiceContact & keyof ContactWrite]: ServiceContact[Name] extends Value ? Name : never;
}[keyof ServiceContact & keyof ContactWrite];

const tracesOfText = (value: string): readonly string[] => [bareText(value)];
const tracesOfValues = (elements: readonly LabelledValue[]): readonly string[] =>
  elements.map(({ value }) => bareText(value));

/** A text that is emptied by the empty string. */
const text = (attribute: AttributeOf<string>): FieldMapping<string> => ({
  read: (contact) => contact[attribute],
  write: (value) => ({ [attribute]: value }),
  tracesOf: tracesOfText,
});

/** A text that is emptied by null. */
const nullableText = (attribute: AttributeOf<string | null>): FieldMapping<string> => ({
  read: (contact) => contact[attribute] ?? '',
  write: (value) => ({ [attribute]: value === '' ? null : value }),
  tracesOf: tracesOfText,
});

type Lists = Exclude<keyof SyncedLists & keyof ContactWrite, 'custom_fields' | 'tags'>;

const entries = <Element extends LabelledValue | PostalAddress, New>(
  attribute: Lists,
  kind: EntryKind<Element, New>,
): FieldMapping<readonly Element[]> => ({
  read: (contact) => contact[attribute].map(kind.toElement),
  write: (elements, held) => ({ [attribute]: listBody(kind, held[attribute] ?? [], elements) }),
  tracesOf: (elements) => elements.map(kind.traceOf),
});

/** Only an address that the service can reach is written. */
const AVATAR: FieldMapping<string> = {
  ...nullableText('avatar_url'),
  write: (value) =>
    value === '' || value.startsWith('https://') ? nullableText('avatar_url').write(value, NO_LISTS) : {},
};

const tagsOf = (tags: readonly string[] = []): readonly LabelledValue[] =>
  tags.map((value) => ({ value: normaliseText(value), label: null }));

const TAGS: FieldMapping<readonly LabelledValue[]> = {
  read: ({ tags }) => tagsOf(tags),
  write: (elements, held) => ({
    tags: withOtherSpellings('tags', elements, tagsOf(held.tags)).map(({ value }) => value),
  }),
  tracesOf: tracesOfValues,
};

/** The lists of a contact of which nothing is held. */
export const NO_LISTS: SyncedLists = { addresses: [], email_addresses: [], phone_numbers: [], websites: [] };

type AttributeField = UsualField | 'photo' | 'socialProfiles' | 'tags';

/** A field's mapping as it is used: on whole contacts. */
type Attribute = {
  readonly read: (contact: ServiceContact) => unknown;
  readonly write: (contact: Contact, held: SyncedLists) => ContactWrite;
  readonly tracesOf: (contact: Contact) => readonly string[];
};

const attribute = <Field extends AttributeField>(
  field: Field,
  { read, write, tracesOf: traces }: FieldMapping<NonNullable<Contact[Field]>>,
): Attribute => ({
  read,
  write: (contact, held) => write(valueIn(contact, field), held),
  tracesOf: (contact) => traces(valueIn(contact, field)),
});

/** The fields that have an attribute of their own. */
const ATTRIBUTES: Readonly<Record<AttributeField, Attribute>> = {
  firstName: attribute('firstName', text('first_name')),
  lastName: attribute('lastName', text('last_name')),
  company: attribute('company', nullableText('company')),
  title: attribute('title', text('title')),
  emailAddresses: attribute('emailAddresses', entries('email_addresses', EMAIL_ENTRIES)),
  phoneNumbers: attribute('phoneNumbers', entries('phone_numbers', PHONE_ENTRIES)),
  addresses: attribute('addresses', entries('addresses', ADDRESS_ENTRIES)),
  websites: attribute('websites', entries('websites', WEBSITE_ENTRIES)),
  photo: attribute('photo', AVATAR),
  socialProfiles: attribute('socialProfiles', entries('social_media_profiles', PROFILE_ENTRIES)),
  tags: attribute('tags', TAGS),
};

/** The other fields stand in custom fields of the service, under these names. */
const CUSTOM_NAMES = {
  namePrefix: 'Prefix',
  middleName: 'Middle name',
  nameSuffix: 'Suffix',
  nickname: 'Nickname',
  birthday: 'Birthday',
  notes: 'Notes',
  relations: 'Relations',
  instantMessengers: 'Instant messengers',
} as const;

type PlacedField = keyof typeof CUSTOM_NAMES;

const hasAttribute = (field: ContactField): field is AttributeField => Object.hasOwn(ATTRIBUTES, field);

/** The name of the custom field that holds a field without an attribute. */
const customNameOf = (field: PlacedField | CustomField): string =>
  isCustomField(field) ? nameOfNamed(field) : CUSTOM_NAMES[field];

/** Whether a field stands in a custom field of the service. */
const isPlaced = (field: ContactField): field is PlacedField | CustomField =>
  !hasAttribute(field) && !isExtraField(field);

const isList = (field: ContactField): field is 'relations' | 'instantMessengers' =>
  field === 'relations' || field === 'instantMessengers';

/** What stays of a contact's field however the service rewrites it. */
export const tracesOf = (field: ContactField, contact: Contact): readonly string[] => {
  if (hasAttribute(field)) return ATTRIBUTES[field].tracesOf(contact);
  return isList(field) ? tracesOfValues(valueIn(contact, field)) : tracesOfText(textIn(contact, field));
};

const readField = (field: ContactField, contact: ServiceContact): unknown => {
  if (hasAttribute(field)) return ATTRIBUTES[field].read(contact);
  if (isExtraField(field)) return readExtra(field, contact);
  const held = customText(contact.custom_fields, customNameOf(field));
  return isList(field) ? textList(held) : held;
};

const readExtra = (field: ExtraField, contact: ServiceContact): string => {
  const extra = extraOf(field)?.extra;
  return extra === undefined ? '' : EXTRA_READERS[extra](contact);
};

/** The text of the custom field that holds a field. */
const placedText = (field: PlacedField | CustomField, contact: Contact, held: SyncedLists): string => {
  if (!isList(field)) return textIn(contact, field);
  const own = textList(customText(held.custom_fields ?? [], customNameOf(field)));
  return listText(withOtherSpellings(field, contact[field] ?? [], own));
};

/**
 * The body's data for some fields of a contact; what the service computes is never sent; `held` are the lists that the
 * contact has.
 */
export const bodyOf = (
  fields: readonly ContactField[],
  contact: Contact,
  held: SyncedLists,
  definitions: Definitions,
): ContactWrite => {
  const attributes = fields.filter(hasAttribute).map((field) => ATTRIBUTES[field].write(contact, held));
  const custom = fields.filter(isPlaced).map((field) => {
    return [customNameOf(field), placedText(field, contact, held)] as const;
  });
  const values = custom.length === 0 ? null : customFieldValues(held.custom_fields ?? [], new Map(custom), definitions);
  return Object.assign({}, ...attributes, values === null ? {} : { custom_field_values: values });
};

/** How the contacts of a link are mapped, which syncs only the fields that it chose. */
export const serviceMapping = (chosen: ChosenFields) => {
  const fields = contactFieldsOf(chosen);
  const names = new Set(fields.filter(isPlaced).map((field) => foldName(customNameOf(field))));
  const definitions: Definitions = new Map();
  // Parts of a name are joined by the side that keeps them apart: here it is the same contact.
  const name = nameOfFields(syncedFieldsOf(chosen));
  return {
    fields,
    definitions,
    /** Follows the digest of a row: what was read of it for another choice of fields says nothing here. */
    digestEnd: name === '' ? '' : ` ${createHash('sha256').update(name).digest('hex').slice(0, 16)}`,
    /** The lists that a record carries beside those that every record does. */
    chosenLists: [
      ...(fields.includes('socialProfiles') ? (['social_media_profiles'] as const) : []),
      ...(names.size > 0 ? (['custom_fields'] as const) : []),
      ...(fields.includes('tags') ? (['tags'] as const) : []),
    ],
    /** Takes note of the custom fields that rows of the service carry. */
    learnFrom: (rows: readonly unknown[]): void => {
      if (names.size === 0) return;
      for (const row of rows) learn(definitions, names, customFieldsOf(row));
    },
    /** The fields of a contact, not yet normalised. */
    read: (contact: ServiceContact): Partial<Contact> => {
      const values: Readonly<Record<string, unknown>> = Object.fromEntries(
        fields.map((field) => [field, readField(field, contact)]),
      );
      // Each field's mapping reads a value of the field.
      return values as unknown as Partial<Contact>;
    },
  };
};

const customFieldsOf = (row: unknown): readonly unknown[] => {
  const list = typeof row === 'object' && row !== null && 'custom_fields' in row ? row.custom_fields : null;
  return Array.isArray(list) ? list : [];
};

export type ServiceMapping = ReturnType<typeof serviceMapping>;

/** How contacts are mapped where a link does not choose fields. */
export const USUAL_MAPPING = serviceMapping(USUAL_FIELDS);
