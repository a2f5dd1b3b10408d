import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { megabytes } from './table.ts';

const PATH = join(import.meta.dirname, 'results.md');
const HEAD = `# Benchmarks

\`npm run bench\` repeats all of this, \`npm run bench -- governor start\` these sections only; each says when and where it was measured.
`;

/** A section begins with a line that people do not see where the file is shown. */
const markOf = (name: string): string => `<!-- section: ${name} -->`;
const MARK = /^<!-- section: (?<name>[\w-]+) -->\n/mu;

/** The sections that the file holds, by name. */
const readSections = (): Map<string, string> => {
  const [, ...parts] = readFileSync(PATH, 'utf8').split(MARK);
  const sections = new Map<string, string>();
  for (let index = 0; index < parts.length; index += 2) {
    sections.set(parts[index] ?? '', (parts[index + 1] ?? '').trim());
  }
  return sections;
};

/** When, where and for how long a section was measured. */
export const circumstances = (durationMs: number): string => {
  const [cpu] = cpus();
  const machine = `${cpus().length} x ${cpu?.model ?? 'unknown'}, ${megabytes(totalmem())} memory, ${process.platform}`;
  const date = new Date().toISOString().slice(0, 10);
  return `Measured ${date} in ${(durationMs / 1_000).toFixed(0)} s on ${machine}, Node ${process.version}.`;
};

/** Puts the measured sections in the place of the earlier ones; the others stay as they are, all in the order of `names`. */
export const writeResults = (measured: ReadonlyMap<string, string>, names: readonly string[]): void => {
  const earlier = readSections();
  const blocks = names.flatMap((name) => {
    const text = measured.get(name) ?? earlier.get(name);
    return text === undefined ? [] : [`${markOf(name)}\n${text.trim()}\n`];
  });
  writeFileSync(PATH, [HEAD, ...blocks].join('\n'));
};
