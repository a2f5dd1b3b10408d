import { z } from 'zod';
import { bySide, otherSide, type Side, type Sides, type SideWords } from '../../core/contact/side.ts';
import { USUAL_PROVIDERS } from '../../providers/names.ts';
import type { OpaqueSettings, Provider } from '../../providers/provider.ts';
import { PROVIDERS, providerNamed } from '../../providers/registry.ts';
import { POLICY_NAMES } from '../../core/reconcile/policy.ts';
import { isName, type LinkSection } from './link-sections.ts';
import {
  parseSettings,
  placeIn,
  fileLayer,
  isSection,
  isText,
  joinKeys,
  keysBelow,
  layerBelow,
  variableOf,
  type SourceKeys,
  type Layer,
  type Report,
  type Section,
  type Sources,
} from './sources.ts';
import { contactPatterns } from './patterns.ts';
import { Secret } from '../../util/secret.ts';
import { issuedSecret, passwordSecret } from '../../util/values.ts';

/** One side of a link: its provider and its settings. */
export type SideConfig = SideWords & {
  /** The provider's name in the registry. */
  readonly provider: string;
  readonly settings: OpaqueSettings;
  /** The patterns that select contacts of the side. */
  readonly contacts: readonly string[];
  /** Null: the token that `connect` stored. */
  readonly token: Secret | null;
  /** The places of the settings that are not set by their variables: a key of the file, or of a file of a secret. */
  readonly places: Readonly<Record<string, string>>;
};

/** A side as it is declared, before its provider's settings are read. */
export type DeclaredSide = SideWords & { readonly provider: Provider; readonly own: Layer };

const NOTHING: Layer = new Map();

/** A mark as a pattern names it: `starred`, `tag:gold`. */
const markPattern = (mark: string): string => (mark.endsWith(':') ? `${mark}NAME` : mark);

/** The setting that selects contacts of a side, in addition to those of its provider. */
const selectionSchema = ({ marks }: Provider) =>
  z.object({
    contacts: contactPatterns(marks)
      .prefault('*')
      .describe(
        `Which contacts are synced: ${['groups by name or glob', ...marks.map(markPattern)].join(', or ')}; a later pattern with ! excludes.`,
      ),
  });

const SELECTION_KEYS: SourceKeys = { names: ['contacts'], secrets: [] };

const tokenSetting = ({ place, signIn }: Provider): z.ZodType =>
  (signIn === null ? passwordSecret : issuedSecret)
    .nullable()
    .default(null)
    .meta({
      description: `${signIn === null ? 'Password' : 'Token'} of the account at ${place}. Without it, the one that connect stored is used.`,
      example: signIn === null ? 'the-app-password' : 'the-token',
    });

/** All settings of a side that a provider plays. */
export const sideSchema = (provider: Provider): z.ZodObject =>
  provider.schema.extend({ ...selectionSchema(provider).shape, [provider.tokenKey]: tokenSetting(provider) });

const keysOf = (provider: Provider): SourceKeys => ({
  names: Object.keys(sideSchema(provider).shape),
  secrets: provider.secretKeys,
});

/** The schemas of a provider's side. They are created once, because there may be thousands of links. */
const readerOf = (provider: Provider) => ({
  keys: keysOf(provider),
  settings: provider.schema.extend({ [provider.tokenKey]: tokenSetting(provider) }),
  selection: selectionSchema(provider),
});
const READERS = new Map(PROVIDERS.map((provider) => [provider, readerOf(provider)]));

const sectionOf = ({ name }: Provider): string => `${name}.`;

/** Every provider's settings, each below its provider's name. */
export const PROVIDER_KEYS: SourceKeys = joinKeys(
  ...PROVIDERS.map((provider) => keysBelow(sectionOf(provider), keysOf(provider))),
);

/** Words with another meaning in a setting, a JSON document or a log line. They cannot be names of sides. */
const RESERVED = new Set(
  [
    'all both',
    'action at conflicts durationms error field kind level link msg name outcome paired reason run side skipped state time winner',
    'clock configuration journal redis store',
    ...POLICY_NAMES,
  ].flatMap((words) => words.split(' ')),
);

const faultOfName = (name: string, side: Side, provider: Provider): string | null => {
  if (!isName(name)) return 'is not a name for a side. Use letters, digits, - and _, at most 100 characters.';
  const lower = name.toLowerCase();
  if (RESERVED.has(lower)) return `"${name}" has a meaning of its own. Choose another name.`;
  const isMisleading =
    lower === otherSide(side) || PROVIDERS.some((other) => other !== provider && other.name === lower);
  return isMisleading ? `"${name}" is what something else is called. Choose another name.` : null;
};

