import { normaliseLabel, normaliseLines, normaliseText } from './text.ts';

/** An email address, phone number or website, as its side returned it, with that side's label. */
export type LabelledValue = {
  readonly value: string;
  /** Free text such as `home` or `work`; null if the side has none. */
  readonly label: string | null;
};

/**
 * A postal address; an absent part is the empty string. A side without places for the extended address and the post box stores
 * them as further lines of the street ({@link streetLines}).
 */
export type PostalAddress = {
  readonly street: string;
  readonly city: string;
  readonly region: string;
  readonly postalCode: string;
  readonly country: string;
  readonly label: string | null;
  /** For example a flat. Absent if empty. */
  readonly extended?: string;
  /** Absent if empty. */
  readonly poBox?: string;
};

/** Returns the lines of an address above its city: the street, the extended address and the post box. */
export const streetLines = ({ street, extended = '', poBox = '' }: PostalAddress): string =>
  [street, extended, poBox].filter((part) => part !== '').join('\n');

/** The parts of a list element: texts, and a label that may be null. */
export type ElementParts = Readonly<Record<string, string | null | undefined>>;

/** The operations on the elements of one kind, part by part. */
export type ElementSpec<Element> = {
  /** An empty element, its parts in the canonical order. */
  readonly empty: Element;
  /** The names of the parts that every element has, in the canonical order. */
  readonly parts: readonly (keyof Element & string)[];
  /** The names of the parts that an element lacks if they are empty. They follow the others. */
  readonly optional: readonly (keyof Element & string)[];
  /** Returns the length of the longest part. */
  readonly longest: (element: Element) => number;
  readonly normalise: (value: Element) => Element;
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

type PartNames<Element> = readonly (keyof Element & string)[];

/** Returns the element kind with these empty parts and optional parts; the parts of `lines` may have several lines. */
const elementSpec = <Element extends ElementParts>(
  empty: Element,
  { lines = [], optional = [] }: { readonly lines?: PartNames<Element>; readonly optional?: PartNames<Element> } = {},
): ElementSpec<Element> => {
  const parts: PartNames<Element> = Object.keys(empty);
  const all = [...parts, ...optional];
  const mapParts = (
    element: Element,
    map: (text: string | null, part: keyof Element & string) => string | null,
  ): Element => {
    const mapped: Record<string, string | null | undefined> = { ...empty };
    for (const part of parts) mapped[part] = map(element[part] ?? null, part);
    for (const part of optional) {
      const text = map(element[part] ?? null, part) ?? '';
      if (text !== '') mapped[part] = text;
    }
    return mapped as Element;
  };
  const normalisePart = (text: string | null, part: keyof Element & string): string | null => {
    if (lines.includes(part)) return normaliseLines(text);
    return empty[part] === null ? normaliseLabel(text) : normaliseText(text);
  };
  return {
    empty,
    parts,
    optional,
    longest: (element) => Math.max(...all.map((part) => element[part]?.length ?? 0)),
    normalise: (value) => mapParts(value, normalisePart),
    equal: (a, b) => all.every((part) => a[part] === b[part]),
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
  { lines: ['street', 'extended', 'poBox'], optional: ['extended', 'poBox'] },
);
