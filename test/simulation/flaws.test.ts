import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { extentOf } from '../support/extent.ts';
import { FLAWS } from './flaws.ts';
import type { Topic } from './hard-history.ts';
import { DEFAULT_PLAYERS, type Players } from './history.ts';
import { GOOGLE_CARDDAV, TWO_GOOGLES } from './scenario.ts';
import { historyOf, violationOf } from './simulate.ts';
import { SOURCE_FLAWS, type Search, type SourceFlaw } from './source-flaws.ts';

/** The search for a history that detects a flaw. */
type FlawSearch = {
  /** The seed of a history that detects the flaw. `npm test` starts its search there. */
  readonly seed: number;
  /** The first seed in a complete run, if not 1: for flaws that few histories detect. */
  readonly firstSeed?: number;
  /** The topic of hard histories that detect the flaw, where no plain history does. */
  readonly topic?: Topic;
  readonly players?: Players;
};

const SEARCHES: Readonly<Record<string, FlawSearch>> = {
  'writes are not journaled': { seed: 281 },
  'the cursor is stored before the contacts': { seed: 1482, firstSeed: 1200 },
  'a side is compared with the base of the other': { seed: 6 },
  'unmapped data is not kept': { seed: 10 },
  'a row counts as known with any content': { seed: 9 },
  'deletions are ignored': { seed: 1 },
  'a deletion counts at both sides': { seed: 8, players: TWO_GOOGLES },
  'a contact that a listing misses counts as deleted': { seed: 66 },
  'recent deletions are not read from the journal': { seed: 110, firstSeed: 110, topic: 'one-way' },
  'conflicts are not recorded': { seed: 10 },
  'a partly written pair counts as settled': { seed: 310, firstSeed: 260 },
  'values that a side declined are not stored': { seed: 184 },
  'a write with a stale version is accepted': { seed: 1314, firstSeed: 1030 },
  'a pair that is unlinked is not remembered': { seed: 71, topic: 'selection' },
  'the answer to a write has the values that were sent': { seed: 184, players: GOOGLE_CARDDAV },
  'a new contact that its side stores under another id is not found by its origin': {
    seed: 1,
    topic: 'renamed-cards',
    players: GOOGLE_CARDDAV,
  },
  'a deletion that a feed names is not confirmed by a read': { seed: 3, topic: 'odd-feed', players: GOOGLE_CARDDAV },
};

/** Plays histories with one changed rule of the program. Returns the first seed that detects the change, or null. */
const searchFlaw = async (flaw: SourceFlaw, search: Search): Promise<number | null> => {
  const worker = new Worker(new URL('flaw-worker.ts', import.meta.url), { workerData: { flaw, search } });
  const [seed] = (await once(worker, 'message')) as [number | null];
  await worker.terminate();
  return seed;
};

test('each flaw has a search', () => {
  expect(Object.keys(SEARCHES)).toEqual(Object.keys(FLAWS));
});

test.each(Object.entries(FLAWS))('the simulation detects that %s', async (name, flaws) => {
  const { seed: sample = 1, firstSeed = 1, topic, players = DEFAULT_PLAYERS } = SEARCHES[name] ?? {};
  const first = extentOf({ all: firstSeed, sample });
  let broken: string | null = null;
  for (let seed = first; seed < first + 500 && broken === null; seed += 1)
    broken = await violationOf(historyOf(seed, players, topic), flaws);
  expect(broken).not.toBeNull();
});

test.each(Object.entries(SOURCE_FLAWS))('the simulation detects a changed rule: %s', async (_, flaw) => {
  const first = extentOf({ all: flaw.firstSeed ?? 1, sample: flaw.seed });
  const search = { first, runs: 500, players: flaw.players ?? DEFAULT_PLAYERS, topic: flaw.topic };
  expect(await searchFlaw(flaw, search)).not.toBeNull();
});
