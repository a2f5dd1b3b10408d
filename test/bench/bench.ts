/**
 * The benchmark suite: `npm run bench`, or `npm run bench -- governor start` for some sections only. Prints tables;
 * when all sections ran, writes them to results.md.
 */
import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { benchEngine } from './engine-cost.ts';
import { benchRealTime } from './governor-real.ts';
import { benchGovernor } from './governor-virtual.ts';
import { benchLinks } from './links.ts';
import { benchRequests } from './requests.ts';
import { benchStart } from './start.ts';
import { megabytes, printTable, type Table } from './table.ts';

const SECTIONS: Readonly<Record<string, () => Promise<readonly Table[]>>> = {
  governor: () => benchGovernor(60),
  'real-time': async () => [await benchRealTime(3)],
  requests: async () => [await benchRequests(10_000)],
  engine: () => benchEngine(25_000),
  links: async () => [await benchLinks(1_000)],
  start: async () => [await benchStart()],
};
/** Their figures do not depend on how busy the machine is. */
const TOGETHER = ['governor', 'real-time', 'requests'];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const asked = process.argv.slice(2);
const names = Object.keys(SECTIONS).filter((name) => asked.length === 0 || asked.includes(name));
const startedAtMs = performance.now();

const perform = async (name: string): Promise<readonly string[]> => {
  const beganAtMs = performance.now();
  const printed = ((await SECTIONS[name]?.()) ?? []).map(printTable);
  for (const table of printed) say(table);
  say(`(${name}: ${((performance.now() - beganAtMs) / 1_000).toFixed(0)} s)\n`);
  return printed;
};

const sections = await Promise.all(names.filter((name) => TOGETHER.includes(name)).map(perform));
for (const name of names.filter((one) => !TOGETHER.includes(one))) sections.push(await perform(name));

const minutes = ((performance.now() - startedAtMs) / 60_000).toFixed(1);
const [cpu] = cpus();
const machine = `${cpus().length} x ${cpu?.model ?? 'unknown'}, ${megabytes(totalmem())} memory, ${process.platform}, Node ${process.version}`;
const head = `# Benchmarks

${new Date().toISOString().slice(0, 10)}; ${machine}. \`npm run bench\` repeats it, in ${minutes} minutes here, and writes this file.
`;
if (names.length === Object.keys(SECTIONS).length) {
  writeFileSync(join(import.meta.dirname, 'results.md'), [head, ...sections.flat()].join('\n'));
}
say(`${minutes} minutes`);
process.exit(0);
