import { expect, test } from 'vitest';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import type { Edit } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

// Histories that once went wrong, cut down to what matters: deletions that are not settled for a while.

test('[R6, R15] a membership that goes with its group is no edit any more of whom a side refused to take again (seed 988547)', async () => {
  const people: readonly Edit[] = [
    { kind: 'group', side: 'left', both: false },
    { kind: 'create', side: 'right', rich: true },
  ];
  const joinedAndDeleted: readonly Edit[] = [
    { kind: 'join', side: 'left', who: 0, group: 0 },
    { kind: 'delete', side: 'right', who: 0 },
  ];
  const ungrouped: Edit = { kind: 'delete-group', side: 'left', group: 0 };
  const phases = [[run({ before: people }), run({ before: joinedAndDeleted })], [run({ before: [ungrouped] })]];
  const manners = { left: PLAIN_MANNERS, right: { ...PLAIN_MANNERS, refusesTitlesBy: 3 } };
  const { world } = await runHistory(history(phases, { manners }));
  expect([...world.books.left.rows, ...world.books.right.rows].map(({ state }) => state)).toEqual([
    'deleted',
    'deleted',
  ]);
});
