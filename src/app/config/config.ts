import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { z } from 'zod';
import { reportSharedAccounts } from './accounts.ts';
import { ConfigError } from '../../util/config-error.ts';
import { IS_INSTALLED } from '../../util/package.ts';
import { effectiveSettings, type EffectiveSetting } from './settings.ts';
import { envFileBeside, usualDataDir, usualFile, usualFiles, type Surroundings } from './default-places.ts';
import { misspeltText, withEnvFile } from './environment-variables.ts';
import { createLinkSchemas, parseLink, LINK_KEYS, type LinkConfig, type LinkSources } from './link-config.ts';
import { linkFolderBeside, parseLinkFile, readLinkFiles, reportNamesakes, type FaultyLink } from './link-files.ts';
import { linkSections } from './link-sections.ts';
import { SHARED_KEYS, SharedSettings } from './shared-settings.ts';
import {
  collectProblems,
  parseSettings,
  environmentLayer,
  FILE_VARIABLE,
  fileLayer,
  find,
  joinKeys,
  layerWith,
  rawText,
  readText,
  withFileKeys,
  type Environment,
  type Layer,
  type Report,
  type Section,
} from './sources.ts';
import { declareSides, PROVIDER_KEYS } from './sides.ts';
import { parseYaml } from './yaml.ts';

/** The settings of the process in the form of {@link Config}. */
const ofProcess = ({ retention, ...settings }: z.output<typeof SharedSettings>) => ({
  ...settings,
  /** How long journal, runs and settled conflicts are kept; null means forever. */
  retentionMs: retention,
});

/** The settings of the process, as {@link SharedSettings} describes them, and what else the program read. */
export type Config = Readonly<ReturnType<typeof ofProcess>> & {
  /** The absolute path of the configuration file; null without one. */
  readonly file: string | null;
  /** An absolute path. */
  readonly dataDir: string;
  /** Whether the data directory is the default one. */
  readonly isUsualDataDir: boolean;
  /** Whether the daemon may run without the address of `listen`, because no setting asks for it. */
  readonly isListenOptional: boolean;
  readonly links: readonly LinkConfig[];
  /** Links in files of their own with invalid settings, which are not served. */
  readonly faultyLinks: readonly FaultyLink[];
};

const ALL_KEYS = joinKeys(SHARED_KEYS, PROVIDER_KEYS, LINK_KEYS);

/** The configuration file of `--config` or of the variable; null for the default one, which may be missing. */
const namedFile = ({ config, env, cwd }: Located): { readonly path: string; readonly namer: string } | null => {
  const variable = env[FILE_VARIABLE]?.trim() || null;
  if (config !== null) return { path: resolve(cwd, config), namer: '--config' };
  return variable === null ? null : { path: resolve(cwd, variable), namer: FILE_VARIABLE };
};

/** The path of the configuration file, or of a new one. */
const pathOf = (located: Located): string => namedFile(located)?.path ?? usualFile(located);

/** The settings of the configuration file, empty without one; null if it has a fault. */
const readFile = (
  located: Located,
  report: Report,
): { readonly path: string | null; readonly section: Section | null } => {
  const named = namedFile(located);
  const path = pathOf(located);
  if (named === null && !existsSync(path)) return { path: null, section: {} };
  const content = readText(path, named?.namer ?? path, report);
  return { path, section: content === null ? null : parseYaml(path, content, report) };
};

/** The environment, with the `.env` next to the configuration file below it. */
const readEnvironment = (located: Located, report: Report): Environment => {
  const path = envFileBeside(pathOf(located));
  const content = existsSync(path) ? readText(path, path, report) : null;
  return content === null ? located.env : withEnvFile(located.env, content);
};

/** The options that select the sources of the configuration. */
type Located = Surroundings & {
  /** The file that `--config` names. */
  readonly config: string | null;
};

/** By default, the surroundings are those of the process, and the options are not given. */
export type LoadOptions = Partial<Located>;

const located = (options: LoadOptions): Located => ({
  env: options.env ?? process.env,
  config: options.config ?? null,
  cwd: options.cwd ?? process.cwd(),
  isInstalled: options.isInstalled ?? IS_INSTALLED,
});

/** The path of the configuration file, or of a new one: from the options, a variable, or the default. */
export const configFileOf = (options: LoadOptions = {}): string => pathOf(located(options));

/** The settings in variables of the environment and of `.env`, by their dotted keys. */
export const settingsInVariables = (options: LoadOptions = {}): ReadonlyMap<string, string> => {
  const env = readEnvironment(located(options), () => undefined);
  return new Map([...environmentLayer(env, ALL_KEYS)].map(([key, { value }]) => [key, rawText(value)]));
};

