/** One content line of a vCard, unfolded (RFC 6350, 3.3). Unedited lines are written back character for character. */
export type ContentLine = {
  /** The name of the property in upper case, without its group. */
  readonly name: string;
  /** The group, such as `item1`, in lower case; null without one. */
  readonly group: string | null;
  /** The text before the colon: the name with its group, then the parameters. */
  readonly head: string;
  /** The text after the colon, still escaped; null for a line without a colon, whose text is the head. */
  readonly value: string | null;
  /** The line as it was read, if this program folds it in another way. It is written back while the text is the same. */
  readonly source?: string;
};

/** A vCard as its lines, including `BEGIN` and `END`. */
export type Card = readonly ContentLine[];

/** Splits a text at each separator outside quotation marks. */
const splitUnquoted = (text: string, separator: ':' | ';' | ','): readonly string[] => {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let place = 0; place < text.length; place += 1) {
    const character = text.charAt(place);
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === separator) {
      parts.push(text.slice(start, place));
      start = place + 1;
    }
  }
  return [...parts, text.slice(start)];
};

/** Returns the length of a head without its parameters. */
const endOfName = (head: string): number => {
  const end = head.indexOf(';');
  return end < 0 ? head.length : end;
};

/** Returns a new line. */
export const lineOf = (head: string, value: string | null): ContentLine => {
  const first = head.slice(0, endOfName(head));
  const dot = first.lastIndexOf('.');
  const group = dot < 0 ? null : first.slice(0, dot).toLowerCase();
  return { name: first.slice(dot + 1).toUpperCase(), group, head, value };
};

const parseText = (text: string): ContentLine => {
  const colon = text.indexOf(':');
  if (colon < 0) return lineOf(text, null);
  const hasQuotes = text.lastIndexOf('"', colon) >= 0;
  const end = hasQuotes ? (splitUnquoted(text, ':')[0] ?? '').length : colon;
  // Without a colon outside of quotation marks, the first one ends the head.
  const place = end === text.length ? colon : end;
  return lineOf(text.slice(0, place), text.slice(place + 1));
};

const FOLD = /\r?\n[ \t]/gu;

const textOf = ({ head, value }: ContentLine): string => (value === null ? head : `${head}:${value}`);

/** The maximum length of a line in bytes, without its line break (RFC 6350, 3.2). */
const LONGEST_LINE = 75;

/** Returns whether a text fits on one line. A UTF-16 code unit has three bytes at most. */
const isShort = (text: string): boolean =>
  text.length * 3 <= LONGEST_LINE || (text.length <= LONGEST_LINE && Buffer.byteLength(text) <= LONGEST_LINE);

/** Folds one line. Characters are not divided. */
const folded = (text: string): string => {
  if (isShort(text)) return text;
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
  if (!read.includes('\n') && isShort(read)) return parseText(read);
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

const nameOfParameter = (parameter: string): string => {
  const end = parameter.indexOf('=');
  // vCard 2.1 writes a type without its name.
  return end < 0 ? 'TYPE' : parameter.slice(0, end).toUpperCase();
};

const NO_VALUES: readonly string[] = [];

const parametersOf = ({ head }: ContentLine): readonly string[] => splitUnquoted(head, ';').slice(1);

/** Returns the values of a line's parameter, without quotation marks. One quoted text may contain several types. */
export const parameterOf = (line: ContentLine, name: string): readonly string[] => {
  if (!line.head.includes(';')) return NO_VALUES;
  return parametersOf(line)
    .filter((parameter) => nameOfParameter(parameter) === name)
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1))
    .flatMap((values) => splitUnquoted(name === 'TYPE' ? values.replaceAll('"', '') : values, ','))
    .map((value) => value.replaceAll('"', '').trim())
    .filter((value) => value !== '');
};

/** Returns a parameter value for a line, quoted if necessary. A value cannot contain quotation marks itself. */
const quoted = (value: string): string => {
  const text = value.replaceAll(/["\r\n]/gu, ' ');
  return /[,;:]/u.test(text) ? `"${text}"` : text;
};

/** Returns the line with other values of a parameter; without values, the parameter is removed. Other parameters stay. */
export const withParameter = (line: ContentLine, name: string, values: readonly string[]): ContentLine => {
  const others = parametersOf(line).filter((parameter) => nameOfParameter(parameter) !== name);
  const own = values.length === 0 ? [] : [`${name}=${values.map(quoted).join(',')}`];
  return { ...line, head: [line.head.slice(0, endOfName(line.head)), ...others, ...own].join(';') };
};

/** Returns the line in a group; null: without a group. */
export const withGroup = (line: ContentLine, group: string | null): ContentLine => {
  const bare = line.group === null ? line.head : line.head.slice(line.group.length + 1);
  return { ...line, head: group === null ? bare : `${group}.${bare}`, group };
};

/** Returns a text value without its escapes (RFC 6350, 3.4). */
export const unescapeText = (value: string): string =>
  value.includes('\\')
    ? value.replaceAll(/\\(.)/gsu, (_, character: string) => (/n/iu.test(character) ? '\n' : character))
    : value;

/** Escapes a text as an unstructured value. */
export const escapeText = (text: string): string =>
  /[\\;,\n]/u.test(text) ? text.replaceAll(/[\\;,]/gu, String.raw`\$&`).replaceAll(/\r?\n/gu, String.raw`\n`) : text;

/** Divides a value at each unescaped separator. The parts are still escaped. */
export const splitValue = (value: string, separator: ';' | ','): readonly string[] => {
  if (!value.includes('\\')) return value.split(separator);
  const parts: string[] = [];
  let start = 0;
  for (let place = 0; place < value.length; place += 1) {
    const character = value.charAt(place);
    if (character === '\\') place += 1;
    else if (character === separator) {
      parts.push(value.slice(start, place));
      start = place + 1;
    }
  }
  return [...parts, value.slice(start)];
};
