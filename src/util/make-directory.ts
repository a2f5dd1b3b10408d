import { mkdirSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

/** A place that the configuration or the command line names, and where no directory can be. */
export class DirectoryError extends Error {
  override readonly name = 'DirectoryError';

  constructor(path: string, code: string) {
    super(`No directory can be made at ${path} (${code}). Name another place, such as one in your home directory.`);
  }
}

/** That there can be no directory; any other code says that this process may not make it. */
const IMPOSSIBLE = ['ENOENT', 'ENOTDIR', 'EEXIST', 'EINVAL', 'ELOOP', 'ENAMETOOLONG'];

const look = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

const make = (path: string): void => {
  const there = look(path);
  if (there === undefined) {
    if (dirname(path) !== path) make(dirname(path));
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process may have made it meanwhile.
      if (look(path)?.isDirectory() !== true) throw error;
    }
  } else if (!there.isDirectory()) throw Object.assign(new Error('It is no directory.'), { code: 'ENOTDIR' });
};

/**
 * Makes a directory for its owner alone, and those above it, one at a time: Node's own way to make them all never ends
 * where a file system answers that there is no such place, as /proc does.
 *
 * @throws {DirectoryError} where there can be none, and the system's error where this process may not make it.
 */
export const makeDirectory = (path: string): void => {
  try {
    make(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw IMPOSSIBLE.includes(code) ? new DirectoryError(path, code) : error;
  }
};
