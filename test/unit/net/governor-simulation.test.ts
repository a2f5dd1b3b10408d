import { describe, expect, test } from 'vitest';
import { leakyBucket, type Limiter, MODELS, type ModelName } from '../../support/limiter-models.ts';
import { roundTripMs, seeded } from '../../support/random.ts';
import { simulate, type Outcome } from './simulate.ts';

const usualRoundTripMs = (random: () => number): number => roundTripMs(75, random);
const LIMIT = { requests: 500, windowMs: 60_000 };
const TEN_MINUTES_MS = 600_000;
const ALLOWED = 5_000;
const SEEDS = [1, 2, 3];
const EXACT: readonly ModelName[] = ['fixed, by clock', 'fixed, from first request', 'sliding log'];
const BUCKETS: readonly ModelName[] = ['token bucket', 'GCRA, burst 20'];

const shareOf = ({ accepted, foreignAccepted }: Outcome): number => (accepted + foreignAccepted) / ALLOWED;

const usual = (seed: number, limiter: Limiter) => ({
  limit: LIMIT,
  limiter,
  durationMs: TEN_MINUTES_MS,
  random: seeded(seed),
  roundTripMs: usualRoundTripMs,
});

describe.each([...EXACT, 'sliding by second', 'two-bucket'] as const)('against a server with %s', (model) => {
  test.each(SEEDS)('ten minutes use the limit well and are never refused (seed %i)', (seed) => {
    const outcome = simulate(usual(seed, MODELS[model](LIMIT)));
    expect(outcome.refused).toBe(0);
    expect(shareOf(outcome)).toBeGreaterThanOrEqual(0.98);
  });
});

describe.each(EXACT)('against a server with %s while another client uses a tenth of the quota', (model) => {
  test.each([75, 270])('nothing is refused, and the limit is used well, at a round trip of %i ms', (medianMs) => {
    for (const seed of SEEDS) {
      const shared = { foreignPerWindow: 50, roundTripMs: (random: () => number) => roundTripMs(medianMs, random) };
      const outcome = simulate({ ...usual(seed, MODELS[model](LIMIT)), ...shared });
      expect(outcome.refused, `seed ${seed}`).toBe(0);
      expect(shareOf(outcome), `seed ${seed}`).toBeGreaterThan(0.95);
    }
  });
});

const WINDOWS = [
  ['a second', { requests: 50, windowMs: 1_000 }, 1_200_000],
  ['an hour', { requests: 30_000, windowMs: 3_600_000 }, 7_200_000],
] as const;

describe.each(WINDOWS)('a window of %s', (_title, limit, durationMs) => {
  test.each([...EXACT, ...BUCKETS])('of a server with %s is used well, and no request is refused', (model) => {
    const fast = { limit, durationMs, roundTripMs: (random: () => number) => roundTripMs(3, random) };
    const { accepted, refused } = simulate({ ...usual(3, MODELS[model](limit)), ...fast });
    expect(refused).toBe(0);
    expect(accepted / ((limit.requests * durationMs) / limit.windowMs)).toBeGreaterThanOrEqual(0.98);
  });
});

test.each([10, 20, 500])('a bucket that drains evenly and holds %i is used as fully as a window', (burst) => {
  const outcome = simulate(usual(5, leakyBucket(LIMIT, burst)));
  expect(outcome.refused).toBe(0);
  expect(shareOf(outcome)).toBeGreaterThan(0.95);
});
