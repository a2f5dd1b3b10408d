import { describe, expect, test } from 'vitest';
import { decideSleep } from '../../../../src/core/reconcile/asleep.ts';
import type { Pair } from '../../../../src/core/reconcile/decision.ts';
import { planContacts } from '../../../../src/core/reconcile/plan.ts';
import { foldGroupName, groupFilter, mayWrite, type Policy } from '../../../../src/core/reconcile/policy.ts';
import { selectionOf, selectsEveryContact } from '../../../../src/core/reconcile/selection.ts';
import { halfOf, policyWith, record, SCOPES, snapshot } from './support.ts';

const NAMES = new Map([
  ['c', 'Clients'],
  ['p', 'Private'],
  ['s', 'Sailors'],
]);

const groups = { names: { left: NAMES, right: NAMES }, links: [] };

const selected = (patterns: readonly string[], groupIds: readonly string[], marks: readonly string[] = []): boolean =>
  selectionOf({ left: patterns, right: ['*'] }, groups).selects('left', { groupIds, marks });

describe('[R18] a selection', () => {
  test.each([
    [['*'], [], true],
    [['!*'], ['c'], false],
    [['clients'], ['c'], true],
    [['cli*'], ['p'], false],
    [['Clients', '!Private'], ['c', 'p'], false],
    [['*', '!Private'], [], true],
    [['*', '!Private', 'Clients'], ['c', 'p'], true],
  ])('of %j selects a contact of %j: %s', (patterns, groupIds, outcome) => {
    expect(selected(patterns, groupIds)).toBe(outcome);
  });

  test('depends on marks only if it names them', () => {
    expect(selected(['starred'], [], ['starred'])).toBe(true);
    expect(selected(['S*'], [], ['starred'])).toBe(false);
    expect(selected(['S*'], ['s'])).toBe(true);
    expect(selected(['tag:GOLD'], [], ['tag:Gold'])).toBe(true);
    expect(selected(['tag:g*'], [], ['tag:Gold'])).toBe(true);
    expect(selected(['*gold'], [], ['tag:Gold'])).toBe(false);
  });

  test('depends on groups only if a name is in double quotes', () => {
    const quoted = (name: string, marks: readonly string[]) => selected([`"${name}"`], ['c'], marks);
    expect([quoted('starred', ['starred']), quoted('tag:gold', ['tag:gold']), quoted('*', [])]).toEqual([
      false,
      false,
      false,
    ]);
    const named = { names: { left: new Map([['c', 'Starred']]), right: NAMES }, links: [] };
    const selection = selectionOf({ left: ['"starred"'], right: ['*'] }, named);
    expect(selection.selects('left', { groupIds: ['c'], marks: [] })).toBe(true);
  });

  test('includes every contact only if nothing is excluded at either side', () => {
    expect(selectsEveryContact({ left: ['*'], right: ['*'] })).toBe(true);
    expect(selectsEveryContact({ left: ['*'], right: ['*', '!Private'] })).toBe(false);
  });

  test('has another key once a group has another name', () => {
    const contacts = { left: ['Clients'], right: ['*'] };
    const renamed = { ...groups, names: { left: new Map([['c', 'Former']]), right: NAMES } };
    expect(selectionOf(contacts, groups).key).not.toBe(selectionOf(contacts, renamed).key);
    expect(selectionOf(contacts, groups).key).toBe(selectionOf(contacts, groups).key);
  });
});

