/** `npm run docs` fills the generated blocks of every Markdown file from the code. A test compares them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BLOCKS } from './docs/blocks.ts';
import { fillBlocks } from './docs/fill.ts';

export const ROOT = join(import.meta.dirname, '..');

/** The Markdown files of the repository, the new ones too, as paths from its root. */
export const markdownFiles = (): readonly string[] => {
  const command = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  const files = execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  return files.filter((file) => existsSync(join(ROOT, file)));
};

if (import.meta.main) {
  for (const file of markdownFiles()) {
    const path = join(ROOT, file);
    const text = readFileSync(path, 'utf8');
    const filled = fillBlocks(text, BLOCKS);
    if (filled !== text) writeFileSync(path, filled);
  }
}
