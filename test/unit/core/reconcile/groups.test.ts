import { describe, expect, test } from 'vitest';
import type { GroupRecord } from '../../../../src/core/contact/record.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { temporaryName } from '../../../../src/core/reconcile/group-order.ts';
import { type GroupPair, type GroupPlan, planGroups } from '../../../../src/core/reconcile/groups.ts';
import type { GroupAction } from '../../../../src/core/reconcile/group-order.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { policyWith, PREFIX, SIDE_PAIRS } from './support.ts';

/** Groups with these names; the id of a group is the side's initial and its number, from 1. */
const groupsOf = (side: Side, names: readonly string[]): readonly GroupRecord[] =>
  names.map((name, index) => ({ id: `${PREFIX[side]}${index + 1}`, name, version: '' }));

/** A stored pair of the first group of each side, under the names that the sides last had for it. */
const stored = (left: string | null, right: string | null, given: Partial<GroupPair> = {}): GroupPair => ({
  key: 'left:g1',
  left: left === null ? null : { id: 'g1', name: left },
  right: right === null ? null : { id: 's1', name: right },
  status: 'linked',
  isUnited: true,
  ...given,
});

type Names = readonly string[];

const plan = (left: Names, right: Names, pairs: readonly GroupPair[] = [], policy: Partial<Policy> = {}): GroupPlan =>
  planGroups({ left: groupsOf('left', left), right: groupsOf('right', right), pairs }, policyWith(policy));

const linked = ({ links }: GroupPlan) => links.map(({ left, right }) => `${left} ${right}`);
const texts = (actions: readonly GroupAction[]) => actions.map(({ kind, side, name }) => `${kind} ${side} ${name}`);
const WORK = stored('Work', 'Work');

describe('groups that meet for the first time', () => {
  test('R11: are paired by name: composed, trimmed, in any case', () => {
    const planned = plan(['Work', 'Cafe\u0301'], ['CAFÉ', ' work']);
    expect([planned.actions, linked(planned)]).toEqual([[], ['g1 s2', 'g2 s1']]);
    expect(planned.links.every((link) => !link.isUnited)).toBe(true);
    expect(planned.pairs.every((pair) => pair.isUnited && pair.status === 'linked')).toBe(true);
  });

  test('are created on each side that lacks them', () => {
    const planned = plan(['Work'], ['Home']);
    expect(texts(planned.actions)).toEqual(['create-group left Home', 'create-group right Work']);
    expect(linked(planned)).toEqual(['g1 null', 'null s1']);
    expect(planned.actions.map(({ key }) => key).toSorted()).toEqual(planned.pairs.map(({ key }) => key).toSorted());
  });

  test.each(SIDE_PAIRS)('with the same name twice in %s are paired once, and the rest is reported', (side, other) => {
    const names = { left: [], right: [], [side]: ['Work', 'work', 'WORK'], [other]: ['Work'] };
    const planned = plan(names.left, names.right);
    expect([planned.actions, linked(planned)]).toEqual([[], ['g1 s1']]);
    expect(planned.duplicates).toEqual(['work', 'WORK'].map((name) => ({ side, name })));
  });

  test('with the same name twice on both sides are paired one by one, in the order of their ids', () => {
    const groups = (prefix: string) => ['10', '9'].map((id) => ({ id: `${prefix}${id}`, name: 'Work', version: '' }));
    const planned = planGroups({ left: groups('g'), right: groups('s'), pairs: [] }, policyWith());
    expect(linked(planned)).toEqual(['g9 s9', 'g10 s10']);
  });
});

test.each<[Partial<Policy>, string]>([
  [{ conflicts: 'newest' }, 'rename-group right G'],
  [{ conflicts: 'left' }, 'rename-group right G'],
  [{ conflicts: 'right' }, 'rename-group left S'],
  [{ conflicts: 'right', direction: 'to-right' }, 'rename-group right G'],
  [{ conflicts: 'left', direction: 'to-left' }, 'rename-group left S'],
])('R4: a pair with two new names follows %j', (policy, expected) => {
  expect(texts(plan(['G'], ['S'], [WORK], policy).actions)).toEqual([expected]);
});

