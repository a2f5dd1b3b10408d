import { describe, expect, test } from 'vitest';
import { type Side } from '../../../../src/core/contact/side.ts';
import type { GroupRecord } from '../../../../src/core/contact/record.ts';
import { planGroups, type GroupAction, type GroupPair, type GroupPlan } from '../../../../src/core/reconcile/groups.ts';
import { temporaryName } from '../../../../src/core/reconcile/group-order.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { policyWith, PREFIX, SIDE_PAIRS } from './support.ts';

/** Groups with these names; the id of a group is the side's initial and its number, from 1. */
const groupsOf = (side: Side, names: readonly string[]): readonly GroupRecord[] => {
  return names.map((name, index) => ({ id: `${PREFIX[side]}${index + 1}`, name, version: '' }));
};

/** A stored pair of the first group of each side, under the names that the sides last had for it. */
const stored = (left: string | null, right: string | null, given: Partial<GroupPair> = {}): GroupPair => ({
  key: 'left:g1',
  left: left === null ? null : { id: 'g1', name: left },
  right: right === null ? null : { id: 's1', name: right },
  status: 'linked',
  settled: true,
  ...given,
});

const plan = (
  left: readonly string[],
  right: readonly string[],
  pairs: readonly GroupPair[] = [],
  policy: Partial<Policy> = {},
): GroupPlan => {
  const groups = { left: groupsOf('left', left), right: groupsOf('right', right) };
  return planGroups({ ...groups, pairs }, policyWith(policy));
};

const linked = ({ links }: GroupPlan) => links.map(({ left, right }) => [left, right]);
const texts = (actions: readonly GroupAction[]) => actions.map(({ kind, side, name }) => `${kind} ${side} ${name}`);

describe('groups that meet for the first time', () => {
  test('[R11] are paired by name: composed, trimmed, in any case', () => {
    const planned = plan(['Work', 'Cafe\u0301'], ['CAFÉ', ' work']);
    expect(planned.actions).toEqual([]);
    expect(linked(planned)).toEqual([
      ['g1', 's2'],
      ['g2', 's1'],
    ]);
    expect(planned.links.every((link) => !link.settled)).toBe(true);
    expect(planned.pairs.every((pair) => pair.settled && pair.status === 'linked')).toBe(true);
  });

  test('are created on each side that lacks them', () => {
    const planned = plan(['Work'], ['Home']);
    expect(texts(planned.actions)).toEqual(['create-group left Home', 'create-group right Work']);
    expect(linked(planned)).toEqual([
      ['g1', null],
      [null, 's1'],
    ]);
    expect(planned.actions.map(({ key }) => key).toSorted()).toEqual(planned.pairs.map(({ key }) => key).toSorted());
  });

  test.each(SIDE_PAIRS)('with the same name twice in %s are paired once, and the rest is reported', (side, other) => {
    const names = { left: [], right: [], [side]: ['Work', 'work', 'WORK'], [other]: ['Work'] };
    const planned = plan(names.left, names.right);
    expect(planned.actions).toEqual([]);
    expect(linked(planned)).toEqual([['g1', 's1']]);
    const duplicates = ['work', 'WORK'].map((name) => ({ side, name }));
    expect(planned.duplicates).toEqual(duplicates);
  });

  test('with the same name twice on both sides are paired one by one, in the order of their ids', () => {
    const groups = (prefix: string) => ['10', '9'].map((id) => ({ id: `${prefix}${id}`, name: 'Work', version: '' }));
    const planned = planGroups({ left: groups('g'), right: groups('s'), pairs: [] }, policyWith());
    expect(linked(planned)).toEqual([
      ['g9', 's9'],
      ['g10', 's10'],
    ]);
  });
});

