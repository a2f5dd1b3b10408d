import { expect, test } from 'vitest';
import { bySide, type Side, SIDES } from '../../src/core/contact/side.ts';
import type { Edit, History } from './history.ts';
import { runHistory } from './run-history.ts';
import { add, create, drop, hardness, history, run } from './scenario.ts';
import { liveRows, type World } from './world.ts';

/** The contact's email addresses on each side. */
const emailsAt = ({ books }: World) =>
  bySide((side) => liveRows(books[side]).flatMap(({ contact }) => contact.emailAddresses.map(({ value }) => value)));

/** One contact of a side comes to rest on both. Then it is edited, and the right side is restored from a backup. */
const play = async (side: Side, directions: NonNullable<History['directions']>, edit: Edit) => {
  const phases = [
    [run({ before: [create(side)] })],
    [run({ before: [{ kind: 'backup' }, edit] }), run({ before: [{ kind: 'restore' }] })],
  ];
  return emailsAt((await runHistory(history(phases, { directions, hardness: hardness() }))).world);
};

const addEmail = (side: Side): Edit => add(side, 0, 'emailAddresses');
const dropEmail = (side: Side): Edit => drop(side, 0, 'emailAddresses');

test.each<[string, Side, (side: Side) => Edit, number, number]>([
  ['removes from the target of a one-way field stays at the source', 'left', addEmail, 2, 1],
  ['restores at the target of a one-way field stays there and is not written to the source', 'left', dropEmail, 0, 1],
  ['removes from the source of a one-way field is removed from the target', 'right', addEmail, 1, 1],
  ['restores at the source of a one-way field is written to the target again', 'right', dropEmail, 1, 1],
])('R3: an email address that a backup %s', async (_, source, edit, atLeft, atRight) => {
  const direction = source === 'left' ? 'to-right' : 'to-left';
  const { left, right } = await play(source, { emailAddresses: direction }, edit(source));
  expect([left.length, right.length]).toEqual([atLeft, atRight]);
  if (atLeft > 0) expect(left.slice(0, atRight)).toEqual(right);
});

test.each(SIDES)('R3: an email address of the %s side that a backup restores exists on both sides', async (side) => {
  const { left, right } = await play(side, {}, dropEmail(side));
  expect([left, right.length]).toEqual([right, 1]);
});
