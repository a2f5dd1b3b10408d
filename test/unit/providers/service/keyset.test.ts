import { describe, expect, it } from 'vitest';
import { hasSteppedBack, nextCursor, nextPageNumber, walkFromMs } from '../../../../src/providers/service/keyset.ts';

describe('[R14] the cursor', () => {
  const OVERLAP_MS = 120_000;
  const cursor = (watermarkMs: number, behindMs = OVERLAP_MS) => ({ watermarkMs, reachedAtMs: 500_000, behindMs });
  const sight = (maxSeenMs: number | null, serverStartMs: number, startedAtMs = 510_000) => {
    return { maxSeenMs, serverStartMs, startedAtMs };
  };

  const [BEHIND, SECOND] = [{ behindMs: OVERLAP_MS }, { behindMs: 1_000 }];

  it.each([
    [
      'advances to the latest change seen, in whole seconds, and its overlap is read again',
      cursor(1_000, 0),
      sight(5_900, 60_000),
      { watermarkMs: 5_000, reachedAtMs: 510_000, behindMs: OVERLAP_MS },
    ],
    ['stops at the time of the service at the start', cursor(1_000), sight(90_000, 60_500), { watermarkMs: 60_000 }],
    ['never moves back', cursor(70_000), sight(5_000, 80_000), cursor(70_000)],
    ['does not move if no row was read', cursor(70_000), sight(null, 80_000), cursor(70_000)],
    ['has an overlap for its time by the local clock', cursor(70_000), sight(null, 0, 619_999), BEHIND],
    ['has no overlap after its time by the local clock', cursor(70_000), sight(null, 0, 620_000), { behindMs: 0 }],
    ['keeps its overlap by the clock of the service', cursor(1_000), sight(70_000, 189_999), BEHIND],
    ['has an overlap of one second after its time by that clock', cursor(1_000), sight(70_000, 190_000), SECOND],
    ['has no overlap if no row was read and it had none', cursor(70_000, 0), sight(null, 190_000), { behindMs: 0 }],
  ])('%s', (_, before, seen, after) => {
    expect(nextCursor(before, seen)).toMatchObject(after);
  });

  it('is ahead of a clock that is more than five seconds behind', () => {
    const ahead = [null, 60_000, 55_000, 54_999].map((nowMs) => hasSteppedBack(cursor(60_000), nowMs));
    expect(ahead).toEqual([false, false, false, true]);
    expect(hasSteppedBack(cursor(0), 0)).toBe(false);
  });

  it('is read from its overlap before the watermark, and never from a negative time', () => {
    expect(walkFromMs(cursor(500_000))).toBe(380_000);
    expect(walkFromMs(cursor(5_000))).toBe(0);
  });
});

it('a walk by page numbers moves back by the number of deleted rows', () => {
  expect(nextPageNumber(4, null, 500, 50)).toBe(5);
  expect(nextPageNumber(4, 500, 500, 50)).toBe(5);
  expect(nextPageNumber(4, 500, 510, 50)).toBe(5);
  expect(nextPageNumber(4, 500, null, 50)).toBe(5);
  expect(nextPageNumber(4, 500, 499, 50)).toBe(3);
  expect(nextPageNumber(4, 500, 440, 50)).toBe(2);
  expect(nextPageNumber(2, 500, 100, 50)).toBe(1);
});
