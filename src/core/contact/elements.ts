import { normaliseLabel, normaliseLines, normaliseText } from './text.ts';

/** An email address, phone number or website, as its side returned it, with that side's label. */
export type LabelledValue = {
  readonly value: string;
  /** Free text such as `home` or `work`; null if the side has none. */
  readonly label: string | null;
};

/** A postal address in the parts that both sides support; an absent part is the empty string. */
export type PostalAddress = {
  readonly street: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  readonly country: string;
  readonly label: string | null;
};

/** The parts of a list element: texts, and a label that may be null. */
export type ElementParts = Readonly<Record<string, string | null>>;

/** The operations on the elements of one kind, part by part. */
export type ElementSpec<Element> = {
  /** An empty element, its parts in the canonical order. */
  readonly empty: Element;
  /** The names of its parts, in the canonical order. */
  readonly parts: readonly (keyof Element & string)[];
  /** Returns the length of the longest part. */
  readonly longest: (element: Element) => number;
  readonly normalise: (given: Element) => Element;
  /** Returns whether all parts are identical texts. */
  readonly equal: (a: Element, b: Element) => boolean;
  /** Returns the element with only its parts, in the canonical order. */
  readonly inOrder: (element: Element) => Element;
};

/** Returns whether an object has exactly these keys, in this order. */
export const hasKeys = (value: object, keys: readonly string[]): boolean => {
  let index = 0;
  for (const key in value) {
    if (key !== keys[index]) return false;
    index += 1;
  }
  return index === keys.length;
};

/** Returns the element kind with these empty parts; `lines` is the part that may have several lines. */
const elementSpec = <Element extends ElementParts>(
  empty: Element,
  lines: (keyof Element & string) | null = null,
): ElementSpec<Element> => {
  const parts: readonly (keyof Element & string)[] = Object.keys(empty);
  const mapParts = (
    element: Element,
    map: (text: string | null, part: keyof Element & string) => string | null,
  ): Element => {
    const mapped: Record<string, string | null> = { ...empty };
    for (const part of parts) mapped[part] = map(element[part] ?? null, part);
    return mapped as Element;
  };
  const normalisePart = (text: string | null, part: keyof Element & string): string | null => {
    if (part === lines) return normaliseLines(text);
    return empty[part] === null ? normaliseLabel(text) : normaliseText(text);
  };
  return {
    empty,
    parts,
    longest: (element) => Math.max(...parts.map((part) => element[part]?.length ?? 0)),
    normalise: (given) => mapParts(given, normalisePart),
    equal: (a, b) => parts.every((part) => a[part] === b[part]),
    inOrder: (element) => mapParts(element, (text) => text),
  };
};

export const LABELLED_VALUE = elementSpec<LabelledValue>({ value: '', label: null });

export const POSTAL_ADDRESS = elementSpec<PostalAddress>(
  {
    street: '',
    city: '',
    region: '',
    postalCode: '',
    country: '',
    label: null,
  },
  'street',
);
