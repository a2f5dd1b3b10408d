import type { Contact, ContactField } from '../../core/contact/contact.ts';
import type { JoinedPart } from '../../core/contact/fields.ts';
import { writable, type BodyEntry } from './body-entry.ts';
import type { Person } from './schema.ts';

/** The lists of a Person that hold contact fields; a write names in its mask which of them it replaces. */
export type MaskField = Exclude<keyof Person, 'resourceName' | 'etag' | 'metadata' | 'memberships' | 'clientData'>;

/** The lists of a Person; none of it for a contact that Google does not have yet. */
export type PersonLists = Partial<Pick<Person, MaskField>>;

/** What of a contact a link chose: its fields, and the parts of its name that are joined into the first name. */
export type ChosenParts = ReadonlySet<ContactField | JoinedPart>;

/** The place of the entry that a contact field is bound to (`core/contact/bound-entries.ts`); undefined: the usual one. */
export type BoundTo = (field: ContactField) => number | null | undefined;

/** One list of a Person and how it is written. */
export type PersonField = {
  readonly name: MaskField;
  /**
   * The whole list for a contact that is to be `target`, of which the link syncs `chosen`; what the contact cannot express of
   * it, or the link did not choose, stays as it was read (R10).
   */
  readonly write: (person: PersonLists, target: Contact, chosen: ChosenParts, bound: BoundTo) => readonly BodyEntry[];
  /** The whole list as it was read. */
  readonly keep: (person: PersonLists) => readonly BodyEntry[];
  /** How many entries a listing gives at most, so that a list of this length may have been cut; null where it gives all. */
  readonly listedMax: number | null;
  /** Whether it is only read: Google does not take it in a write of a contact. */
  readonly isReadOnly: boolean;
};

/** A list of a Person, kept entry by entry and given whole in listings unless `others` says otherwise. */
export const personField = (
  name: MaskField,
  write: PersonField['write'],
  others: Partial<Pick<PersonField, 'keep' | 'listedMax' | 'isReadOnly'>> = {},
): PersonField => ({
  name,
  write,
  keep: (person) => (person[name] ?? []).map(writable),
  listedMax: null,
  isReadOnly: false,
  ...others,
});

/** Where a contact field stands in a Person. */
export type FieldMapping<Value> = {
  /** The list that holds it, alone or with others: what is asked for, named in a mask, and written whole. */
  readonly list: PersonField;
  /** The field's value, not yet normalised; `chosen` is what the link syncs. */
  readonly read: (person: PersonLists, chosen: ChosenParts) => Value;
  /** The values that the field takes from each entry, if it holds one entry of the list. */
  readonly held?: HeldEntry<Value>;
};

/** The entries of which a field holds one. Fields of one name hold the same entry. */
type HeldEntry<Value> = {
  readonly name: string;
  /** The field's value in each entry, in Google's order, not yet normalised. */
  readonly valuesIn: (person: PersonLists) => readonly Value[];
  /** The place of the entry that is held unless the field is bound to another one; null for an empty list. */
  readonly usualPlace: (person: PersonLists) => number | null;
};
