import { expect, test } from 'vitest';
import { explainById } from '../../src/engine/history/explain.ts';
import { applyEdit } from './hard-edits.ts';
import type { Edit } from './history.ts';
import { create, remove, TWO_GOOGLES } from './scenario.ts';
import { openWorld } from './single-world.ts';
import { liveRows } from './world.ts';

// A contact of one side and another person's contact of the other side may have the same id.

const open = () => {
  const { sync, undo, world } = openWorld({ players: TWO_GOOGLES });
  return {
    world,
    undo,
    names: (side: 'left' | 'right') => liveRows(world.books[side]).map(({ contact }) => contact.firstName),
    sync: async (...edits: readonly Edit[]): Promise<string> => {
      for (const edit of edits) applyEdit(world, edit);
      return (await sync({ kind: 'full' })).run;
    },
  };
};

test('R9: an undo restores a contact although a contact of the other side with the same id was restored before', async () => {
  const { names, sync, undo } = open();
  await sync(create('right'), create('left'));
  const [ben = ''] = names('right');
  const [ada = ''] = names('left');
  await undo(await sync(remove('right', names('right').indexOf(ada))));
  await sync(create('right'));
  const run = await sync(remove('left', names('left').indexOf(ben)));
  expect(names('right')).not.toContain(ben);
  expect((await undo(run))?.refused).toEqual([]);
  expect(names('right')).toContain(ben);
});

test('explain shows the history of each person although two contacts have the same id', async () => {
  const { sync, world } = open();
  await sync(create('left'), create('right'));
  const idOf = (side: 'left' | 'right', name: string): string =>
    liveRows(world.books[side]).find(({ contact }) => contact.firstName === name)?.id ?? '';
  const [ada, ben] = [liveRows(world.books.left)[0], liveRows(world.books.right)[0]];
  if (ada === undefined || ben === undefined) throw new Error('A contact is missing.');
  expect(ada.id).toBe(ben.id);
  const of = { name: world.link, direction: 'both', conflicts: 'newest' } as const;
  const namesOf = async (id: string) =>
    (await explainById(world.store, of, id)).map(({ entries }) => entries.map(({ name }) => name));
  expect(await namesOf(idOf('left', ben.contact.firstName))).toEqual([
    [ben.contact.firstName],
    [ada.contact.firstName],
  ]);
  expect(await namesOf(ada.id)).toEqual([[ada.contact.firstName], [ben.contact.firstName]]);
});
