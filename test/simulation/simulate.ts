import fc from 'fast-check';
import { parseArgs } from 'node:util';
import { historyArbitrary, type History } from './history.ts';
import { noCounts, runHistory, type Counts } from './run-history.ts';
import type { Flaws } from './world.ts';

/** The history of a seed. */
export const historyOf = (seed: number): History => {
  const [history] = fc.sample(historyArbitrary, { seed, numRuns: 1, unbiased: true });
  if (history === undefined) throw new Error(`The seed ${seed} gives no history.`);
  return history;
};

/** What the history broke, in words; null where it broke nothing. */
export const violationOf = async (history: History, flaws: Flaws): Promise<string | null> => {
  try {
    await runHistory(history, noCounts(), flaws);
    return null;
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
};

/** Plays the history of one seed; answers the report of its violation, shrunk, or null. */
export const playSeed = async (seed: number, counts: Counts): Promise<string | null> => {
  const property = fc.asyncProperty(historyArbitrary, async (history) => {
    await runHistory(history, counts);
  });
  const details = await fc.check(property, { seed, numRuns: 1, unbiased: true, interruptAfterTimeLimit: 20_000 });
  if (!details.failed) return null;
  const error = details.errorInstance instanceof Error ? details.errorInstance : null;
  return [
    `seed ${seed}: npm run simulate -- --runs 1 --seed ${seed}`,
    JSON.stringify(details.counterexample?.[0]),
    error?.name === 'ViolationError' ? error.message : (error?.stack ?? String(details.errorInstance)),
  ].join('\n');
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
  });
  const [runs, first] = [Number(values.runs), Number(values.seed)];
  const counts = noCounts();
  let failures = 0;
  const startedAtMs = performance.now();
  for (let seed = first; seed < first + runs; seed += 1) {
    const report = await playSeed(seed, counts);
    if (report === null) continue;
    failures += 1;
    process.stdout.write(`${report}\n\n`);
  }
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const told = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  process.stdout.write(`${runs} histories from seed ${first} in ${seconds} s: ${told.join(', ')}\n`);
  process.stdout.write(`${failures} violations\n`);
  process.exitCode = failures === 0 ? 0 : 1;
};

if (import.meta.main) await main();