test('a rename or a deletion at the target of a one-way link is kept', () => {
  const renamed = plan(['Work'], ['Local'], [WORK], { direction: 'to-right' });
  expect([renamed.actions, renamed.pairs, linked(renamed)]).toEqual([[], [WORK], ['g1 s1']]);
  const deleted = plan(['Work'], [], [WORK], { direction: 'to-right' });
  expect(deleted).toMatchObject({ actions: [], pairs: [{ status: 'kept', right: null }] });
});

test('a half that was never created is no deletion, and is paired with a group of its name', () => {
  const halfMade = stored('Work', null, { isUnited: false });
  const planned = plan(['Work'], [], [halfMade]);
  expect([texts(planned.actions), planned.pairs.map(({ key }) => key)]).toEqual([
    ['create-group right Work'],
    ['left:g1'],
  ]);
  expect(plan(['Work'], ['work'], [halfMade]).actions).toEqual([]);
});

test('R9: a group that an interrupted run created belongs to its pair, whatever its origin is named now, and is deleted with it', () => {
  const halfMade = stored('Work', null, { isUnited: true });
  const renamed = plan(['Job'], ['Work'], [halfMade]);
  expect([texts(renamed.actions), linked(renamed), renamed.links[0]?.isUnited]).toEqual([
    ['rename-group right Job'],
    ['g1 s1'],
    false,
  ]);
  expect(texts(plan([], ['Work'], [halfMade]).actions)).toEqual(['delete-group right Work']);
});

test('a kept group is linked again once the other side has a group with its name, and ends when it is deleted', () => {
  const kept = stored('Work', null, { status: 'kept', isUnited: false });
  const planned = plan(['Work'], ['work'], [kept], { deletes: 'keep' });
  expect([planned.actions, linked(planned), planned.links[0]?.isUnited]).toEqual([[], ['g1 s1'], false]);
  expect(plan([], [], [kept])).toMatchObject({ actions: [], ended: ['left:g1'], pairs: [] });
});

const begun = { left: { id: 'g1', name: 'Work' }, right: { id: 's1', name: 'Work', nextName: 'Job' } };

test('R11: after an interrupted rename the name that it gave is no rename by a user', () => {
  expect(texts(plan(['Office'], ['Job'], [{ ...WORK, ...begun }]).actions)).toEqual(['rename-group right Office']);
});

test('R11: after an interrupted rename a group that it left with the new name is paired with no other group', () => {
  expect(linked(plan(['Office', 'Job'], ['Work', 'Job'], [{ ...WORK, ...begun }]))).toEqual(['g1 s1']);
});

test.each(SIDE_PAIRS)('a deletion at %s keeps the other group if deletions are kept', (side, other) => {
  const names = { left: ['Work'], right: ['Work'], [side]: [] };
  const [pair] = plan(names.left, names.right, [WORK], { deletes: 'keep' }).pairs;
  expect(pair).toMatchObject({ status: 'kept', isUnited: false, [side]: null, [other]: { name: 'Work' } });
  const again = plan(names.left, names.right, pair === undefined ? [] : [pair], { deletes: 'keep' });
  expect(again).toMatchObject({ actions: [], pairs: [pair], links: [], ended: [] });
});

test('a deletion followed by a new group of the same name does not pair the new one with the deleted one', () => {
  const left = [{ id: 'g2', name: 'Work', version: '' }];
  const planned = planGroups({ left, right: groupsOf('right', ['Work']), pairs: [WORK] }, policyWith());
  expect(texts(planned.actions)).toEqual(['create-group right Work', 'delete-group right Work']);
  expect(planned.actions.at(-1)).toMatchObject({ group: { id: 's1' }, via: temporaryName('left:g1') });
  expect(linked(planned)).toEqual(['g2 null']);
});

