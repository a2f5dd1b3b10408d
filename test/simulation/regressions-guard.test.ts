import { expect, test } from 'vitest';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import { BOOKS } from './hard-arbitraries.ts';
import type { Edit, History } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

// Histories that once went wrong, cut down to what matters: runs that halt before they destroy too much.

const play = (phases: History['phases']) =>
  runHistory(history(phases, { hardness: { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS } }));

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
  await expect(play(phases)).resolves.toBeDefined();
});

test('[R8] a contact that was merged into another one is gone, whoever answers to its id (seed 900756)', async () => {
  const person: Edit = { kind: 'create', side: 'left', rich: false };
  const gone = run({
    before: [
      { kind: 'delete', side: 'left', who: 2 },
      { kind: 'merge', side: 'left', who: 1, into: 0 },
    ],
  });
  await expect(play([[run({ before: [person, person, person] })], [gone]])).resolves.toBeDefined();
});

test('[R8] a membership that a user gave back counts as gone until its side is listed, where no feed tells of it (seed 820235)', async () => {
  const left = run({
    before: [
      { kind: 'leave', side: 'right', who: 2, group: 0 },
      { kind: 'leave', side: 'right', who: 0, group: 1 },
    ],
  });
  const newest = run({ before: [{ kind: 'set', side: 'right', who: 1, field: 'title' }] });
  const back = run({ before: [{ kind: 'join', side: 'right', who: 0, group: 1 }] });
  await expect(play([[run({ before: [...BOOKS] })], [left, newest, back]])).resolves.toBeDefined();
});

test('[R8, R15] what nobody could read of a contact gives no phone number back to it (seed 4024985)', async () => {
  const number = { kind: 'create', side: 'left', rich: true } as const;
  const gone = [0, 1].map((who) => ({ kind: 'drop', side: 'right', who, field: 'phoneNumbers', at: 0 }) as const);
  const step = run({
    before: [{ kind: 'add', side: 'left', who: 0, field: 'phoneNumbers' }, ...gone],
    unreadable: { side: 'left', each: 1 },
  });
  await expect(play([[run({ before: [number, number, number] })], [step]])).resolves.toBeDefined();
});

test('[R8, R9] what a user emptied as a lost write was to counts as emptied by that write (seed 4311475)', async () => {
  const person = { kind: 'create', side: 'left', rich: false } as const;
  const gone = (side: 'left' | 'right', who: number): Edit => {
    return { kind: 'drop', side, who, field: 'emailAddresses', at: 0 };
  };
  const lost = { op: 'update', side: 'left', fault: 'lost-before', after: [gone('left', 0)] } as const;
  const steps = [run({ before: [gone('right', 0)], aims: [lost] }), run({ before: [gone('right', 1)] })];
  await expect(play([[run({ before: [person, person] })], steps])).resolves.toBeDefined();
});
