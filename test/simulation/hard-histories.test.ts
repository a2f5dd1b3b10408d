import { describe, expect, it } from 'vitest';
import { reportExtent, sampled } from '../support/extent.ts';
import { TOPICS } from './hard-history.ts';
import { DEFAULT_PLAYERS } from './history.ts';
import { noCounts } from './run-history.ts';
import { formatCounts, playSeed } from './simulate.ts';

const SEEDS = Array.from({ length: 200 }, (_, index) => index + 1);

/** `npm test` plays one of this many seeds. */
const SAMPLE_EACH = 100;

describe('R1-R18: hard histories come to rest without a lost, duplicated, resurrected or reverted contact', () => {
  it.each(TOPICS)('in histories about %s', async (topic) => {
    const counts = noCounts();
    const seeds = sampled(SEEDS, SAMPLE_EACH);
    for (const seed of seeds) {
      const report = await playSeed(seed, DEFAULT_PLAYERS, counts, topic);
      if (report !== null) expect.fail(report);
    }
    reportExtent(`${seeds.length} hard histories about ${topic}: ${formatCounts(counts)}`);
    expect(Math.min(counts.edits, counts.writes)).toBeGreaterThan(0);
  });
});
