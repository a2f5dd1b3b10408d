import { SIDES } from '../../core/contact/side.ts';
import type { LinkSources, DeclaredLink } from './link-config.ts';
import { linkLayer } from './link-config.ts';
import { allSettings, type Setting } from './settings.ts';
import { layerBelow, type Layer } from './sources.ts';

/** The value of a setting, and where it comes from. */
export type EffectiveSetting = {
  /** Null for a setting of the process. */
  readonly link: string | null;
  /** The key in the file; that of a side begins with the name of the side. */
  readonly key: string;
  /** As it is written in its source. Null if it is not set, or a secret. */
  readonly value: string | null;
  readonly isSecret: boolean;
  readonly isSet: boolean;
  readonly source: 'default' | 'option' | 'variable' | 'file' | 'secret file';
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
  const layer = layers.find(({ values }) => values.has(name) || values.has(`${name}File`));
  if (layer === undefined) {
    return { ...known, value: usual, isSet: usual !== null, source: 'default', where: null };
  }
  const file = layer.values.get(`${name}File`);
  if (file !== undefined) return { ...known, value: null, isSet: true, source: 'secret file', where: String(file) };
  const value = layer.values.get(name) ?? '';
  return {
    ...known,
    value: isSecret ? null : [value].flat().join(', '),
    isSet: true,
    source: layer === environment ? 'variable' : 'file',
    where: layer.nameOf(name),
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
  const alone = settings
    .filter(({ level }) => level === 'link only')
    .map((setting) => resolve(setting, { ...scope, layers: [own] }));
  const ofSides = SIDES.flatMap((side) => {
    if (sides === null) return [];
    const section = `${sides[side].provider.name}.`;
    const above = layerBelow(section, environment);
    const layers = [above, sides[side].own, layerBelow(section, own), layerBelow(section, common)];
    const ofSide = { link, prefix: `${sides[side].name}.`, environment: above, layers };
    return settings.filter(({ key }) => key.startsWith(section)).map((setting) => resolve(setting, ofSide));
  });
  return [...ofLink, ...alone, ...ofSides];
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
