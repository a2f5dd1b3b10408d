import { z } from 'zod';
import { USUAL_PROVIDERS } from '../../providers/names.ts';
import { PROVIDERS } from '../../providers/registry.ts';
import { linkSettingsSchema, linkLayer, type LinkSources, type DeclaredLink } from './link-config.ts';
import { SHARED_KEYS, SharedSettings } from './shared-settings.ts';
import { sideSchema } from './sides.ts';
import { rawText, variableOf, layerBelow, layerWith, type Layer } from './sources.ts';
import { SIDES } from '../../core/contact/side.ts';

/** The places that a setting may have in the file: at the top only, at the top or in a link, or in a side's section. */
type SettingLevel = 'process' | 'link' | 'side';

/** One setting as people read about it. The schemas that parse the settings are its source. */
export type Setting = {
  /** The dotted key in the file: `syncInterval`, `google.clientId`. */
  readonly key: string;
  readonly variable: string;
  readonly level: SettingLevel;
  readonly description: string;
  /** The default as it is written in the file; null if it does not exist. */
  readonly usual: string | null;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** The words that it takes; empty if it takes others too. */
  readonly words: readonly string[];
  /** Values as they are written, which show the unit. */
  readonly examples: readonly string[];
};

type Schema = z.core.JSONSchema.BaseSchema;
const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const texts = (values: unknown): readonly string[] => (Array.isArray(values) ? values.map(String) : []);

/** The description of a value in a schema; a value that may be missing is one of its alternatives. */
const annotationsOf = (schema: Schema): Pick<Setting, 'words' | 'examples'> => {
  const example = schema['example'];
  const examples = typeof example === 'string' ? [example] : texts(schema.examples);
  const own = { words: texts(schema.enum), examples };
  if (own.words.length + own.examples.length > 0) return own;
  const [first] = (schema.anyOf ?? []).filter(isSchema);
  return first === undefined ? own : annotationsOf(first);
};

type Origin = {
  readonly level: SettingLevel;
  readonly prefix: string;
  readonly secrets: readonly string[];
};

const settingsOf = (schema: z.ZodObject, { level, prefix, secrets }: Origin): readonly Setting[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' });
  return Object.entries(properties).flatMap(([name, property]): readonly Setting[] => {
    if (!isSchema(property)) return [];
    const key = prefix + name;
    const { description = '', default: usual } = property;
    return [
      {
        key,
        variable: variableOf(key),
        level,
        description,
        usual: typeof usual === 'string' ? usual : null,
        isRequired: required.includes(name),
        isSecret: secrets.includes(name),
        ...annotationsOf(property),
      },
    ];
  });
};

/** Every setting, in the order of the schemas. Sides have the names that they have by default. */
export const allSettings = (): readonly Setting[] => [
  ...settingsOf(SharedSettings, { level: 'process', prefix: '', secrets: SHARED_KEYS.secrets }),
  ...settingsOf(linkSettingsSchema(USUAL_PROVIDERS), { level: 'link', prefix: '', secrets: [] }),
  ...PROVIDERS.flatMap((provider) =>
    settingsOf(sideSchema(provider), { level: 'side', prefix: `${provider.name}.`, secrets: provider.secretKeys }),
  ),
];

/** The value of a setting, and where it comes from. */
export type EffectiveSetting = {
  /** Null for a setting of the process. */
  readonly link: string | null;
  /** The key in the file; that of a side begins with the name of the side. */
  readonly key: string;
  /** As it is written in its source. Null if it is not set, or a secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  readonly source: 'default' | 'variable' | 'file' | 'secret file';
  /** The variable, the key in the file, or the path of a secret's file; null for a default. */
  readonly where: string | null;
};

type Scope = {
  readonly link: string | null;
  readonly prefix: string;
  readonly environment: Layer;
  /** The environment among them. The first one that has a setting wins. */
  readonly layers: readonly Layer[];
};

const resolve = (setting: Setting, { link, prefix, environment, layers }: Scope): EffectiveSetting => {
  const name = setting.key.slice(setting.key.lastIndexOf('.') + 1);
  const { isSecret, usual } = setting;
  const known = { link, key: prefix + name, isSecret };
  const layer = layerWith(name, layers);
  if (layer === undefined) return { ...known, value: usual, source: 'default', where: null };
  const file = layer.get(`${name}File`);
  if (file !== undefined) return { ...known, value: null, source: 'secret file', where: rawText(file.value) };
  const { value = '', where = null } = layer.get(name) ?? {};
  return {
    ...known,
    value: isSecret ? null : rawText(value),
    source: layer === environment ? 'variable' : 'file',
    where,
  };
};

const linkSettingsOf = (
  declared: DeclaredLink,
  settings: readonly Setting[],
  { environment, common }: LinkSources,
): readonly EffectiveSetting[] => {
  const { name: link, sides } = declared;
  const own = linkLayer(declared, () => undefined);
  const scope = { link, prefix: '', environment, layers: [environment, own, common] };
  const ofLink = settings.filter(({ level }) => level === 'link').map((setting) => resolve(setting, scope));
  const ofSides = SIDES.flatMap((side) => {
    if (sides === null) return [];
    const section = `${sides[side].provider.name}.`;
    const above = layerBelow(section, environment);
    const layers = [above, sides[side].own, layerBelow(section, own), layerBelow(section, common)];
    const ofSide = { link, prefix: `${sides[side].name}.`, environment: above, layers };
    return settings.filter(({ key }) => key.startsWith(section)).map((setting) => resolve(setting, ofSide));
  });
  return [...ofLink, ...ofSides];
};

/** Every setting of the process and of the links, with where its value comes from. */
export const effectiveSettings = (
  declared: readonly DeclaredLink[],
  sources: LinkSources,
): readonly EffectiveSetting[] => {
  const settings = allSettings();
  const { environment, common } = sources;
  const scope = { link: null, prefix: '', environment, layers: [environment, common] };
  return [
    ...settings.filter(({ level }) => level === 'process').map((setting) => resolve(setting, scope)),
    ...declared.flatMap((link) => linkSettingsOf(link, settings, sources)),
  ];
};
