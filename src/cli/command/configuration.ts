import { readConfig, type Config, type ReadConfig } from '../../app/config/config.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { holdsState } from '../../app/config/default-places.ts';
import { ConfigError, problemTexts } from '../../util/config-error.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UsageError } from './exit-codes.ts';

/** The option of every command: the configuration file. */
export type PlaceOptions = { readonly config?: string };

/** The links with invalid settings as messages. */
const faultyTexts = ({ faultyLinks }: Config): readonly string[] =>
  faultyLinks.map(({ name, problems }) => `The link ${name} is not used. ${problemTexts(problems).join(' ')}`);

/** The messages about the links with invalid settings that a command for all links leaves out. */
export const leftOutOf = (config: Config, linkName: string | undefined): readonly string[] =>
  linkName === undefined ? faultyTexts(config) : [];

/** The `error` of the JSON document of a command that leaves out links. */
export const errorOfLeftOut = (leftOut: readonly string[]): { readonly error?: string } =>
  leftOut.length > 0 ? { error: leftOut.join('\n') } : {};

/**
 * Reads the configuration for a command that opens the store. Warns about misspelt variables, about links with invalid
 * settings, and about a new store in a default location: the store may exist in another location. Throws {@link ConfigError}.
 */
export const openConfig = (terminal: Terminal, options: PlaceOptions): ReadConfig => {
  const read = readConfig(options);
  const { config, misspelt } = read;
  const { databaseUrl, dataDir, isUsualDataDir } = config;
  if (misspelt !== null) terminal.warn(misspelt);
  for (const text of faultyTexts(config)) terminal.warn(text);
  if (databaseUrl === null && isUsualDataDir && !holdsState(dataDir)) {
    terminal.warn(`No earlier state was found. New state is stored in ${dataDir}; DATA_DIR sets another directory.`);
  }
  return read;
};

/**
 * The links that a command works on: the link of that name, or all links without a name.
 *
 * @throws {UsageError} if there is no link of that name.
 * @throws {ConfigError} if the settings in the link's file are invalid.
 */
export const chooseLinks = ({ links, faultyLinks }: Config, name: string | undefined): readonly LinkConfig[] => {
  if (name === undefined) return links;
  const chosen = links.filter((link) => link.name === name);
  if (chosen.length > 0) return chosen;
  const faulty = faultyLinks.find((link) => link.name === name);
  if (faulty !== undefined) throw new ConfigError(faulty.problems);
  const names = links.map((link) => link.name).join(', ');
  throw new UsageError(`There is no link named ${name}. The configuration has: ${names}.`);
};

/**
 * Returns the link that a command for one link works on, of those that {@link chooseLinks} returned.
 *
 * @throws {UsageError} if there are several.
 */
export const onlyLink = (links: readonly LinkConfig[]): LinkConfig => {
  const [link, ...others] = links;
  if (link !== undefined && others.length === 0) return link;
  const names = links.map(({ name }) => name).join(', ');
  throw new UsageError(`There are several links: ${names}. Name one of them at the end of the command.`);
};
