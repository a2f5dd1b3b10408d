import { expect, test } from 'vitest';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import { BOOKS } from './hard-arbitraries.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

// Histories that once went wrong, cut down to what matters: runs that halt before they destroy too much.

test('[R8] a member that has left a group counts until its side is listed, where no feed tells of it (seed 800552)', async () => {
  const both = [0, 1].map((who) => ({ kind: 'join', side: 'right', who, group: 0 }) as const);
  const gone = run({
    before: [
      { kind: 'delete-group', side: 'left', group: 0 },
      { kind: 'leave', side: 'right', who: 0, group: 0 },
    ],
  });
  const newest = run({ before: [{ kind: 'set', side: 'right', who: 1, field: 'title' }] });
  const phases = [[run({ before: [...BOOKS, ...both] })], [newest], [gone]];
  const hardness = { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS } as const;
  await expect(runHistory(history(phases, { hardness }))).resolves.toBeDefined();
});
