import { expect, test } from 'vitest';
import { bySide, SIDES, type Side } from '../../src/core/contact/side.ts';
import { PLAIN_HABITS } from '../support/memory/book.ts';
import type { Edit, History } from './history.ts';
import { runHistory } from './run-history.ts';
import { history, run } from './scenario.ts';
import { liveRows, type World } from './world.ts';

/** The contact's email addresses at each side. */
const emailsAt = ({ books }: World) =>
  bySide((side) => liveRows(books[side]).flatMap(({ contact }) => contact.emailAddresses.map(({ value }) => value)));

/** One contact of that side comes to rest on both, then its addresses are edited there, and the right side is restored. */
const play = async (side: Side, directions: NonNullable<History['directions']>, edit: Edit) => {
  const phases = [
    [run({ before: [{ kind: 'create', side, rich: false }] })],
    [run({ before: [{ kind: 'backup' }, edit] }), run({ before: [{ kind: 'restore' }] })],
  ];
  const hardness = { direction: 'both', listingLagMs: 0, feedLagMs: 0, habits: PLAIN_HABITS } as const;
  return emailsAt((await runHistory(history(phases, { directions, hardness }))).world);
};

const add = (side: Side): Edit => ({ kind: 'add', side, who: 0, field: 'emailAddresses' });
const drop = (side: Side): Edit => ({ kind: 'drop', side, who: 0, field: 'emailAddresses', at: 0 });

test('one way: what a backup takes away at the target stays at the source', async () => {
  const { left, right } = await play('left', { emailAddresses: 'to-right' }, add('left'));
  expect([left.length, right]).toEqual([2, left.slice(0, 1)]);
});

test('one way: what a backup brings back at the target stays there, and does not come to the source', async () => {
  const { left, right } = await play('left', { emailAddresses: 'to-right' }, drop('left'));
  expect([left.length, right.length]).toEqual([0, 1]);
});

test('one way: what a backup takes away at the source goes at the target', async () => {
  const { left, right } = await play('right', { emailAddresses: 'to-left' }, add('right'));
  expect([left, right.length]).toEqual([right, 1]);
});

test('one way: what a backup brings back at the source comes to the target again', async () => {
  const { left, right } = await play('right', { emailAddresses: 'to-left' }, drop('right'));
  expect([left, right.length]).toEqual([right, 1]);
});

test.each(SIDES)('both ways: what a backup brings back of the %s side stands at both', async (side) => {
  const { left, right } = await play(side, {}, drop(side));
  expect([left, right.length]).toEqual([right, 1]);
});
