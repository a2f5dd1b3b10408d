import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { accessRemedy, isForeign } from '../../util/files.ts';
import { nearestWord } from './nearest.ts';
import type { z } from 'zod';
import type { ConfigProblem } from '../../util/config-error.ts';
import { errorCode } from '../../util/errors.ts';

/** Records one fault of the configuration: the key or variable, and the problem with its remedy. */
export type Report = (where: string, what: string) => void;

/** Collects problems, each once. */
export const collectProblems = () => {
  const found = new Map<string, ConfigProblem>();
  const report: Report = (where, what) => void found.set(`${where}: ${what}`, { where, what });
  return { report, all: (): readonly ConfigProblem[] => [...found.values()] };
};

/** The settings that may stand in one place. */
export type SourceKeys = {
  readonly names: readonly string[];
  /** Secrets, which messages never repeat. Each may be in a separate file. */
  readonly secrets: readonly string[];
  /** Keys that may be a mapping in the file. */
  readonly mappings?: readonly string[];
};

export const joinKeys = (...parts: readonly SourceKeys[]): SourceKeys => ({
  names: parts.flatMap(({ names }) => names),
  secrets: parts.flatMap(({ secrets }) => secrets),
  mappings: parts.flatMap(({ mappings = [] }) => mappings),
});

/** The same settings one section deeper. */
export const keysBelow = (prefix: string, { names, secrets }: SourceKeys): SourceKeys => ({
  names: names.map((name) => prefix + name),
  secrets: secrets.map((name) => prefix + name),
});

/**
 * Each setting has one name in two spellings: `service.baseUrl` in the file, `SERVICE_BASE_URL` as a variable. A secret
 * may stand in a file of its own: `service.accessTokenFile`, `SERVICE_ACCESS_TOKEN_FILE`.
 */
export const variableOf = (key: string): string => key.replaceAll(/\.|(?=[A-Z])/gu, '_').toUpperCase();

export const withFileKeys = ({ names, secrets }: SourceKeys): string[] =>
  names.flatMap((key) => (secrets.includes(key) ? [key, `${key}File`] : [key]));

/** A value as text, or the list or mapping that a YAML file may hold; YAML scalars are read as text too. */
type Raw = string | readonly string[] | Section;

/** A value as one text, for people. */
export const rawText = (value: Raw): string =>
  isSection(value) ? JSON.stringify(value) : isText(value) ? value : value.join(', ');

/** One source of settings by their keys, each with its place for messages. If several sources have a setting, the first wins. */
export type Layer = ReadonlyMap<string, { readonly where: string; readonly value: Raw }>;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that names the configuration file. */
export const FILE_VARIABLE = 'CONTACT_SYNC_CONFIG';

/** The variables of settings, those that name the file of a secret among them. */
export const variablesOf = (keys: SourceKeys): readonly string[] => withFileKeys(keys).map(variableOf);

/** The variables that are set; an empty one counts as not set. */
export const environmentLayer = (env: Environment, keys: SourceKeys): Layer =>
  new Map(
    withFileKeys(keys).flatMap((key) => {
      const where = variableOf(key);
      const value = env[where]?.trim();
      return value ? [[key, { where, value }] as const] : [];
    }),
  );

/** The first layer that has a setting, or the file of a secret one. */
export const layerWith = (key: string, layers: readonly Layer[]): Layer | undefined =>
  layers.find((layer) => layer.has(key) || layer.has(`${key}File`));

/** The place of a setting in the first layer that has it; null if it is not set. The file of a secret has a key of its own. */
export const placeIn = (key: string, layers: readonly Layer[]): string | null => {
  const layer = layerWith(key, layers);
  return (layer?.get(key) ?? layer?.get(`${key}File`))?.where ?? null;
};

/** One section of a layer as a layer of its own, whose keys are without the section's prefix. */
export const layerBelow = (prefix: string, layer: Layer): Layer => {
  const inner = [...layer].filter(([key]) => key.startsWith(prefix));
  return new Map(inner.map(([key, setting]) => [key.slice(prefix.length), setting]));
};

export type Section = Readonly<Record<string, unknown>>;

export const isSection = (value: unknown): value is Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isText = (value: unknown): value is string => typeof value === 'string';
export const isUnset = (value: unknown): boolean =>
  value === null || (isText(value) && ['', '~', 'null'].includes(value.trim()));

const NOT_A_SETTING = 'is not a setting. Remove it; config/example.yaml has all settings.';

