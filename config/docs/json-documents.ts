import { z } from 'zod';
import { DOCUMENTS } from '../documents.ts';
import { KEY_DESCRIPTIONS } from './key-descriptions.ts';
import { code, codes, table } from './markdown.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** A key of a document: the values it holds, its description, and whether it may be missing. */
type Key = { readonly values: Set<string>; description: string; isOptional: boolean };

type Walk = {
  readonly command: string;
  readonly keys: Map<string, Key>;
  readonly definitions: Readonly<Record<string, Schema>>;
  /** Where each shape was described first, by its JSON. */
  readonly described: Map<string, string>;
};

/** A longer enumeration is shown as text. */
const MAX_WORDS = 12;

/** An object with so many keys is described once; later occurrences refer to it. */
const MIN_SHARED_KEYS = 3;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The alternatives of a value, with references resolved. */
const variantsOf = (walk: Walk, schema: Schema): readonly Schema[] => {
  if (schema.$ref !== undefined) {
    const definition = walk.definitions[schema.$ref.replace('#/definitions/', '')];
    return definition === undefined ? [] : variantsOf(walk, definition);
  }
  return schema.anyOf === undefined
    ? [schema]
    : schema.anyOf.filter(isSchema).flatMap((each) => variantsOf(walk, each));
};

const TYPES: Readonly<Record<string, string>> = { string: 'text', integer: 'number', array: 'list', null: '`null`' };

const valuesOf = ({ const: only, enum: words, format, type }: Schema): readonly string[] => {
  if (only !== undefined) return [code(String(only))];
  if (words !== undefined && words.length <= MAX_WORDS) return words.map((word) => code(String(word)));
  if (format === 'date-time') return ['time'];
  return [type].flat().map((name = 'object') => TYPES[name] ?? name);
};

const addKey = (walk: Walk, path: string, schema: Schema, isOptional: boolean): Key => {
  const key = walk.keys.get(path) ?? { values: new Set<string>(), description: '', isOptional };
  key.description ||= schema.description ?? '';
  for (const variant of variantsOf(walk, schema)) {
    for (const value of valuesOf(variant)) key.values.add(value);
    key.description ||= variant.description ?? '';
  }
  key.isOptional ||= isOptional;
  walk.keys.set(path, key);
  return key;
};

/** The place that describes this shape already; null where this is the first one, or too small to be shared. */
const describedElsewhere = (walk: Walk, path: string, schema: Schema): string | null => {
  const sizes = variantsOf(walk, schema).map(({ properties = {} }) => Object.keys(properties).length);
  if (Math.max(...sizes) < MIN_SHARED_KEYS) return null;
  const place = `${code(path)} of ${code(walk.command)}`;
  const { description: _, ...shape } = schema;
  const first = walk.described.get(JSON.stringify(shape)) ?? place;
  walk.described.set(JSON.stringify(shape), first);
  return first === place ? null : first;
};

const walkValue = (walk: Walk, path: string, schema: Schema, key: Key | null): void => {
  const elsewhere = describedElsewhere(walk, path, schema);
  if (elsewhere !== null && key !== null) {
    key.values.add(`the same keys as ${elsewhere}`);
    return;
  }
  for (const { properties = {}, required = [], items } of variantsOf(walk, schema)) {
    for (const [name, value] of Object.entries(properties)) {
      if (!isSchema(value)) continue;
      const below = path === '' ? name : `${path}.${name}`;
      walkValue(walk, below, value, addKey(walk, below, value, !required.includes(name)));
    }
    if (isSchema(items)) walkValue(walk, `${path}[]`, items, key);
  }
};

const isContainer = ({ values, description, isOptional }: Key): boolean =>
  !isOptional && description === '' && [...values].every((value) => value === 'list' || value === 'object');

/** The description in the schema, else that of the longest end of the path in the table. */
const describe = (command: string, path: string, { description }: Key): string => {
  const segments = path.split('.');
  const ends = segments.map((_, index) => segments.slice(index).join('.'));
  const found = [`${command} ${path}`, ...ends].find((name) => KEY_DESCRIPTIONS[name] !== undefined);
  return description || (KEY_DESCRIPTIONS[found ?? ''] ?? '');
};

const rowsOf = ({ command, keys }: Walk): readonly (readonly string[])[] => {
  const paths = [...keys.keys()];
  const hasBelow = (path: string): boolean =>
    paths.some((each) => each.startsWith(`${path}.`) || each.startsWith(`${path}[].`));
  return [...keys]
    .filter(([path, key]) => !isContainer(key) || !hasBelow(path))
    .map(([path, key]) => [
      code(path),
      [...key.values].join(', '),
      `${key.isOptional ? 'Optional. ' : ''}${describe(command, path, key)}`.trim(),
    ]);
};

const renderDocument = (command: string, document: z.ZodObject, described: Walk['described']): string => {
  const schema = z.toJSONSchema(document, { target: 'draft-07' });
  const definitions = Object.fromEntries(
    Object.entries(schema.definitions ?? {}).filter((entry): entry is [string, Schema] => isSchema(entry[1])),
  );
  const walk: Walk = { command, keys: new Map(), definitions, described };
  walkValue(walk, '', schema, null);
  return table(['key', 'value', 'meaning'], rowsOf(walk));
};

/** A block for each JSON document, named by the first command that prints it. */
export const renderDocumentBlocks = (): Readonly<Record<string, () => string>> => {
  const documents = Map.groupBy(Object.entries(DOCUMENTS), ([, document]) => document);
  const described = new Map<string, string>();
  return Object.fromEntries(
    [...documents].map(([document, users]) => {
      const commands = users.map(([command]) => command.replace('-', ' '));
      const [first = ''] = commands;
      const text = `${codes(commands)}:\n\n${renderDocument(first, document, described)}`;
      return [`document ${first}`, () => text];
    }),
  );
};
