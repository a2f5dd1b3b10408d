/** One content line of a vCard, unfolded (RFC 6350, 3.3). Unedited lines are written back character for character. */
export type ContentLine = {
  /** The text before the colon, divided at its semicolons: the name with its group, then the parameters. */
  readonly head: readonly string[];
  /** The text after the colon, still escaped; null for a line without a colon, whose text is the head. */
  readonly value: string | null;
  /** The line as it was read, if this program folds it in another way. It is written back while the text is the same. */
  readonly source?: string;
};

/** A vCard as its lines, including `BEGIN` and `END`. */
export type Card = readonly ContentLine[];

/** Returns the positions of a separator outside quotation marks. */
const placesOf = (text: string, isSeparator: (character: string) => boolean): readonly number[] => {
  let isQuoted = false;
  const places: number[] = [];
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charAt(place);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && isSeparator(character)) places.push(place);
  }
  return places;
};

const splitAt = (text: string, places: readonly number[]): readonly string[] =>
  [...places, text.length].map((end, index) => text.slice(index === 0 ? 0 : (places[index - 1] ?? 0) + 1, end));

const FOLD = /\r?\n[ \t]/gu;

const parseText = (text: string): ContentLine => {
  const [colon = text.indexOf(':')] = placesOf(text, (character) => character === ':');
  if (colon < 0) return { head: [text], value: null };
  const head = text.slice(0, colon);
  return {
    head: splitAt(
      head,
      placesOf(head, (character) => character === ';'),
    ),
    value: text.slice(colon + 1),
  };
};

const textOf = ({ head, value }: ContentLine): string =>
  value === null ? head.join(';') : `${head.join(';')}:${value}`;

/** The maximum length of a line in bytes, without its line break (RFC 6350, 3.2). */
const LONGEST_LINE = 75;

/** Folds one line. Characters are not divided. */
const folded = (text: string): string => {
  if (Buffer.byteLength(text) <= LONGEST_LINE) return text;
  const lines: string[] = [];
  let line = '';
  let bytes = 0;
  for (const character of text) {
    const size = Buffer.byteLength(character);
    // Every line but the first begins with a space.
    if (bytes + size > LONGEST_LINE - (lines.length === 0 ? 0 : 1)) {
      lines.push(line);
      line = '';
      bytes = 0;
    }
    line += character;
    bytes += size;
  }
  return [...lines, line].join('\r\n ');
};

const parseLine = (read: string): ContentLine => {
  const text = read.replaceAll(FOLD, '');
  const source = read.replaceAll(/\r?\n/gu, '\r\n');
  return folded(text) === source ? parseText(text) : { ...parseText(text), source };
};

/** Parses a text with one vCard into its lines. Each break before a space or a tab is a fold. */
export const parseLines = (text: string): Card =>
  text
    .replace(/^\uFEFF/u, '')
    .split(/\r?\n(?![ \t])/u)
    .filter((line) => line !== '')
    .map(parseLine);

const formatLine = (line: ContentLine): string => {
  const text = textOf(line);
  return line.source?.replaceAll(FOLD, '') === text ? line.source : folded(text);
};

/** Returns the vCard as the text of a request. Unedited lines keep their folds. */
export const formatLines = (card: Card): string => card.map((line) => `${formatLine(line)}\r\n`).join('');

/** Returns the name of a line's property, in upper case and without its group. */
export const nameOf = ({ head: [first = ''] }: ContentLine): string =>
  first.slice(first.lastIndexOf('.') + 1).toUpperCase();

/** Returns the group of a line, such as `item1`, in lower case; null without one. */
export const groupOf = ({ head: [first = ''] }: ContentLine): string | null => {
  const end = first.lastIndexOf('.');
  return end < 0 ? null : first.slice(0, end).toLowerCase();
};

const nameOfParameter = (parameter: string): string => {
  const end = parameter.indexOf('=');
  // vCard 2.1 writes a type without its name.
  return end < 0 ? 'TYPE' : parameter.slice(0, end).toUpperCase();
};

/** Returns the values of a line's parameter, without quotation marks. One quoted text may contain several types. */
export const parameterOf = ({ head }: ContentLine, name: string): readonly string[] =>
  head
    .slice(1)
    .filter((parameter) => nameOfParameter(parameter) === name)
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1))
    .map((values) => (name === 'TYPE' ? values.replaceAll('"', '') : values))
    .flatMap((values) =>
      splitAt(
        values,
        placesOf(values, (character) => character === ','),
      ),
    )
    .map((value) => value.replaceAll('"', '').trim())
    .filter((value) => value !== '');

/** Returns a parameter value for a line, quoted if necessary. A value cannot contain quotation marks itself. */
const quoted = (value: string): string => {
  const text = value.replaceAll(/["\r\n]/gu, ' ');
  return /[,;:]/u.test(text) ? `"${text}"` : text;
};

/** Returns the line with other values of a parameter; without values, the parameter is removed. Other parameters stay. */
export const withParameter = (line: ContentLine, name: string, values: readonly string[]): ContentLine => {
  const others = line.head.filter((parameter, index) => index === 0 || nameOfParameter(parameter) !== name);
  return { ...line, head: values.length === 0 ? others : [...others, `${name}=${values.map(quoted).join(',')}`] };
};

/** Returns the line in a group; null: without a group. */
export const withGroup = (line: ContentLine, group: string | null): ContentLine => {
  const [first = '', ...parameters] = line.head;
  const name = first.slice(first.lastIndexOf('.') + 1);
  return { ...line, head: [group === null ? name : `${group}.${name}`, ...parameters] };
};

/** Returns a new line. */
export const lineOf = (name: string, value: string): ContentLine => ({ head: [name], value });

/** Returns a text value without its escapes (RFC 6350, 3.4). */
export const unescapeText = (value: string): string =>
  value.replaceAll(/\\(.)/gsu, (_, character: string) => (/n/iu.test(character) ? '\n' : character));

/** Escapes a text as an unstructured value. */
export const escapeText = (text: string): string =>
  text.replaceAll(/[\\;,]/gu, String.raw`\$&`).replaceAll(/\r?\n/gu, String.raw`\n`);

/** Divides a value at each unescaped separator. The parts are still escaped. */
export const splitValue = (value: string, separator: ';' | ','): readonly string[] => {
  const parts: string[] = [];
  let part = '';
  for (let place = 0; place < value.length; place += 1) {
    const character = value.charAt(place);
    if (character === '\\') {
      part += value.slice(place, place + 2);
      place += 1;
    } else if (character === separator) {
      parts.push(part);
      part = '';
    } else {
      part += character;
    }
  }
  return [...parts, part];
};
