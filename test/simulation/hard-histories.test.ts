import { describe, expect, it } from 'vitest';
import { reportExtent, sampled } from '../support/extent.ts';
import { TOPICS } from './hard-history.ts';
import { DEFAULT_PLAYERS } from './history.ts';
import { GOOGLE_CARDDAV } from './scenario.ts';
import { noCounts } from './run-history.ts';
import { formatCounts, playSeed } from './simulate.ts';

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

/** The number of seeds of each topic between Google and an address book. */
const CARDDAV_SEEDS = 60;

/** `npm test` plays one of this many seeds. */
const SAMPLE_EACH = 100;

describe('R1-R18: hard histories come to rest without a lost, duplicated, resurrected or reverted contact', () => {
  const played = [DEFAULT_PLAYERS, GOOGLE_CARDDAV].flatMap((players) => TOPICS.map((topic) => ({ topic, ...players })));
  it.each(played)('in histories about $topic between $left and $right', async ({ topic, ...players }) => {
    const counts = noCounts();
    const own = players.right === 'carddav' ? SEEDS.slice(0, CARDDAV_SEEDS) : SEEDS;
    const seeds = sampled(own, SAMPLE_EACH);
    for (const seed of seeds) {
      const report = await playSeed(seed, players, counts, topic);
      if (report !== null) expect.fail(report);
    }
    reportExtent(
      `${seeds.length} hard histories of ${players.left} and ${players.right} about ${topic}: ${formatCounts(counts)}`,
    );
    expect(Math.min(counts.edits, counts.writes)).toBeGreaterThan(0);
  });
});
