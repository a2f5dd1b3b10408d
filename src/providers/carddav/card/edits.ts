import { type Card, type ContentLine, escapeText, lineOf, splitValue, unescapeText } from './content-line.ts';

/** Matches lines that only describe another line of their group. */
const DESCRIBING = /^X-AB(?:LABEL|ADR)$/u;

/** Returns the lines of these properties, in the card's order. */
export const linesOf = (card: Card, names: readonly string[]): readonly ContentLine[] =>
  card.filter((line) => line.value !== null && names.includes(line.name));

/** Returns the first line of a property that is not blank; the first line if all are blank. */
export const lineNamed = (card: Card, name: string): ContentLine | undefined => {
  let first: ContentLine | undefined;
  for (const line of card) {
    if (line.name !== name || line.value === null) continue;
    if (line.value.trim() !== '') return line;
    first ??= line;
  }
  return first;
};

/** Returns the text of a property; empty if the card has none. */
export const textOf = (card: Card, name: string): string => unescapeText(lineNamed(card, name)?.value ?? '');

/** Returns the vCard version of a card. */
export const versionOf = (card: Card): string => textOf(card, 'VERSION').trim();

/** Returns the components of a structured property, still escaped. */
export const componentsOf = (card: Card, name: string): readonly string[] =>
  splitValue(lineNamed(card, name)?.value ?? '', ';');

/** Returns the card with one line replaced by `lines`. */
export const replaceLine = (card: Card, line: ContentLine, lines: readonly ContentLine[]): Card => {
  const place = card.indexOf(line);
  return place < 0 ? card : card.toSpliced(place, 1, ...lines);
};

/** Returns whether the label of a line also describes another line of its group. */
export const sharesGroup = (card: Card, line: ContentLine): boolean =>
  card.some((each) => each !== line && each.group === line.group && !DESCRIBING.test(each.name));

/** Returns the card without a line, and without lines that describe only that line. */
export const removeLine = (card: Card, line: ContentLine): Card => {
  const isAlone = line.group !== null && !sharesGroup(card, line);
  return card.filter((each) => each !== line && !(isAlone && each.group === line.group));
};

/** Returns the card with lines added after the last one of these properties, or else at its end. */
export const addLines = (card: Card, names: readonly string[], lines: readonly ContentLine[]): Card => {
  const last = card.findLastIndex(({ name }) => names.includes(name));
  const group = card[last]?.group ?? null;
  const behind = group === null ? last : card.findLastIndex((line) => line.group === group);
  const place = last >= 0 ? behind + 1 : card.findLastIndex(({ name }) => name === 'END');
  return card.toSpliced(place, 0, ...lines);
};

/** Returns the card with another escaped value of a property. An empty value removes its line. */
export const withLineValue = (card: Card, name: string, value: string): Card => {
  const line = lineNamed(card, name);
  if (line === undefined) return value === '' ? card : addLines(card, [name], [lineOf(name, value)]);
  return value === '' ? removeLine(card, line) : replaceLine(card, line, [{ ...line, value }]);
};

/** Returns the card with another text of a property. */
export const withText = (card: Card, name: string, text: string): Card => withLineValue(card, name, escapeText(text));

/**
 * Returns the card with other texts of components of a structured property. A property without a fixed length is removed if
 * all its components are empty.
 */
export const withComponents = (card: Card, name: string, texts: ReadonlyMap<number, string>, length = 1): Card => {
  const components = [...componentsOf(card, name)];
  while (components.length < Math.max(length, ...[...texts.keys()].map((place) => place + 1))) components.push('');
  for (const [place, text] of texts) components[place] = escapeText(text);
  const isEmpty = length === 1 && components.every((component) => component === '');
  return withLineValue(card, name, isEmpty ? '' : components.join(';'));
};

/** Returns a new card. `name` is also its family name. */
export const newCard = (uid: string, version: '3.0' | '4.0', name = ''): Card => [
  lineOf('BEGIN', 'VCARD'),
  lineOf('VERSION', version),
  lineOf('PRODID', '-//contact-sync//EN'),
  lineOf('UID', uid),
  lineOf('FN', escapeText(name)),
  lineOf('N', `${escapeText(name)};;;;`),
  lineOf('END', 'VCARD'),
];

/** Returns a group name that no line of the card has. */
export const freeGroup = (card: Card): string => {
  const taken = new Set(card.map(({ group }) => group));
  let number = 1;
  while (taken.has(`item${number}`)) number += 1;
  return `item${number}`;
};
