import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const RULES = Array.from({ length: 18 }, (_, index) => `R${index + 1}`);
const RULE_ID = /\bR\d+\b/gu;
const TITLE = /\b(?:it|test|describe)(?:\.\w+(?:\(.*\))?)*\(\s*(['"`])(?<title>.*?)\1/gu;

const textsOf = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));

const inOrder = (ids: Iterable<string>): readonly string[] =>
  [...new Set(ids)].toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)));

it('R1 to R18 each are in a SPEC.md and in the title of a test', () => {
  const specified = textsOf('src/**/SPEC.md').flatMap((text) => text.match(RULE_ID) ?? []);
  const titles = textsOf('test/**/*.ts').flatMap((text) =>
    [...text.matchAll(TITLE)].map(({ groups }) => groups?.title),
  );
  const tested = titles.flatMap((title) => title?.match(RULE_ID) ?? []);
  expect(inOrder(specified)).toEqual(RULES);
  expect(inOrder(tested)).toEqual(RULES);
});
