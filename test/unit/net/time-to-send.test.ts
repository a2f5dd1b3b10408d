import { expect, test } from 'vitest';
import { timeToSendMs } from '../../../src/net/governor.ts';

const LIMIT = { requests: 500, windowMs: 60_000 };
const FRESH = { limit: LIMIT, remaining: 500, resetMs: 0 };

test.each([
  ['nothing', 0, FRESH, 0],
  ['one', 1, FRESH, 120],
  ['a window full', 500, FRESH, 60_000],
  ['5,000 creates at 500 a minute', 5_000, FRESH, 600_000],
  [
    'the same after a stop: what was used is free by then',
    5_000,
    { ...FRESH, remaining: 80, resetMs: 50_000 },
    600_000,
  ],
  ['few, where all was used', 10, { ...FRESH, remaining: 0, resetMs: 60_000 }, 1_200],
  [
    'few, where the little that is allowed was used just now',
    2,
    { limit: { requests: 2, windowMs: 60_000 }, remaining: 0, resetMs: 60_500 },
    60_500,
  ],
  ['what is free, whatever the reset', 100, { ...FRESH, remaining: 100, resetMs: 60_000 }, 12_000],
  ['half of what was used', 250, { ...FRESH, remaining: 0, resetMs: 60_000 }, 30_000],
])('%s', (_what, requests, budget, expectedMs) => {
  expect(timeToSendMs(requests, budget)).toBe(expectedMs);
});
