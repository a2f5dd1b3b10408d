/** An email address, phone number or website, as its side gave it, with that side's label. */
export type LabelledValue = {
  readonly value: string;
  /** Free text such as `home` or `work`; null where the side has none. */
  readonly label: string | null;
};

/** A postal address in the parts that both sides know; an absent part is the empty string. */
export type PostalAddress = {
  readonly street: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  readonly country: string;
  readonly label: string | null;
};

/**
 * The canonical contact: what both sides can express, normalised (see normalise.ts).
 * Plain data; an absent text is the empty string, an absent list is empty.
 */
export type Contact = {
  readonly firstName: string;
  readonly lastName: string;
  readonly company: string;
  readonly title: string;
  readonly emailAddresses: readonly LabelledValue[];
  readonly phoneNumbers: readonly LabelledValue[];
  readonly addresses: readonly PostalAddress[];
  readonly websites: readonly LabelledValue[];
};

export const SCALAR_FIELDS = ['firstName', 'lastName', 'company', 'title'] as const;
export const LIST_FIELDS = ['emailAddresses', 'phoneNumbers', 'addresses', 'websites'] as const;

export type ScalarField = (typeof SCALAR_FIELDS)[number];
export type ListField = (typeof LIST_FIELDS)[number];
/** A field of the canonical contact, by the name that plans and conflicts print. */
export type ContactField = ScalarField | ListField;
/** A contact field, or the contact's membership in buckets. */
export type SyncedField = ContactField | 'buckets';

export const CONTACT_FIELDS: readonly ContactField[] = [...SCALAR_FIELDS, ...LIST_FIELDS];
export const SYNCED_FIELDS: readonly SyncedField[] = [...CONTACT_FIELDS, 'buckets'];

export const EMPTY_CONTACT: Contact = {
  firstName: '',
  lastName: '',
  company: '',
  title: '',
  emailAddresses: [],
  phoneNumbers: [],
  addresses: [],
  websites: [],
};