describe('BUCKETS', () => {
  const buckets = ['*', '!Private*'];

  test.each(SIDE_PAIRS)('leaves out a new group of %s', (side) => {
    const names = { left: [], right: [], [side]: ['Private'] };
    const planned = plan(names.left, names.right, [], { buckets });
    expect(planned).toMatchObject({ actions: [], links: [], pairs: [], duplicates: [] });
  });

  test('leaves out a stored pair, and unites its members again when it takes part again', () => {
    const excluded = plan(['Private'], ['Private'], [stored('Private', 'Private')], { buckets });
    expect(excluded).toMatchObject({ actions: [], links: [] });
    expect(excluded.pairs).toEqual([stored('Private', 'Private', { isUnited: false })]);
    expect(plan(['Private'], ['Private'], excluded.pairs).links).toMatchObject([{ isUnited: false }]);
  });

  test('propagates a rename to a name outside of it, since one name is still included', () => {
    const planned = plan(['Private'], ['Work'], [WORK], { buckets });
    expect(texts(planned.actions)).toEqual(['rename-group right Private']);
  });
});

test('R11: a new group gets another key than a pair whose group is deleted and had its id before', () => {
  const pair = {
    ...stored(null, null),
    key: 'right:s1',
    left: { id: 'g1', name: 'Job' },
    right: { id: 's2', name: 'Job' },
  };
  const { actions } = plan([], ['Work', 'Job'], [pair]);
  expect(texts(actions)).toEqual(['create-group left Work', 'delete-group right Job']);
  expect(new Set(actions.map(({ key }) => key)).size).toBe(2);
});

test('R11: a new group gets another key than the pair of a renamed group that had its id before', () => {
  const { links, pairs } = plan(['Job'], ['Job', 'Work'], [{ ...stored('Job', 'Job'), key: 'right:s2' }]);
  expect([new Set(links.map(({ key }) => key)).size, new Set(pairs.map(({ key }) => key)).size]).toEqual([2, 2]);
});

// Histories of the topic `group-names` run such plans, with crashes between the renames.
describe('the order of renames', () => {
  /** The names of the groups of a side by id. */
  type ById = Readonly<Record<string, string>>;

  /** The plan for groups that are each linked with the group of its id on the other side, under the former name. */
  const planOf = (former: ById, left: ById, right: ById) => {
    const recordsOf = (names: ById) => Object.entries(names).map(([id, name]) => ({ id, name, version: '' }));
    const pairs = Object.entries(former).map(([id, name]): GroupPair => {
      return { key: id, left: { id, name }, right: { id, name }, status: 'linked', isUnited: true };
    });
    return planGroups({ left: recordsOf(left), right: recordsOf(right), pairs }, policyWith());
  };

  test('does not create a group under a name that stays in use because a rename is blocked', () => {
    const planned = planOf({ 1: 'A', 2: 'B' }, { 1: 'A', 2: 'B', other: 'X' }, { 1: 'X', 2: 'B', new: 'A' });
    expect(planned.actions).toMatchObject([{ kind: 'rename-group', side: 'left', name: 'X' }]);
    expect(planned.duplicates).toEqual([
      { side: 'left', name: 'X' },
      { side: 'right', name: 'A' },
    ]);
  });

  const [ABC, AAB, AB] = [
    { 1: 'A', 2: 'B', 3: 'C' },
    { 1: 'A', 2: 'a', 3: 'B' },
    { 1: 'A', 2: 'B' },
  ];

  test.each<[string, ById, ById, ById]>([
    ['rotate', ABC, { 1: 'B', 2: 'C', 3: 'A' }, ABC],
    ['differ only in case and swap with another name', AAB, { 1: 'B', 2: 'b', 3: 'A' }, AAB],
    ['include a temporary name of an interrupted run', AB, AB, { ...AB, 1: temporaryName('1') }],
  ])('makes names that %s equal on both sides, under which no two groups have one name', (_, former, left, right) => {
    const renames = planOf(former, left, right).actions.filter((action) => action.kind === 'rename-group');
    const steps = [
      ...renames.flatMap(({ group, via }) => (via === undefined ? [] : [{ id: group.id, name: via }])),
      ...renames.map(({ group, name }) => ({ id: group.id, name })),
    ];
    const after = steps.reduce((names: ById, { id, name }) => {
      const taken = Object.entries(names).find(([other, used]) => other !== id && used === name);
      expect([id, name, taken]).toEqual([id, name, undefined]);
      return { ...names, [id]: name };
    }, right);
    expect(after).toEqual(left);
  });
});
