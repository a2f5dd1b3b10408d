import { type ChosenFields, contactFieldsOf, nameOfFields } from '../../core/contact/chosen.ts';
import {
  type Contact,
  type ContactField,
  textIn,
  type UsualField,
  valueIn,
  USUAL_FIELDS,
} from '../../core/contact/contact.ts';
import type { LabelledValue, PostalAddress } from '../../core/contact/elements.ts';
import {
  type CustomField,
  type ExtraField,
  isCustomField,
  isExtraField,
  nameOfNamed,
} from '../../core/contact/fields.ts';
import { listText, textList, withOtherSpellings } from '../../core/contact/lists.ts';
import { readFields } from '../../core/contact/record.ts';
import { normaliseText } from '../../core/contact/text.ts';
import { unsyncedNameOf } from '../../core/contact/unsynced-name.ts';
import { digest } from '../../util/secret.ts';
import { createRowDigest } from '../listing.ts';
import type { ContactWrite, ServiceContact, SyncedLists } from './api/schemas-contacts.ts';
import { valueAt } from './api/schemas-common.ts';
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

/** Returns the day of a time, in UTC. */
const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, DAY_LENGTH);

const textAt = (value: unknown, key: string): string => {
  const current = valueAt(value, key);
  return typeof current === 'string' ? current.trim() : '';
};

/** Returns the name of a user in the service's format; the documented example is always null (API.md, Contact). */
const userName = (user: unknown): string => {
  const parts = [textAt(user, 'first_name'), textAt(user, 'last_name')].filter((part) => part !== '');
  return parts.join(' ') || textAt(user, 'name') || textAt(user, 'email');
};

/** Returns the computed values of a contact as texts for display; empty for a value that is not set. */
const EXTRA_READERS: Readonly<Record<ExtraField, (contact: ServiceContact) => string>> = {
  lastContacted: ({ extra_data: { last_contacted: last } }) => (last === null ? '' : dayOf(last.epochMs)),
  relationshipStatus: ({ extra_data: { relationship_status: status } }) => (status === 'none' ? '' : (status ?? '')),
  reminderInterval: ({ extra_data: { buckets } }) => {
    const intervals = (buckets ?? []).flatMap(({ reminder_interval: interval }) => interval ?? []);
    return intervals.length === 0 ? '' : String(Math.min(...intervals));
  },
  assignedUser: ({ assigned_to_id: id, extra_data: { assigned_to: user } }) => userName(user) || (id ?? ''),
};

/** The mapping of a contact field to an attribute of the service's contact. */
type FieldMapping<Value> = {
  /** Returns the field's value, not yet normalised. */
  readonly read: (contact: ServiceContact) => Value;
  /** Returns the attribute for a body. `current` are the lists as the service returned them; their unmapped parts stay (R10). */
  readonly write: (value: Value, current: SyncedLists) => ContactWrite;
  /** Returns the parts of the value that the service does not change by rewriting it; empty for a blank text. */
  readonly tracesOf: (value: Value) => readonly string[];
};

/** The names of attributes that can be read and written, and whose value has that type. */
type AttributeOf<Value> = {
  [Name in keyof ServiceContact & keyof ContactWrite]: ServiceContact[Name] extends Value ? Name : never;
}[keyof ServiceContact & keyof ContactWrite];

const tracesOfText = (value: string): readonly string[] => [bareText(value)];
const tracesOfValues = (elements: readonly LabelledValue[]): readonly string[] =>
  elements.map(({ value }) => bareText(value));

/** Maps a text that is cleared by the empty string. */
const text = (attribute: AttributeOf<string>): FieldMapping<string> => ({
  read: (contact) => contact[attribute],
  write: (value) => ({ [attribute]: value }),
  tracesOf: tracesOfText,
});

/** Maps a text that is cleared by null. */
const nullableText = (attribute: AttributeOf<string | null>): FieldMapping<string> => ({
  read: (contact) => contact[attribute] ?? '',
  write: (value) => ({ [attribute]: value === '' ? null : value }),
  tracesOf: tracesOfText,
});

type Lists = Exclude<keyof SyncedLists & keyof ContactWrite, 'custom_fields' | 'tags'>;

const entries = <Element extends LabelledValue | PostalAddress>(
  attribute: Lists,
  kind: EntryKind<Element>,
): FieldMapping<readonly Element[]> => ({
  read: (contact) => contact[attribute].map(kind.toElement),
  write: (elements, current) => ({ [attribute]: listBody(kind, current[attribute] ?? [], elements) }),
  tracesOf: (elements) => elements.map(kind.traceOf),
});

/** Only an https address is written, because the service must be able to load it. */
const AVATAR: FieldMapping<string> = {
  ...nullableText('avatar_url'),
  write: (value) => (value === '' || value.startsWith('https://') ? { avatar_url: value === '' ? null : value } : {}),
};

const tagsOf = (tags: readonly string[] = []): readonly LabelledValue[] =>
  tags.map((value) => ({ value: normaliseText(value), label: null }));

const TAGS: FieldMapping<readonly LabelledValue[]> = {
  read: ({ tags }) => tagsOf(tags),
  write: (elements, current) => ({
    tags: withOtherSpellings('tags', elements, tagsOf(current.tags)).map(({ value }) => value),
  }),
  tracesOf: tracesOfValues,
};

/** Empty lists, for a contact without stored ones. */
export const NO_LISTS: SyncedLists = { addresses: [], email_addresses: [], phone_numbers: [], websites: [] };

type AttributeField = UsualField | 'photo' | 'socialProfiles' | 'tags';

