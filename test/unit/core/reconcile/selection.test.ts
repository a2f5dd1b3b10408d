import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { groupFilter } from '../../../../src/core/reconcile/policy.ts';
import { type Selection, selectionOf, selectsEveryContact } from '../../../../src/core/reconcile/selection.ts';
import { halfOf, pairOf, planOf, record, snapshot } from './support.ts';

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
    const found = [quoted('starred', ['starred']), quoted('tag:gold', ['tag:gold']), quoted('*', [])];
    expect(found).toEqual([false, false, false]);
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
  const base = snapshot({ title: 'Baker' }, ['c']);
  const boss = halfOf(record('l', { title: 'Boss' }, { groupIds: ['c'] }), { base });
  const baker = halfOf(record('r', { title: 'Baker' }, { groupIds: ['b'] }), {
    base: snapshot({ title: 'Baker' }, ['b']),
  });
  const link = { key: 'k', left: 'c', right: 'b', settled: true };
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

  describe('and was unlinked', () => {
    const unlinked = (side: Side, id: string, given: Partial<Contact>, groupIds: readonly string[] = []): Half =>
      halfOf(record(id, given, { groupIds: [...groupIds] }), { side, state: 'settled', base: null, formerPair: 1 });
    const left = unlinked('left', 'l', { firstName: 'Ada', title: 'Boss' }, ['c']);
    const right = unlinked('right', 'r', { lastName: 'Moore', title: 'Baker' });
    const twin = halfOf(record('twin', { firstName: 'Ada', title: 'Boss' }), { side: 'right', base: null });

    test('is paired again as at a first meeting when a side selects it, whatever other contact has the same content', () => {
      const unpaired = { left: [{ ...left, state: 'changed' as const }], right: [twin, right] };
      const { decisions, rest } = planOf({ ...input, unpaired, selection: selecting('c') });
      expect(decisions).toMatchObject([
        { kind: 'merge', pair: { id: null, left: { id: 'l', base: null }, right: { id: 'r', base: null } } },
      ]);
      expect(rest).toMatchObject([{ id: 'twin', state: 'settled' }]);
    });

    test('is not paired again if a user keeps its two contacts apart', () => {
      const verdicts = [{ leftId: 'l', rightId: 'r', says: 'apart', atMs: 1 } as const];
      const unpaired = { left: [left], right: [right] };
      const { decisions } = planOf({ ...input, unpaired, verdicts, selection: selecting('c') });
      expect(decisions).toMatchObject([{ kind: 'create', side: 'right', source: { id: 'l' }, apartFrom: ['r'] }]);
    });
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
  [['"[VIP]"'], '[vip]', true],
  [['"[VIP]"'], 'V', false],
  [['"*"'], '*', true],
  [['"!Important"'], '!Important', true],
  [['*', '!"A,B"'], 'a,b', false],
  [[String.raw`\!Important`], '!Important', true],
  [['*', '!'], 'Work', true],
  [[], 'Work', false],
])('BUCKETS %j lets %j take part: %s', (patterns, name, expected) => {
  expect(groupFilter(patterns)(name)).toBe(expected);
});
