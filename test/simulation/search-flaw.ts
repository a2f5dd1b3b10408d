import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Players } from './history.ts';
import type { Topic } from './hard-history.ts';
import type { SourceFlaw } from './source-flaws.ts';

/** Which histories are played with a flaw. */
export type Search = {
  readonly first: number;
  readonly runs: number;
  readonly players: Players;
  readonly topic: Topic;
};

/** Plays histories with one rule of the program changed; returns the first seed that breaks a rule, or null. */
export const searchFlaw = async (flaw: SourceFlaw, search: Search): Promise<number | null> => {
  const worker = new Worker(new URL('flaw-worker.ts', import.meta.url), { workerData: { flaw, search } });
  const [seed] = (await once(worker, 'message')) as [number | null];
  await worker.terminate();
  return seed;
};
