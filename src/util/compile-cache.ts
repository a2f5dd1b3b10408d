import module from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { PACKAGE_ROOT } from './package-root.ts';

/** The user's cache folder for an installed program; a checkout writes only within itself. */
const cacheFolder = (env: Readonly<Record<string, string | undefined>>): string => {
  if (import.meta.filename.endsWith('.ts')) return join(PACKAGE_ROOT, 'node_modules', '.cache', 'contact-sync');
  const named = env['XDG_CACHE_HOME'] ?? '';
  return join(isAbsolute(named) ? named : join(env['HOME'] || homedir(), '.cache'), 'contact-sync');
};

/**
 * Stores the compiled code of this program, so that the next command starts sooner. Stores nothing if the folder is not
 * writable. `NODE_COMPILE_CACHE` sets another folder, `NODE_DISABLE_COMPILE_CACHE=1` turns the cache off.
 */
export const enableCompileCache = (): void => void module.enableCompileCache(cacheFolder(process.env));
