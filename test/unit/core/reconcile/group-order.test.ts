import { expect, test } from 'vitest';
import { temporaryName } from '../../../../src/core/reconcile/group-order.ts';
import { planGroups, type GroupPair } from '../../../../src/core/reconcile/groups.ts';
import { policyWith } from './support.ts';

// Histories of the topic `group-names` run such plans, with crashes between the renames.

/** The names of the groups of a side by id. */
type Names = Readonly<Record<string, string>>;

/** The plan for groups that are each linked with the group of its id on the other side, under the former name. */
const plan = (former: Names, left: Names, right: Names) => {
  const groupsOf = (names: Names) => Object.entries(names).map(([id, name]) => ({ id, name, version: '' }));
  const pairs = Object.entries(former).map(([id, name]): GroupPair => {
    return { key: id, left: { id, name }, right: { id, name }, status: 'linked', settled: true };
  });
  return planGroups({ left: groupsOf(left), right: groupsOf(right), pairs }, policyWith());
};

/** The names after the renames of a plan. A side refuses a name that another of its groups has. */
const renamed = (names: Names, { actions }: ReturnType<typeof plan>): Names => {
  const renames = actions.filter((action) => action.kind === 'rename-group');
  const steps = [
    ...renames.flatMap(({ group, via }) => (via === undefined ? [] : [{ id: group.id, name: via }])),
    ...renames.map(({ group, name }) => ({ id: group.id, name })),
  ];
  return steps.reduce((after: Names, { id, name }) => {
    if (Object.entries(after).some(([other, taken]) => other !== id && taken === name)) {
      throw new Error(`The name ${name} is taken.`);
    }
    return { ...after, [id]: name };
  }, names);
};

test('a group is not created under a name that stays in use because a rename is blocked', () => {
  const planned = plan({ 1: 'A', 2: 'B' }, { 1: 'A', 2: 'B', other: 'X' }, { 1: 'X', 2: 'B', new: 'A' });
  expect(planned.actions).toMatchObject([{ kind: 'rename-group', side: 'left', name: 'X' }]);
  expect(planned.duplicates).toEqual([
    { side: 'left', name: 'X' },
    { side: 'right', name: 'A' },
  ]);
});

test.each<[string, Names, Names]>([
  ['rotate', { 1: 'A', 2: 'B', 3: 'C' }, { 1: 'B', 2: 'C', 3: 'A' }],
  ['differ only in case and swap with another name', { 1: 'A', 2: 'a', 3: 'B' }, { 1: 'B', 2: 'b', 3: 'A' }],
])('names that %s are equal on both sides after one run', (_, former, left) => {
  expect(renamed(former, plan(former, left, former))).toEqual(left);
});

test('a group that was left under a temporary name gets the name of its counterpart', () => {
  const former = { 1: 'A', 2: 'B' };
  const interrupted = { ...former, 1: temporaryName('1') };
  expect(renamed(interrupted, plan(former, former, interrupted))).toEqual(former);
});
