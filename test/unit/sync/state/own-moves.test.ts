import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ContactRecord } from '../../../../src/contact/record.ts';
import { EMPTY_CONTACT } from '../../../../src/contact/contact.ts';
import { withOwnMoves, withWrittenGroups } from '../../../../src/sync/state/own-moves.ts';

const recordOf = (groupIds: readonly string[], modifiedAtMs: number | null = 1_000): ContactRecord => ({
  id: 'c1',
  version: '1',
  modifiedAtMs,
  contact: EMPTY_CONTACT,
  groupIds,
  raw: 'null',
  originId: null,
  digest: 'd',
});

const ALWAYS = () => true;
const LAGS = { lags: true, atMs: 5_000 };

describe('withOwnMoves', () => {
  const known = withWrittenGroups(recordOf(['a', 'b']), ['b', 'c'], { add: ['c'], remove: ['a'] }, LAGS);

  test.each([
    ['of equal age', 1_000, ['b', 'c']],
    ['that is newer than the known one and older than the write', 4_999, ['b', 'c']],
    ['without a stamp', null, ['b', 'c']],
    ['that is newer than the write', 5_001, ['a', 'b']],
  ])('R11: a record %s shows the memberships that were written, or its own', (_, modifiedAtMs, groupIds) => {
    expect(withOwnMoves(recordOf(['a', 'b'], modifiedAtMs), known, ALWAYS).groupIds).toEqual(groupIds);
  });

  test('R11: the other groups of a record that lags are taken as they are shown', () => {
    expect(withOwnMoves(recordOf(['a', 'x']), known, ALWAYS).groupIds).toEqual(['c', 'x']);
  });

  test('R1: a record that shows what was written keeps its digest; one that is corrected has none', () => {
    expect(withOwnMoves(recordOf(['b', 'c']), known, ALWAYS).digest).toBe('d');
    expect(withOwnMoves(recordOf(['a', 'b']), known, ALWAYS).digest).toBeUndefined();
  });

  test('R11: once the side cannot lag any more, a record is right', () => {
    const shown = recordOf(['a', 'b']);
    expect(withOwnMoves(shown, known, () => false)).toBe(shown);
  });

  test('R11: a side that shows its writes at once keeps no moves', () => {
    const written = withWrittenGroups(recordOf(['a']), [], { add: [], remove: ['a'] }, { lags: false, atMs: 5_000 });
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
          const request = isMember ? { add: [groupId], remove: [] } : { add: [], remove: [groupId] };
          const atMs = 5_000 + index;
          current = withWrittenGroups(current, isMember ? [...rest, groupId] : rest, request, { lags: true, atMs });
        }
        const moved = new Set<string>(moves.map(({ groupId }) => groupId));
        const { groupIds } = withOwnMoves(recordOf(shown), current, ALWAYS);
        const expected = ['a', 'b', 'c'].filter((id) => (moved.has(id) ? current.groupIds : shown).includes(id));
        expect(groupIds).toEqual(expected);
      }),
    );
  });
});
