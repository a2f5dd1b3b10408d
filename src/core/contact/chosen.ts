import {
  fieldsIn,
  furtherIn,
  inFieldOrder,
  isSyncedField,
  SYNCED_FIELDS,
  withValue,
  specOf,
  type Contact,
  type ContactField,
  type SyncedField,
} from './contact.ts';
import { isExtraField, type ExtraField, type JoinedPart } from './fields.ts';

/**
 * The fields that a link syncs, in the canonical order, followed by the parts of a name that are joined into the
 * first name. Other fields are neither read, stored nor written.
 */
export type ChosenFields = readonly (SyncedField | JoinedPart)[];

/** The fields of a link that does not choose. */
export const USUAL_FIELDS: readonly SyncedField[] = SYNCED_FIELDS;

const isField = (word: SyncedField | JoinedPart): word is SyncedField => isSyncedField(word);

/** The fields of a choice. */
export const syncedFieldsOf = (chosen: ChosenFields): readonly SyncedField[] => chosen.filter(isField);

/** The contact fields among the chosen ones. */
export const contactFieldsOf = (chosen: ChosenFields): readonly ContactField[] =>
  syncedFieldsOf(chosen).filter((field): field is ContactField => field !== 'buckets');

/** Names a choice of fields as durable text; empty for the usual one. */
export const nameOfFields = (chosen: ChosenFields): string => {
  const isUsual =
    chosen.length === USUAL_FIELDS.length && chosen.every((field, index) => field === USUAL_FIELDS[index]);
  return isUsual ? '' : JSON.stringify(chosen);
};

/** The fields of the choice that {@link nameOfFields} named; a field that is not known any more is left out. */
export const fieldsNamed = (name: string): readonly SyncedField[] => {
  if (name === '') return USUAL_FIELDS;
  const names: unknown = JSON.parse(name);
  return inFieldOrder(
    Array.isArray(names) ? names.filter((each) => typeof each === 'string' && isSyncedField(each)) : [],
  );
};

/** The contact with the chosen fields alone; the very same one where it holds no other. */
export const keepChosen = (contact: Contact, chosen: ReadonlySet<SyncedField>): Contact => {
  const others = fieldsIn(contact).filter((field) => !chosen.has(field));
  return others.reduce((rest, field) => withoutValue(rest, field), contact);
};

/** The contact without the values of some fields; the very same one where it holds none. */
export const without = (contact: Contact, fields: readonly SyncedField[]): Contact =>
  contactFieldsOf(fields).reduce((rest, field) => withoutValue(rest, field), contact);

/** Returns the contact without the computed fields. Returns the same object if it has none. */
export const withoutExtras = (contact: Contact): Contact => without(contact, furtherIn(contact).filter(isExtraField));

/** The computed fields of a contact. */
export const extrasIn = (contact: Contact): Readonly<Partial<Record<ExtraField, string>>> =>
  Object.fromEntries(furtherIn(contact).flatMap((field) => (isExtraField(field) ? [[field, contact[field]]] : [])));

const withoutValue = (contact: Contact, field: ContactField): Contact =>
  (contact[field]?.length ?? 0) === 0 ? contact : withValue(contact, field, specOf(field).empty);
