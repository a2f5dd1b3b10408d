import { z } from 'zod';
import { USUAL_PROVIDERS } from '../../providers/names.ts';
import { PROVIDERS } from '../../providers/registry.ts';
import { linkSettings, OWN_LINK_KEYS, OwnLinkSettings } from './link-settings.ts';
import { SHARED_KEYS, SharedSettings } from './shared-settings.ts';
import { sideSchema } from './sides.ts';
import { variableOf } from './sources.ts';

/** The places that a setting may have in the file: at the top only, at the top or in a link, in a side's section, or in a link only. */
type SettingLevel = 'process' | 'link' | 'side' | 'link only';

/** One setting as people read about it. The schemas that parse the settings are its source. */
export type Setting = {
  /** The dotted key in the file: `syncInterval`, `google.clientId`. */
  readonly key: string;
  /** Null for a setting of a single link, which has no variable. */
  readonly variable: string | null;
  readonly level: SettingLevel;
  readonly description: string;
  /** The default as it is written in the file; null if there is none. */
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
        variable: level === 'link only' ? null : variableOf(key),
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
  ...settingsOf(linkSettings(USUAL_PROVIDERS), { level: 'link', prefix: '', secrets: [] }),
  ...settingsOf(OwnLinkSettings, { level: 'link only', prefix: 'links.NAME.', secrets: OWN_LINK_KEYS.secrets }),
  ...PROVIDERS.flatMap((provider) =>
    settingsOf(sideSchema(provider), { level: 'side', prefix: `${provider.name}.`, secrets: provider.secretKeys }),
  ),
];

/** The setting with that key. Throws if there is none. */
export const settingNamed = (settings: readonly Setting[], key: string): Setting => {
  const setting = settings.find((each) => each.key === key);
  if (setting === undefined) throw new Error(`There is no setting ${key}. Correct src/app/config/setting-groups.ts.`);
  return setting;
};
