import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from './sources.ts';

/** What decides where configuration and state are where nothing names a place. */
export type Surroundings = {
  readonly env: Environment;
  readonly cwd: string;
  /** False for a checkout, which keeps everything in its own folder. */
  readonly isInstalled: boolean;
};

/** Node runs no TypeScript of an installed package, so sources that run are a checkout's. */
export const IS_INSTALLED = !import.meta.filename.endsWith('.ts');

const NAME = 'contact-sync';
const FILE = `${NAME}.yaml`;
/** What tells that a folder holds state. */
const DATABASE = `${NAME}.db`;

/** A folder after the XDG Base Directory Specification, which tells to pass over a relative path. */
const xdgDirectory = (env: Environment, variable: string, fallback: string): string => {
  const chosen = env[variable] ?? '';
  return join(isAbsolute(chosen) ? chosen : join(env['HOME'] || homedir(), fallback), NAME);
};

/** Where the configuration file is looked for, in this order. */
export const usualFiles = ({ env, cwd, isInstalled }: Surroundings): readonly string[] => [
  resolve(cwd, 'config', FILE),
  ...(isInstalled ? [join(xdgDirectory(env, 'XDG_CONFIG_HOME', '.config'), FILE)] : []),
];

/** The `.env` beside a configuration file. */
export const envFileBeside = (path: string): string => join(dirname(path), '.env');

/**
 * The configuration file in its usual place: the first that exists, else the one beside the first `.env`, else the place
 * for a new one.
 */
export const usualFile = (surroundings: Surroundings): string => {
  const paths = usualFiles(surroundings);
  const found = paths.find((path) => existsSync(path)) ?? paths.find((path) => existsSync(envFileBeside(path)));
  return found ?? paths.at(-1) ?? FILE;
};

/** Where state is kept: in `./data` of a checkout, and wherever that holds state already; else in the user's own folder. */
export const usualDataDir = ({ env, cwd, isInstalled }: Surroundings): string => {
  const local = resolve(cwd, 'data');
  const isLocal = !isInstalled || existsSync(join(local, DATABASE));
  return isLocal ? local : xdgDirectory(env, 'XDG_DATA_HOME', join('.local', 'share'));
};

/** Whether a folder holds the state of any link. */
export const holdsState = (dataDir: string): boolean => existsSync(join(dataDir, DATABASE));
