import type { Contact, ContactField } from '../../core/contact/contact.ts';
import type { Json } from '../../core/contact/record.ts';
import type { Person } from './schema.ts';

/** The lists of a Person that contain contact fields. The mask of a write names the lists that it replaces. */
export type MaskField = Exclude<keyof Person, 'resourceName' | 'etag' | 'metadata' | 'memberships' | 'clientData'>;

/** The lists of a Person; empty for a contact that Google does not have yet. */
export type PersonLists = Partial<Pick<Person, MaskField>>;

/** The contact fields that a link syncs. */
export type ChosenParts = ReadonlySet<ContactField>;

/** Returns the place of the entry that a field is bound to (`core/contact/bound-entries.ts`); undefined: the usual entry. */
export type BoundTo = (field: ContactField) => number | null | undefined;

/** One list of a Person and its writer. */
export type PersonField = {
  readonly name: MaskField;
  /**
   * Returns the complete list for a contact that is to equal `target` in the fields of `chosen`. Data that the contact cannot
   * express, or that the link did not choose, stays as it was read (R10).
   */
  readonly write: (person: PersonLists, target: Contact, chosen: ChosenParts, bound: BoundTo) => readonly BodyEntry[];
  /** Returns the complete list as it was read. */
  readonly keep: (person: PersonLists) => readonly BodyEntry[];
  /** The maximum length in a listing: a list of this length may be truncated. Null if listings return all entries. */
  readonly listedMax: number | null;
  /** True if Google does not accept the list in a write of a contact. */
  readonly isReadOnly: boolean;
};

/** Creates a field whose list is kept entry by entry and complete in listings, unless `others` overrides that. */
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

/** The mapping of a contact field to a Person. */
export type FieldMapping<Value> = {
  /** The list that contains the field, alone or with others. It is requested, masked and written as a whole. */
  readonly list: PersonField;
  /** Returns the field's value, not yet normalised; `chosen` are the parts that the link syncs. */
  readonly read: (person: PersonLists, chosen: ChosenParts) => Value;
  /** The values of the field in each entry, if the field is mapped to one entry of the list. */
  readonly entry?: BoundEntry<Value>;
};

/** A set of entries, one of which a field is mapped to. Fields with the same name are mapped to the same entry. */
type BoundEntry<Value> = {
  readonly name: string;
  /** Returns the field's value in each entry, in Google's order, not yet normalised. */
  readonly valuesIn: (person: PersonLists) => readonly Value[];
  /** Returns the place of the entry that is used unless the field is bound to another one; null for an empty list. */
  readonly usualPlace: (person: PersonLists) => number | null;
};

/** One entry of a field list, as it is sent. */
export type BodyEntry = { readonly [key: string]: Json };

type ReadEntry = { readonly [key: string]: Json | undefined; readonly metadata?: { readonly sourcePrimary?: boolean } };

/** Keys that Google computes: `canonicalForm` by guess, `formattedType` in the account's language (reference). */
const OUTPUT_ONLY = new Set(['metadata', 'formattedType', 'canonicalForm']);

/** Returns an entry as it may be sent back: as it was read, without the keys that Google computes. */
export const writable = (entry: ReadEntry): BodyEntry => {
  // Called for each entry of each contact of a listing, so it makes no intermediate lists.
  const body: Record<string, Json> = {};
  for (const key of Object.keys(entry)) {
    const value = entry[key];
    if (value !== undefined && !OUTPUT_ONLY.has(key)) body[key] = value;
  }
  if (entry.metadata?.sourcePrimary === true) body['metadata'] = { sourcePrimary: true };
  return body;
};

/** Returns the entry with the given texts instead of its own; an empty text removes the key. */
export const withTexts = (entry: BodyEntry, texts: Readonly<Record<string, string>>): BodyEntry => {
  const untouched = Object.entries(entry).filter(([key]) => texts[key] === undefined);
  return Object.fromEntries([...untouched, ...Object.entries(texts).filter(([, text]) => text !== '')]);
};

/** Returns the entry without the given keys. */
export const withoutKeys = (entry: BodyEntry, keys: readonly string[]): BodyEntry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));

/** Returns whether an entry has keys other than the given ones. */
const saysMoreThan = (entry: BodyEntry, keys: readonly string[]): boolean =>
  Object.keys(withoutKeys(entry, keys)).length > 0;

/** Returns the entries that have content; the others are not sent. */
export const nonEmpty = (entries: readonly BodyEntry[]): readonly BodyEntry[] =>
  entries.filter((entry) => saysMoreThan(entry, ['metadata', 'type', 'current']));

/** Entries of which contact fields use one: all entries of a list, or those with one name. */
export type EntrySet<Entry> = {
  readonly name: string;
  readonly in: (person: PersonLists) => readonly Entry[];
  /** Returns whether an entry has a value for one of the fields. */
  readonly isFilled: (entry: Entry) => boolean;
  /** Returns whether a filled entry has precedence over others. */
  readonly isPreferred: (entry: Entry) => boolean;
};

/** Returns the place of the preferred entry, else of the first filled one, else of the first one. */
const usualPlace = <Entry>({ isFilled, isPreferred, ...set }: EntrySet<Entry>, person: PersonLists): number | null => {
  const entries = set.in(person);
  const preferred = entries.findIndex((entry) => isFilled(entry) && isPreferred(entry));
  const place = preferred < 0 ? entries.findIndex(isFilled) : preferred;
  if (place >= 0) return place;
  return entries.length === 0 ? null : 0;
};

/** Returns the entry that a field uses; undefined if it does not exist. */
export const boundEntry = <Entry>(
  set: EntrySet<Entry>,
  person: PersonLists,
  field: ContactField,
  bound: BoundTo,
): Entry | undefined => {
  const place = bound(field);
  const index = place === undefined ? usualPlace(set, person) : place;
  return index === null ? undefined : set.in(person)[index];
};

/** Returns the mapping of a field to one entry of a list. */
export const boundField = <Entry, Value>(
  list: PersonField,
  set: EntrySet<Entry>,
  valueOf: (entry: Entry | undefined) => Value,
): FieldMapping<Value> => ({
  list,
  read: (person) => valueOf(set.in(person)[usualPlace(set, person) ?? 0]),
  entry: {
    name: set.name,
    valuesIn: (person) => set.in(person).map((entry) => valueOf(entry)),
    usualPlace: (person) => usualPlace(set, person),
  },
});