describe('[R18] a pair that no side selects', () => {
  const link = { key: 'k', left: 'c', right: 'b', settled: true };
  const base = snapshot({ title: 'Baker' }, ['c']);
  const pair: Pair = {
    id: 1,
    status: 'linked',
    left: halfOf(record('l', { title: 'Boss' }), { pair: 1, base }),
    right: halfOf(record('r', { title: 'Boss' }), {
      side: 'right',
      pair: 1,
      base: snapshot({ title: 'Baker' }, ['b']),
    }),
  };

  test('becomes unselected, and the values that both sides agree on by then enter both bases', () => {
    const decision = decideSleep(pair, [link], () => false);
    expect(decision).toMatchObject({ kind: 'unlink', to: 'asleep' });
    expect(decision?.pair.left?.base).toEqual(snapshot({ title: 'Boss' }));
    expect(decision?.pair.right?.base).toEqual(snapshot({ title: 'Boss' }));
  });

  test('and is selected again by a label that one side added gets the label on both (seed 2182)', () => {
    const slept = decideSleep(pair, [link], () => false)?.pair;
    const [left, right] = [slept?.left, slept?.right];
    if (!left || !right) return expect.fail('The pair does not sleep.');
    const again = { ...left, record: record('l', { title: 'Boss' }, { groupIds: ['c'] }) };
    const groupPlan = { links: [link], actions: [], pairs: [], ended: [], duplicates: [] };
    const { decisions } = planContacts({
      pairs: [{ id: 1, status: 'asleep', left: again, right }],
      survivors: [],
      unpaired: { left: [], right: [] },
      selection: { selects: (_, { groupIds }) => groupIds.length > 0 },
      groups: groupPlan,
      openConflicts: [],
      policy: policyWith(),
      scopes: SCOPES,
    });
    expect(decisions).toMatchObject([
      { kind: 'merge', writes: [{ kind: 'membership', side: 'right', joins: ['k'], leaves: [] }] },
    ]);
  });

  test('adopts values that both sides added or removed in further fields into the base too', () => {
    const websites = (...urls: readonly string[]) => urls.map((value) => ({ value, label: null }));
    const before = snapshot({
      notes: 'Old',
      nickname: 'Bo',
      websites: websites('https://a.example', 'https://b.example'),
    });
    const now = { notes: 'New', websites: websites('https://a.example') };
    const decision = decideSleep(
      {
        ...pair,
        left: halfOf(record('l', now), { pair: 1, base: before }),
        right: halfOf(record('r', now), { side: 'right', pair: 1, base: before }),
      },
      [link],
      () => false,
    );
    expect(decision?.pair.left?.base).toEqual(snapshot(now));
    expect(decision?.pair.right?.base).toEqual(snapshot(now));
  });

  test('is decided like any other while a side selects one of its halves', () => {
    expect(decideSleep(pair, [link], (side) => side === 'right')).toBeNull();
  });

  test('and lost a half while unselected keeps the other one', () => {
    const left = halfOf(record('l', {}), { state: 'gone' });
    expect(decideSleep({ ...pair, left, status: 'asleep' }, [link], () => true)).toMatchObject({ to: 'kept' });
    expect(decideSleep({ ...pair, left }, [link], () => false)).toBeNull();
  });
});

test.each<[Policy['direction'], boolean, boolean]>([
  ['both', true, true],
  ['to-left', true, false],
  ['to-right', false, true],
])('a link with the direction %s may write to Google: %s, to the service: %s', (direction, left, right) => {
  const policy = policyWith({ direction });
  expect([mayWrite(policy, 'left'), mayWrite(policy, 'right')]).toEqual([left, right]);
});

test('names of groups are compared composed, trimmed and in any case', () => {
  expect(foldGroupName(' Cafe\u0301 ')).toBe(foldGroupName('CAFÉ'));
  expect(foldGroupName('Work')).not.toBe(foldGroupName('Works'));
});

describe('BUCKETS', () => {
  test.each<[readonly string[], string, boolean]>([
    [['*'], 'Anything at all', true],
    [['*'], 'a/b', true],
    [['*'], '.hidden', true],
    [['Work'], 'work ', true],
    [['Work'], 'Homework', false],
    [['*work'], 'Homework', true],
    [['Cafe\u0301'], 'CAFÉ', true],
    [['Team ?'], 'Team A', true],
    [['Team ?'], 'Team AB', false],
    [['{A,B}*'], 'Bees', true],
    [['*', '!Private*'], 'Private life', false],
    [['*', '!Private*'], 'Work', true],
    [['*', '!Private*', 'Private club'], 'Private club', true],
    [['Work', '!*'], 'Work', false],
    [['!Work'], 'Play', false],
    [['C++ (old)'], 'c++ (old)', true],
    [['[Friends]'], '[Friends]', true],
    [['"[VIP]"'], '[vip]', true],
    [['"[VIP]"'], 'V', false],
    [['"*"'], '*', true],
    [['"*"'], 'Work', false],
    [['"!Important"'], '!Important', true],
    [['*', '!"A,B"'], 'a,b', false],
    [[String.raw`\!Important`], '!Important', true],
    [['*', '!'], 'Work', true],
    [[], 'Work', false],
  ])('%j lets %j take part: %s', (patterns, name, expected) => {
    expect(groupFilter(patterns)(name)).toBe(expected);
  });
});