/** DATA_DIR by the options and the layers. */
const findDataDir = (layers: readonly Layer[], options: Located): string => {
  const named = find('dataDir', layers, options.cwd, () => undefined)?.value;
  return typeof named === 'string' ? resolve(options.cwd, named) : usualDataDir(options);
};

const KEY_NEEDED =
  'is not set, and with DATABASE_URL tokens are kept in the database. Set the same one on every host; make it with: ' +
  'openssl rand -base64 32';

const noFileHint = (options: Located): string =>
  `There is no configuration file (looked for ${usualFiles(options).join(' and ')}). Make one with: contact-sync init`;

/** The configuration, with what only some commands print. */
export type ReadConfig = {
  readonly config: Config;
  /** A line about variables that are probably misspelt; null if there are none. */
  readonly misspelt: string | null;
  /** The settings of the process and of the links, with where each comes from. */
  readonly effective: () => readonly EffectiveSetting[];
};

/** Whether a variable has a setting of a link. Settings of the process, such as those of the image, describe no link. */
const setsLink = (layer: Layer): boolean => [...layer.keys()].some((key) => !withFileKeys(SHARED_KEYS).includes(key));

/** The links of the configuration file, which are declared, and those of the folder next to it, which are parsed. */
const readLinks = (links: unknown, configFile: string, sources: LinkSources) => {
  const { report } = sources;
  const files = readLinkFiles(linkFolderBeside(configFile), report);
  const sections = linkSections(links, { mayBeNone: files !== null, report });
  reportNamesakes(sections, files ?? [], report);
  return {
    ofFile: sections.map((link) => ({ ...link, sides: declareSides(link, report) })),
    ofFolder: (files ?? []).map((file) => parseLinkFile(file, sources)),
  };
};

/**
 * The whole configuration, from the variables, which win, the YAML file, in which a side's own section wins over its link's,
 * and that one over the top, and the files of links next to it. An invalid file of a link does not affect the others. Throws {@link ConfigError} with every problem at once.
 */
export const readConfig = (options: LoadOptions = {}): ReadConfig => {
  const all = located(options);
  const { cwd } = all;
  const { report, all: problems } = collectProblems();

  const { path: file, section } = readFile(all, report);
  const env = readEnvironment(all, report);
  const misspelt = misspeltText(env, ALL_KEYS);
  const environment = environmentLayer(env, ALL_KEYS);
  const fail = (...layers: readonly Layer[]): never => {
    const lacksFile = file === null && !setsLink(environment);
    const hints = [misspelt, lacksFile ? noFileHint(all) : null].filter((each) => each !== null);
    const hint = hints.length === 0 ? null : hints.join('\n');
    throw new ConfigError(problems(), { dataDir: findDataDir(layers, all), hint });
  };
  if (section === null) return fail(environment);
  const { links, ...top } = section;
  const common = fileLayer(top, '', ALL_KEYS, report);
  const sources: LinkSources = { environment, common, cwd, report, schemaFor: createLinkSchemas() };
  const layers = [environment, common];
  const { ofFile, ofFolder } = readLinks(links, pathOf(all), sources);
  const declared = [...ofFile, ...ofFolder.flatMap((each) => each.declared ?? [])];
  reportSharedAccounts(
    environment,
    declared.flatMap(({ sides }) => sides ?? []),
    report,
  );

  const shared = parseSettings(SharedSettings, SHARED_KEYS, { layers, section: '', cwd, report });
  const parsed = ofFile.flatMap((link) => parseLink(link, sources) ?? []);
  if (shared?.databaseUrl && shared.credentialsKey === null) report('CREDENTIALS_KEY', KEY_NEEDED);
  if (shared === null || problems().length > 0) return fail(environment, common);
  const { dataDir } = shared;
  const config: Config = {
    ...ofProcess(shared),
    file,
    dataDir: dataDir === null ? usualDataDir(all) : resolve(cwd, dataDir),
    isUsualDataDir: dataDir === null,
    isListenOptional: layerWith('listen', layers) === undefined,
    links: [...parsed, ...ofFolder.flatMap(({ link }) => link ?? [])],
    faultyLinks: ofFolder
      .filter(({ link }) => link === null)
      .map((each) => ({ name: each.name, problems: each.problems })),
  };
  return {
    config,
    misspelt,
    effective: () => effectiveSettings(declared, sources),
  };
};

/** How many links a daemon works on at the same time. */
export const CONCURRENT_LINKS = 10;

/** The configuration of variables and file. Throws as {@link readConfig} does. */
export const loadConfig = (options: LoadOptions = {}): Config => readConfig(options).config;

/** The configuration that opens the store of a directory without a link, while the configuration file has a fault. */
export const storeAlone = (dataDir: string): Config => ({
  ...ofProcess(SharedSettings.parse({})),
  file: null,
  dataDir,
  isUsualDataDir: false,
  isListenOptional: true,
  links: [],
  faultyLinks: [],
});
