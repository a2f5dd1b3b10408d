import { expect, test } from 'vitest';
import type { GroupPair } from '../../../../src/reconcile/groups.ts';
import { shownMoves, movesAcross, withMoves } from '../../../../src/sync/apply/traces.ts';
import { SIDE_PAIRS } from '../../reconcile/support.ts';

const group = (key: string, left: string | null, right: string | null): GroupPair => ({
  key,
  left: left === null ? null : { id: left, name: key },
  right: right === null ? null : { id: right, name: key },
  status: 'linked',
  settled: true,
});

test.each<[string, readonly string[], readonly string[], readonly string[]]>([
  ['everything where both show', ['a', 'own'], ['a'], ['b']],
  ['only what was joined', ['a', 'b'], ['a'], []],
  ['only what was left', ['own'], [], ['b']],
  ['nothing where all stands as before', ['b', 'own'], [], []],
])('[R9] a change of membership whose answer was lost landed by what shows of it: %s', (_, now, join, leave) => {
  expect(shownMoves({ join: ['a'], leave: ['b'] }, now)).toEqual({ join, leave });
});

test.each(SIDE_PAIRS)('the moves at %s are those at %s by its own ids, without groups that it lacks', (side, other) => {
  const ids = { left: 'g', right: 's' };
  const alone = { left: null, right: null, [side]: `${ids[side]}-alone` };
  const pairs = [group('a', 'g-a', 's-a'), group('b', 'g-b', 's-b'), group('alone', alone.left, alone.right)];
  const own = (key: string) => `${ids[side]}-${key}`;
  const moves = { join: [own('a'), own('alone'), own('unknown')], leave: [own('b')] };
  expect(movesAcross(side, moves, pairs)).toEqual({ join: [`${ids[other]}-a`], leave: [`${ids[other]}-b`] });
});

test('[R3] moves change a base by element, each once, in order', () => {
  expect(withMoves(['d', 'b', 'a'], { join: ['c', 'a'], leave: ['b', 'unknown'] })).toEqual(['a', 'c', 'd']);
  expect(withMoves([], { join: [], leave: ['a'] })).toEqual([]);
});
