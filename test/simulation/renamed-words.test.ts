import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../src/core/contact/contact.ts';
import { change, liveGroups } from './edits.ts';
import { QUIET } from './run-history.ts';
import { openWorld } from './single-world.ts';
import { liveRows } from './world.ts';

// On a side whose groups are words on their members, a rename makes a new word, and the former one is removed later.

const CRASHES = Array.from({ length: 24 }, (_, at) => at + 8).flatMap((step) =>
  (['before', 'after'] as const).map((when) => ({ step, when })),
);

test.each(CRASHES)(
  'R5, R11: two swapped names and a contact that joins in between survive a run that died $when step $step',
  async (crash) => {
    const { left, right, sync, world } = openWorld({ left: 'carddav', right: 'service' });
    const [red, blue] = ['Red', 'Blue'].map((name, entity) => left.addGroup(name, entity));
    left.add({ contact: { ...EMPTY_CONTACT, firstName: 'Ann' }, extra: null, originId: null, entity: 1 });
    await sync();
    const [one, two] = liveGroups(right);
    if (red === undefined || blue === undefined || one === undefined || two === undefined)
      throw new Error('No groups.');
    right.renameGroup(one, two.name);
    right.renameGroup(two, one.names[0] ?? '');
    await sync({ ...QUIET, crash });
    const [ann] = liveRows(left);
    const [joined] = liveGroups(left);
    if (ann === undefined || joined === undefined) throw new Error('A contact or a group is missing.');
    change(world, left, ann, () => left.setGroups(ann, [joined.id]));
    for (let run = 0; run < 3; run += 1) await sync();
    const namesOf = (book: typeof left) =>
      liveGroups(book)
        .map(({ name, entity }) => `${name} ${entity}`)
        .toSorted();
    expect(namesOf(left)).toEqual(namesOf(right));
    expect(namesOf(left)).toEqual(['Blue 0', 'Red 1']);
    const entitiesOf = (book: typeof left) =>
      liveRows(book).map(({ groupIds }) =>
        liveGroups(book).flatMap(({ id, entity }) => (groupIds.has(id) ? [entity] : [])),
      );
    expect([entitiesOf(left), entitiesOf(right)]).toEqual([[[joined.entity]], [[joined.entity]]]);
  },
);
