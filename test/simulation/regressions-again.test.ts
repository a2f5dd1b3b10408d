import { expect, test } from 'vitest';
import { bySide, SIDES, type Side } from '../../src/core/contact/side.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import { BOOKS } from './hard-arbitraries.ts';
import type { Edit, RunStep } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';
import { liveRows } from './world.ts';

// Histories that once went wrong, cut down to what matters: somebody is deleted and added again.

const SERVICES = { left: 'service', right: 'service' } as const;

/** Among so many, a new contact or two are no reason for a listing. */
const MANY = Array.from({ length: 210 }, (): Edit => ({ kind: 'create', side: 'left', rich: false }));

const play = (steps: readonly RunStep[], others: readonly Edit[]) => {
  const hardness = { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS } as const;
  return runHistory(history([[run({ before: [...BOOKS, ...others] })], steps], { players: SERVICES, hardness }));
};

test.each([
  ['few', []],
  ['many', MANY],
])(
  '[R12] who is added again on both sides, and once more at one of them, stands on both, among %s',
  async (_, others) => {
    const atRest = (await play([], others)).world.books;
    const rows = bySide((side) => liveRows(atRest[side]));
    // The same person stands at another place on each side.
    const addAgain = (side: Side): Edit => {
      const who = rows[side].findIndex(({ entity }) => entity === rows.left[1]?.entity);
      return { kind: 'again', side, who };
    };
    const count = rows.left.length;
    const once: Edit = { kind: 'again', side: 'left', who: count - 1 };
    const { world } = await play([run({ before: SIDES.map(addAgain) }), run({ before: [once] })], others);
    expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([count, count]);
  },
);

test.each([0, 1, 2])(
  '[R12] a contact that is added again among new contacts that are planned in parts stays one person, added after %i of them',
  async (place) => {
    const before = (await play([], MANY)).world.books;
    const count = liveRows(before.left).length;
    const newcomer: Edit = { kind: 'create', side: 'left', rich: false };
    const edits = Array.from({ length: 3 }, (_, index): Edit => {
      return index === place ? { kind: 'again', side: 'left', who: 1 } : newcomer;
    });
    // With this salt, more than two contacts are planned in parts.
    const { world } = await play([run({ before: edits, salt: 0 }), run({ salt: 0 })], MANY);
    expect(SIDES.map((side) => liveRows(world.books[side]).length)).toEqual([count + 2, count + 2]);
  },
);
