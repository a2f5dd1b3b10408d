import { expect, test } from 'vitest';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import { PLAIN_MANNERS } from '../support/memory/manners.ts';
import { BOOKS } from './hard-arbitraries.ts';
import type { Edit, Hardness, RunStep } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';

const MINUTE_MS = 60_000;

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
  const manners = { left: PLAIN_MANNERS, right: { ...PLAIN_MANNERS, refusesNew: true as const } };
  const { world } = await runHistory(history(phases, { manners }));
  expect([...world.books.left.rows, ...world.books.right.rows].map(({ state }) => state)).toEqual([
    'deleted',
    'deleted',
  ]);
});

const lateReads: Hardness = {
  direction: 'both',
  listingLagMs: 9 * MINUTE_MS,
  feedLagMs: 0,
  readsLag: true,
  habits: PLAIN_HABITS,
};

/** Contacts come to rest on both sides, then runs follow each other closely where listings and reads lag. */
const whileReadsLag = (steps: readonly RunStep[]): Promise<unknown> => {
  const people = run({
    before: Array.from({ length: 4 }, (): Edit => ({ kind: 'create', side: 'left', rich: false })),
  });
  return runHistory(history([[people], steps], { players: { left: 'google', right: 'google' }, hardness: lateReads }));
};

test.each(SIDES)('[R7] a deleted contact that a listing and a read still show is not made again (%s)', async (side) => {
  // How late a side shows a change depends on how many there were: with some of these numbers it shows the deletion late.
  for (const count of [0, 1, 2, 3, 4]) {
    const others = Array.from({ length: count }, (): Edit => ({ kind: 'set', side, who: 1, field: 'title' }));
    const deleted = run({ before: [...others, { kind: 'delete', side, who: 0 }], gapMs: 3 * MINUTE_MS });
    await whileReadsLag([deleted, run({ full: true }), run()]);
  }
});

test.each(SIDES)(
  '[R7] a new contact that a listing and a read do not show yet is deleted nowhere (%s)',
  async (side) => {
    const create: Edit = { kind: 'create', side, rich: false };
    await whileReadsLag([
      run({ before: [create, create, create] }),
      run({ gapMs: MINUTE_MS, full: true }),
      run({ full: true }),
    ]);
  },
);

test.each(SIDES)('[R6] a contact that a read shows as it was before it was written is no edit (%s)', async (side) => {
  for (const who of [0, 1, 2, 3]) {
    const edit: Edit = { kind: 'set', side, who, field: 'title' };
    await whileReadsLag([run({ before: [edit] }), run({ gapMs: MINUTE_MS, before: [{ kind: 'delete', side, who }] })]);
  }
});

test('[R7] a contact that a write shows to stand is not gone because a read does not show it yet (seed 200717)', async () => {
  const create: Edit = { kind: 'create', side: 'right', rich: false };
  const edit: Edit = { kind: 'set', side: 'right', who: 3, field: 'firstName' };
  const steps = [run({ before: [create], gapMs: 30_000, full: true }), run({ before: [edit], full: true })];
  const hardness = { ...lateReads, listingLagMs: 30_000, feedLagMs: 2 * MINUTE_MS };
  for (const count of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    const others = Array.from({ length: count }, (): Edit => ({ kind: 'set', side: 'left', who: 0, field: 'title' }));
    const phases = [[run({ before: [...BOOKS, ...others] })], steps];
    await runHistory(history(phases, { players: { left: 'google', right: 'google' }, skewMs: 180_000, hardness }));
  }
});

test('R7: a deleted contact that a read still shows with a stamp ahead of our clock is not created again (seeds 600440, 600529)', async () => {
  const name = (side: Side, who: number): Edit => ({ kind: 'set', side, who, field: 'firstName' });
  const remove = (who: number): Edit => ({ kind: 'delete', side: 'left', who });
  const given = { players: { left: 'google', right: 'google' }, skewMs: 180_000 } as const;
  const edited = [
    run({ before: [name('right', 2), name('left', 0), name('left', 0)] }),
    run({ before: [remove(1)] }),
    run(),
    run({ gapMs: MINUTE_MS }),
  ];
  const first = { ...lateReads, feedLagMs: 5 * MINUTE_MS };
  await runHistory(history([[run({ before: BOOKS })], edited], { ...given, hardness: first }));
  const written = [
    run({ before: [name('left', 0)] }),
    run({ before: [remove(0)], gapMs: 30_000 }),
    run({ full: true }),
  ];
  const second = { ...lateReads, listingLagMs: 30_000 };
  await runHistory(history([[run({ before: BOOKS })], written], { ...given, hardness: second }));
});

test('[R7] of a contact that was deleted on both sides a moment after it was edited nothing is made again (seed 60001021)', async () => {
  const people: readonly Edit[] = [{ kind: 'create', side: 'left', rich: false }];
  const edit: Edit = { kind: 'set', side: 'left', who: 0, field: 'title' };
  const deletions = SIDES.map((side): Edit => ({ kind: 'delete', side, who: 0 }));
  // Other fields are chosen besides, so that both sides are listed and no feed names the deletion.
  const deleted = run({ before: [...deletions, { kind: 'choose', choice: 1 }] });
  for (const call of [1, 2, 3, 4]) {
    const edited = run({ before: [edit], faults: [{ call, fault: 'limited' }] });
    const { world } = await runHistory(history([[run({ before: people })], [edited, deleted]]));
    expect(SIDES.flatMap((side) => world.books[side].rows.map(({ state }) => state))).toEqual(['deleted', 'deleted']);
  }
});
