import type { Contact, ListField } from './contact.ts';
import { elementKeyer, type ListElement } from './keys.ts';

/** The elements of one list field by key, in the side's own order. */
export type KeyedList = ReadonlyMap<string, ListElement>;

/** The elements of a list field, whatever their kind. */
export const listOf = (contact: Contact, field: ListField): readonly ListElement[] => contact[field];

const keyList = (elements: readonly ListElement[], keyOf: (element: ListElement) => string): KeyedList => {
  const keyed = new Map<string, ListElement>();
  for (const element of elements) {
    const key = keyOf(element);
    if (!keyed.has(key)) keyed.set(key, element);
  }
  return keyed;
};

/** Keys several versions of one list field alike, so that they can be compared element by element. */
export const keyLists = <Name extends string>(
  field: ListField,
  versions: Readonly<Record<Name, readonly ListElement[]>>,
): Readonly<Record<Name, KeyedList>> => {
  const names = Object.keys(versions) as Name[];
  const keyOf = elementKeyer(
    field,
    names.flatMap((name) => versions[name]),
  );
  const entries = names.map((name) => [name, keyList(versions[name], keyOf)]);
  return Object.fromEntries(entries) as Record<Name, KeyedList>;
};

/** The contact with one list field replaced; the elements must be of that field's kind. */
export const withList = (contact: Contact, field: ListField, elements: Iterable<ListElement>): Contact => {
  const addresses = [...elements].filter((element) => 'street' in element);
  const values = [...elements].filter((element) => 'value' in element);
  return field === 'addresses' ? { ...contact, addresses } : { ...contact, [field]: values };
};
