import { describe, expect, it } from 'vitest';
import { TOPICS } from './hard-history.ts';
import { DEFAULT_PLAYERS } from './history.ts';
import { noCounts } from './run-history.ts';
import { formatCounts, playSeed } from './simulate.ts';

const HISTORIES = 200;

describe('R1-R18: hard histories come to rest with nothing lost, doubled, resurrected or turned around', () => {
  it.each(TOPICS)('%s', { timeout: 300_000 }, async (topic) => {
    const counts = noCounts();
    for (let seed = 1; seed <= HISTORIES; seed += 1) {
      const report = await playSeed(seed, DEFAULT_PLAYERS, counts, topic);
      if (report !== null) expect.fail(report);
    }
    process.stdout.write(`${HISTORIES} hard histories about ${topic}: ${formatCounts(counts)}\n`);
    expect(Math.min(counts.edits, counts.writes)).toBeGreaterThan(0);
  });
});
