import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const rootFrom = (folder: string): string => {
  const above = dirname(folder);
  return existsSync(join(folder, 'package.json')) || above === folder ? folder : rootFrom(above);
};

/** The folder of this package: the nearest one above this file with a package.json, from `src` and from `dist`. */
export const PACKAGE_ROOT: string = rootFrom(import.meta.dirname);
