import { describe, expect, it } from 'vitest';
import { isExhausted, retryFloorMs } from '../../../../../src/remotes/service/api/rate-headers.ts';
import { NOW_MS } from '../support.ts';

describe('the wait that the service asks for', () => {
  it.each<[string, Record<string, string>, number | null]>([
    ['Retry-After in seconds', { 'retry-after': '3' }, 3_000],
    ['Retry-After as a date', { 'retry-after': new Date(NOW_MS + 9_000).toUTCString() }, 9_000],
    ['Retry-After as a date gone by', { 'retry-after': new Date(NOW_MS - 9_000).toUTCString() }, 0],
    ['the reset in seconds', { 'x-rate-limit-reset': '42' }, 42_000],
    ['the reset as epoch seconds', { 'x-rate-limit-reset': String(NOW_MS / 1_000 + 5) }, 5_000],
    ['the reset as epoch milliseconds', { 'x-rate-limit-reset': String(NOW_MS + 5_500) }, 5_500],
    ['the reset in milliseconds', { 'x-rate-limit-reset': '45000' }, 45_000],
    ['Retry-After before the reset', { 'retry-after': '3', 'x-rate-limit-reset': '42' }, 3_000],
    ['an unreadable Retry-After, then the reset', { 'retry-after': 'soon', 'x-rate-limit-reset': '42' }, 42_000],
    ['nothing', {}, null],
  ])('is read from %s', (_name, headers, expected) => {
    expect(retryFloorMs(headers, NOW_MS)).toBe(expected);
  });
});

it('the limit is used up only where none remains', () => {
  expect(isExhausted({ 'x-rate-limit-remaining': '0' })).toBe(true);
  expect(isExhausted({ 'x-rate-limit-remaining': '1' })).toBe(false);
  expect(isExhausted({})).toBe(false);
});
