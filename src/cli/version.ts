import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../util/package.ts';

const PACKAGE_FILE = join(PACKAGE_ROOT, 'package.json');

/** The version of this program. */
export const readVersion = (): string => {
  const description: unknown = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8'));
  const hasVersion = typeof description === 'object' && description !== null && 'version' in description;
  return hasVersion ? String(description.version) : 'unknown';
};
