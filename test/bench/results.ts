import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { megabytes } from './table.ts';

const PATH = join(import.meta.dirname, 'results.md');
const HEAD = `# Benchmarks

\`npm run bench\` repeats all of this, \`npm run bench -- governor start\` these sections only; each says when and where it was measured.
`;

/** Returns the first line of a section, which is invisible in the rendered file. */
const markOf = (name: string): string => `<!-- section: ${name} -->`;
const MARK = /^<!-- section: (?<name>[\w-]+) -->\n/mu;

/** Returns the sections of the file, by name. */
const readSections = (): Map<string, string> => {
  const [, ...parts] = readFileSync(PATH, 'utf8').split(MARK);
  const sections = new Map<string, string>();
  for (let index = 0; index < parts.length; index += 2) {
    sections.set(parts[index] ?? '', (parts[index + 1] ?? '').trim());
  }
  return sections;
};

/** Returns the date, the machine and the duration of a section's measurement. */
export const circumstances = (durationMs: number): string => {
  const [cpu] = cpus();
  const machine = `${cpus().length} x ${cpu?.model ?? 'unknown'}, ${megabytes(totalmem())} memory, ${process.platform}`;
  const date = new Date().toISOString().slice(0, 10);
  return `Measured ${date} in ${(durationMs / 1_000).toFixed(0)} s on ${machine}, Node ${process.version}.`;
};

/** Replaces the measured sections in the file. The others stay unchanged. All are in the order of `names`. */
export const writeResults = (measured: ReadonlyMap<string, string>, names: readonly string[]): void => {
  const earlier = readSections();
  const blocks = names.flatMap((name) => {
    const text = measured.get(name) ?? earlier.get(name);
    return text === undefined ? [] : [`${markOf(name)}\n${text.trim()}\n`];
  });
  writeFileSync(PATH, [HEAD, ...blocks].join('\n'));
};
