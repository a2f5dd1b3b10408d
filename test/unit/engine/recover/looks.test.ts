import { expect, test } from 'vitest';
import { isDecisiveSearch, looksFor, soughtSinceMs } from '../../../../src/engine/recover.ts';

const LOOKS = [0, 1_000, 3_000, 8_000];
const NOW_MS = 1_000_000;

test.each([
  ['each time if all of them were sent recently', [5_000, 50_000], LOOKS],
  ['each time if they may have waited for a rate limit until recently', [66_000, 240_000], LOOKS],
  ['twice if each was sent long ago', [301_000, 400_000], [0, 1_000]],
  ['each time if one was sent recently, even if others were not', [400_000, 5_000], LOOKS],
])('[R9] the contacts of creates without a response are searched for %s', (_, agesMs, looks) => {
  const intendedAtMs = agesMs.map((ageMs) => NOW_MS - ageMs);
  expect(looksFor(intendedAtMs, NOW_MS, LOOKS)).toEqual(looks);
});

test('[R9] the contacts of creates without a response are searched for since the first of them, or for a day if a clock was set back', () => {
  expect(soughtSinceMs([NOW_MS - 5_000, NOW_MS - 9_000], NOW_MS)).toBe(NOW_MS - 9_000);
  expect(soughtSinceMs([NOW_MS - 5_000, NOW_MS + 1], NOW_MS)).toBe(NOW_MS - 86_400_000);
});

test.each([
  { agoMs: 0, earlier: 0, isDecisive: false },
  { agoMs: 13 * 60_000, earlier: 1, isDecisive: false },
  { agoMs: 14 * 60_000, earlier: 0, isDecisive: true },
  { agoMs: -3_600_000, earlier: 1, isDecisive: false },
  { agoMs: -3_600_000, earlier: 2, isDecisive: true },
])('R9: a create of $agoMs ms ago that $earlier searches did not find was not applied: $isDecisive', (row) => {
  expect(isDecisiveSearch(NOW_MS - row.agoMs, NOW_MS, 10 * 60_000, row.earlier)).toBe(row.isDecisive);
  expect(isDecisiveSearch(NOW_MS - row.agoMs, NOW_MS, 0, row.earlier)).toBe(true);
});
