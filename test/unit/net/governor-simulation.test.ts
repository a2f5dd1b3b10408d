import { describe, expect, test } from 'vitest';
import {
  fixedByClock,
  fixedFromFirstRequest,
  leakyBucket,
  slidingBySecond,
  slidingByTwoBuckets,
  slidingLog,
  type Limiter,
} from '../../support/limiter-models.ts';
import type { RateLimit } from '../../../src/util/values.ts';
import { roundTripMs, seeded } from '../../support/random.ts';
import { simulate, type Outcome } from './simulate.ts';

const usualRoundTripMs = (random: () => number): number => roundTripMs(75, random);
const LIMIT = { requests: 500, windowMs: 60_000 };
const TEN_MINUTES_MS = 600_000;
const ALLOWED = 5_000;
const SEEDS = [1, 2, 3];
const SERVERS: readonly [title: string, limiter: () => Limiter][] = [
  ['fixed windows by the clock', () => fixedByClock(LIMIT, 23_456)],
  ['fixed windows from the first request', () => fixedFromFirstRequest(LIMIT)],
  ['a sliding log', () => slidingLog(LIMIT)],
  ['a sliding count by second', () => slidingBySecond(LIMIT)],
  ['a sliding estimate from two buckets', () => slidingByTwoBuckets(LIMIT)],
];

const shareOf = ({ accepted, foreignAccepted }: Outcome): number => (accepted + foreignAccepted) / ALLOWED;

const usual = (seed: number, limiter: Limiter) => ({
  limit: LIMIT,
  limiter,
  durationMs: TEN_MINUTES_MS,
  random: seeded(seed),
  roundTripMs: usualRoundTripMs,
});

describe.each(SERVERS)('against %s', (_title, limiter) => {
  test.each(SEEDS)('ten minutes use the limit well and are never refused (seed %i)', (seed) => {
    const outcome = simulate(usual(seed, limiter()));
    expect(outcome.refused).toBe(0);
    expect(shareOf(outcome)).toBeGreaterThanOrEqual(0.98);
  });
});

describe.each(SERVERS.slice(0, 3))('against %s while another client uses a tenth of the quota', (_title, limiter) => {
  test.each([75, 270])('nothing is refused, and the limit is used well, at a round trip of %i ms', (medianMs) => {
    for (const seed of SEEDS) {
      const shared = { foreignPerWindow: 50, roundTripMs: (random: () => number) => roundTripMs(medianMs, random) };
      const outcome = simulate({ ...usual(seed, limiter()), ...shared });
      expect(outcome.refused, `seed ${seed}`).toBe(0);
      expect(shareOf(outcome), `seed ${seed}`).toBeGreaterThan(0.95);
    }
  });
});

const WINDOWS = [
  ['a second', { requests: 50, windowMs: 1_000 }, 1_200_000],
  ['an hour', { requests: 30_000, windowMs: 3_600_000 }, 7_200_000],
] as const;
const MODELS: readonly [title: string, limiter: (limit: RateLimit) => Limiter][] = [
  ['fixed windows by the clock', (limit) => fixedByClock(limit, 0.39 * limit.windowMs)],
  ['fixed windows from the first request', fixedFromFirstRequest],
  ['a sliding log', slidingLog],
  ['a bucket of the whole window', (limit) => leakyBucket(limit, limit.requests)],
  ['a bucket of 20', (limit) => leakyBucket(limit, 20)],
];

describe.each(WINDOWS)('a window of %s', (_title, limit, durationMs) => {
  test.each(MODELS)('of a server with %s is used well, and no request is refused', (_name, limiter) => {
    const fast = { limit, durationMs, roundTripMs: (random: () => number) => roundTripMs(3, random) };
    const { accepted, refused } = simulate({ ...usual(3, limiter(limit)), ...fast });
    expect(refused).toBe(0);
    expect(accepted / ((limit.requests * durationMs) / limit.windowMs)).toBeGreaterThanOrEqual(0.98);
  });
});

test.each([10, 20, 500])('a bucket that drains evenly and holds %i is used as fully as a window', (burst) => {
  const outcome = simulate(usual(5, leakyBucket(LIMIT, burst)));
  expect(outcome.refused).toBe(0);
  expect(shareOf(outcome)).toBeGreaterThan(0.95);
});
