import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const USES_EXTENT = /\b(?:PLAYS_ALL|extentOf|inCompleteRun|reportExtent|sampled)\b/u;
const IMPORTED = /^(?:\}|import .*) from '(?<path>\.[^']+)'/gmu;

const textOf = (path: string): string => readFileSync(path, 'utf8');

const importsOf = (path: string): readonly string[] =>
  [...textOf(path).matchAll(IMPORTED)].map(({ groups }) => join(path, '..', groups?.path ?? ''));

it('test:long contains every test file of which npm test runs a sample', () => {
  const [, filters = ''] = manifest.scripts['test:long'].split(' -- ');
  const isSampled = (path: string): boolean => path.startsWith(join(ROOT, 'test')) && USES_EXTENT.test(textOf(path));
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((path) => path !== 'test/unit/long-tests.test.ts');
  const sampled = files.filter((path) => [join(ROOT, path), ...importsOf(join(ROOT, path))].some(isSampled));
  const missing = sampled.filter((path) => !filters.split(' ').some((filter) => path.includes(filter)));
  expect([sampled.length > 20, missing]).toEqual([true, []]);
});
