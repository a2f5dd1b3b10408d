import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { markdownFiles, ROOT } from '../../../config/docs.ts';
import { BLOCKS } from '../../../config/docs/blocks.ts';
import { blockNamesOf, fillBlocks } from '../../../config/docs/fill.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const FILES = markdownFiles().filter((file) => blockNamesOf(read(file)).length > 0);

test.each(FILES)('the generated blocks of %s are current (npm run docs writes them)', (file) => {
  expect(read(file)).toBe(fillBlocks(read(file), BLOCKS));
});

test('each generated block is in exactly one Markdown file', () => {
  expect(FILES.flatMap((file) => blockNamesOf(read(file))).sort()).toEqual(Object.keys(BLOCKS).sort());
});
