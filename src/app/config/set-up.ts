import { dirname, isAbsolute, join, relative } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import type { z } from 'zod';
import { SIDES, type Sides } from '../../core/contact/side.ts';
import { PACKAGE_ROOT } from '../../util/package.ts';
import { USUAL_PROVIDERS } from '../../providers/names.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import { linkSettingsSchema } from './link-config.ts';
import { allSettings, type Setting } from './settings.ts';
import { SharedSettings } from './shared-settings.ts';
import { sideSchema } from './sides.ts';
import { isSection, isText } from './sources.ts';

/** The providers and names of the sides of a new link, and its settings. */
export type SetUp = {
  /** If the name is null, the side has the name of its provider. */
  readonly sides: Sides<{ readonly provider: string; readonly name: string | null }>;
  /** Values as they are written, by their dotted keys. */
  readonly settings: ReadonlyMap<string, string>;
};

const splitKey = (key: string): [section: string, name: string] => {
  const dot = key.indexOf('.');
  return dot < 0 ? ['', key] : [key.slice(0, dot), key.slice(dot + 1)];
};

/** The schemas of one section's settings. */
const shapeOf = (section: string): Readonly<Record<string, z.ZodType>> =>
  section === ''
    ? { ...SharedSettings.shape, ...linkSettingsSchema({ left: 'left', right: 'right' }).shape }
    : sideSchema(providerNamed(section)).shape;

const descriptionOf = (key: string): string => {
  const descriptions = new Map(allSettings().map((setting) => [setting.key, setting.description]));
  return descriptions.get(key) ?? `${descriptions.get(key.replace(/File$/u, '')) ?? key} It is in this file.`;
};

/** The settings of a provider without a default. A setting that only the sign-in requires is not required here. */
export const settingsToAsk = (
  provider: string,
): readonly Pick<Setting, 'key' | 'description' | 'isSecret' | 'isRequired'>[] => {
  const { schema, secretKeys } = providerNamed(provider);
  return Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>).flatMap(([name, setting]) => {
    const usual = setting.safeParse(undefined);
    if (usual.success && usual.data !== null) return [];
    const key = `${provider}.${name}`;
    return [{ key, description: descriptionOf(key), isSecret: secretKeys.includes(name), isRequired: !usual.success }];
  });
};

/** The problem of a value with its remedy; null for a valid value. */
export const faultOf = (key: string, value: string): string | null => {
  const [section, name] = splitKey(key);
  const result = shapeOf(section)[name]?.safeParse(value === '' ? undefined : value);
  return result?.success === false ? (result.error.issues[0]?.message ?? 'cannot be used.') : null;
};

const SCHEMA = join(PACKAGE_ROOT, 'dist/contact-sync.schema.json');

/** The line by which editors find the JSON Schema, which `npm run build` writes. */
const schemaLine = (path: string): string => {
  const near = relative(dirname(path), SCHEMA);
  const isNear = !near.startsWith('..') && !isAbsolute(near);
  return `# yaml-language-server: $schema=${isNear ? `./${near}` : SCHEMA}`;
};

/** A text on one line, whatever it holds. */
const scalar = (value: string): string =>
  stringify(value, { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength: Infinity }).trimEnd();

const settingLines = (settings: SetUp['settings'], section: string): readonly string[] =>
  [...settings].flatMap(([key, value]) => {
    const [own, name] = splitKey(key);
    return own === section ? [`# ${descriptionOf(key)}`, `${name}: ${scalar(value)}`] : [];
  });

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

const sectionLines = (settings: SetUp['settings'], provider: string): readonly string[] => {
  const lines = settingLines(settings, provider);
  return lines.length === 0 ? [] : ['', `${provider}:`, ...indented(lines)];
};

const sideLines = (sides: SetUp['sides']): readonly string[] =>
  SIDES.map((side) => {
    const { provider, name } = sides[side];
    return `${side}: { provider: ${provider}${name === null ? '' : `, name: ${scalar(name)}`} }`;
  });

const linkLines = ({ sides }: SetUp): readonly string[] => {
  const isUsual = SIDES.every((side) => sides[side].provider === USUAL_PROVIDERS[side] && sides[side].name === null);
  const own = isUsual ? ['default: {}'] : ['default:', ...indented(sideLines(sides))];
  return ['', '# The links: two accounts each.', 'links:', ...indented(own)];
};

/** The file of a new link, without the settings that the configuration file already has, and without those of the process. */
export const linkText = ({ sides, settings }: SetUp, common: SetUp['settings']): string => {
  const ofProcess = new Set(allSettings().flatMap(({ key, level }) => (level === 'process' ? [key] : [])));
  const own = new Map([...settings].filter(([key, value]) => !ofProcess.has(key) && common.get(key) !== value));
  const lines = [
    '# A link: its name is the name of this file. These settings win over those of the configuration file.',
    ...sideLines(sides),
    '',
    ...settingLines(own, ''),
    ...PROVIDERS.flatMap(({ name }) => sectionLines(own, name)),
  ];
  return `${lines.join('\n')}\n`;
};

/** The configuration file for a new link, with a comment on each setting. `path` is where it will be. */
export const configText = (setUp: SetUp, path: string): string => {
  const providers = PROVIDERS.map(({ name }) => name);
  const lines = [
    schemaLine(path),
    '# Variables win over this file: syncInterval is SYNC_INTERVAL, google.clientId is GOOGLE_CLIENT_ID.',
    '# What is left out has its default; config/README.md and config/example.yaml list every setting.',
    '',
    ...settingLines(setUp.settings, ''),
    ...providers.flatMap((provider) => sectionLines(setUp.settings, provider)),
    ...linkLines(setUp),
  ];
  return `${lines.join('\n')}\n`;
};

/** Settings with one text as their value in a configuration file, by their dotted keys. */
export const settingsIn = (fileText: string): ReadonlyMap<string, string> => {
  const top: unknown = parseDocument(fileText, { schema: 'failsafe' }).toJS();
  if (!isSection(top)) return new Map();
  const providers = PROVIDERS.map(({ name }) => name);
  const entries = Object.entries(top).flatMap(([name, value]): [string, unknown][] => {
    if (!providers.includes(name) || !isSection(value)) return [[name, value]];
    return Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each]);
  });
  return new Map(entries.filter((entry): entry is [string, string] => isText(entry[1]) && entry[1] !== ''));
};
