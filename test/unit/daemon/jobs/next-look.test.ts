import { NO_ACTIVITY, type Activity } from '../../../../src/core/state/rows.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  pollDelayMs,
  LONGEST_POLL_DELAY_MS,
  SHORTEST_POLL_DELAY_MS,
  stretchOf,
  type SharedLimit,
} from '../../../../src/daemon/jobs/polling.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Noon in UTC. */
const NOON_MS = 480_012 * HOUR_MS;

/** Returns the activity of a link that changed last at noon, with changes on `days` days in each hour. */
const changed = (days = 0): Activity => ({ lastChangeAtMs: NOON_MS, hours: Array.from({ length: 24 }, () => days) });

test.each([
  [0, 10 * SECOND_MS],
  [119 * SECOND_MS, 10 * SECOND_MS],
  [120 * SECOND_MS, 10 * SECOND_MS],
  [4 * MINUTE_MS, 20 * SECOND_MS],
  [12 * MINUTE_MS, MINUTE_MS],
  [30 * MINUTE_MS, 150 * SECOND_MS],
  [60 * MINUTE_MS, 5 * MINUTE_MS],
  [HOUR_MS * 9, 5 * MINUTE_MS],
])('%i ms after a change the next poll is %i ms after the last one', (quietMs, delayMs) => {
  expect(pollDelayMs(changed(), NOON_MS + quietMs)).toBe(delayMs);
});

test('in an hour with frequent changes the delay between polls is at most a minute', () => {
  expect(pollDelayMs(changed(10), NOON_MS + 4 * MINUTE_MS)).toBe(20 * SECOND_MS);
  expect(pollDelayMs(changed(10), NOON_MS + 9 * HOUR_MS)).toBe(MINUTE_MS);
});

test('a link without changes is polled every five minutes, and a change in the future has the shortest delay', () => {
  expect(pollDelayMs(NO_ACTIVITY, NOON_MS)).toBe(LONGEST_POLL_DELAY_MS);
  expect(pollDelayMs(changed(), NOON_MS - HOUR_MS)).toBe(SHORTEST_POLL_DELAY_MS);
});

test('the longer a link has had no change, the longer is the delay to its next poll', () => {
  fc.assert(
    fc.property(fc.nat(5 * HOUR_MS), fc.nat(5 * HOUR_MS), (quietMs, moreMs) => {
      const [sooner, later] = [quietMs, quietMs + moreMs].map((ms) => pollDelayMs(changed(), NOON_MS + ms));
      expect(sooner).toBeGreaterThanOrEqual(SHORTEST_POLL_DELAY_MS);
      expect(later).toBeGreaterThanOrEqual(sooner ?? 0);
      expect(later).toBeLessThanOrEqual(LONGEST_POLL_DELAY_MS);
    }),
  );
});

const limit = (links: number, everyMs: number, free = 500): SharedLimit => {
  return { requests: 500, windowMs: MINUTE_MS, free, wantedPerMs: links / everyMs };
};

test('polls keep their delays while they use at most half of a limit', () => {
  expect(stretchOf([])).toBe(1);
  expect(stretchOf([limit(1, 10 * SECOND_MS), limit(125, MINUTE_MS)])).toBe(1);
});

test('links that need more than half of a limit are all polled less often, so that they use half of it', () => {
  // 250 links need 500 requests a minute, and 250 requests are reserved for polls.
  expect(stretchOf([limit(250, MINUTE_MS)])).toBeCloseTo(2);
  expect(stretchOf([limit(1, MINUTE_MS), limit(10_000, 5 * MINUTE_MS)])).toBeCloseTo(16);
});

test('polls slow down when other work leaves less than half of a limit, but do not stop', () => {
  expect(stretchOf([limit(125, MINUTE_MS, 125)])).toBeCloseTo(2);
  expect(stretchOf([limit(125, MINUTE_MS, 0)])).toBeCloseTo(10);
});
