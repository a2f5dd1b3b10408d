import { describe, expect, it } from 'vitest';
import { extentOf } from '../support/extent.ts';
import { FLAWS } from './flaws.ts';
import type { Topic } from './hard-history.ts';
import { DEFAULT_PLAYERS, type Players } from './history.ts';
import { searchFlaw } from './search-flaw.ts';
import { historyOf, violationOf } from './simulate.ts';
import { SOURCE_FLAWS } from './source-flaws.ts';

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

/** The seed of a history that shows a changed rule. */
const RULE_SHOWN_AT: Readonly<Record<string, number>> = {
  'tags that differ in their signs are one': 2,
  'one user name at two networks is one messenger': 2,
  'one name of two types is one relation': 1,
  'groups whose names differ in their signs are one': 6,
  'another organization takes the place of one that was cleared': 4,
  'groups whose names swap are renamed without a temporary name': 8,
  'first names agree where one begins with the other': 1,
  'the card of a company is paired with a person': 3,
  'a successor replaces a deleted contact whatever its name': 5,
  'a possible match is not reported': 16,
  'a title is part of the name': 1,
  'a suffix does not distinguish two people': 34,
  'a name without spaces is divided twice': 4,
  'a name without spaces is one word': 4,
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

describe('the simulation notices when the program is changed so that', () => {
  it.each(Object.entries(SOURCE_FLAWS))('%s', async (name, flaw) => {
    const first = extentOf({ all: 1, sample: RULE_SHOWN_AT[name] ?? 1 });
    const search = { first, runs: 500, players: DEFAULT_PLAYERS, topic: flaw.topic };
    expect(await searchFlaw(flaw, search)).not.toBeNull();
  });
});
