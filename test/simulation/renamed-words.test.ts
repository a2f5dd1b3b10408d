import { expect, test } from 'vitest';
import { type Contact, EMPTY_CONTACT } from '../../src/core/contact/contact.ts';
import { change, liveGroups } from './edits.ts';
import { numbersBetween } from './scenario.ts';
import { openWorld } from './single-world.ts';
import { liveRows } from './world.ts';

// On a side whose groups are words on their members, a rename makes a new word, and the former one is removed later.

const CRASHES = numbersBetween(8, 31, 5).flatMap((step) =>
  (['before', 'after'] as const).map((when) => ({ step, when })),
);

const WORDS = { players: { left: 'carddav', right: 'service' } } as const;
const FULL = { kind: 'full' } as const;

test.each(CRASHES)(
  'R5, R11: two swapped names and a contact that joins in between survive a run that died $when step $step',
  async (crash) => {
    const { left, right, play, sync, world } = openWorld(WORDS);
    const [red, blue] = ['Red', 'Blue'].map((name, entity) => left.addGroup(name, entity));
    left.add({ contact: { ...EMPTY_CONTACT, firstName: 'Ann' }, extra: null, originId: null, entity: 1 });
    await sync(FULL);
    const [one, two] = liveGroups(right);
    if (red === undefined || blue === undefined || one === undefined || two === undefined)
      throw new Error('No groups.');
    right.renameGroup(one, two.name);
    right.renameGroup(two, one.names[0] ?? '');
    await play(FULL, { plan: { crash } });
    const [ann] = liveRows(left);
    const [joined] = liveGroups(left);
    if (ann === undefined || joined === undefined) throw new Error('A contact or a group is missing.');
    change(world, left, ann, () => left.setGroups(ann, [joined.id]));
    for (let run = 0; run < 3; run += 1) await sync(FULL);
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

/** An even salt makes the parts of a first sync small. */
const IN_PARTS = { plan: { salt: 2 } };

test('R13: a possible match is reported if a renamed word ends the pass before the part that has it', async () => {
  const { left, right, sync, events } = openWorld(WORDS);
  left.addGroup('Red', 0);
  const phoneNumbers = [{ value: '+4930100175', label: null }];
  const add = (book: typeof left, entity: number, firstName: string, more: Partial<Contact> = {}) =>
    book.add({ contact: { ...EMPTY_CONTACT, firstName, ...more }, extra: null, originId: null, entity });
  add(left, 1, 'Ann');
  await sync(FULL);
  const [red] = liveGroups(right);
  if (red === undefined) throw new Error('No group.');
  right.renameGroup(red, 'Blue');
  for (const [index, name] of ['Bea', 'Cid', 'Dan'].entries()) add(left, index + 2, name);
  add(left, 5, 'Thomas', { lastName: 'Ray', phoneNumbers });
  add(right, 5, 'Tom', { lastName: 'Ray', phoneNumbers });
  await sync(FULL, IN_PARTS);
  expect(liveRows(left)).toHaveLength(6);
  expect(events.filter(({ kind }) => kind === 'ambiguous')).toHaveLength(1);
});
