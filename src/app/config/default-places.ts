import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { xdgDirectory } from '../../util/package.ts';
import type { Environment } from './sources.ts';

/** The inputs for the default places of configuration and state. */
export type Surroundings = {
  readonly env: Environment;
  readonly cwd: string;
  /** False for a checkout, whose files are in its own folder. */
  readonly isInstalled: boolean;
};

const NAME = 'contact-sync';
const FILE = `${NAME}.yaml`;
/** The database in DATA_DIR. A folder with this file contains state. */
export const DATABASE_FILE = `${NAME}.db`;

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
  const isLocal = !isInstalled || existsSync(join(local, DATABASE_FILE));
  return isLocal ? local : xdgDirectory(env, 'XDG_DATA_HOME', join('.local', 'share'));
};

/** Whether a folder contains state. */
export const holdsState = (dataDir: string): boolean => existsSync(join(dataDir, DATABASE_FILE));
