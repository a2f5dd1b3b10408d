import { expect, test } from 'vitest';
import { SIDES, type Side } from '../../src/core/contact/side.ts';
import { BOOKS } from './hard-arbitraries.ts';
import type { Edit } from './history.ts';
import { runHistory } from './run-history.ts';
import {
  addGroup,
  addSharedGroup,
  create,
  GOOGLE_CARDDAV,
  hardness,
  history,
  join,
  leave,
  numbersBetween,
  run,
  TWO_GOOGLES,
} from './scenario.ts';

// Histories that broke a rule once, reduced to the cause: names of groups on a side whose groups are words on their members.

test.each(SIDES)(
  'R11: groups whose names a user exchanges keep their members after a rename from %s that was interrupted at any step (seeds 984005288, 1100009162)',
  async (side) => {
    for (const step of numbersBetween(6, 26, 5)) {
      const renamed: Edit = { kind: 'rename-group', side, group: 1 };
      const exchanged: Edit = { kind: 'swap-groups', side, group: 0 };
      for (const before of [[renamed], [exchanged]]) {
        const killed = run({ before, crash: { step, when: 'after' } });
        const phases = [[run({ before: BOOKS })], [killed, run({ before: [exchanged], full: true })]];
        await runHistory(history(phases, { players: GOOGLE_CARDDAV, hardness: hardness() }));
      }
    }
  },
);

type GroupEdit = Extract<Edit, { kind: 'rename-group' | 'swap-groups' | 'remake-group' | 'take-group-name' }>;

const edit = (kind: GroupEdit['kind'], side: Side, group: number): Edit => ({ kind, side, group });

/** Returns the names of both sides' groups after a run that died at a step, and a run after further edits. */
const namesAfter = async (step: number, first: Edit, second: Edit): Promise<readonly (readonly string[])[]> => {
  const killed = run({ before: [first], crash: { step, when: 'after' } });
  const phases = [[run({ before: BOOKS })], [killed, run({ before: [second], full: true })]];
  const { world } = await runHistory(history(phases, { players: GOOGLE_CARDDAV, hardness: hardness() }));
  return SIDES.map((side) => {
    const groups = world.books[side].groups.filter(({ live }) => live);
    return groups.map(({ name }) => name.toLowerCase()).toSorted();
  });
};

test('R11: a new group with the name that an interrupted rename gave to a group is not linked to that group (seed 92545)', async () => {
  for (const step of numbersBetween(6, 10, 1)) {
    const [left, right] = await namesAfter(step, edit('rename-group', 'left', 0), edit('remake-group', 'left', 0));
    expect(left, `step ${step}`).toHaveLength(2);
    expect(right, `step ${step}`).toEqual(left);
  }
});

test('R11: a group gets its former name again if its user took back a rename that was interrupted on the other side', async () => {
  for (const step of numbersBetween(11, 15, 1)) {
    const names = await namesAfter(step, edit('swap-groups', 'left', 0), edit('take-group-name', 'left', 0));
    expect(names, `step ${step}`).toEqual([['group 2'], ['group 2']]);
  }
});

test.each(SIDES)(
  'R9: a group of %s that a run created on the other side before it died is created once, also if it is renamed (seed 91914)',
  async (side) => {
    for (const step of numbersBetween(5, 10, 1)) {
      const [left, right] = await namesAfter(step, addGroup(side), edit('rename-group', side, 2));
      expect(left, `step ${step}`).toHaveLength(3);
      expect(right, `step ${step}`).toEqual(left);
    }
  },
);

test.each(SIDES)(
  'R9: a group that a run created before it died is deleted if its origin at %s is deleted (seed 52367)',
  async (side) => {
    for (const step of numbersBetween(12, 18, 1)) {
      const names = await namesAfter(step, edit('remake-group', side, 1), edit('take-group-name', side, 1));
      expect(names, `step ${step}`).toEqual([['group 2'], ['group 2']]);
    }
  },
);

test('R3, R11: a membership that its user restores at the former target stays, although a run that was interrupted read that the source ended it too (seed 768851939)', async () => {
  const member = { who: 0, group: 0 };
  const first = run({ before: [addSharedGroup('left'), create('left'), join('left', member)] });
  for (const step of numbersBetween(5, 17, 4)) {
    const killed = run({ before: [leave('right', member)], crash: { step, when: 'before' } });
    const phases = [
      [first],
      [run({ before: [leave('left', member)] })],
      [killed, run({ before: [join('left', member)] })],
    ];
    const { world } = await runHistory(
      history(phases, { players: TWO_GOOGLES, hardness: hardness({ turns: 'to-left' }) }),
    );
    for (const { rows } of Object.values(world.books)) expect(rows.map((row) => row.groupIds.size)).toEqual([1]);
  }
});
