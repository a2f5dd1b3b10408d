import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasSteppedBack,
  nextCursor,
  nextPageNumber,
  nextStretch,
  walkFromMs,
  type KeysetCursor,
} from '../../../../src/providers/service/keyset.ts';

describe('[R14] the keyset walk', () => {
  type Bounds = { readonly isInclusive: boolean; readonly afterMs: number; readonly beforeMs: number };

  /** Returns the rows of a service within bounds. `tie` orders rows of the same time. */
  const within = (
    stamps: readonly number[],
    { isInclusive, afterMs, beforeMs }: Bounds,
    tie: () => number,
  ): number[] => {
    const rows = [...stamps.keys()].filter((row) => {
      const at = stamps[row] ?? 0;
      return isInclusive ? at >= afterMs && at <= beforeMs : at > afterMs && at < beforeMs;
    });
    const keyed = rows.map((row) => ({ row, at: stamps[row] ?? 0, tie: tie() }));
    return keyed.toSorted((a, b) => a.at - b.at || a.tie - b.tie).map(({ row }) => row);
  };

  it('reads every row and ends, for inclusive and exclusive bounds and any order of ties', () => {
    const seconds = fc.array(fc.integer({ min: 10, max: 20 }), { maxLength: 60 });
    const ties = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(seconds, fc.boolean(), ties, (rows, isInclusive, tieStream) => {
        const tie = (): number => tieStream.next().value;
        const stamps = rows.map((second) => second * 1_000);
        const seen = new Set<number>();
        let afterMs = 0;
        for (let requests = 0; requests < 200; requests += 1) {
          const page = within(stamps, { isInclusive, afterMs, beforeMs: Infinity }, tie).slice(0, 4);
          for (const row of page) seen.add(row);
          if (page.length < 4) return seen.size === stamps.length;
          const stretch = nextStretch(afterMs, stamps[page.at(-1) ?? 0] ?? 0);
          const crowded = { isInclusive, afterMs, beforeMs: stretch.crowdedUntilMs ?? 0 };
          for (const row of within(stamps, crowded, tie)) seen.add(row);
          ({ afterMs } = stretch);
        }
        return false;
      }),
    );
  });
});

describe('[R14] the cursor', () => {
  const OVERLAP_MS = 120_000;
  const cursor = (watermarkMs: number, behindMs = OVERLAP_MS): KeysetCursor => ({
    watermarkMs,
    reachedAtMs: 500_000,
    behindMs,
  });
  const sight = (maxSeenMs: number | null, serverStartMs: number, startedAtMs = 510_000) => {
    return { maxSeenMs, serverStartMs, startedAtMs };
  };

  it.each([
    [
      'advances to the latest change seen, in whole seconds, and its overlap is read again',
      cursor(1_000, 0),
      sight(5_900, 60_000),
      { watermarkMs: 5_000, reachedAtMs: 510_000, behindMs: OVERLAP_MS },
    ],
    [
      'does not advance beyond the time of the service at the start of the walk',
      cursor(1_000),
      sight(90_000, 60_500),
      { watermarkMs: 60_000 },
    ],
    ['never moves back', cursor(70_000), sight(5_000, 80_000), cursor(70_000)],
    ['does not move if no row was read', cursor(70_000), sight(null, 80_000), cursor(70_000)],
    [
      'has an overlap for its time by the local clock',
      cursor(70_000),
      sight(null, 0, 619_999),
      { behindMs: OVERLAP_MS },
    ],
    ['has no overlap after its time by the local clock', cursor(70_000), sight(null, 0, 620_000), { behindMs: 0 }],
    ['keeps its overlap by the clock of the service', cursor(1_000), sight(70_000, 189_999), { behindMs: OVERLAP_MS }],
    [
      'has an overlap of one second if only the clock of the service has passed the overlap',
      cursor(1_000),
      sight(70_000, 190_000),
      { behindMs: 1_000 },
    ],
    ['has no overlap if no row was read and it had none', cursor(70_000, 0), sight(null, 190_000), { behindMs: 0 }],
  ])('%s', (_, before, seen, after) => {
    expect(nextCursor(before, seen)).toMatchObject(after);
  });

  it.each([
    [60_000, null, false],
    [60_000, 60_000, false],
    [60_000, 55_000, false],
    [60_000, 54_999, true],
    [0, 0, false],
  ])('at %i is ahead of a clock at %j: %j', (watermarkMs, serverTimeMs, expected) => {
    expect(hasSteppedBack(cursor(watermarkMs), serverTimeMs)).toBe(expected);
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
