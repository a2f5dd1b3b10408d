import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bySide, inWordsOf, type Sides, type SideWords } from '../../src/core/contact/side.ts';
import { EVENTS, type Events } from '../../src/app/events.ts';
import { USUAL_PROVIDERS } from '../../src/providers/names.ts';
import { providerNamed } from '../../src/providers/registry.ts';
import { code } from './markdown.ts';

const SOURCE = join(import.meta.dirname, '../../src/app/events.ts');

/** Splits at a sign outside of all brackets. */
const splitOutside = (text: string, sign: string): string[] => {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if ('{(<['.includes(letter)) depth += 1;
    if ('})>]'.includes(letter)) depth -= 1;
    if (letter === sign && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
};

/** The names of the properties of a type: an intersection of literals and of types in the same file. */
const fieldsOf = (type: string, types: string): string[] =>
  splitOutside(type, '&').flatMap((part) => {
    if (part.startsWith('{')) {
      return splitOutside(part.slice(1, -1), ';').map((property) => property.replace(/^readonly |\??:.*$/gsu, ''));
    }
    const [, definition] = new RegExp(`^type ${part} =(.*?);\\n(?=\\n|type|/)`, 'msu').exec(types) ?? [];
    if (definition === undefined) throw new Error(`src/app/events.ts does not define ${part}, or in another form.`);
    return fieldsOf(definition.trim(), types);
  });

type Event = { readonly name: keyof Events; readonly fields: readonly string[]; readonly about: string };

const readEvents = (source: string): Event[] => {
  const types = source.replaceAll(/\/\*\*.*?\*\//gsu, '');
  const [, body = ''] = /^export const EVENTS = \{\n(.*?)^\};/msu.exec(source) ?? [];
  const definitions = body.matchAll(
    /^ {2}(?:\/\*\* (?<about>[^*]*) \*\/\n {2})?(?<name>\w+): \w+(?:<(?<fields>.*?)>)?\(\s*'/gmsu,
  );
  return [...definitions].map(({ groups }) => {
    const { about = '', name, fields = '' } = groups ?? {};
    const type = fields.replaceAll(/\/\*\*.*?\*\//gsu, '').trim();
    return { name: name as keyof Events, about, fields: type === '' ? [] : fieldsOf(type, types) };
  });
};

/** The table names the fields of a link between Google and the service. */
const SIDE_WORDS: Sides<SideWords> = bySide((side) => providerNamed(USUAL_PROVIDERS[side]));

/** The names with which fields are logged. */
const loggedNames = (fields: readonly string[]): readonly string[] =>
  Object.keys(Object(inWordsOf(SIDE_WORDS, Object.fromEntries(fields.map((field) => [field, field])))));

const lineOf = ({ name, fields, about }: Event): string => {
  const { level, message, personal } = EVENTS[name];
  const isPersonal = (field: string): boolean => personal.includes(field);
  const plain = loggedNames(fields.filter((field) => field !== 'sides' && !isPersonal(field)));
  const names = [...plain.map(code), ...loggedNames(personal).map((field) => `${code(field)} (personal)`)].join(', ');
  const sentence = about.replaceAll(/\s+/gu, ' ');
  return `- ${level} **${code(message)}**${names === '' ? '' : ` (${names})`}${sentence === '' ? '' : `: ${sentence}`}`;
};

/** A list of the log events, in the order of `src/app/events.ts`. */
export const renderLogEvents = (): string => readEvents(readFileSync(SOURCE, 'utf8')).map(lineOf).join('\n');
