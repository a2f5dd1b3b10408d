import { specOf, type ListField } from '../../../core/contact/contact.ts';
import type { ListElement } from '../../../core/contact/keys.ts';
import type { ListSpec } from '../../../core/contact/kinds.ts';
import { elementKey, keyLists } from '../../../core/contact/lists.ts';
import type { Card, ContentLine } from './content-line.ts';
import { addLines, linesOf, removeLine, replaceLine } from './edits.ts';

/** How the elements of a list field are lines of a card. */
export type ListMapping<Element extends ListElement> = {
  readonly field: ListField;
  /** The properties that hold elements. */
  readonly names: readonly string[];
  /** The element of a line, not yet normalised; a blank one is not mapped. */
  readonly read: (line: ContentLine, card: Card) => Element;
  /** The line with the value of an element; its label stays. */
  readonly write: (line: ContentLine, element: Element) => ContentLine;
  /** The card with another label of a line. */
  readonly relabel: (card: Card, line: ContentLine, label: string | null) => Card;
  /** A new line with the value of an element, without its label. */
  readonly create: (element: Element, card: Card) => ContentLine;
};

type Held<Element extends ListElement> = { readonly line: ContentLine; readonly element: Element };

/** The mapped lines of a list, each with its normalised element. */
const heldIn = <Element extends ListElement>(card: Card, mapping: ListMapping<Element>): readonly Held<Element>[] => {
  // A mapping reads elements of its field.
  const { normalise } = specOf(mapping.field) as unknown as ListSpec<Element>;
  return linesOf(card, mapping.names).flatMap((line) =>
    normalise([mapping.read(line, card)]).map((element) => ({ line, element })),
  );
};

/** The elements of a list in a card. */
export const readList = <Element extends ListElement>(card: Card, mapping: ListMapping<Element>): readonly Element[] =>
  heldIn(card, mapping).map(({ element }) => element);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The card with an element in a line that held another one. */
const overwrite = <Element extends ListElement>(
  card: Card,
  mapping: ListMapping<Element>,
  { line, element: former }: Held<Element>,
  element: Element,
): Card => {
  if (isSame(former, element)) return card;
  const isRelabelledOnly = isSame({ ...former, label: element.label }, element);
  const written = isRelabelledOnly ? line : mapping.write(line, element);
  const rewritten = replaceLine(card, line, [written]);
  return former.label === element.label ? rewritten : mapping.relabel(rewritten, written, element.label);
};

const append = <Element extends ListElement>(card: Card, mapping: ListMapping<Element>, element: Element): Card => {
  const line = mapping.create(element, card);
  const added = addLines(card, mapping.names, [line]);
  return element.label === null ? added : mapping.relabel(added, line, element.label);
};

/** Pairs each wanted element that is new with a line that is left over and has its label: the line was edited. */
const editedLines = <Element extends ListElement>(
  wanted: readonly Element[],
  left: readonly Held<Element>[],
): ReadonlyMap<Element, Held<Element>> => {
  const free = [...left];
  const pairs = new Map<Element, Held<Element>>();
  for (const element of wanted) {
    const place = free.findIndex(({ element: former }) => former.label === element.label);
    const [line] = place < 0 ? [] : free.splice(place, 1);
    if (line !== undefined) pairs.set(element, line);
  }
  return pairs;
};

/**
 * The card with other elements of a list. Each line that holds a wanted element stays and keeps its parameters, and so do other
 * spellings of it and lines that are not mapped (R10).
 */
export const writeList = <Element extends ListElement>(
  card: Card,
  mapping: ListMapping<Element>,
  desired: readonly Element[],
): Card => {
  const { field } = mapping;
  const held = heldIn(card, mapping);
  const keyed = keyLists(field, { held: held.map(({ element }) => element), wanted: desired });
  const firsts = new Map([...keyed.held].map(([key, element]) => [element, key]));
  const keyOf = ({ element }: Held<Element>): string => {
    const own = elementKey(field, element);
    const first = held.find((each) => elementKey(field, each.element) === own);
    return firsts.get(element) ?? firsts.get(first?.element ?? element) ?? own;
  };
  const left = held.filter((each) => !keyed.wanted.has(keyOf(each)));
  const added = [...keyed.wanted].filter(([key]) => !keyed.held.has(key)).map(([, element]) => element as Element);
  const edited = editedLines(added, left);
  const reused = new Set(edited.values());
  let next = card;
  for (const [key, element] of keyed.wanted) {
    const own = held.find((each) => each.element === keyed.held.get(key)) ?? edited.get(element as Element);
    if (own !== undefined) next = overwrite(next, mapping, own, element as Element);
  }
  for (const each of left) if (!reused.has(each)) next = removeLine(next, each.line);
  for (const element of added) if (!edited.has(element)) next = append(next, mapping, element);
  return next;
};
