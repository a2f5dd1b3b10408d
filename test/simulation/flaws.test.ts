import { describe, expect, it } from 'vitest';
import { extentOf } from '../support/extent.ts';
import { FLAWS } from './flaws.ts';
import type { Topic } from './hard-history.ts';
import { DEFAULT_PLAYERS, type Players } from './history.ts';
import { historyOf, violationOf } from './simulate.ts';

/** The seed of a history that shows the flaw. `npm test` searches from there on. */
const SHOWN_AT: Readonly<Record<string, number>> = {
  'writes are not journaled': 87,
  'the cursor is stored before the contacts': 280,
  'a side is compared with the base of the other': 6,
  'unmapped data is not kept': 10,
  'a row is known whatever it says': 9,
  'deletions are ignored': 1,
  'a deletion counts at both sides': 8,
  'what a listing misses counts as deleted': 31,
  'what was destroyed a moment ago is forgotten': 110,
  'what was shown a moment ago is forgotten': 108,
  'conflicts are not recorded': 10,
  'half-done contacts are forgotten': 269,
  'what a side does not take is forgotten': 1,
  'a stale write is taken': 1314,
  'pairs that are asleep are taken for linked': 8,
  'what was edited when a pair fell asleep counts as agreed on': 91,
};

/** The first seed of the search in a complete run, for flaws that show rarely. */
const FIRST_SEEDS: Readonly<Record<string, number>> = {
  'half-done contacts are forgotten': 260,
  'a stale write is taken': 1030,
  'what was destroyed a moment ago is forgotten': 110,
};

/** The hard histories in which a flaw shows, where it shows in no plain one. */
const TOPICS: Readonly<Record<string, Topic>> = {
  'what was destroyed a moment ago is forgotten': 'one-way',
  'pairs that are asleep are taken for linked': 'selection',
  'what was edited when a pair fell asleep counts as agreed on': 'selection',
};

/** Between whom a flaw shows, where it does not show between any two: two accounts of one provider share ids. */
const PLAYERS: Readonly<Record<string, Players>> = {
  'a deletion counts at both sides': { left: 'google', right: 'google' },
};

describe('the simulation notices when', () => {
  it.each(Object.entries(FLAWS))('%s', async (name, flaws) => {
    const firstSeed = extentOf({ all: FIRST_SEEDS[name] ?? 1, sample: SHOWN_AT[name] ?? 1 });
    const players = PLAYERS[name] ?? DEFAULT_PLAYERS;
    let broken: string | null = null;
    for (let seed = firstSeed; seed < firstSeed + 500 && broken === null; seed += 1)
      broken = await violationOf(historyOf(seed, players, TOPICS[name]), flaws);
    expect(broken).not.toBeNull();
  });
});
