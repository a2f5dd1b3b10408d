import type { BoundTo, FieldMapping, PersonField, PersonLists } from './person-field.ts';
import type { ContactField } from '../../core/contact/contact.ts';

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
