import { describe, expect, it } from 'vitest';
import { reportExtent, sampled } from '../support/extent.ts';
import type { Players } from './history.ts';
import { noCounts } from './run-history.ts';
import { formatCounts, playSeed } from './simulate.ts';

const HISTORIES = 2_000;

/** `npm test` plays one of this many seeds. */
const SAMPLE_EACH = 40;

/** This many histories contain at least one crash, fault and conflict. */
const DRAWS_ALL = 40;

/** A store other than SQLite in memory. */
type On = { readonly store: string; readonly histories: number };

/** The first seed: 1, or `SIMULATION_SEED`, which may be `random`. */
const firstSeed = (): number => {
  const given = process.env['SIMULATION_SEED'] ?? '1';
  return given === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(given);
};

/** Plays random histories between two providers. */
export const describeHistories = (players: Players, on: On | null = null): void => {
  const title = `${players.left} and ${players.right}${on === null ? '' : ` on ${on.store}`}`;
  const histories = on?.histories ?? HISTORIES;
  describe(`R1-R15: random histories of edits, faults and crashes between ${title}`, () => {
    it('come to rest with equal sides and without a lost, duplicated or resurrected contact', async () => {
      const counts = noCounts();
      const first = firstSeed();
      const range = Array.from({ length: histories }, (_, index) => first + index);
      const seeds = sampled(range, SAMPLE_EACH);
      for (const seed of seeds) {
        const report = await playSeed(seed, players, counts);
        if (report !== null) expect.fail(report);
      }
      reportExtent(`${seeds.length} histories of ${title} from seed ${first}: ${formatCounts(counts)}`);
      if (seeds.length < DRAWS_ALL) return;
      expect(Math.min(counts.edits, counts.crashes, counts.faults, counts.conflicts)).toBeGreaterThan(0);
    });
  });
};
