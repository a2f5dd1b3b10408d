import fc from 'fast-check';
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
const LAGS = { lags: true, atMs: WRITTEN_AT_MS };

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

  test('R11: the other groups of a record that lags are used as shown', () => {
    expect(withOwnMoves(recordOf(['a', 'x']), known, FEED).groupIds).toEqual(['c', 'x']);
  });

  test('R1: a record that shows the written groups keeps its digest, not in doubt; a corrected one has none', () => {
    expect(isInDoubt(recordOf(['b', 'c'], WRITTEN_AT_MS), known, ALWAYS)).toBe(false);
    expect(withOwnMoves(recordOf(['b', 'c']), known, FEED).digest).toBe('d');
    expect(withOwnMoves(recordOf(['a', 'b']), known, FEED).digest).toBeUndefined();
  });

  test('R11: once the side cannot lag any more, a record is right', () => {
    const shown = recordOf(['a', 'b']);
    expect(withOwnMoves(shown, known, { isRead: false, isRecent: () => false })).toBe(shown);
  });

  test('R11: a side that shows its writes at once keeps no moves', () => {
    const moves = { join: [], leave: ['a'] };
    const written = withWrittenGroups(recordOf(['a']), [], moves, { lags: false, atMs: WRITTEN_AT_MS });
    expect(written.ownMoves).toBeUndefined();
  });

  test('R11: the last of several moves of one group counts', () => {
    const move = fc.record({ groupId: fc.constantFrom('a', 'b', 'c'), isMember: fc.boolean() });
    const former = fc.subarray<string>(['a', 'b', 'c']);
    fc.assert(
      fc.property(fc.array(move, { minLength: 1 }), former, (moves, shown) => {
        let current = recordOf([]);
        for (const [index, { groupId, isMember }] of moves.entries()) {
          const rest = current.groupIds.filter((id) => id !== groupId);
          const moved = isMember ? { join: [groupId], leave: [] } : { join: [], leave: [groupId] };
          const atMs = 5_000 + index;
          current = withWrittenGroups(current, isMember ? [...rest, groupId] : rest, moved, { lags: true, atMs });
        }
        const moved = new Set<string>(moves.map(({ groupId }) => groupId));
        const { groupIds } = withOwnMoves(recordOf(shown), current, FEED);
        const expected = ['a', 'b', 'c'].filter((id) => (moved.has(id) ? current.groupIds : shown).includes(id));
        expect(groupIds).toEqual(expected);
      }),
    );
  });
});
