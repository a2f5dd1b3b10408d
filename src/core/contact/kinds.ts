import type { ElementParts, ElementSpec } from './elements.ts';
import { normaliseText } from './text.ts';

/** The operations on the values of one field. */
export type FieldSpec<Kind extends string, Value> = {
  readonly kind: Kind;
  /** The display name of the field. */
  readonly words: string;
  /** The value of a field that has no value, also used for stored data that is older than the field. */
  readonly empty: Value;
  readonly normalise: (value: Value) => Value;
  /**
   * Returns the reason why the value is not synced, for example because it is too long; null if it is synced. The reason
   * does not contain the value.
   */
  readonly refusalOf: (value: Value) => string | null;
  /** Returns whether both are equal, including spelling, labels and order. */
  readonly equal: (a: Value, b: Value) => boolean;
  /** Returns the value with the keys of every object in the canonical order. */
  readonly inOrder: (value: Value) => Value;
  /** Returns the value with its elements in an order that does not depend on the side's. */
  readonly unordered: (value: Value) => Value;
};

/** The keys to be replaced, each with its replacement. */
type Synonyms = ReadonlyMap<string, string>;

export type ListSpec<Element> = FieldSpec<'list', readonly Element[]> & {
  readonly element: ElementSpec<Element>;
  /** Returns a key that is equal for all spellings of one element. */
  readonly keyOf: (element: Element) => string;
  /** Returns replacements for keys of elements that are the same element in several versions of the list, each version keyed. */
  readonly synonymsAmong: (versions: readonly ReadonlyMap<string, unknown>[]) => Synonyms;
  /**
   * Unites two elements with different keys that are the same element, if each lacks only parts that the other has. The spelling is
   * that of `own`. Returns null if they are different elements.
   */
  readonly united: (own: Element, other: Element) => Element | null;
  /** True if the label is part of an element's identity, for example the network of a messenger. */
  readonly isTyped: boolean;
};

const NO_SYNONYMS: Synonyms = new Map();

const same = <Value>(value: Value): Value => value;

const sorted = <Item>(list: readonly Item[]): readonly Item[] => {
  if (list.length < 2) return list;
  return list
    .map((item) => ({ item, text: JSON.stringify(item) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ item }) => item);
};

const equalLists = <Item>(
  a: readonly Item[],
  b: readonly Item[],
  equal: (one: Item, other: Item) => boolean,
): boolean => {
  if (a.length !== b.length) return false;
  for (const [index, item] of a.entries()) {
    const other = b[index];
    if (other === undefined || !equal(item, other)) return false;
  }
  return true;
};

/**
 * Real values of a contact are far shorter, and so are its lists. A longer value is refused, not truncated: a truncated value would
 * be written to the other side.
 */
export const LONGEST_TEXT = 10_000;
export const LONGEST_LIST = 2_000;

// Functions, because formatting a number loads the data of the language, which most commands do not need.
const tooLong = (): string => `it is longer than ${LONGEST_TEXT.toLocaleString('en')} characters`;
const tooMany = (): string => `it has more than ${LONGEST_LIST.toLocaleString('en')} entries`;
const tooLongEntry = (): string => `an entry of it is longer than ${LONGEST_TEXT.toLocaleString('en')} characters`;

const takesAll = (): null => null;

/**
 * A field with one text; two values are the same if the texts are equal. `normalise` returns an empty string for a text without
 * content. `refusalOf` returns the reason why a normalised text is not synced, other than its length.
 */
export const text = (
  words: string,
  normalise: (value: string) => string = normaliseText,
  refusalOf: (value: string) => string | null = takesAll,
): FieldSpec<'text', string> => ({
  kind: 'text',
  words,
  empty: '',
  normalise,
  refusalOf: (value) => (value.length > LONGEST_TEXT ? tooLong() : refusalOf(value)),
  equal: (a, b) => a === b,
  inOrder: same,
  unordered: same,
});

/** Defines which elements of a list field are the same, and which are blank. */
type Identity<Element> = {
  readonly keyOf: ListSpec<Element>['keyOf'];
  /** Returns whether a normalised element is dropped because it is blank. */
  readonly isBlank: (element: Element) => boolean;
  readonly synonymsAmong?: ListSpec<Element>['synonymsAmong'];
  readonly united?: ListSpec<Element>['united'];
  readonly isTyped?: boolean;
};

/** A field with several elements, merged one by one. */
export const list = <Element extends ElementParts>(
  words: string,
  element: ElementSpec<Element>,
  { keyOf, isBlank, synonymsAmong = () => NO_SYNONYMS, united = () => null, isTyped = false }: Identity<Element>,
): ListSpec<Element> => {
  const normalise = (elements: readonly Element[]): readonly Element[] => {
    if (elements.length === 0) return elements;
    const filled = elements.map(element.normalise).filter((each) => !isBlank(each));
    // Most lists have one element, and computing a key is expensive: a phone number must be parsed.
    if (filled.length < 2) return filled;
    const byKey = new Map<string, Element>();
    for (const each of filled) {
      const key = keyOf(each);
      if (!byKey.has(key)) byKey.set(key, each);
    }
    return [...byKey.values()];
  };
  const inOrder = (elements: readonly Element[]): readonly Element[] => elements.map(element.inOrder);
  return {
    kind: 'list',
    words,
    empty: [],
    normalise,
    refusalOf: (elements) => {
      if (elements.length > LONGEST_LIST) return tooMany();
      return elements.some((each) => element.longest(each) > LONGEST_TEXT) ? tooLongEntry() : null;
    },
    equal: (a, b) => equalLists(a, b, element.equal),
    inOrder,
    unordered: (elements) => sorted(inOrder(elements)),
    element,
    keyOf,
    synonymsAmong,
    united,
    isTyped,
  };
};

/** A field of ids, each once and sorted: the groups of a contact. It is stored next to the contact, not in it. */
export const set = (words: string): FieldSpec<'set', readonly string[]> => ({
  kind: 'set',
  words,
  empty: [],
  normalise: (ids) => [...new Set(ids)].toSorted(),
  refusalOf: (ids) => (ids.length > LONGEST_LIST ? tooMany() : null),
  equal: (a, b) => equalLists(a, b, Object.is),
  inOrder: same,
  unordered: sorted,
});
