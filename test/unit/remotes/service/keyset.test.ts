import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextPageNumber, nextPosition, nextWatermark } from '../../../../src/remotes/service/keyset.ts';

describe('[R14] the keyset walk', () => {
  it('goes on with page 1 a second behind the last row', () => {
    expect(nextPosition({ afterMs: 0, page: 3 }, 60_400)).toEqual({ afterMs: 59_000, page: 1 });
  });

  it('goes deeper only where the bound cannot move on', () => {
    expect(nextPosition({ afterMs: 59_000, page: 1 }, 60_000)).toEqual({ afterMs: 59_000, page: 2 });
    expect(nextPosition({ afterMs: 59_000, page: 2 }, 59_000)).toEqual({ afterMs: 59_000, page: 3 });
    expect(nextPosition({ afterMs: 59_000, page: 1 }, null)).toEqual({ afterMs: 59_000, page: 2 });
  });

  /** A service that holds rows and answers pages of four, with either kind of bound. */
  const pageAt = (
    stamps: readonly number[],
    isInclusive: boolean,
    afterMs: number,
    page: number,
  ): readonly number[] => {
    const within = [...stamps.keys()].filter((row) => {
      const at = stamps[row] ?? 0;
      return isInclusive ? at >= afterMs : at > afterMs;
    });
    const sorted = within.toSorted((a, b) => (stamps[a] ?? 0) - (stamps[b] ?? 0) || a - b);
    return sorted.slice((page - 1) * 4, page * 4);
  };

  it('sees every row, whether bounds are inclusive or not, and comes to an end', () => {
    const seconds = fc.array(fc.integer({ min: 10, max: 20 }), { maxLength: 60 });
    fc.assert(
      fc.property(seconds, fc.boolean(), (rows, isInclusive) => {
        const stamps = rows.map((second) => second * 1_000);
        const seen = new Set<number>();
        let position = { afterMs: 0, page: 1 };
        for (let requests = 0; requests < 200; requests += 1) {
          const page = pageAt(stamps, isInclusive, position.afterMs, position.page);
          for (const row of page) seen.add(row);
          if (page.length < 4) return seen.size === stamps.length;
          position = nextPosition(position, stamps[page.at(-1) ?? 0] ?? null);
        }
        return false;
      }),
    );
  });
});

describe('[R14] the watermark', () => {
  it('is the latest change seen, in whole seconds', () => {
    expect(nextWatermark(1_000, 5_900, 60_000)).toBe(5_000);
  });

  it('does not pass the time when the walk began', () => {
    expect(nextWatermark(1_000, 90_000, 60_500)).toBe(60_000);
  });

  it('never goes back and stays where nothing was seen', () => {
    expect(nextWatermark(70_000, 5_000, 60_000)).toBe(70_000);
    expect(nextWatermark(70_000, null, 90_000)).toBe(70_000);
  });
});

it('a walk by page numbers steps back by what was deleted', () => {
  expect(nextPageNumber(4, null, 500, 50)).toBe(5);
  expect(nextPageNumber(4, 500, 500, 50)).toBe(5);
  expect(nextPageNumber(4, 500, 510, 50)).toBe(5);
  expect(nextPageNumber(4, 500, null, 50)).toBe(5);
  expect(nextPageNumber(4, 500, 499, 50)).toBe(3);
  expect(nextPageNumber(4, 500, 440, 50)).toBe(2);
  expect(nextPageNumber(2, 500, 100, 50)).toBe(1);
});
