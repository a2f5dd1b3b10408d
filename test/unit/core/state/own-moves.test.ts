import { describe, expect, test } from 'vitest';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import { isInDoubt, withOwnMoves, withWrittenGroups } from '../../../../src/core/state/own-moves.ts';
import { record } from '../reconcile/support.ts';

const recordOf = (groupIds: readonly string[], modifiedAtMs: number | null = 1_000): ContactRecord =>
  record('c1', {}, { modifiedAtMs, groupIds, digest: 'd' });

const ALWAYS = () => true;
const FEED = { isRead: false, isRecent: ALWAYS };
const READ = { isRead: true, isRecent: ALWAYS };
const MARGIN_MS = 5 * 60_000;
const WRITTEN_AT_MS = 1_000_000;
const LAGS = { lagMs: 600_000, atMs: WRITTEN_AT_MS };

describe('withOwnMoves', () => {
  const known = withWrittenGroups(recordOf(['a', 'b']), ['b', 'c'], { join: ['c'], leave: ['a'] }, LAGS);

  test.each([
    ['of equal age', 1_000, { feed: 'written', read: 'written', doubt: false }],
    ['from long before the write', WRITTEN_AT_MS - MARGIN_MS - 1, { feed: 'written', read: 'written', doubt: false }],
    ['from about the time of the write', WRITTEN_AT_MS - 1, { feed: 'written', read: 'shown', doubt: true }],
    ['without a stamp', null, { feed: 'written', read: 'shown', doubt: true }],
    ['from long after the write', WRITTEN_AT_MS + MARGIN_MS + 1, { feed: 'shown', read: 'shown', doubt: false }],
  ] as const)('R11: a contradicting record %s has the written groups, or is right', (_, modifiedAtMs, expected) => {
    const shown = recordOf(['a', 'b'], modifiedAtMs);
    const groups = { written: ['b', 'c'], shown: ['a', 'b'] };
    expect(withOwnMoves(shown, known, FEED).groupIds).toEqual(groups[expected.feed]);
    expect(withOwnMoves(shown, known, READ).groupIds).toEqual(groups[expected.read]);
    expect(isInDoubt(shown, known, ALWAYS)).toBe(expected.doubt);
  });

  test('R1: a record that shows the written groups keeps its digest; a corrected one has none', () => {
    expect(isInDoubt(recordOf(['b', 'c'], WRITTEN_AT_MS), known, ALWAYS)).toBe(false);
    expect(withOwnMoves(recordOf(['b', 'c']), known, FEED).digest).toBe('d');
    expect(withOwnMoves(recordOf(['a', 'b']), known, FEED).digest).toBeUndefined();
  });

  test('R11: a record that lags is right about other groups, and about all once its side cannot lag', () => {
    const shown = recordOf(['a', 'x']);
    expect(withOwnMoves(shown, known, FEED).groupIds).toEqual(['c', 'x']);
    expect(withOwnMoves(shown, known, { isRead: false, isRecent: () => false })).toBe(shown);
    const atOnce = withWrittenGroups(shown, [], { join: [], leave: ['a'] }, { lagMs: 0, atMs: WRITTEN_AT_MS });
    expect(atOnce.ownMoves).toBeUndefined();
  });

  test('R11: the last of several moves of one group counts', () => {
    const move = (from: ContactRecord, join: readonly string[], leave: readonly string[], atMs: number) => {
      const groupIds = [...from.groupIds.filter((id) => !leave.includes(id)), ...join];
      return withWrittenGroups(from, groupIds, { join, leave }, { lagMs: 600_000, atMs });
    };
    const moved = move(move(recordOf(['a', 'x']), ['b'], ['a'], 5_000), ['a'], ['b'], 5_001);
    expect(withOwnMoves(recordOf(['b', 'y']), moved, FEED).groupIds).toEqual(['a', 'y']);
    expect(withOwnMoves(recordOf(['a', 'b']), move(moved, [], ['a'], 5_002), FEED).groupIds).toEqual([]);
  });
});
