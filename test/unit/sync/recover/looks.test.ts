import { expect, test } from 'vitest';
import { looksFor } from '../../../../src/sync/recover/recover.ts';

const LOOKS = [0, 1_000, 3_000, 8_000];
const NOW_MS = 1_000_000;

test.each([
  ['each time where all of them were sent a moment ago', [5_000, 50_000], LOOKS],
  ['twice where each was sent long ago', [61_000, 90_000], [0, 1_000]],
  ['each time where one was sent a moment ago, whatever waits beside it', [90_000, 5_000], LOOKS],
])('[R9] what lost creates made is looked for %s', (_, agesMs, looks) => {
  const intendedAtMs = agesMs.map((ageMs) => NOW_MS - ageMs);
  expect(looksFor(intendedAtMs, NOW_MS, LOOKS)).toEqual(looks);
});