/** The fields with an attribute of their own. */
const ATTRIBUTES: { readonly [Field in AttributeField]: FieldMapping<NonNullable<Contact[Field]>> } = {
  firstName: text('first_name'),
  lastName: text('last_name'),
  company: nullableText('company'),
  title: text('title'),
  emailAddresses: entries('email_addresses', EMAIL_ENTRIES),
  phoneNumbers: entries('phone_numbers', PHONE_ENTRIES),
  addresses: entries('addresses', ADDRESS_ENTRIES),
  websites: entries('websites', WEBSITE_ENTRIES),
  photo: AVATAR,
  socialProfiles: entries('social_media_profiles', PROFILE_ENTRIES),
  tags: TAGS,
};

/** The names of the custom fields for the other fields. */
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

const attributeOf = <Field extends AttributeField>(field: Field): FieldMapping<NonNullable<Contact[Field]>> =>
  ATTRIBUTES[field];

const hasAttribute = (field: ContactField): field is AttributeField => Object.hasOwn(ATTRIBUTES, field);

/** Returns the name of the custom field for a field without an attribute. */
const customNameOf = (field: PlacedField | CustomField): string =>
  isCustomField(field) ? nameOfNamed(field) : CUSTOM_NAMES[field];

/** Returns whether a field is stored in a custom field of the service. */
const isPlaced = (field: ContactField): field is PlacedField | CustomField =>
  !hasAttribute(field) && !isExtraField(field);

const isList = (field: ContactField): field is 'relations' | 'instantMessengers' =>
  field === 'relations' || field === 'instantMessengers';

/** Returns the parts of a contact's field that the service does not change by rewriting it. */
export const tracesOf = (field: ContactField, contact: Contact): readonly string[] => {
  if (hasAttribute(field)) return attributeOf(field).tracesOf(valueIn(contact, field));
  return isList(field) ? tracesOfValues(valueIn(contact, field)) : tracesOfText(textIn(contact, field));
};

const readField = (field: ContactField, contact: ServiceContact): unknown => {
  if (hasAttribute(field)) return ATTRIBUTES[field].read(contact);
  if (isExtraField(field)) return EXTRA_READERS[field](contact);
  const current = customText(contact.custom_fields, customNameOf(field));
  return isList(field) ? textList(current) : current;
};

/** Returns the text of a field for its custom field. */
const placedText = (field: PlacedField | CustomField, contact: Contact, current: SyncedLists): string => {
  if (!isList(field)) return textIn(contact, field);
  const own = textList(customText(current.custom_fields ?? [], customNameOf(field)));
  return listText(withOtherSpellings(field, contact[field] ?? [], own));
};

/**
 * Returns the body of a write for some fields of a contact. Values that the service computes are never sent. `current` are the
 * lists that the contact has.
 */
export const bodyOf = (
  fields: readonly ContactField[],
  contact: Contact,
  current: SyncedLists,
  definitions: Definitions,
): ContactWrite => {
  const attributes = fields
    .filter(hasAttribute)
    .map((field) => attributeOf(field).write(valueIn(contact, field), current));
  const custom = fields.filter(isPlaced).map((field) => {
    return [customNameOf(field), placedText(field, contact, current)] as const;
  });
  const values =
    custom.length === 0 ? null : customFieldValues(current.custom_fields ?? [], new Map(custom), definitions);
  return Object.assign({}, ...attributes, values === null ? {} : { custom_field_values: values });
};

/**
 * Raise the number when the same row gives a different record, also if it has one more field by default: all contacts are then
 * read again. Another choice of fields has the same effect without it.
 */
export const READER = '1';

/** Returns the mapping of contacts for a link that syncs the chosen fields. */
export const serviceMapping = (chosen: ChosenFields) => {
  const fields = contactFieldsOf(chosen);
  const names = new Set(fields.filter(isPlaced).map((field) => foldName(customNameOf(field))));
  const definitions: Definitions = new Map();
  const name = nameOfFields(chosen);
  /** Returns the digest of a contact as an answer contains it. */
  const digestOf = createRowDigest(name === '' ? READER : `${READER}+${digest(name, 16)}`);
  /** The lists that a record contains in addition to the lists of every record. */
  const chosenLists = [
    ...(fields.includes('socialProfiles') ? (['social_media_profiles'] as const) : []),
    ...(names.size > 0 ? (['custom_fields'] as const) : []),
    ...(fields.includes('tags') ? (['tags'] as const) : []),
  ];
  return {
    fields,
    definitions,
    digestOf,
    chosenLists,
    /** Stores the definitions of the custom fields in rows of the service. */
    learnFrom: (rows: readonly unknown[]): void => {
      if (names.size === 0) return;
      for (const row of rows) {
        const list = valueAt(row, 'custom_fields');
        learn(definitions, names, Array.isArray(list) ? list : []);
      }
    },
    /** Returns the parts of a name that the link does not sync: custom fields of the usual names. */
    unsyncedName: ({ custom_fields: current }: ServiceContact) => {
      const textOf = (field: PlacedField): string => customText(current, CUSTOM_NAMES[field]);
      const parts = {
        namePrefix: textOf('namePrefix'),
        middleName: textOf('middleName'),
        nameSuffix: textOf('nameSuffix'),
      };
      return unsyncedNameOf(chosen, { ...parts, phonetic: '' });
    },
    /** Returns the fields of a contact, not yet normalised. */
    read: (contact: ServiceContact): Partial<Contact> => readFields(fields, (field) => readField(field, contact)),
  };
};

export type ServiceMapping = ReturnType<typeof serviceMapping>;

/** The mapping of a link that does not choose fields. */
export const USUAL_MAPPING = serviceMapping(USUAL_FIELDS);
