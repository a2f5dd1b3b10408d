import type { Contact, ContactField } from '../../core/contact/contact.ts';
import type { JoinedPart } from '../../core/contact/fields.ts';
import type { Json } from '../../core/contact/record.ts';
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

/** The place of a contact field in a Person. */
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

/** One entry of a field list, as it is sent. */
export type BodyEntry = { readonly [key: string]: Json };

type ReadEntry = { readonly [key: string]: Json | undefined; readonly metadata?: { readonly sourcePrimary?: boolean } };

/** Google makes these itself: `canonicalForm` by guess, `formattedType` in the account's language (reference). */
const OUTPUT_ONLY = new Set(['metadata', 'formattedType', 'canonicalForm']);

/** An entry as it may be sent back: as it was read, without what Google makes itself. */
export const writable = (entry: ReadEntry): BodyEntry => {
  const kept = Object.entries(entry).flatMap(([key, value]) => {
    return value === undefined || OUTPUT_ONLY.has(key) ? [] : [[key, value] as const];
  });
  const primary = entry.metadata?.sourcePrimary === true ? { metadata: { sourcePrimary: true } } : {};
  return { ...Object.fromEntries(kept), ...primary };
};

/** Returns the entry with the given texts instead of its own; an empty text removes the key. */
export const withTexts = (entry: BodyEntry, texts: Readonly<Record<string, string>>): BodyEntry => {
  const untouched = Object.entries(entry).filter(([key]) => texts[key] === undefined);
  return Object.fromEntries([...untouched, ...Object.entries(texts).filter(([, text]) => text !== '')]);
};

/** The entry without some of its keys. */
export const withoutKeys = (entry: BodyEntry, keys: readonly string[]): BodyEntry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key)));

/** Whether an entry has other keys than the given ones. */
const saysMoreThan = (entry: BodyEntry, keys: readonly string[]): boolean =>
  Object.keys(withoutKeys(entry, keys)).length > 0;

/** Returns the entries that have content; the others are not sent. */
export const nonEmpty = (entries: readonly BodyEntry[]): readonly BodyEntry[] =>
  entries.filter((entry) => saysMoreThan(entry, ['metadata', 'type', 'current']));

/** Entries of which one is held by contact fields: those of a list, or of a list those of one name. */
export type EntrySet<Entry> = {
  readonly name: string;
  readonly in: (person: PersonLists) => readonly Entry[];
  /** Whether the fields would hold anything of the entry. */
  readonly isFilled: (entry: Entry) => boolean;
  /** Whether a filled entry goes before others. */
  readonly isPreferred: (entry: Entry) => boolean;
};

/** The place of the preferred entry, else of the first filled one, else of the first one. */
const usualPlace = <Entry>({ isFilled, isPreferred, ...set }: EntrySet<Entry>, person: PersonLists): number | null => {
  const entries = set.in(person);
  const preferred = entries.findIndex((entry) => isFilled(entry) && isPreferred(entry));
  const place = preferred < 0 ? entries.findIndex(isFilled) : preferred;
  if (place >= 0) return place;
  return entries.length === 0 ? null : 0;
};

/** The entry that a field holds; undefined where it holds none. */
export const heldEntry = <Entry>(
  set: EntrySet<Entry>,
  person: PersonLists,
  field: ContactField,
  bound: BoundTo,
): Entry | undefined => {
  const place = bound(field);
  const held = place === undefined ? usualPlace(set, person) : place;
  return held === null ? undefined : set.in(person)[held];
};

/** A field that holds one entry of a list. */
export const heldField = <Entry, Value>(
  list: PersonField,
  set: EntrySet<Entry>,
  valueOf: (entry: Entry | undefined) => Value,
): FieldMapping<Value> => ({
  list,
  read: (person) => valueOf(set.in(person)[usualPlace(set, person) ?? 0]),
  held: {
    name: set.name,
    valuesIn: (person) => set.in(person).map((entry) => valueOf(entry)),
    usualPlace: (person) => usualPlace(set, person),
  },
});
