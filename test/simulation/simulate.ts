import fc from 'fast-check';
import { parseArgs } from 'node:util';
import { MEMORY_PROVIDERS, type ProviderName } from '../support/memory/providers.ts';
import { DEFAULT_PLAYERS, historyArbitrary, type History, type Players } from './history.ts';
import { hardHistoryArbitrary, topicNamed, topicOf, type Topic } from './hard-history.ts';
import { noCounts, runHistory, type Counts } from './run-history.ts';
import type { Flaws } from './world.ts';

/** The history of a seed. */
export const historyOf = (seed: number, players: Players = DEFAULT_PLAYERS): History => {
  const [history] = fc.sample(historyArbitrary(players), { seed, numRuns: 1, unbiased: true });
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

const commandOf = (seed: number, { left, right }: Players, topic: Topic | null): string => {
  const hard = topic === null ? '' : ` --hard --topic ${topic}`;
  return `npm run simulate -- --left ${left} --right ${right}${hard} --runs 1 --seed ${seed}`;
};

/** Plays the history of one seed, a hard one about a topic where one is given; answers the report of its violation, shrunk, or null. */
export const playSeed = async (
  seed: number,
  players: Players,
  counts: Counts,
  topic: Topic | null = null,
  shrinks = true,
): Promise<string | null> => {
  const arbitrary = topic === null ? historyArbitrary(players) : hardHistoryArbitrary(players, topic);
  const property = fc.asyncProperty(arbitrary, async (history) => {
    await runHistory(history, counts);
  });
  const limits = { numRuns: 1, unbiased: true, endOnFailure: !shrinks, interruptAfterTimeLimit: 20_000 };
  const details = await fc.check(property, { seed, ...limits });
  if (!details.failed) return null;
  const error = details.errorInstance instanceof Error ? details.errorInstance : null;
  return [
    `seed ${seed}: ${commandOf(seed, players, topic)}`,
    JSON.stringify(details.counterexample?.[0]),
    error?.name === 'ViolationError' ? error.message : (error?.stack ?? String(details.errorInstance)),
  ].join('\n');
};

/** The counts of what was injected, in one line. */
export const formatCounts = (counts: Counts): string => {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
};

const providerNamed = (name: string): ProviderName => {
  if (name === 'google' || name === 'service') return name;
  throw new Error(`There is no provider ${name}. Known are ${Object.keys(MEMORY_PROVIDERS).join(', ')}.`);
};

const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      left: { type: 'string', default: DEFAULT_PLAYERS.left },
      right: { type: 'string', default: DEFAULT_PLAYERS.right },
      hard: { type: 'boolean', default: false },
      topic: { type: 'string' },
      brief: { type: 'boolean', default: false },
    },
  });
  const asked = values.topic === undefined ? null : topicNamed(values.topic);
  const topicFor = (seed: number): Topic | null => (values.hard ? (asked ?? topicOf(seed)) : null);
  const players: Players = { left: providerNamed(values.left), right: providerNamed(values.right) };
  const [runs, first] = [Number(values.runs), Number(values.seed)];
  const counts = noCounts();
  let failures = 0;
  const startedAtMs = performance.now();
  for (let seed = first; seed < first + runs; seed += 1) {
    const report = await playSeed(seed, players, counts, topicFor(seed), !values.brief);
    if (report === null) continue;
    failures += 1;
    process.stdout.write(`${report}\n\n`);
  }
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  process.stdout.write(`${runs} histories from seed ${first} in ${seconds} s: ${formatCounts(counts)}\n`);
  process.stdout.write(`${failures} violations\n`);
  process.exitCode = failures === 0 ? 0 : 1;
};

if (import.meta.main) await main();
