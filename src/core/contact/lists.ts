import { type Contact, type ListField, withValue } from './contact.ts';
import type { LabelledValue } from './elements.ts';
import { FIELDS, FURTHER_FIELDS } from './fields.ts';
import { emailKey, type ListElement } from './keys.ts';
import type { ListSpec } from './kinds.ts';
import { normaliseLabel, normaliseText } from './text.ts';

type ElementOf<Field extends ListField> = NonNullable<Contact[Field]>[number];

const LISTS: { readonly [Field in ListField]: ListSpec<ElementOf<Field>> } = { ...FIELDS, ...FURTHER_FIELDS };

/** Returns the names of the parts of a list's elements, in the canonical order. */
export const partsOf = (field: ListField): readonly string[] => LISTS[field].element.parts;

/** Returns a key that is equal for all spellings of one element of a list field. */
export const elementKey = <Field extends ListField>(field: Field, element: ElementOf<Field>): string =>
  LISTS[field].keyOf(element);

/** Unites two elements of a list field that are the same element, as {@link ListSpec} defines it; null if they are different. */
export const unitedElement = <Field extends ListField>(
  field: Field,
  own: ElementOf<Field>,
  other: ElementOf<Field>,
): ElementOf<Field> | null => LISTS[field].united(own, other);

/** Returns whether the label is part of an element's identity in the list field. */
export const isTypedList = (field: ListField): boolean => LISTS[field].isTyped;

/** The elements of one list field by key, in the side's own order. */
export type KeyedList = ReadonlyMap<string, ListElement>;

const NO_ELEMENTS: readonly ListElement[] = [];

/** Returns the elements of a list field of any kind. */
export const listOf = (contact: Contact, field: ListField): readonly ListElement[] => contact[field] ?? NO_ELEMENTS;

const keyList = (field: ListField, elements: readonly ListElement[]): KeyedList => {
  const keyed = new Map<string, ListElement>();
  for (const element of elements) {
    const key = elementKey(field, element);
    if (!keyed.has(key)) keyed.set(key, element);
  }
  return keyed;
};

/** Returns the list with the keys renamed by `names`. */
export const renameKeys = (list: KeyedList, names: ReadonlyMap<string, string>): KeyedList =>
  names.size === 0 ? list : new Map([...list].map(([key, element]) => [names.get(key) ?? key, element]));

/**
 * Keys several versions of one list field in the same way, so that they can be compared element by element. A phone number that has
 * the national form in one version and the international form in another is one element.
 */
export const keyLists = <Name extends string>(
  field: ListField,
  versions: Readonly<Record<Name, readonly ListElement[]>>,
): Readonly<Record<Name, KeyedList>> => {
  const names = Object.keys(versions) as Name[];
  const lists = names.map((name) => keyList(field, versions[name]));
  const synonyms = LISTS[field].synonymsAmong(lists);
  const entries = names.map((name, index) => [name, renameKeys(lists[index] ?? new Map(), synonyms)]);
  return Object.fromEntries(entries) as Record<Name, KeyedList>;
};

/** Returns whether a list has the element of this key of another list in another spelling, such as a phone number's national form. */
export const hasOtherSpelling = (field: ListField, list: KeyedList, other: KeyedList, key: string): boolean => {
  const forms = LISTS[field].synonymsAmong([list, other]);
  return [...list.keys()].some((each) => forms.get(each) === key || forms.get(key) === each);
};

/** Keys one list field of several contacts, as {@link keyLists} does. */
export const keyListsIn = <Name extends string>(
  field: ListField,
  contacts: Readonly<Record<Name, Contact>>,
): Readonly<Record<Name, KeyedList>> => {
  const versions = Object.entries<Contact>(contacts).map(([name, contact]) => [name, listOf(contact, field)] as const);
  return keyLists(field, Object.fromEntries(versions) as Record<Name, readonly ListElement[]>);
};

/** Returns the keys of the elements that only one of two lists contains: each element's own key. */
export const differingKeys = (
  field: ListField,
  one: readonly ListElement[],
  other: readonly ListElement[],
): readonly string[] => {
  if (one.length === 0 && other.length === 0) return [];
  const keyed = keyLists(field, { one, other });
  const alone = (list: KeyedList, counterpart: KeyedList): readonly string[] =>
    [...list].flatMap(([key, element]) => (counterpart.has(key) ? [] : [elementKey(field, element)]));
  return [...alone(keyed.one, keyed.other), ...alone(keyed.other, keyed.one)];
};

