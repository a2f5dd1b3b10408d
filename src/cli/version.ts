import { readFileSync } from 'node:fs';

// The same place seen from src/cli and from dist/cli.
const PACKAGE_FILE = new URL('../../package.json', import.meta.url);

/** The version of this program. */
export const readVersion = (): string => {
  const description: unknown = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8'));
  const hasVersion = typeof description === 'object' && description !== null && 'version' in description;
  return hasVersion ? String(description.version) : 'unknown';
};
