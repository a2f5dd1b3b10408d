import { expect, test } from 'vitest';
import { otherSide, SIDES } from '../../src/core/contact/side.ts';
import { listConflicts } from '../../src/engine/history/conflicts.ts';
import { openChangingLink, type Terms } from './changing-link.ts';
import { applyEdit } from './hard-edits.ts';
import { GOOGLE_CARDDAV, MINUTE_MS, createRich, remove, twin } from './scenario.ts';
import { liveRows, type World } from './world.ts';

test.each<[string, Terms, (world: World) => void]>([
  ['deletions are kept', { deletes: 'keep' }, (world) => applyEdit(world, remove('left'))],
  ['the target of a one-way link lost it', { direction: 'to-right' }, (world) => applyEdit(world, remove('right'))],
  ['both sides changed the field alike', {}, (world) => applyEdit(world, { kind: 'agree', who: 0, field: 'title' })],
])('R4: a settled conflict offers no choice any more after %s', async (_, terms, act) => {
  const { world, sync } = openChangingLink({ players: GOOGLE_CARDDAV });
  const choices = async () => {
    const shown = { direction: 'both', conflicts: 'newest' } as const;
    const rows = await listConflicts(world.store, world.link, shown, { all: false });
    return rows.map((row) => row.choices);
  };
  applyEdit(world, twin(true));
  await sync();
  for (let count = 0; count < 3; count += 1) applyEdit(world, createRich('left'));
  await sync();
  expect(await choices()).toHaveLength(1);
  act(world);
  await sync(terms);
  expect(await choices()).toEqual([]);
});

test('R4: the winner of an earlier conflict decides no later one about the same values after both sides had another value', async () => {
  const { world, sync, titles } = openChangingLink({ players: GOOGLE_CARDDAV });
  applyEdit(world, twin(true));
  const before = titles();
  await sync();
  const won = SIDES.find((_, index) => before[index] === titles()[0]) ?? expect.fail('no side won');
  applyEdit(world, { kind: 'agree', who: 0, field: 'title' });
  await sync();
  // Each side enters its former value again; this time the other one is newer.
  for (const side of [won, otherSide(won)]) {
    const [row] = liveRows(world.books[side]);
    world.clock.advance(MINUTE_MS);
    if (row !== undefined) world.books[side].write(row, { ...row.contact, title: before[SIDES.indexOf(side)] ?? '' });
  }
  await sync();
  const newer = before[SIDES.indexOf(otherSide(won))];
  expect(titles()).toEqual([newer, newer]);
});
