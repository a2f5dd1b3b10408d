/** `npm run docs` fills the generated blocks of every Markdown file and writes the examples of the configuration. Tests compare them. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BLOCKS } from './docs/blocks.ts';
import { renderExampleEnv, renderExampleYaml } from './docs/examples.ts';
import { fillBlocks } from './docs/fill.ts';

export const ROOT = join(import.meta.dirname, '..');

/** The Markdown files of the repository, the new ones too, as paths from its root. */
export const markdownFiles = (): readonly string[] => {
  const command = ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'];
  const files = execFileSync('git', command, { cwd: ROOT, encoding: 'utf8' }).trim().split('\n');
  return files.filter((file) => existsSync(join(ROOT, file)));
};

/** The example files of the configuration, by their paths from the repository's root. */
export const EXAMPLES: Readonly<Record<string, () => string>> = {
  'config/example.env': renderExampleEnv,
  'config/example.yaml': renderExampleYaml,
};

if (import.meta.main) {
  for (const [file, render] of Object.entries(EXAMPLES)) writeFileSync(join(ROOT, file), render());
  for (const file of markdownFiles()) {
    const path = join(ROOT, file);
    const text = readFileSync(path, 'utf8');
    const filled = fillBlocks(text, BLOCKS);
    if (filled !== text) writeFileSync(path, filled);
  }
}
