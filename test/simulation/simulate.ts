import fc from 'fast-check';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { MEMORY_PROVIDERS, type ProviderName } from '../support/memory/providers.ts';
import { findPostgres } from '../support/postgres.ts';
import { DEFAULT_PLAYERS, historyArbitrary, type History, type Players } from './history.ts';
import { hardHistoryArbitrary, topicNamed, topicOf, type Topic } from './hard-history.ts';
import { noCounts, runHistory, type Counts } from './run-history.ts';
import type { Flaws } from './world.ts';

const arbitraryOf = (players: Players, topic: Topic | null): fc.Arbitrary<History> =>
  topic === null ? historyArbitrary(players) : hardHistoryArbitrary(players, topic);

/** The history of a seed, a hard one about a topic where one is given. */
export const historyOf = (seed: number, players: Players = DEFAULT_PLAYERS, topic: Topic | null = null): History => {
  const [history] = fc.sample(arbitraryOf(players, topic), { seed, numRuns: 1, unbiased: true });
  if (history === undefined) throw new Error(`The seed ${seed} gives no history.`);
  return history;
};

const errorOf = async (history: History, counts: Counts, flaws: Flaws = {}): Promise<Error | null> => {
  try {
    await runHistory(history, counts, flaws);
    return null;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
};

/** The rule that a history breaks, as text; null where it breaks none. */
export const violationOf = async (history: History, flaws: Flaws): Promise<string | null> =>
  (await errorOf(history, noCounts(), flaws))?.message ?? null;

const commandOf = (seed: number, { left, right }: Players, topic: Topic | null): string => {
  const hard = topic === null ? '' : ` --hard --topic ${topic}`;
  return `npm run simulate -- --left ${left} --right ${right}${hard} --runs 1 --seed ${seed}`;
};

/** The smallest history found within 20 seconds that breaks a rule like the history of the seed. */
const shrink = async (seed: number, players: Players, topic: Topic | null): Promise<History | null> => {
  const property = fc.asyncProperty(arbitraryOf(players, topic), (history) => runHistory(history).then(() => {}));
  const limits = { numRuns: 1, unbiased: true, interruptAfterTimeLimit: 20_000 };
  const { counterexample } = await fc.check(property, { seed, ...limits });
  return counterexample?.[0] ?? null;
};

/** Plays the history of one seed, a hard one where a topic is given. Returns the shrunk report of a violation, or null. */
export const playSeed = async (
  seed: number,
  players: Players,
  counts: Counts,
  topic: Topic | null = null,
  shrinks = true,
): Promise<string | null> => {
  const history = historyOf(seed, players, topic);
  const error = await errorOf(history, counts);
  if (error === null) return null;
  const shrunk = shrinks ? await shrink(seed, players, topic) : null;
  const smallest = shrunk === null ? null : await errorOf(shrunk, noCounts());
  const shown = smallest ?? error;
  return [
    `seed ${seed}: ${commandOf(seed, players, topic)}`,
    JSON.stringify(smallest === null ? history : shrunk),
    shown.name === 'ViolationError' ? shown.message : (shown.stack ?? shown.message),
  ].join('\n');
};

/** The counts of injected events, in one line. */
export const formatCounts = (counts: Counts): string => {
  return Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
};

/** A range of seeds, the providers and the topic: null for plain histories, `all` for the topics in turn. */
export type Task = {
  readonly first: number;
  readonly runs: number;
  readonly players: Players;
  readonly topic: Topic | 'all' | null;
  readonly shrinks: boolean;
};

/** The results of the histories about one topic. */
type Played = { histories: number; violations: number; readonly counts: Counts };
/** The results by topic, and the reports of violations. */
export type Results = { readonly played: Map<string, Played>; readonly reports: string[] };

const noResults = (): Results => ({ played: new Map(), reports: [] });

const playedAbout = ({ played }: Results, topic: string): Played => {
  const own = played.get(topic) ?? { histories: 0, violations: 0, counts: noCounts() };
  played.set(topic, own);
  return own;
};

/** Plays the seeds of a task. */
export const playTask = async ({ first, runs, players, topic, shrinks }: Task): Promise<Results> => {
  const results = noResults();
  for (let seed = first; seed < first + runs; seed += 1) {
    const about = topic === 'all' ? topicOf(seed) : topic;
    const own = playedAbout(results, about ?? 'plain');
    const report = await playSeed(seed, players, own.counts, about, shrinks);
    own.histories += 1;
    if (report === null) continue;
    own.violations += 1;
    results.reports.push(report);
  }
  return results;
};

const addCounts = (sum: Counts, more: Counts): void => {
  for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += more[name];
};

/** Adds the results of a task to the sum, and prints its reports. */
const take = (sum: Results, results: Results): void => {
  for (const [topic, { histories, violations, counts }] of results.played) {
    const own = playedAbout(sum, topic);
    own.histories += histories;
    own.violations += violations;
    addCounts(own.counts, counts);
  }
  for (const report of results.reports) process.stdout.write(`${report}\n\n`);
  sum.reports.push(...results.reports);
};

const SEEDS_EACH = 50;
const PROGRESS_EACH = 1_000;

const histories = ({ played }: Results): number =>
  [...played.values()].reduce((sum, { histories: own }) => sum + own, 0);

/** Plays a task in several threads, 50 seeds at a time. */
const playInThreads = async (task: Task, threads: number): Promise<Results> => {
  const sum = noResults();
  let next = task.first;
  const end = task.first + task.runs;
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL('simulate-worker.ts', import.meta.url));
    while (next < end) {
      const part: Task = { ...task, first: next, runs: Math.min(SEEDS_EACH, end - next) };
      next += part.runs;
      const answered = once(worker, 'message');
      worker.postMessage(part, []);
      const [results] = (await answered) as [Results];
      const before = histories(sum);
      take(sum, results);
      const done = histories(sum);
      if (Math.floor(done / PROGRESS_EACH) === Math.floor(before / PROGRESS_EACH)) continue;
      process.stderr.write(`${done} of ${task.runs} histories, ${sum.reports.length} violations\n`);
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: threads }, work));
  return sum;
};

