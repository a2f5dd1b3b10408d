import { EMPTY_CONTACT, valueIn, type Contact, type SyncedField } from '../contact/contact.ts';
import type { ListElement } from '../contact/keys.ts';
import type { Snapshot } from '../contact/snapshot.ts';
import type { FieldChange, Why } from './views.ts';

/** The names of groups by the ids that a side gives them. */
export type GroupNames = ReadonlyMap<string, string>;

/** The display name of a contact: its name, else its company, an email address or a number; null if it has none. */
export const nameOf = ({ firstName, lastName, company, emailAddresses, phoneNumbers }: Contact): string | null => {
  const name = [firstName, lastName].filter((part) => part !== '').join(' ');
  return name || company || emailAddresses[0]?.value || phoneNumbers[0]?.value || null;
};

const textOf = (element: ListElement): string => {
  if ('value' in element) return element.value;
  const { street, postalCode, city, region, country } = element;
  return [street, postalCode, city, region, country].filter((part) => part !== '').join(', ');
};

/** The values of a field as texts; groups by name, sorted. */
export const valuesOf = (snapshot: Snapshot | null, field: SyncedField, names: GroupNames): readonly string[] => {
  if (field === 'buckets') return (snapshot?.groupIds ?? []).map((id) => names.get(id) ?? id).toSorted();
  const value: string | readonly ListElement[] = valueIn(snapshot?.contact ?? EMPTY_CONTACT, field);
  if (typeof value === 'string') return value === '' ? [] : [value];
  return value.map(textOf);
};

/** Whether both have the same texts in the same order. */
const isSame = (from: readonly string[], to: readonly string[]): boolean => {
  return from.length === to.length && from.every((value, index) => value === to[index]);
};

/** The changed fields between two images of a contact. */
export const fieldChanges = (
  fields: readonly SyncedField[],
  { before, after }: { readonly before: Snapshot | null; readonly after: Snapshot | null },
  names: GroupNames,
  whyOf: (field: SyncedField) => Why,
): readonly FieldChange[] =>
  fields.flatMap((field): FieldChange[] => {
    const from = valuesOf(before, field, names);
    const to = valuesOf(after, field, names);
    return isSame(from, to) ? [] : [{ field, from, to, why: whyOf(field) }];
  });
