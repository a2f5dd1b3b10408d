import { expect, test } from 'vitest';
import { EMPTY_CONTACT } from '../../src/core/contact/contact.ts';
import { runLink } from '../../src/engine/run.ts';
import type { ProcessPlan } from '../support/memory/process.ts';
import { change, liveGroups } from './edits.ts';
import { contextOf, QUIET } from './run-history.ts';
import { history, HOUR_MS } from './scenario.ts';
import { createWorld, liveRows } from './world.ts';

// Where groups are words on their members, a rename makes a new word, and the former one is removed later.

const CRASHES = Array.from({ length: 24 }, (_, at) => at + 8).flatMap((step) =>
  (['before', 'after'] as const).map((when) => ({ step, when })),
);

test.each(CRASHES)(
  'R5, R11: two swapped names and a contact that joins in between survive a run that died $when step $step',
  async (crash) => {
    const played = history([], { players: { left: 'carddav', right: 'service' }, keepsAll: true });
    const world = createWorld(played, {});
    const { left, right } = world.books;
    const sync = async (plan: ProcessPlan = QUIET): Promise<void> => {
      world.clock.advance(HOUR_MS);
      const { context, process } = contextOf({ history: played, world, flaws: {} }, plan);
      const options = { kind: 'full', onEvent: () => {}, signal: new AbortController().signal } as const;
      await runLink(context, options).catch((error: unknown) => {
        if (!process.isDead()) throw error;
      });
    };
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
    if (ann === undefined || joined === undefined) throw new Error('Nobody can join.');
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
