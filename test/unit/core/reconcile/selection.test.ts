import { describe, expect, test } from 'vitest';
import { groupFilter } from '../../../../src/core/reconcile/policy.ts';
import { type Selection, selectionOf, selectsEveryContact } from '../../../../src/core/reconcile/selection.ts';
import type { Verdict } from '../../../../src/core/reconcile/verdict.ts';
import { halfOf, pairOf, planOf, record, snapshot } from './support.ts';

const NAMES = new Map([
  ['c', 'Clients'],
  ['p', 'Private'],
  ['s', 'Sailors'],
]);

const names = { left: NAMES, right: NAMES };

describe('R18: a selection', () => {
  test.each<[readonly string[], readonly string[], readonly string[], boolean]>([
    [['*'], [], [], true],
    [['!*'], ['c'], [], false],
    [['clients'], ['c'], [], true],
    [['cli*'], ['p'], [], false],
    [['Clients', '!Private'], ['c', 'p'], [], false],
    [['*', '!Private'], [], [], true],
    [['*', '!Private', 'Clients'], ['c', 'p'], [], true],
    // Marks match only by their names.
    [['starred'], [], ['starred'], true],
    [['S*'], [], ['starred'], false],
    [['S*'], ['s'], [], true],
    [['tag:GOLD'], [], ['tag:Gold'], true],
    [['tag:g*'], [], ['tag:Gold'], true],
    [['*gold'], [], ['tag:Gold'], false],
    // A name in double quotes matches a group only.
    [['"starred"'], ['c'], ['starred'], false],
    [['"tag:gold"'], ['c'], ['tag:gold'], false],
    [['"*"'], ['c'], [], false],
    [['"sailors"'], ['s'], [], true],
  ])('of %j selects a contact of the groups %j with the marks %j: %s', (patterns, groupIds, marks, outcome) => {
    const { selects } = selectionOf({ left: patterns, right: ['*'] }, names);
    expect(selects('left', { groupIds, marks })).toBe(outcome);
  });

  test('includes every contact only if nothing is excluded at either side', () => {
    expect(selectsEveryContact({ left: ['*'], right: ['*'] })).toBe(true);
    expect(selectsEveryContact({ left: ['*'], right: ['*', '!Private'] })).toBe(false);
  });

  test('has another key once a group has another name', () => {
    const keyOf = (name: string) => {
      const renamed = { left: new Map([['c', name]]), right: NAMES };
      return selectionOf({ left: ['Clients'], right: ['*'] }, renamed).key;
    };
    expect(keyOf('Clients')).not.toBe(keyOf('Former'));
    expect(keyOf('Clients')).toBe(keyOf('Clients'));
  });
});

describe('[R18] a pair that no side selects', () => {
  const base = snapshot({ title: 'Baker' }, ['c']);
  const boss = halfOf(record('l', { title: 'Boss' }, { groupIds: ['c'] }), { base });
  const baker = halfOf(record('r', { title: 'Baker' }, { groupIds: ['b'] }), {
    base: snapshot({ title: 'Baker' }, ['b']),
  });
  const link = { key: 'k', left: 'c', right: 'b', isUnited: true };
  const input = { groups: { links: [link], actions: [], pairs: [], ended: [], duplicates: [] } };
  const selecting = (...groupIds: readonly string[]): Pick<Selection, 'selects'> => ({
    selects: (_, contact) => contact.groupIds.some((id) => groupIds.includes(id)),
  });

  test('keeps the other contact if one was deleted, and deletes it if a side selected one of them', () => {
    const pairs = [pairOf({ ...boss, state: 'gone' }, baker)];
    const planned = (...groupIds: readonly string[]) =>
      planOf({ ...input, pairs, selection: selecting(...groupIds) }).decisions;
    expect(planned()).toMatchObject([{ kind: 'unlink', to: 'kept' }]);
    expect(planned('c')).toMatchObject([{ kind: 'delete', side: 'right' }]);
    expect(planned('b')).toMatchObject([{ kind: 'delete', side: 'right' }]);
  });

  test('that was unlinked is paired as at a first meeting once a side selects it, unless a user keeps it apart', () => {
    const unlinked = { state: 'changed', formerPair: 1 } as const;
    const left = halfOf(record('l', { firstName: 'Ada' }, { groupIds: ['c'] }), unlinked);
    const right = halfOf(record('r', { lastName: 'Moore' }), { ...unlinked, side: 'right', state: 'settled' });
    const twin = halfOf(record('twin', { firstName: 'Ada' }), { side: 'right' });
    const planned = (verdicts: readonly Verdict[]) =>
      planOf({ ...input, unpaired: { left: [left], right: [twin, right] }, verdicts, selection: selecting('c') });
    // Another contact has the same content.
    const pair = { id: null, left: { id: 'l', base: null }, right: { id: 'r', base: null } };
    expect(planned([])).toMatchObject({
      decisions: [{ kind: 'merge', pair }],
      rest: [{ id: 'twin', state: 'settled' }],
    });
    const apart = planned([{ leftId: 'l', rightId: 'r', says: 'apart', atMs: 1 }]);
    expect(apart.decisions).toMatchObject([{ kind: 'merge', pair: { right: { id: 'twin' } } }]);
  });

  test('R12: a contact merged into one of its contacts keeps its counterpart', () => {
    const cook = { title: 'Cook' };
    const mergedAway = { base: snapshot(cook, ['c']), state: 'gone', mergedInto: 'l' } as const;
    const away = halfOf(record('away', cook, { groupIds: ['c'] }), mergedAway);
    const merged = pairOf(away, halfOf(record('twin', cook), { base: snapshot(cook) }), 'linked', 2);
    const now = halfOf(record('l', { title: 'Boss' }));
    const selection = selecting('c');
    const kept = { kind: 'unlink', pair: { id: 2 }, to: 'kept' };
    const asPair = pairOf({ ...now, base }, baker);
    expect(planOf({ ...input, pairs: [merged, asPair], selection }).decisions).toMatchObject([kept, {}]);
    const unpaired = { left: [{ ...now, formerPair: 1 }], right: [] };
    expect(planOf({ ...input, pairs: [merged], unpaired, selection }).decisions).toMatchObject([kept]);
  });
});

test.each<[readonly string[], string, boolean]>([
  [['Work'], 'work ', true],
  [['Cafe\u0301'], 'CAFÉ', true],
  [['*', '!Private*'], 'Private life', false],
  [['*', '!Private*'], 'Work', true],
  [['*', '!Private*', 'Private club'], 'Private club', true],
  [['Work', '!*'], 'Work', false],
  [['!Work'], 'Play', false],
  [['[VIP]'], '[vip]', true],
  [['[VIP]'], 'V', false],
  [['"*"'], '*', true],
  [['"!Important"'], '!Important', true],
  [['*', '!"A,B"'], 'a,b', false],
  [['*', '!'], 'Work', true],
  [[], 'Work', false],
])('BUCKETS %j lets %j take part: %s', (patterns, name, expected) => {
  expect(groupFilter(patterns)(name)).toBe(expected);
});
