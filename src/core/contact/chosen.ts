import {
  fieldsIn,
  furtherIn,
  inFieldOrder,
  isSyncedField,
  USUAL_FIELDS,
  withValue,
  specOf,
  valueIn,
  type Contact,
  type ContactField,
  type SyncedField,
} from './contact.ts';
import { isExtraField, type ExtraField } from './fields.ts';

/** The fields that a link syncs, in the canonical order. Other fields are neither read, stored nor written. */
export type ChosenFields = readonly SyncedField[];

/** Returns the contact fields among the chosen ones. */
export const contactFieldsOf = (chosen: ChosenFields): readonly ContactField[] =>
  chosen.filter((field): field is ContactField => field !== 'buckets');

/** Returns the stored name of a choice of fields; empty for the default choice. */
export const nameOfFields = (chosen: ChosenFields): string => {
  const isUsual =
    chosen.length === USUAL_FIELDS.length && chosen.every((field, index) => field === USUAL_FIELDS[index]);
  return isUsual ? '' : JSON.stringify(chosen);
};

/** Returns the fields of a choice by its name from {@link nameOfFields}; an unknown field is left out. */
export const fieldsNamed = (name: string): readonly SyncedField[] => {
  if (name === '') return USUAL_FIELDS;
  const names: unknown = JSON.parse(name);
  return inFieldOrder(
    Array.isArray(names) ? names.filter((each) => typeof each === 'string' && isSyncedField(each)) : [],
  );
};

/** Returns the contact with only the chosen fields. Returns the same object if it has no other fields. */
export const keepChosen = (contact: Contact, chosen: ReadonlySet<SyncedField>): Contact => {
  const others = fieldsIn(contact).filter((field) => !chosen.has(field));
  return others.reduce((rest, field) => withoutValue(rest, field), contact);
};

/** Returns the contact without the values of some fields. Returns the same object if it has none of them. */
export const without = (contact: Contact, fields: readonly SyncedField[]): Contact =>
  contactFieldsOf(fields).reduce((rest, field) => withoutValue(rest, field), contact);

/** Returns the contact with the values of another one in some fields. */
export const withValuesOf = (contact: Contact, from: Contact, fields: readonly SyncedField[]): Contact =>
  contactFieldsOf(fields).reduce((own, field) => withValue(own, field, valueIn(from, field)), contact);

/** Returns the contact without the computed fields. Returns the same object if it has none. */
export const withoutExtras = (contact: Contact): Contact => without(contact, furtherIn(contact).filter(isExtraField));

/** Returns the computed fields of a contact. */
export const extrasIn = (contact: Contact): Readonly<Partial<Record<ExtraField, string>>> =>
  Object.fromEntries(furtherIn(contact).flatMap((field) => (isExtraField(field) ? [[field, contact[field]]] : [])));

const withoutValue = (contact: Contact, field: ContactField): Contact =>
  (contact[field]?.length ?? 0) === 0 ? contact : withValue(contact, field, specOf(field).empty);
