import { type Contact, type ContactField, specOf, valueIn, withValue } from './contact.ts';
import { type ContactRecord, type EntryChoice, syncableContact, unsyncableIn } from './record.ts';

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Returns the indexes of entries that are not among the unmapped ones, and the number of unmapped ones that were not found. */
const newPlaces = (entries: EntryChoice['entries'], unmapped: EntryChoice['entries']) => {
  const places = [...entries.keys()];
  let lost = 0;
  for (const entry of unmapped) {
    const index = places.findIndex((place) => isSame(entries[place], entry));
    if (index < 0) lost += 1;
    else places.splice(index, 1);
  }
  return { places, lost };
};

/**
 * Returns the index of the entry that the fields are bound to now: the former one, edited or not, but never an unmapped one. Of two
 * equal entries, the remaining one counts as the bound one.
 */
const boundPlace = (former: EntryChoice, { entries, bound: preferred }: EntryChoice): number | null => {
  const own = former.bound === null ? undefined : former.entries[former.bound];
  const unmapped = former.entries.filter((_, place) => place !== former.bound);
  const { places, lost } = newPlaces(entries, unmapped);
  const likely = preferred !== null && places.includes(preferred) ? preferred : (places[0] ?? null);
  if (own === undefined) return places.length > lost ? likely : null;
  const remaining = entries.findIndex((entry) => isSame(entry, own));
  return places.find((place) => isSame(entries[place], own)) ?? likely ?? (remaining < 0 ? null : remaining);
};

const valuesIn = (contact: Contact, fields: readonly ContactField[]): EntryChoice['entries'][number] =>
  fields.map((field) => valueIn(contact, field));

/** Returns the choice of a record without a stored choice: it has one entry or none. */
const onlyChoice = ({ contact }: ContactRecord, fields: readonly ContactField[]): EntryChoice => {
  const values = valuesIn(contact, fields);
  return values.every((value) => value.length === 0)
    ? { fields, entries: [], bound: null }
    : { fields, entries: [values], bound: 0 };
};

const withEntry = (contact: Contact, { fields, entries, bound }: EntryChoice): Contact => {
  const entry = bound === null ? undefined : entries[bound];
  return fields.reduce((to, field, place) => {
    const value = entry?.[place] ?? specOf(field).empty;
    // An entry has a value for each field.
    return withValue(to, field, value as NonNullable<Contact[typeof field]>);
  }, contact);
};

/** Returns the contact with the values of the entries that its fields are bound to. */
export const boundContact = (contact: Contact, choices: readonly EntryChoice[]): Contact =>
  choices.reduce(withEntry, contact);

/** Returns whether a contact contains the values of the entries that its fields are bound to. */
export const holdsBound = (contact: Contact, choices: readonly EntryChoice[]): boolean => {
  const bound = boundContact(contact, choices);
  return choices.every(({ fields }) => isSame(valuesIn(contact, fields), valuesIn(bound, fields)));
};

/** Returns whether the list has entries that the fields do not contain. */
const hasUnmapped = ({ entries, bound }: EntryChoice): boolean => entries.length > (bound === null ? 0 : 1);

/**
 * Returns the record with its fields taken from the entries that they were bound to in the former record of the contact. An
 * unmapped entry does not replace an entry that was cleared or deleted. Pure.
 */
export const withBoundEntries = (record: ContactRecord, former: ContactRecord): ContactRecord => {
  if (former.entries === undefined) return record;
  const { entries: choices = [], unsyncable: _, digest, ownMoves, ...rest } = record;
  const rebound = former.entries.map((choice): EntryChoice => {
    const now = choices.find(({ fields }) => isSame(fields, choice.fields)) ?? onlyChoice(record, choice.fields);
    return { ...now, bound: boundPlace(choice, now) };
  });
  const others = choices.filter(({ fields }) => !rebound.some((choice) => isSame(choice.fields, fields)));
  const entries = [...rebound, ...others].filter(hasUnmapped);
  const bound = syncableContact(boundContact(record.contact, rebound));
  // For a list without choices, the record contains the fields that are not synced.
  const fields = new Set(choices.flatMap((choice) => choice.fields));
  const unsyncable = [...unsyncableIn(record).filter(({ field }) => !fields.has(field)), ...bound.unsyncable];
  return {
    ...rest,
    contact: bound.contact,
    ...(unsyncable.length > 0 && { unsyncable }),
    ...(entries.length > 0 && { entries }),
    ...(digest !== undefined && { digest }),
    ...(ownMoves !== undefined && { ownMoves }),
  };
};

/**
 * Returns the index of the entry that a field of the record is bound to; null for none; undefined if the record has no such list.
 */
export const boundPlaceOf = (
  { entries }: Pick<ContactRecord, 'entries'>,
  field: ContactField,
): number | null | undefined => entries?.find(({ fields }) => fields.includes(field))?.bound;