/** The section's settings by their dotted keys. */
const flatten = (section: Section, mappings: readonly string[], report: Report, prefix: string): [string, Raw][] =>
  Object.entries(section).flatMap(([name, value]): [string, Raw][] => {
    if (name === '__proto__') {
      report(prefix + name, NOT_A_SETTING);
      return [];
    }
    if (isUnset(value)) return [];
    if (isText(value)) return [[name, value.trim()]];
    if (isSection(value)) {
      if (mappings.includes(name)) return [[name, value]];
      const inner = flatten(value, [], report, `${prefix}${name}.`);
      return inner.map(([key, each]) => [`${name}.${key}`, each]);
    }
    if (Array.isArray(value) && value.every(isText)) return [[name, value]];
    report(prefix + name, 'is neither a value nor a list of values. See config/example.yaml.');
    return [];
  });

/** The settings of one section of the file; a key that is not among `keys` is reported. */
export const fileLayer = (section: Section, prefix: string, keys: SourceKeys, report: Report): Layer => {
  const entries = flatten(section, keys.mappings ?? [], report, prefix);
  const allowed = withFileKeys(keys);
  for (const [key] of entries) {
    if (!allowed.includes(key)) report(prefix + key, unknownKey(key, allowed));
  }
  return new Map(entries.map(([key, value]) => [key, { where: prefix + key, value }]));
};

/** The largest number of wrong letters for a hint. */
const FARTHEST_HINT = 3;

const unknownKey = (key: string, allowed: readonly string[]): string => {
  const near = nearestWord(key, allowed, FARTHEST_HINT);
  return near === null ? NOT_A_SETTING : `is not a setting here. Did you mean ${near}?`;
};

/** The text of a file; reports an unreadable file for `where` and returns null. */
export const readText = (path: string, where: string, report: Report): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = errorCode(error) ?? 'unreadable';
    const remedy = isForeign(code) ? accessRemedy(path) : 'Check the path and its permissions.';
    report(where, `names the file ${path}, which cannot be read (${code}). ${remedy}`);
    return null;
  }
};

type Found = { readonly where: string; readonly value: Raw | null };

/** The setting of the first layer that has it. Its value is null after a reported fault. */
export const find = (key: string, layers: readonly Layer[], cwd: string, report: Report): Found | null => {
  const layer = layerWith(key, layers);
  const own = layer?.get(key) ?? null;
  const file = layer?.get(`${key}File`);
  if (file === undefined) return own;
  const { where, value: path } = file;
  if (own !== null || typeof path !== 'string') {
    report(
      where,
      own === null ? 'is a list. Give one path.' : `is set in addition to ${own.where}. Keep one of the two.`,
    );
    return { where, value: null };
  }
  const content = readText(resolve(cwd, path), where, report)?.trim() ?? null;
  if (content === '') report(where, `names the file ${path}, which is empty. Put the value into it.`);
  return { where, value: content || null };
};

/** The sources of settings. */
export type Sources = {
  /** If several layers have a setting, the first one wins. */
  readonly layers: readonly Layer[];
  /** The section that the settings belong to, such as `google.`; empty for those outside any section. */
  readonly section: string;
  /** The directory that relative paths start from. */
  readonly cwd: string;
  readonly report: Report;
};

const missing = (key: string, isSecret: boolean): string => {
  const ways = isSecret ? `it, ${variableOf(key)}_FILE` : 'it';
  return `is not set. Set ${ways} or ${key} in the configuration file.`;
};

/** Parses the settings of one schema with these keys; reports faults and returns null. */
export const parseSettings = <Schema extends z.ZodObject>(
  schema: Schema,
  keys: SourceKeys,
  sources: Sources,
): z.output<Schema> | null => {
  const { layers, section, cwd, report } = sources;
  const found = new Map(keys.names.map((key) => [key, find(key, layers, cwd, report)]));
  const values = [...found].flatMap(([key, setting]) => (setting?.value ? [[key, setting.value] as const] : []));
  // Parsed once: zod would take longer to compile a parser.
  const result = schema.safeParse(Object.fromEntries(values), { jitless: true });
  if (result.success) return result.data;
  for (const { path, message } of result.error.issues) {
    const key = path.join('.');
    const setting = found.get(key);
    if (!setting) report(variableOf(section + key), missing(section + key, keys.secrets.includes(key)));
    else if (setting.value !== null) report(setting.where, message);
  }
  return null;
};
