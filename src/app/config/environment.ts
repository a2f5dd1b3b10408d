import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { FILE_VARIABLE, variablesOf, type Environment, type SourceKeys } from './sources.ts';
import { parseEnv } from 'node:util';
import { nearestWord } from './nearest.ts';

/** The inputs for the default places of configuration and state. */
export type Surroundings = {
  readonly env: Environment;
  readonly cwd: string;
  /** False for a checkout, whose files are in its own folder. */
  readonly isInstalled: boolean;
};

/** Node runs no TypeScript of an installed package, so sources that run are a checkout's. */
export const IS_INSTALLED = !import.meta.filename.endsWith('.ts');

const NAME = 'contact-sync';
const FILE = `${NAME}.yaml`;
/** A folder with this file contains state. */
const DATABASE = `${NAME}.db`;

/** A folder by the XDG Base Directory Specification, which ignores relative paths. */
const xdgDirectory = (env: Environment, variable: string, fallback: string): string => {
  const chosen = env[variable] ?? '';
  return join(isAbsolute(chosen) ? chosen : join(env['HOME'] || homedir(), fallback), NAME);
};

/** The default places of the configuration file, in order. */
export const usualFiles = ({ env, cwd, isInstalled }: Surroundings): readonly string[] => [
  resolve(cwd, 'config', FILE),
  ...(isInstalled ? [join(xdgDirectory(env, 'XDG_CONFIG_HOME', '.config'), FILE)] : []),
];

/** The `.env` in the folder of a configuration file. */
export const envFileBeside = (path: string): string => join(dirname(path), '.env');

/**
 * The default configuration file: the first that exists, otherwise the one next to the first `.env`, otherwise the place of a
 * new one.
 */
export const usualFile = (surroundings: Surroundings): string => {
  const paths = usualFiles(surroundings);
  const found = paths.find((path) => existsSync(path)) ?? paths.find((path) => existsSync(envFileBeside(path)));
  return found ?? paths.at(-1) ?? FILE;
};

/** The default DATA_DIR: `./data` in a checkout or if it contains state, otherwise a folder of the user. */
export const usualDataDir = ({ env, cwd, isInstalled }: Surroundings): string => {
  const local = resolve(cwd, 'data');
  const isLocal = !isInstalled || existsSync(join(local, DATABASE));
  return isLocal ? local : xdgDirectory(env, 'XDG_DATA_HOME', join('.local', 'share'));
};

/** Whether a folder contains state. */
export const holdsState = (dataDir: string): boolean => existsSync(join(dataDir, DATABASE));

/** The setting of a variable: `NAME` and `NAME_FILE` of a secret are the same setting. */
const subjectOf = (variable: string): string => variable.replace(/_FILE$/u, '');

/** Adds the variables of a `.env` file. Those of the environment win; an empty one counts as missing. */
export const withEnvFile = (env: Environment, content: string): Environment => {
  const set = Object.entries(env).filter(([, value]) => value?.trim());
  const subjects = new Set(set.map(([variable]) => subjectOf(variable)));
  const added = Object.entries(parseEnv(content)).filter(([variable]) => !subjects.has(subjectOf(variable)));
  return Object.fromEntries([...added, ...set]);
};

/** Variables of other programs that differ from one of ours in two letters. */
const FOREIGN = new Set(['NOTIFY_SOCKET', 'NPM_TOKEN', 'CI_TOKEN']);

/** In a short name, two letters may make another word. */
const SHORT_NAME = 10;

/** A variable that is not read, and the one that was probably meant. */
type MisspeltVariable = { readonly name: string; readonly meant: string };

/** The variables that are set and differ in one or two letters from one that is read. */
export const misspeltVariables = (env: Environment, keys: SourceKeys): readonly MisspeltVariable[] => {
  const known = [...variablesOf(keys), FILE_VARIABLE];
  const taken = new Set(known);
  return Object.keys(env).flatMap((name) => {
    if (taken.has(name) || FOREIGN.has(name) || !env[name]?.trim()) return [];
    const meant = nearestWord(name, known, name.length < SHORT_NAME ? 1 : 2);
    return meant === null ? [] : [{ name, meant }];
  });
};

/** The correction of all of them, on one line; null if there are none. */
export const misspeltText = (variables: readonly MisspeltVariable[]): string | null => {
  if (variables.length === 0) return null;
  const pairs = variables.map(({ name, meant }) => `${name} (did you mean ${meant}?)`);
  return `contact-sync does not read ${pairs.join(', ')}. Correct the name, or unset the variable.`;
};
