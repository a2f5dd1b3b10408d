import type { ElementParts, ElementSpec } from './elements.ts';
import { normaliseText } from './text.ts';

/** How the values of one field are handled. */
export type FieldSpec<Kind extends string, Value> = {
  readonly kind: Kind;
  /** The field as people call it. */
  readonly words: string;
  /** What the field holds where it is not filled, and where stored data is older than the field. */
  readonly empty: Value;
  readonly normalise: (given: Value) => Value;
  /** Why the value is not synced, as one that is too long; null for any that is. The reason holds no value. */
  readonly refusalOf: (value: Value) => string | null;
  /** Whether both are equal, including spelling, labels and order. */
  readonly equal: (a: Value, b: Value) => boolean;
  /** The value with the keys of every object in the canonical order. */
  readonly inOrder: (value: Value) => Value;
  /** The value with its elements in an order that does not depend on the side's. */
  readonly unordered: (value: Value) => Value;
};

/** The keys to be replaced, each with its replacement. */
type Synonyms = ReadonlyMap<string, string>;

export type TextSpec = FieldSpec<'text', string>;

export type ListSpec<Element> = FieldSpec<'list', readonly Element[]> & {
  readonly element: ElementSpec<Element>;
  /** The same key for all spellings of one element. */
  readonly keyOf: (element: Element) => string;
  /** Other keys under which elements of several versions of the list, each keyed, are one and the same. */
  readonly synonymsAmong: (versions: readonly ReadonlyMap<string, unknown>[]) => Synonyms;
  /**
   * The one element that two elements of different keys are, where each lacks only parts that the other has, as the side of
   * `own` spells it; null where they are two.
   */
  readonly united: (own: Element, other: Element) => Element | null;
  /** Whether the label is part of what an element is, as the network of a messenger. */
  readonly isTyped: boolean;
};

export type SetSpec = FieldSpec<'set', readonly string[]>;

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
 * A value of a person is far shorter, and so is a list. What is longer is refused, not cut: a cut value would be written to
 * the other side.
 */
export const LONGEST_TEXT = 10_000;
export const LONGEST_LIST = 2_000;

const TOO_LONG = `it is longer than ${LONGEST_TEXT.toLocaleString('en')} characters`;
const TOO_MANY = `it has more than ${LONGEST_LIST.toLocaleString('en')} entries`;
const TOO_LONG_ENTRY = `an entry of it is longer than ${LONGEST_TEXT.toLocaleString('en')} characters`;

const takesAll = (): null => null;

/**
 * A field of one text; equal texts mean the same. `normalise` returns an empty string for a text without content. `refusalOf`
 * returns the reason why a normalised text is not synced, apart from its length.
 */
export const text = (
  words: string,
  normalise: (given: string) => string = normaliseText,
  refusalOf: (value: string) => string | null = takesAll,
): TextSpec => ({
  kind: 'text',
  words,
  empty: '',
  normalise,
  refusalOf: (value) => (value.length > LONGEST_TEXT ? TOO_LONG : refusalOf(value)),
  equal: (a, b) => a === b,
  inOrder: same,
  unordered: same,
});

/** Defines which elements of a list field are the same, and which are blank. */
type Identity<Element> = {
  readonly keyOf: ListSpec<Element>['keyOf'];
  /** Whether a normalised element is dropped because it is blank. */
  readonly isBlank: (element: Element) => boolean;
  readonly synonymsAmong?: ListSpec<Element>['synonymsAmong'];
  readonly united?: ListSpec<Element>['united'];
  readonly isTyped?: boolean;
};

/** A field of several elements, merged one by one. */
export const list = <Element extends ElementParts>(
  words: string,
  element: ElementSpec<Element>,
  { keyOf, isBlank, synonymsAmong = () => NO_SYNONYMS, united = () => null, isTyped = false }: Identity<Element>,
): ListSpec<Element> => {
  const normalise = (given: readonly Element[]): readonly Element[] => {
    const filled = given.map(element.normalise).filter((each) => !isBlank(each));
    // Most lists hold one element, and a key costs much: a phone number's is parsed.
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
      if (elements.length > LONGEST_LIST) return TOO_MANY;
      return elements.some((each) => element.longest(each) > LONGEST_TEXT) ? TOO_LONG_ENTRY : null;
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
export const set = (words: string): SetSpec => ({
  kind: 'set',
  words,
  empty: [],
  normalise: (given) => [...new Set(given)].toSorted(),
  refusalOf: (ids) => (ids.length > LONGEST_LIST ? TOO_MANY : null),
  equal: (a, b) => equalLists(a, b, Object.is),
  inOrder: same,
  unordered: sorted,
});
