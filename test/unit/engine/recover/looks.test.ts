import { expect, test } from 'vitest';
import { looksFor, soughtSinceMs } from '../../../../src/engine/recover.ts';

const LOOKS = [0, 1_000, 3_000, 8_000];
const NOW_MS = 1_000_000;

test.each([
  ['each time where all of them were sent a moment ago', [5_000, 50_000], LOOKS],
  ['each time where they may have waited for a rate limit until a moment ago', [66_000, 240_000], LOOKS],
  ['twice where each was sent long ago', [301_000, 400_000], [0, 1_000]],
  ['each time where one was sent a moment ago, whatever waits beside it', [400_000, 5_000], LOOKS],
])('[R9] what lost creates made is looked for %s', (_, agesMs, looks) => {
  const intendedAtMs = agesMs.map((ageMs) => NOW_MS - ageMs);
  expect(looksFor(intendedAtMs, NOW_MS, LOOKS)).toEqual(looks);
});

test('[R9] what lost creates made is looked for since the first of them, or for a day where a clock was put back', () => {
  expect(soughtSinceMs([NOW_MS - 5_000, NOW_MS - 9_000], NOW_MS)).toBe(NOW_MS - 9_000);
  expect(soughtSinceMs([NOW_MS - 5_000, NOW_MS + 1], NOW_MS)).toBe(NOW_MS - 86_400_000);
});
