import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, isAbsolute } from 'node:path';
import module from 'node:module';
import { homedir } from 'node:os';

const rootFrom = (folder: string): string => {
  const above = dirname(folder);
  return existsSync(join(folder, 'package.json')) || above === folder ? folder : rootFrom(above);
};

/** The folder of this package: the nearest one above this file with a package.json, from `src` and from `dist`. */
export const PACKAGE_ROOT: string = rootFrom(import.meta.dirname);

/** The version of this program. */
export const readVersion = (): string => {
  const description: unknown = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  const hasVersion = typeof description === 'object' && description !== null && 'version' in description;
  return hasVersion ? String(description.version) : 'unknown';
};

/** Node runs no TypeScript of an installed package, so sources that run are a checkout's. */
export const IS_INSTALLED = !import.meta.filename.endsWith('.ts');

/** A folder of this program by the XDG Base Directory Specification, which ignores relative paths. */
export const xdgDirectory = (
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
  fallback: string,
): string => {
  const chosen = env[variable] ?? '';
  return join(isAbsolute(chosen) ? chosen : join(env['HOME'] || homedir(), fallback), 'contact-sync');
};

/** The user's cache folder for an installed program; a checkout writes only within itself. */
const cacheFolder = (): string =>
  IS_INSTALLED
    ? xdgDirectory(process.env, 'XDG_CACHE_HOME', '.cache')
    : join(PACKAGE_ROOT, 'node_modules', '.cache', 'contact-sync');

/**
 * Stores the compiled code of this program, so that the next command starts sooner. Stores nothing if the folder is not
 * writable. `NODE_COMPILE_CACHE` sets another folder, `NODE_DISABLE_COMPILE_CACHE=1` turns the cache off.
 */
export const enableCompileCache = (): void => void module.enableCompileCache(cacheFolder());
