/**
 * The benchmark suite: `npm run bench`, or `npm run bench -- governor start` for some sections only. It prints tables and
 * writes them to results.md. Sections that did not run stay unchanged.
 */
import { parseArgs } from 'node:util';
import { benchEngine } from './engine-cost.ts';
import { benchFreshness } from './freshness.ts';
import { benchCarddav } from './carddav.ts';
import { benchGovernor } from './governor-virtual.ts';
import { benchMatching } from './matching.ts';
import { benchRequests } from './requests.ts';
import { benchPage } from './page.ts';
import { circumstances, writeResults } from './results.ts';
import { benchStart } from './start.ts';
import { printTable, type Table } from './table.ts';

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    // For the section carddav.
    contacts: { type: 'string', default: '25000' },
  },
});

const SECTIONS: Readonly<Record<string, () => Promise<readonly Table[]>>> = {
  governor: () => benchGovernor(60),
  requests: async () => [await benchRequests(10_000)],
  engine: () => benchEngine(25_000),
  carddav: async () => [await benchCarddav(Number(values.contacts))],
  start: async () => [await benchStart()],
  page: async () => [await benchPage(25_000)],
  freshness: async () => [await benchFreshness()],
  matching: () => Promise.resolve([benchMatching(5_000)]),
};
const NAMES = Object.keys(SECTIONS);
/** Sections whose figures do not depend on the load of the machine. */
const TOGETHER = ['governor', 'requests', 'freshness'];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const unknown = asked.filter((name) => !NAMES.includes(name));
if (unknown.length > 0) throw new Error(`No such section: ${unknown.join(', ')}. There are ${NAMES.join(', ')}.`);
const names = NAMES.filter((name) => asked.length === 0 || asked.includes(name));
const startedAtMs = performance.now();
const measured = new Map<string, string>();

const perform = async (name: string): Promise<void> => {
  const beganAtMs = performance.now();
  const tables = ((await SECTIONS[name]?.()) ?? []).map(printTable);
  const text = [...tables, `${circumstances(performance.now() - beganAtMs)}\n`].join('\n');
  say(text);
  measured.set(name, text);
};

await Promise.all(names.filter((name) => TOGETHER.includes(name)).map(perform));
for (const name of names.filter((one) => !TOGETHER.includes(one))) await perform(name);

writeResults(measured, NAMES);
say(`${((performance.now() - startedAtMs) / 60_000).toFixed(1)} minutes`);
process.exit(0);
