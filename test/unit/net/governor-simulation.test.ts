import { describe, expect, test } from 'vitest';
import { createGovernor } from '../../../src/net/governor.ts';
import { restoreGovernor, governorSnapshot, type GovernorState } from '../../../src/net/governor-state.ts';
import {
  fixedByClock,
  fixedFromFirstRequest,
  leakyBucket,
  slidingBySecond,
  slidingByTwoBuckets,
  slidingLog,
  type Limiter,
} from '../../support/limiter-models.ts';
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

describe.each(SERVERS)('against %s', (_title, limiter) => {
  const run = (seed: number, changes: Partial<Parameters<typeof simulate>[0]>): Outcome =>
    simulate({
      limit: LIMIT,
      limiter: limiter(),
      durationMs: TEN_MINUTES_MS,
      random: seeded(seed),
      roundTripMs: usualRoundTripMs,
      ...changes,
    });

  test.each(SEEDS)('ten minutes use the limit well and are never refused (seed %i)', (seed) => {
    const outcome = run(seed, {});
    expect(outcome.refused).toBe(0);
    expect(shareOf(outcome)).toBeGreaterThanOrEqual(0.98);
  });

  test('requests are never refused if their responses arrive out of order', () => {
    expect(run(1, { roundTripMs: (random) => 10 + 3_000 * random(), parallel: 64 }).refused).toBe(0);
  });

  test('requests after long pauses are never refused', () => {
    const pausing = (random: () => number): number => (random() < 0.01 ? 20_000 : 50);
    expect(run(1, { roundTripMs: pausing, parallel: 2 }).refused).toBe(0);
  });

  test.each([
    ['with the snapshot of the process before it', true],
    ['without a snapshot', false],
  ])('a process that starts within a window %s is never refused', (_name, hasSnapshot) => {
    const epochMs = 1_700_000_000_000;
    const outcome = run(2, {
      restart: {
        atMs: 95_000,
        next: (governor, nowMs) => {
          if (!hasSnapshot) return createGovernor(LIMIT);
          const text = JSON.stringify(governorSnapshot(governor, { nowMs, epochMs }));
          return restoreGovernor(LIMIT, JSON.parse(text) as GovernorState, { nowMs, epochMs });
        },
      },
    });
    expect(outcome.refused).toBe(0);
    expect(outcome.accepted).toBeGreaterThan(hasSnapshot ? 4_800 : 4_000);
  });
});

describe.each(SERVERS.slice(0, 3))('against %s', (_title, limiter) => {
  const base = { limit: LIMIT, durationMs: TEN_MINUTES_MS, foreignPerWindow: 50 };

  describe.each([75, 270])('while another client uses a tenth of the quota, at a round trip of %i ms', (medianMs) => {
    const shared = { ...base, roundTripMs: (random: () => number) => roundTripMs(medianMs, random) };

    test.each(SEEDS)('nothing is refused, and the limit is used well (seed %i)', (seed) => {
      const outcome = simulate({ ...shared, limiter: limiter(), random: seeded(seed) });
      expect(outcome.refused).toBe(0);
      expect(shareOf(outcome)).toBeGreaterThan(0.95);
    });

    test('almost no request is refused for a process that starts within a window without a snapshot', () => {
      const restart = { atMs: 95_000, next: () => createGovernor(LIMIT) };
      expect(simulate({ ...shared, limiter: limiter(), random: seeded(2), restart }).refused).toBeLessThanOrEqual(1);
    });
  });
});

describe.each([
  ['a second', { requests: 50, windowMs: 1_000 }, 1_200_000],
  ['an hour', { requests: 30_000, windowMs: 3_600_000 }, 7_200_000],
])('a window of %s', (_title, limit, durationMs) => {
  test.each([
    ['fixed windows by the clock', () => fixedByClock(limit, 0.39 * limit.windowMs)],
    ['fixed windows from the first request', () => fixedFromFirstRequest(limit)],
    ['a sliding log', () => slidingLog(limit)],
    ['a bucket of the whole window', () => leakyBucket(limit, limit.requests)],
    ['a bucket of 20', () => leakyBucket(limit, 20)],
  ])('of a server with %s is used well, and no request is refused', (_name, limiter) => {
    const base = {
      limit,
      durationMs,
      random: seeded(3),
      roundTripMs: (random: () => number) => roundTripMs(3, random),
    };
    const { accepted, refused } = simulate({ ...base, limiter: limiter() });
    expect(refused).toBe(0);
    expect(accepted / ((limit.requests * durationMs) / limit.windowMs)).toBeGreaterThanOrEqual(0.98);
  });
});

test.each([10, 20, 500])('a bucket that drains evenly and holds %i is used as fully as a window', (burst) => {
  const base = { limit: LIMIT, durationMs: TEN_MINUTES_MS, random: seeded(5), roundTripMs: usualRoundTripMs };
  const outcome = simulate({ ...base, limiter: leakyBucket(LIMIT, burst) });
  expect(outcome.refused).toBe(0);
  expect(shareOf(outcome)).toBeGreaterThan(0.95);
});
