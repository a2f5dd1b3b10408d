import { expect, test } from 'vitest';
import { parseRateLimit, readRateHeaders, readRetryAfterMs } from '../../../src/net/headers.ts';

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');
const UNREAD = ['', '0/minute', '-5/minute', '500/day', '500/', 'many', '5.5/minute', '500/minute, 10/second'];

test.each<[string, object | null]>([
  ...UNREAD.map((text): [string, null] => [text, null]),
  ['500/minute', { requests: 500, windowMs: 60_000 }],
  ['10/second', { requests: 10, windowMs: 1_000 }],
  ['5000/hour', { requests: 5_000, windowMs: 3_600_000 }],
  [' 500 / Minute ', { requests: 500, windowMs: 60_000 }],
  ['500', { requests: 500, windowMs: 60_000 }],
])('parseRateLimit reads %j', (text, limit) => {
  expect(parseRateLimit(text)).toEqual(limit);
});

const NOTHING = { limit: null, remaining: null, resetMs: null };
test.each([
  [['500/minute', '423', '37'], { limit: { requests: 500, windowMs: 60_000 }, remaining: 423, resetMs: 37_000 }],
  [['lots', '-1', 'soon'], NOTHING],
  [[undefined, undefined, undefined], NOTHING],
  [[undefined, ['7', '9'], undefined], { ...NOTHING, remaining: 7 }],
])('readRateHeaders reads the headers %j', ([limit, remaining, reset], expected) => {
  const headers = { 'x-rate-limit-limit': limit, 'x-rate-limit-remaining': remaining, 'x-rate-limit-reset': reset };
  expect(readRateHeaders(headers, NOW_MS)).toEqual(expected);
});

test.each([
  ['0', 0],
  ['0.5', 500],
  [String(NOW_MS / 1_000 + 12), 12_000],
  [String(NOW_MS + 1_234), 1_234],
  [String(NOW_MS / 1_000 - 12), 0],
  ['37000', 37_000],
  ['3600001', 3_600_000],
  [String(NOW_MS / 1_000 + 86_400), 3_600_000],
  [String(NOW_MS + 86_400_000), 3_600_000],
])('readRateHeaders reads the Reset %s', (text, resetMs) => {
  expect(readRateHeaders({ 'x-rate-limit-reset': text }, NOW_MS).resetMs).toBe(resetMs);
});

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 09:59:00 GMT', 0],
  ['3600', 3_600_000],
  ['86400', 3_600_000],
  ['1795456800', 3_600_000],
  ['Sun, 22 Nov 2026 10:00:00 GMT', 3_600_000],
  ['later', null],
  ['-3', null],
  ['', null],
  [undefined, null],
])('readRetryAfterMs reads %j', (text, delayMs) => {
  expect(readRetryAfterMs({ 'retry-after': text }, NOW_MS)).toBe(delayMs);
});
