import {
  type Card,
  type ContentLine,
  escapeText,
  groupOf,
  lineOf,
  nameOf,
  splitValue,
  unescapeText,
} from './content-line.ts';

/** Lines that only describe another line of their group. */
const DESCRIBING = /^X-AB(?:LABEL|ADR)$/u;

/** The lines of these properties, in the card's order. */
export const linesOf = (card: Card, names: readonly string[]): readonly ContentLine[] =>
  card.filter((line) => line.value !== null && names.includes(nameOf(line)));

/** The first line of a property that is not blank; the first line if all are blank. */
export const lineNamed = (card: Card, name: string): ContentLine | undefined => {
  const lines = linesOf(card, [name]);
  return lines.find(({ value }) => value?.trim() !== '') ?? lines[0];
};

/** The text of a property; empty where the card has none. */
export const textOf = (card: Card, name: string): string => unescapeText(lineNamed(card, name)?.value ?? '');

/** The components of a structured property, still escaped. */
export const componentsOf = (card: Card, name: string): readonly string[] =>
  splitValue(lineNamed(card, name)?.value ?? '', ';');

/** The card with lines in the place of one line. */
export const replaceLine = (card: Card, line: ContentLine, lines: readonly ContentLine[]): Card =>
  card.flatMap((each) => (each === line ? lines : [each]));

/** Whether another line of a line's group is described by the same label. */
export const sharesGroup = (card: Card, line: ContentLine): boolean =>
  card.some((each) => each !== line && groupOf(each) === groupOf(line) && !DESCRIBING.test(nameOf(each)));

/** The card without a line, and without what describes that line alone. */
export const removeLine = (card: Card, line: ContentLine): Card => {
  const group = groupOf(line);
  const rest = card.filter((each) => each !== line);
  return group === null || sharesGroup(card, line) ? rest : rest.filter((each) => groupOf(each) !== group);
};

/** The card with lines behind the last one of these properties, or else at its end. */
export const addLines = (card: Card, names: readonly string[], lines: readonly ContentLine[]): Card => {
  const last = card.findLastIndex((line) => names.includes(nameOf(line)));
  const end = card.findLastIndex((line) => nameOf(line) === 'END');
  const isInGroup = last >= 0 && groupOf(card[last] ?? lineOf('', '')) !== null;
  const behind = isInGroup ? card.findLastIndex((line) => groupOf(line) === groupOf(card[last] ?? line)) : last;
  const place = last >= 0 ? behind + 1 : end;
  return [...card.slice(0, place), ...lines, ...card.slice(place)];
};

/** The card with another value of a property, escaped; an empty one removes its line. */
export const withValue = (card: Card, name: string, value: string): Card => {
  const line = lineNamed(card, name);
  if (line === undefined) return value === '' ? card : addLines(card, [name], [lineOf(name, value)]);
  return value === '' ? removeLine(card, line) : replaceLine(card, line, [{ ...line, value }]);
};

/** The card with another text of a property. */
export const withText = (card: Card, name: string, text: string): Card => withValue(card, name, escapeText(text));

/**
 * The card with other texts of components of a structured property. One without a fixed length is removed where nothing is left
 * of it.
 */
export const withComponents = (card: Card, name: string, texts: ReadonlyMap<number, string>, length = 1): Card => {
  const components = [...componentsOf(card, name)];
  while (components.length < Math.max(length, ...[...texts.keys()].map((place) => place + 1))) components.push('');
  for (const [place, text] of texts) components[place] = escapeText(text);
  const isEmpty = length === 1 && components.every((component) => component === '');
  return withValue(card, name, isEmpty ? '' : components.join(';'));
};

/** A new card. A name is its family name too. */
export const newCard = (uid: string, version: '3.0' | '4.0', name = ''): Card => [
  lineOf('BEGIN', 'VCARD'),
  lineOf('VERSION', version),
  lineOf('PRODID', '-//contact-sync//EN'),
  lineOf('UID', uid),
  lineOf('FN', escapeText(name)),
  lineOf('N', `${escapeText(name)};;;;`),
  lineOf('END', 'VCARD'),
];

/** A group that no line of the card has. */
export const freeGroup = (card: Card): string => {
  const taken = new Set(card.map(groupOf));
  let number = 1;
  while (taken.has(`item${number}`)) number += 1;
  return `item${number}`;
};
