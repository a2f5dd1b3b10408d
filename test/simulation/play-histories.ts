import { describe, expect, it } from 'vitest';
import type { Players } from './history.ts';
import { noCounts } from './run-history.ts';
import { formatCounts, playSeed } from './simulate.ts';

const HISTORIES = 2_000;

/** Where another store than SQLite in memory is played on. */
type On = { readonly store: string; readonly histories: number };

/** The first seed: 1, unless `SIMULATION_SEED` names another one or says `random`. */
const firstSeed = (): number => {
  const given = process.env['SIMULATION_SEED'] ?? '1';
  return given === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(given);
};

/** Plays random histories between two providers. */
export const describeHistories = (players: Players, on: On | null = null): void => {
  const title = `${players.left} and ${players.right}${on === null ? '' : ` on ${on.store}`}`;
  const histories = on?.histories ?? HISTORIES;
  describe(`R1-R15: random histories of edits, faults and crashes between ${title}`, () => {
    it(
      'come to rest with both sides equal and nothing lost, doubled or resurrected',
      { timeout: 300_000 },
      async () => {
        const counts = noCounts();
        const first = firstSeed();
        for (let seed = first; seed < first + histories; seed += 1) {
          const report = await playSeed(seed, players, counts);
          if (report !== null) expect.fail(report);
        }
        process.stdout.write(`${histories} histories of ${title} from seed ${first}: ${formatCounts(counts)}\n`);
        expect(Math.min(counts.edits, counts.crashes, counts.faults, counts.conflicts)).toBeGreaterThan(0);
      },
    );
  });
};