const providerNamed = (name: string): ProviderName => {
  if (name === 'google' || name === 'service' || name === 'carddav') return name;
  throw new Error(`There is no provider ${name}. Known are ${Object.keys(MEMORY_PROVIDERS).join(', ')}.`);
};

const readTask = (): { readonly task: Task; readonly threads: number; readonly store: string } => {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      left: { type: 'string', default: DEFAULT_PLAYERS.left },
      right: { type: 'string', default: DEFAULT_PLAYERS.right },
      hard: { type: 'boolean', default: false },
      topic: { type: 'string' },
      brief: { type: 'boolean', default: false },
      store: { type: 'string', default: 'sqlite' },
      threads: { type: 'string', default: String(availableParallelism()) },
    },
  });
  const about = values.topic === undefined ? 'all' : topicNamed(values.topic);
  const task: Task = {
    first: Number(values.seed),
    runs: Number(values.runs),
    players: { left: providerNamed(values.left), right: providerNamed(values.right) },
    topic: values.hard ? about : null,
    shrinks: !values.brief,
  };
  const threads = Math.min(Number(values.threads), Math.ceil(task.runs / SEEDS_EACH));
  return { task, threads, store: values.store };
};

const main = async (): Promise<void> => {
  const { task, threads, store } = readTask();
  if (store !== 'sqlite' && store !== 'postgres') throw new Error('--store is sqlite or postgres.');
  const postgres = store === 'postgres' ? await findPostgres() : null;
  if (store === 'postgres' && postgres === null) throw new Error('There is no PostgreSQL to play on.');
  if (postgres !== null) process.env['SIMULATION_DATABASE'] = await postgres.createDatabase();
  const startedAtMs = performance.now();
  const { played, reports } = await playInThreads(task, threads);
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  const total = noCounts();
  for (const [topic, { histories: own, violations, counts }] of played) {
    addCounts(total, counts);
    const line = `${topic}: ${own} histories, ${violations} violations, ${formatCounts(counts)}`;
    if (played.size > 1) process.stdout.write(`${line}\n`);
  }
  process.stdout.write(`${task.runs} histories from seed ${task.first} in ${seconds} s: ${formatCounts(total)}\n`);
  process.stdout.write(`${reports.length} violations\n`);
  await postgres?.close();
  process.exitCode = reports.length === 0 ? 0 : 1;
};

if (import.meta.main) await main();
