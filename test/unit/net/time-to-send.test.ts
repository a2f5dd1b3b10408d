import { expect, test } from 'vitest';
import { timeToSendMs } from '../../../src/net/governor.ts';

const LIMIT = { requests: 500, windowMs: 60_000 };
const FRESH = { limit: LIMIT, remaining: 500, resetMs: 0 };

test.each([
  ['no request', 0, FRESH, 0],
  ['one request', 1, FRESH, 120],
  ['a full window of requests', 500, FRESH, 60_000],
  ['5,000 creates at 500 a minute', 5_000, FRESH, 600_000],
  [
    '5,000 creates after a stop, because the used places are free by then',
    5_000,
    { ...FRESH, remaining: 80, resetMs: 50_000 },
    600_000,
  ],
  ['a few requests after a fully used window', 10, { ...FRESH, remaining: 0, resetMs: 60_000 }, 1_200],
  [
    'two requests after a small limit was just used up',
    2,
    { limit: { requests: 2, windowMs: 60_000 }, remaining: 0, resetMs: 60_500 },
    60_500,
  ],
  ['as many requests as are free, whatever the reset', 100, { ...FRESH, remaining: 100, resetMs: 60_000 }, 12_000],
  ['half of the used requests', 250, { ...FRESH, remaining: 0, resetMs: 60_000 }, 30_000],
])('the time to send %s follows from the limit', (_what, requests, budget, expectedMs) => {
  expect(timeToSendMs(requests, budget)).toBe(expectedMs);
});
