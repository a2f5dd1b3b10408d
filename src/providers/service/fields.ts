import type { Contact, ContactField } from '../../contact/contact.ts';
import type { LabelledValue, PostalAddress } from '../../contact/elements.ts';
import type { ContactWrite, ServiceContact, SyncedLists } from './api/schemas-contacts.ts';
import { ADDRESS_ENTRIES, bareText, EMAIL_ENTRIES, PHONE_ENTRIES, WEBSITE_ENTRIES, type EntryKind } from './entries.ts';
import { listBody } from './list-body.ts';

/** How a contact field is mapped to an attribute of a contact of the service. */
type FieldMapping<Value> = {
  /** The field's value, not yet normalised. */
  readonly read: (contact: ServiceContact) => Value;
  /** The attribute as a body sends it; `held` are the lists as the service gave them, whose unmapped parts stay (R10). */
  readonly write: (value: Value, held: SyncedLists) => ContactWrite;
  /** What stays of the value however the service rewrites it; a text that says nothing is empty. */
  readonly tracesOf: (value: Value) => readonly string[];
};

/** The attributes that can be read and written, and that are read as a value of that type. */
type AttributeOf<Value> = {
  [Name in keyof ServiceContact & keyof ContactWrite]: ServiceContact[Name] extends Value ? Name : never;
}[keyof ServiceContact & keyof ContactWrite];

const tracesOfText = (value: string): readonly string[] => [bareText(value)];

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

const entries = <Element extends LabelledValue | PostalAddress, New>(
  attribute: keyof SyncedLists & keyof ContactWrite,
  kind: EntryKind<Element, New>,
): FieldMapping<readonly Element[]> => ({
  read: (contact) => contact[attribute].map(kind.toElement),
  write: (elements, held) => ({ [attribute]: listBody(kind, held[attribute], elements) }),
  tracesOf: (elements) => elements.map(kind.traceOf),
});

/**
 * How each contact field is mapped to the service. The reading of a contact, the bodies of creates and updates, and the
 * recognition of a contact that a create made derive from it.
 */
export const ATTRIBUTE_MAPPING: { readonly [Field in ContactField]: FieldMapping<Contact[Field]> } = {
  firstName: text('first_name'),
  lastName: text('last_name'),
  company: nullableText('company'),
  title: text('title'),
  emailAddresses: entries('email_addresses', EMAIL_ENTRIES),
  phoneNumbers: entries('phone_numbers', PHONE_ENTRIES),
  addresses: entries('addresses', ADDRESS_ENTRIES),
  websites: entries('websites', WEBSITE_ENTRIES),
};