/** Returns the contact with one list field replaced; the elements must be of that field's kind. */
export const withList = (contact: Contact, field: ListField, elements: readonly ListElement[]): Contact =>
  withValue(contact, field, elements as NonNullable<Contact[ListField]>);

/** Returns the contact with one list field replaced by keyed elements. */
export const withKeyed = (
  contact: Contact,
  field: ListField,
  elements: readonly (readonly [key: string, element: ListElement])[],
): Contact =>
  withList(
    contact,
    field,
    elements.map(([, element]) => element),
  );

/**
 * Returns the wanted values of a list, followed by other spellings of these values on their side. A contact has only one spelling
 * of each value, so a write of the whole list must not remove the others (R10).
 */
export const withOtherSpellings = (
  field: Exclude<ListField, 'addresses'>,
  wanted: readonly LabelledValue[],
  current: readonly LabelledValue[],
): readonly LabelledValue[] => {
  const keys = new Set(wanted.map((element) => elementKey(field, element)));
  const shown = new Set<string>();
  const others = current.filter((element) => {
    const key = elementKey(field, element);
    const isFirst = !shown.has(key);
    shown.add(key);
    return !isFirst && keys.has(key) && !wanted.some(({ value }) => value === element.value);
  });
  return [...wanted, ...others];
};

const SIGNS = /[\\,()]/gu;
const TAG_SIGNS = /[\\,]/gu;

const escaped = (text: string, signs = SIGNS): string => text.replace(signs, (sign) => `\\${sign}`);

const unescaped = (text: string): string => text.replace(/\\(.)/gu, '$1');

/**
 * Formats a list as the one text of a custom field, such as `Anna (spouse), Ben`, for a side without lists of that kind. {@link
 * textList} parses it to the same list.
 */
export const listText = (elements: readonly LabelledValue[]): string =>
  elements.map(({ value, label }) => escaped(value) + (label === null ? '' : ` (${escaped(label)})`)).join(', ');

const ELEMENT = /(?:\\.|[^\\,])+/gu;
const PARTS = /^((?:\\.|[^\\(])*)\(((?:\\.|[^\\()])*)\)$/u;

const splitList = (text: string): readonly string[] =>
  (normaliseText(text).match(ELEMENT) ?? []).map((each) => each.trim());

/** Parses a list that a user typed; labels are in parentheses. */
export const textList = (text: string): readonly LabelledValue[] =>
  splitList(text).flatMap((part): LabelledValue[] => {
    const [, value = part, label] = PARTS.exec(part) ?? [];
    const element = { value: normaliseText(unescaped(value)), label: normaliseLabel(unescaped(label ?? '')) };
    return element.value === '' ? [] : [element];
  });

/** Formats tags as one text, such as `A+, VIP (2026)`. A tag has no label, so parentheses belong to the tag. */
export const tagText = (tags: readonly LabelledValue[]): string =>
  tags.map(({ value }) => escaped(value, TAG_SIGNS)).join(', ');

/** Parses tags. The output of {@link tagText} is parsed to the same tags. */
export const textTags = (text: string): readonly LabelledValue[] =>
  splitList(text).flatMap((part): LabelledValue[] => {
    const value = normaliseText(unescaped(part));
    return value === '' ? [] : [{ value, label: null }];
  });

type Emails = Contact['emailAddresses'];

/** Returns the keys by which email addresses are compared. */
export const emailKeys = (emails: Emails): ReadonlySet<string> => new Set(emails.map(({ value }) => emailKey(value)));

/** Returns the contact without the given email addresses. */
export const withoutEmails = (contact: Contact, emails: Emails): Contact => {
  if (emails.length === 0) return contact;
  const keys = emailKeys(emails);
  return { ...contact, emailAddresses: contact.emailAddresses.filter(({ value }) => !keys.has(emailKey(value))) };
};

/** Returns the contact with the given email addresses added that it lacks. */
export const withEmails = (contact: Contact, emails: Emails): Contact => {
  const known = emailKeys(contact.emailAddresses);
  const missing = emails.filter(({ value }) => !known.has(emailKey(value)));
  return { ...contact, emailAddresses: [...contact.emailAddresses, ...missing] };
};