describe('a rename', () => {
  test.each<[Partial<Policy>, string]>([
    [{ conflicts: 'newest' }, 'rename-group right G'],
    [{ conflicts: 'left' }, 'rename-group right G'],
    [{ conflicts: 'right' }, 'rename-group left S'],
    [{ conflicts: 'right', direction: 'to-right' }, 'rename-group right G'],
    [{ conflicts: 'left', direction: 'to-left' }, 'rename-group left S'],
  ])('[R4] to two names follows %j', (policy, expected) => {
    expect(texts(plan(['G'], ['S'], [stored('Work', 'Work')], policy).actions)).toEqual([expected]);
  });

  test('or a deletion at the target of a one-way link is kept', () => {
    const renamed = plan(['Work'], ['Local'], [stored('Work', 'Work')], { direction: 'to-right' });
    expect(renamed).toMatchObject({ actions: [], pairs: [stored('Work', 'Work')] });
    expect(linked(renamed)).toEqual([['g1', 's1']]);
    const deleted = plan(['Work'], [], [stored('Work', 'Work')], { direction: 'to-right' });
    expect(deleted).toMatchObject({ actions: [], pairs: [{ status: 'kept', right: null }] });
  });
});

describe('a deletion', () => {
  const missing = (side: Side) => ({ left: ['Work'], right: ['Work'], [side]: [] });

  test.each(SIDE_PAIRS)('at %s keeps the other group if deletions are kept', (side, other) => {
    const { left, right } = missing(side);
    const [pair] = plan(left, right, [stored('Work', 'Work')], { deletes: 'keep' }).pairs;
    expect(pair).toMatchObject({ status: 'kept', settled: false, [side]: null, [other]: { name: 'Work' } });
    const again = plan(left, right, pair === undefined ? [] : [pair], { deletes: 'keep' });
    expect(again).toMatchObject({ actions: [], pairs: [pair], links: [], ended: [] });
  });

  test('of a kept group ends its row', () => {
    const kept = stored('Work', null, { status: 'kept', settled: false });
    expect(plan([], [], [kept])).toMatchObject({ actions: [], ended: ['left:g1'], pairs: [] });
  });

  test('followed by a new group of the same name does not pair the new one with the deleted one', () => {
    const left = [{ id: 'g2', name: 'Work', version: '' }];
    const groups = { left, right: groupsOf('right', ['Work']), pairs: [stored('Work', 'Work')] };
    const planned = planGroups(groups, policyWith());
    expect(texts(planned.actions)).toEqual(['create-group right Work', 'delete-group right Work']);
    expect(planned.actions.at(-1)).toMatchObject({ group: { id: 's1' }, via: temporaryName('left:g1') });
    expect(linked(planned)).toEqual([['g2', null]]);
  });

  test('is not inferred from a half that was never created', () => {
    const halfMade = stored('Work', null, { settled: false });
    const planned = plan(['Work'], [], [halfMade]);
    expect(texts(planned.actions)).toEqual(['create-group right Work']);
    expect(planned.pairs.map((pair) => pair.key)).toEqual(['left:g1']);
    expect(texts(plan(['Work'], ['work'], [halfMade]).actions)).toEqual([]);
  });
});

test('a kept group is linked again once the other side has a group with its name', () => {
  const kept = stored('Work', null, { status: 'kept', settled: false });
  const planned = plan(['Work'], ['work'], [kept], { deletes: 'keep' });
  expect(planned.actions).toEqual([]);
  expect(linked(planned)).toEqual([['g1', 's1']]);
  expect(planned.links[0]?.settled).toBe(false);
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
    expect(excluded.pairs).toEqual([stored('Private', 'Private', { settled: false })]);
    const again = plan(['Private'], ['Private'], excluded.pairs);
    expect(again.links).toMatchObject([{ settled: false }]);
  });

  test('propagates a rename to a name outside of it, since one name is still included', () => {
    const planned = plan(['Private'], ['Work'], [stored('Work', 'Work')], { buckets });
    expect(texts(planned.actions)).toEqual(['rename-group right Private']);
  });
});

test('[R11] a new group gets another key than the pair of a renamed group that had its id before', () => {
  const pair: GroupPair = { ...stored('Job', 'Job'), key: 'right:s2' };
  const { links, pairs } = plan(['Job'], ['Job', 'Work'], [pair]);
  expect([new Set(links.map(({ key }) => key)).size, new Set(pairs.map(({ key }) => key)).size]).toEqual([2, 2]);
});
