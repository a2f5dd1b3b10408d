import { specOf, type ListField } from '../../../core/contact/contact.ts';
import type { ListElement } from '../../../core/contact/keys.ts';
import type { ListSpec } from '../../../core/contact/kinds.ts';
import { elementKey, keyLists } from '../../../core/contact/lists.ts';
import { type Card, type ContentLine, withGroup } from './content-line.ts';
import { addLines, linesOf, removeLine, replaceLine } from './edits.ts';

/** The mapping between the elements of a list field and the lines of a card. */
export type ListMapping<Element extends ListElement> = {
  readonly field: ListField;
  /** The properties that contain elements. */
  readonly names: readonly string[];
  /** Returns the element of a line, not yet normalised. A blank element is not mapped. */
  readonly read: (line: ContentLine, card: Card) => Element;
  /** Returns the line with the value of an element. Its label stays. */
  readonly write: (line: ContentLine, element: Element) => ContentLine;
  /** The labels that are determined by the name of a property. A line of that name cannot have another label. */
  readonly labelsOfNames?: Readonly<Record<string, string>>;
  /** Returns the card with another label of a line. */
  readonly relabel: (card: Card, line: ContentLine, label: string | null) => Card;
  /** Returns a new line with the value of an element, without its label. */
  readonly create: (element: Element, card: Card) => ContentLine;
};

type MappedLine<Element extends ListElement> = { readonly line: ContentLine; readonly element: Element };

/** Returns the mapped lines of a list, each with its normalised element. */
const mappedLines = <Element extends ListElement>(
  card: Card,
  mapping: ListMapping<Element>,
): readonly MappedLine<Element>[] => {
  // A mapping reads elements of its field.
  const { normalise } = specOf(mapping.field) as unknown as ListSpec<Element>;
  return linesOf(card, mapping.names).flatMap((line) =>
    normalise([mapping.read(line, card)]).map((element) => ({ line, element })),
  );
};

/** Returns the elements of a list in a card, not yet normalised. */
export const readList = <Element extends ListElement>(card: Card, mapping: ListMapping<Element>): readonly Element[] =>
  linesOf(card, mapping.names).map((line) => mapping.read(line, card));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the card with an element written to the line of another element. */
const overwrite = <Element extends ListElement>(
  card: Card,
  mapping: ListMapping<Element>,
  { line, element: former }: MappedLine<Element>,
  element: Element,
): Card => {
  if (isSame(former, element)) return card;
  if (former.label !== element.label && mapping.labelsOfNames?.[line.name] !== undefined) {
    const created = withGroup(mapping.create(element, card), line.group);
    return mapping.relabel(replaceLine(card, line, [created]), created, element.label);
  }
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

/**
 * Pairs each new wanted element with a remaining line that it edits: the line in the same place of the list, or another one with
 * the same label.
 */
const editedLines = <Element extends ListElement>(
  added: readonly Element[],
  lines: readonly MappedLine<Element>[],
  inPlaceOf: (element: Element) => MappedLine<Element> | undefined,
): ReadonlyMap<Element, MappedLine<Element>> => {
  const free = new Set(lines);
  const pairs = new Map<Element, MappedLine<Element>>();
  const pair = (element: Element, line: MappedLine<Element> | undefined): void => {
    if (line !== undefined && free.delete(line)) pairs.set(element, line);
  };
  for (const element of added) pair(element, inPlaceOf(element));
  for (const element of added.filter((each) => !pairs.has(each))) {
    pair(
      element,
      [...free].find(({ element: former }) => former.label === element.label),
    );
  }
  return pairs;
};

/**
 * Returns the card with other elements of a list. Lines of wanted elements stay and keep their parameters. Other spellings of
 * wanted elements, and unmapped lines, stay too (R10).
 */
export const writeList = <Element extends ListElement>(
  card: Card,
  mapping: ListMapping<Element>,
  desired: readonly Element[],
): Card => {
  const { field } = mapping;
  const existing = mappedLines(card, mapping);
  if (existing.length === 0) return desired.reduce((next, element) => append(next, mapping, element), card);
  const keyed = keyLists(field, { existing: existing.map(({ element }) => element), wanted: desired });
  const firsts = new Map([...keyed.existing].map(([key, element]) => [element, key]));
  const keyOf = ({ element }: MappedLine<Element>): string => {
    const own = elementKey(field, element);
    const first = existing.find((each) => elementKey(field, each.element) === own);
    return firsts.get(element) ?? firsts.get(first?.element ?? element) ?? own;
  };
  const rest = existing.filter((each) => !keyed.wanted.has(keyOf(each)));
  const added = [...keyed.wanted].filter(([key]) => !keyed.existing.has(key)).map(([, element]) => element as Element);
  const edited = editedLines(added, rest, (element) => existing[[...keyed.wanted.values()].indexOf(element)]);
  const reused = new Set(edited.values());
  let next = card;
  for (const [key, element] of keyed.wanted) {
    const own = existing.find((each) => each.element === keyed.existing.get(key)) ?? edited.get(element as Element);
    if (own !== undefined) next = overwrite(next, mapping, own, element as Element);
  }
  for (const each of rest) if (!reused.has(each)) next = removeLine(next, each.line);
  for (const element of added) if (!edited.has(element)) next = append(next, mapping, element);
  return next;
};
