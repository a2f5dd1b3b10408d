import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The fields of one of the official client's types, each with its type as it is written there. */
type Fields = ReadonlyMap<string, string>;
export type GoogleTypes = ReadonlyMap<string, Fields>;

const INTERFACE = /^ {4}export interface Schema\$(\w+) \{\n([\s\S]*?)^ {4}\}$/gmu;
/** A field whose type is an object written out ends at the brace of its own depth. */
const FIELD = /^ {8}(\w+)\?: ((?:Array<)?\{[\s\S]*?^ {8}\}[^;]*|[^;{]+);$/gmu;
const COMMENT = /\/\*\*[\s\S]*?\*\//gu;

const packageFolder = (): string => dirname(createRequire(import.meta.url).resolve('@googleapis/people'));

const readSource = (): string => readFileSync(join(packageFolder(), 'v1.d.ts'), 'utf8').replaceAll(COMMENT, '');

const PARAMETERS =
  /^ {4}export interface Params\$Resource\$[\w$]+ extends StandardParameters \{\n([\s\S]*?)^ {4}\}$/gmu;
const PARAMETER = /^ {8}'?([\w.]+)'?\?: /gmu;

/** The query parameters of each method of the official client, without path and body. */
export const readGoogleParameters = (): readonly (readonly string[])[] =>
  [...readSource().matchAll(PARAMETERS)].map(([, body = '']) => {
    const names = [...body.matchAll(PARAMETER)].map(([, name = '']) => name);
    return names.filter((name) => name !== 'resourceName' && name !== 'requestBody');
  });

/** Reads the types of the official client as they are installed: they are the published fields of the API. */
export const readGoogleTypes = (): GoogleTypes => {
  const types = [...readSource().matchAll(INTERFACE)].map(([, name = '', body = '']) => {
    const fields = [...body.matchAll(FIELD)].map(([, field = '', type = '']) => {
      return [field, type.replaceAll(/\s+/gu, ' ').replace(/ \| null$/u, '')] as const;
    });
    return [name, new Map(fields)] as const;
  });
  return new Map(types);
};

const MAP = /^\{ \[key: string\]: (.+); \}$/u;
const LIST = /^(?:Array<(.+)>|(.+)\[\])$/u;

/** The paths at which an answer does not match its type, with the problem. Null is never sent. */
export const findStrangers = (types: GoogleTypes, type: string, value: unknown, path = type): string[] => {
  if (value === null || value === undefined) return [`${path} is ${String(value)}`];
  if (type === 'any') return [];
  const list = LIST.exec(type);
  if (list !== null) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, index) => findStrangers(types, list[1] ?? list[2] ?? '', item, `${path}[${index}]`));
  }
  if (typeof value !== 'object') return typeof value === type ? [] : [`${path} is a ${typeof value}, not ${type}`];
  const map = MAP.exec(type);
  const fields = types.get(type.replace('Schema$', ''));
  if (map === null && fields === undefined) return [`${path} is an object, not ${type}`];
  return Object.entries(value).flatMap(([key, inner]) => {
    const innerType = map?.[1] ?? fields?.get(key);
    return innerType === undefined
      ? [`${path}.${key} is no field`]
      : findStrangers(types, innerType, inner, `${path}.${key}`);
  });
};
