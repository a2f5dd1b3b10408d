import type { Contact, ListField } from './contact.ts';
import { elementKey, isNationalFormOf, type ListElement } from './keys.ts';

/** The elements of one list field by key, in the side's own order. */
export type KeyedList = ReadonlyMap<string, ListElement>;

/** The elements of a list field, whatever their kind. */
export const listOf = (contact: Contact, field: ListField): readonly ListElement[] => contact[field];

const keyList = (field: ListField, elements: readonly ListElement[]): KeyedList => {
  const keyed = new Map<string, ListElement>();
  for (const element of elements) {
    const key = elementKey(field, element);
    if (!keyed.has(key)) keyed.set(key, element);
  }
  return keyed;
};

/** The list with other keys for those that `names` renames. */
export const renameKeys = (list: KeyedList, names: ReadonlyMap<string, string>): KeyedList => {
  return names.size === 0 ? list : new Map([...list].map(([key, element]) => [names.get(key) ?? key, element]));
};

/**
 * National phone keys and the international one that each stands for: the only one that it fits in any version. Where one
 * version holds two spellings of a number, all stay apart, lest one of them is lost.
 */
const nationalForms = (versions: readonly KeyedList[]): ReadonlyMap<string, string> => {
  const keys = [...new Set(versions.flatMap((version) => [...version.keys()]))];
  const international = keys.filter((key) => /^\+\d/u.test(key));
  if (international.length === 0 || international.length === keys.length) return new Map();
  const forms = new Map<string, string>();
  for (const national of keys.filter((key) => !key.startsWith('+'))) {
    const [candidate, ...others] = international.filter((key) => isNationalFormOf(national, key));
    if (candidate !== undefined && others.length === 0) forms.set(national, candidate);
  }
  const isSpeltTwice = (number: string): boolean => {
    return versions.some(
      (version) => [...version.keys()].filter((key) => (forms.get(key) ?? key) === number).length > 1,
    );
  };
  return new Map([...forms].filter(([, number]) => !isSpeltTwice(number)));
};

/**
 * Keys several versions of one list field alike, so that they can be compared element by element. A phone number that one
 * version spells nationally and another internationally is one element.
 */
export const keyLists = <Name extends string>(
  field: ListField,
  versions: Readonly<Record<Name, readonly ListElement[]>>,
): Readonly<Record<Name, KeyedList>> => {
  const names = Object.keys(versions) as Name[];
  const lists = names.map((name) => keyList(field, versions[name]));
  const forms = field === 'phoneNumbers' ? nationalForms(lists) : new Map<string, string>();
  const entries = names.map((name, index) => [name, renameKeys(lists[index] ?? new Map(), forms)]);
  return Object.fromEntries(entries) as Record<Name, KeyedList>;
};

/** The contact with one list field replaced; the elements must be of that field's kind. */
export const withList = (contact: Contact, field: ListField, elements: readonly ListElement[]): Contact => {
  return field === 'addresses'
    ? { ...contact, addresses: elements.filter((element) => 'street' in element) }
    : { ...contact, [field]: elements.filter((element) => 'value' in element) };
};
