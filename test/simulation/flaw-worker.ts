import { registerHooks } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Search, SourceFlaw } from './source-flaws.ts';

// A thread that loads the program with one changed rule, and searches for a history that detects the change.

const { flaw, search } = workerData as { readonly flaw: SourceFlaw; readonly search: Search };

let changed = 0;

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/src/${flaw.file}`)) return loaded;
    const source = new TextDecoder().decode(loaded.source as Uint8Array);
    const changes = flaw.also === undefined ? [flaw] : [flaw, flaw.also];
    if (changes.some(({ rule }) => source.split(rule).length !== 2))
      throw new Error(`A rule is not once in src/${flaw.file}.`);
    changed += 1;
    return {
      ...loaded,
      source: changes.reduce((text, { rule, instead }) => text.replace(rule, () => instead), source),
    };
  },
});

const { historyOf, violationOf } = await import('./simulate.ts');

const find = async (): Promise<number | null> => {
  const { first, runs, players, topic } = search;
  for (let seed = first; seed < first + runs; seed += 1) {
    if ((await violationOf(historyOf(seed, players, topic), {})) !== null) return seed;
  }
  return null;
};

const found = await find();
if (changed !== 1) throw new Error(`src/${flaw.file} was loaded ${changed} times.`);
parentPort?.postMessage(found, []);