type Draft = { readonly provider: Provider; readonly name: string | null; readonly own: Layer };

/** Reads the section of a side; reports a fault and returns null. */
const readDraft = (section: unknown, side: Side, where: string, report: Report): Draft | null => {
  const names = PROVIDERS.map((provider) => provider.name)
    .toSorted()
    .join(', ');
  if (!isSection(section)) {
    const fault = section === undefined ? 'is not set' : 'holds no settings';
    report(where, `${fault}. Give left and right a provider each, which is one of ${names}.`);
    return null;
  }
  const { provider: providerName, name = null, ...settings } = section;
  const provider = PROVIDERS.find((candidate) => candidate.name === providerName);
  if (provider === undefined) {
    const fault = isText(providerName) ? `"${providerName}" is not known` : 'is not set';
    report(`${where}.provider`, `${fault}. Choose one of ${names}.`);
    return null;
  }
  const { keys } = READERS.get(provider) ?? readerOf(provider);
  const own = fileLayer(settings, `${where}.`, keys, report);
  if (name === null) return { provider, name, own };
  const fault = isText(name) ? faultOfName(name, side, provider) : 'is not a text. Write one name.';
  if (fault === null && isText(name)) return { provider, name, own };
  report(`${where}.name`, fault ?? '');
  return null;
};

const declare = (drafts: Sides<Draft>): Sides<DeclaredSide> => {
  const areAlike = drafts.left.provider === drafts.right.provider;
  return bySide((side) => {
    const { provider, own } = drafts[side];
    const name = drafts[side].name ?? (areAlike ? side : provider.name);
    const word = (text: string): string => (areAlike ? `${text} (${name})` : text);
    return { name, title: word(provider.title), place: word(provider.place), provider, own };
  });
};

/** Reads the providers and names of the sides of a link; reports a fault and returns null. */
export const declareSides = ({ section, prefix }: LinkSection, report: Report): Sides<DeclaredSide> | null => {
  if (!('left' in section || 'right' in section)) {
    return declare(bySide((side) => ({ provider: providerNamed(USUAL_PROVIDERS[side]), name: null, own: NOTHING })));
  }
  const left = readDraft(section['left'], 'left', `${prefix}left`, report);
  const right = readDraft(section['right'], 'right', `${prefix}right`, report);
  if (left === null || right === null) return null;
  const sides = declare({ left, right });
  if (sides.left.name.toLowerCase() !== sides.right.name.toLowerCase()) return sides;
  report(`${prefix}right.name`, 'is the name of the left side too. Give each side a name of its own.');
  return null;
};

/** The section of a link without its sides. */
export const withoutSides = (section: Section): Section => {
  const { left: _left, right: _right, ...rest } = section;
  return rest;
};

/** The sources of the settings of a link's sides, in addition to the section of each side. */
type SideSources = Pick<Sources, 'cwd' | 'report'> & {
  readonly environment: Layer;
  /** The link's section and the top of the file. */
  readonly file: readonly Layer[];
};

const placesIn = ({ names }: SourceKeys, layers: readonly Layer[], section: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((key) => {
      const place = placeIn(key, layers);
      return place === null || place === variableOf(section + key) ? [] : [[key, place]];
    }),
  );

const parseSide = ({ provider, own, ...words }: DeclaredSide, sources: SideSources): SideConfig | null => {
  const { environment, file, cwd, report } = sources;
  const section = sectionOf(provider);
  const below = (layer: Layer): Layer => layerBelow(section, layer);
  const layers = [below(environment), own, ...file.map(below)];
  const where = { layers, section, cwd, report };
  const reader = READERS.get(provider) ?? readerOf(provider);
  const parsed = parseSettings(reader.settings, reader.keys, where);
  const selection = parseSettings(reader.selection, SELECTION_KEYS, where);
  if (parsed === null || selection === null) return null;
  const { [provider.tokenKey]: token, ...settings } = parsed;
  return {
    ...words,
    ...selection,
    provider: provider.name,
    settings,
    token: token instanceof Secret ? token : null,
    places: placesIn(reader.keys, layers, section),
  };
};

/** Reads the settings of both sides of a link; reports faults and returns null. */
export const parseSides = (declared: Sides<DeclaredSide>, sources: SideSources): Sides<SideConfig> | null => {
  const left = parseSide(declared.left, sources);
  const right = parseSide(declared.right, sources);
  return left === null || right === null ? null : { left, right };
};
