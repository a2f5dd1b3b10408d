import ICAL from 'ical.js';
import { z } from 'zod';
import { decodeQuotedPrintable } from './quoted-printable.ts';

/** One property of a card. Values are unescaped; a structured property's components come apart. */
export type CardProperty = {
  /** Lower case, without the group. */
  readonly name: string;
  /** What ties `item1.EMAIL` to `item1.X-ABLabel`; null where ungrouped. */
  readonly group: string | null;
  /** The TYPE parameter's values in lower case. */
  readonly types: readonly string[];
  /** The year that Apple writes where a birthday's year is unknown; null elsewhere. */
  readonly unknownYear: string | null;
  readonly values: readonly (string | readonly string[])[];
};

/** A line of a card that is not a property, or whose value cannot be decoded. The message holds none of the content. */
export class CardLineError extends Error {
  override readonly name = 'CardLineError';
}

const READ_NAMES =
  /^(?:[\w-]+\.)?(?:VERSION|FN|N|NICKNAME|ORG|TITLE|EMAIL|TEL|ADR|URL|CATEGORIES|BDAY|NOTE|KIND|X-ADDRESSBOOKSERVER-KIND|X-ABLABEL)[;:]/i;
const LINE = /^(?<name>[\w.-]+)(?<parameters>(?:;(?:"[^"]*"|[^":])*)?):(?<value>[^]*)$/;
const ENCODINGS = /^(?:QUOTED-PRINTABLE|BASE64|8BIT|7BIT)$/i;

const isQuotedPrintable = (line: string): boolean => /^[^:]*;(?:ENCODING=)?QUOTED-PRINTABLE[;:]/i.test(line);

/** The card's logical lines: folded lines joined (RFC 6350, 3.2), and quoted-printable soft line breaks too. */
const unfoldLines = (card: string): string[] => {
  const lines: string[] = [];
  for (const raw of card.split(/\r\n|\n|\r/)) {
    const last = lines.at(-1) ?? '';
    const endsSoftly = last.endsWith('=') && isQuotedPrintable(last);
    if (endsSoftly) lines[lines.length - 1] = last.slice(0, -1) + raw.replace(/^[ \t]/, '');
    else if (/^[ \t]/.test(raw) && lines.length > 0) lines[lines.length - 1] = last + raw.slice(1);
    else if (raw.trim() !== '') lines.push(raw);
  }
  return lines;
};

/** vCard 2.1 allows `TEL;CELL` for `TEL;TYPE=CELL`. */
const nameParameter = (parameter: string): string => {
  if (parameter.includes('=')) return parameter;
  return ENCODINGS.test(parameter) ? `ENCODING=${parameter}` : `TYPE=${parameter}`;
};

const parameterValue = (parameters: readonly string[], name: string): string | undefined =>
  parameters.find((parameter) => parameter.toUpperCase().startsWith(`${name}=`))?.slice(name.length + 1);

const decodeValue = (value: string, parameters: readonly string[]): string => {
  if (parameterValue(parameters, 'ENCODING')?.toUpperCase() !== 'QUOTED-PRINTABLE') return value;
  return decodeQuotedPrintable(value, parameterValue(parameters, 'CHARSET') ?? 'utf-8');
};

/** Brings a 2.1 line to the form of 3.0: named parameters, decoded text, escaped line breaks and commas. */
const modernise = (line: string, version: string): string => {
  const { name, parameters = '', value = '' } = LINE.exec(line)?.groups ?? {};
  if (name === undefined) throw new CardLineError('it is not a property');
  if (version !== '2.1' && !isQuotedPrintable(line)) return line;
  const named = parameters.split(';').filter(Boolean).map(nameParameter);
  const decoded = decodeValue(value, named).replace(/\r\n|\n|\r/g, '\\n');
  const escaped = /^CATEGORIES$/i.test(name) ? decoded : decoded.replace(/(?<!\\),/g, '\\,');
  return `${[name, ...named].join(';')}:${escaped}`;
};

/** A text, a list of texts, or a list whose items are lists in turn, as jCard (RFC 7095) writes them. */
const textsSchema = z.union([z.string(), z.array(z.union([z.string(), z.array(z.string())]))]);
const propertySchema = z.tuple([z.string(), z.record(z.string(), textsSchema), z.string()]).rest(textsSchema);

const readLine = (line: string, version: string): CardProperty => {
  const designSet = version === '4.0' ? ICAL.design.vcard : ICAL.design.vcard3;
  const parsed: unknown = ICAL.parse.property(modernise(line, version), designSet);
  const [name, parameters, , ...values] = propertySchema.parse(parsed);
  const textOf = (parameter: string): string | null => [parameters[parameter] ?? []].flat(2)[0] ?? null;
  return {
    name,
    group: textOf('group'),
    types: [parameters['type'] ?? []].flat(2).map((type) => type.toLowerCase()),
    unknownYear: textOf('x-apple-omit-year'),
    values: values.flat(),
  };
};

const versionOf = (lines: readonly string[]): string =>
  lines
    .find((line) => /^VERSION:/i.test(line))
    ?.slice('VERSION:'.length)
    .trim() ?? '3.0';

/**
 * The properties of one card (the text between BEGIN and END) that a person is made of; the others are not looked at.
 * Throws {@link CardLineError}.
 */
export const readCard = (card: string): CardProperty[] => {
  const lines = unfoldLines(card);
  const version = versionOf(lines);
  return lines.flatMap((line, index) => {
    if (LINE.test(line) && !READ_NAMES.test(line)) return [];
    try {
      return [readLine(line, version)];
    } catch (error) {
      throw new CardLineError(`line ${index + 1} of the card cannot be read as a vCard property`, { cause: error });
    }
  });
};
