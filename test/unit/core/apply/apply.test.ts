import { describe, expect, test } from 'vitest';
import { applyAnswer } from '../../../../src/core/apply/answers.ts';
import { applyRead, applySearch } from '../../../../src/core/apply/reads.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { ContactRecord } from '../../../../src/core/contact/record.ts';
import type { ReadAnswer } from '../../../../src/core/contact/requests.ts';
import { createWrites, deleteWrites, updateWrites } from '../../../../src/engine/execute/writes.ts';
import { operationOf } from '../../../support/store/rows.ts';
import {
  ADA,
  applyingIn,
  creationOf,
  looseHalf,
  mergeOf,
  NOW,
  pairedHalf,
  plannedOn,
  setOf,
  WRITING,
} from '../../engine/support.ts';
import { record } from '../reconcile/support.ts';

// Histories check the other writes of a sync, with each answer and each loss of an answer. These are writes of an undo.

const CHOIR = {
  key: 'choir',
  left: { id: 'g-choir', name: 'Choir' },
  right: { id: 's-choir', name: 'Choir' },
  status: 'linked',
  isUnited: true,
} as const;
const KNOWN = { groupPairs: [CHOIR], lagMs: 0, atMs: NOW };

const shown = (title: string, groupIds: readonly string[] = [], id = 'r'): ContactRecord =>
  record(id, { ...ADA, title }, { groupIds, version: '2' });
const LEFT = pairedHalf('left', 'l', 1, { record: shown('New', ['g-choir'], 'l') });
const BEFORE = shown('New', ['s-choir']);
const RIGHT = pairedHalf('right', 'r', 1, { record: BEFORE });

const OF = { side: 'right', cause: 'undo', pairId: 1, leftId: 'l', rightId: 'r', before: BEFORE } as const;
const OPERATIONS = {
  'an update': operationOf('update', { ...OF, desired: shown('Old').contact, source: null }),
  'a change of membership': operationOf('membership', { ...OF, leave: ['s-choir'] }),
  'a delete': operationOf('delete', OF),
  'a delete of a sync': operationOf('delete', { ...OF, cause: 'sync' }),
};

/** A half as text: its id if it is new, its state, and the title and the group of its base. */
const wordsOf = (half: Half | null): string => {
  if (half === null) return 'none';
  if (half.base === null) return `${half.state}, no pair`;
  const { contact, groupIds } = half.base;
  const id = half.id.length === 1 ? '' : `${half.id}, `;
  return `${id}${half.state}, ${[contact.title, contact.company, groupIds.length > 0 ? 'in' : 'out'].filter(Boolean).join(' ')}`;
};

const READS = {
  'it as before': { kind: 'found', record: BEFORE },
  'it with the old title': { kind: 'found', record: shown('Old', ['s-choir']) },
  'it with the old title, and edited': { kind: 'found', record: shown('Old', ['s-choir', 'own']) },
  'it out of the group': { kind: 'found', record: shown('New') },
  'it out of the group, and edited': { kind: 'found', record: shown('Newer') },
  'a new id': { kind: 'moved', record: shown('Old', ['s-choir'], 'renamed') },
  'a new id out of the group': { kind: 'moved', record: shown('New', [], 'renamed') },
  'no contact': { kind: 'gone' },
  'a refusal': { kind: 'withheld', reason: 'refused' },
  'an unreadable row': { kind: 'unreadable', reason: 'no shape' },
  nothing: undefined,
} as const satisfies Record<string, ReadAnswer | undefined>;

test.each<[keyof typeof OPERATIONS, keyof typeof READS, 'applied' | 'not applied' | 'open', string, string]>([
  ['an update', 'it with the old title', 'applied', 'settled, New in', 'settled, Old in'],
  ['an update', 'it as before', 'not applied', 'settled, New in', 'settled, New in'],
  ['an update', 'it with the old title, and edited', 'applied', 'settled, New in', 'changed, Old in'],
  ['an update', 'a new id', 'applied', 'settled, New in', 'renamed, settled, Old in'],
  ['an update', 'no contact', 'not applied', 'settled, New in', 'gone, New in'],
  ['an update', 'a refusal', 'open', 'settled, New in', 'settled, New in'],
  ['an update', 'an unreadable row', 'open', 'settled, New in', 'settled, New in'],
  ['an update', 'nothing', 'open', 'settled, New in', 'settled, New in'],
  ['a change of membership', 'it out of the group', 'applied', 'settled, New in', 'settled, New out'],
  ['a change of membership', 'it as before', 'not applied', 'settled, New in', 'settled, New in'],
  ['a change of membership', 'it out of the group, and edited', 'applied', 'settled, New in', 'changed, New out'],
  ['a change of membership', 'a new id out of the group', 'applied', 'settled, New in', 'renamed, settled, New out'],
  ['a change of membership', 'no contact', 'not applied', 'settled, New in', 'gone, New in'],
  ['a change of membership', 'a refusal', 'open', 'settled, New in', 'settled, New in'],
  ['a delete', 'it as before', 'not applied', 'settled, New in', 'settled, New in'],
  ['a delete', 'it with the old title', 'not applied', 'settled, New in', 'changed, New in'],
  ['a delete', 'a new id', 'not applied', 'settled, New in', 'renamed, changed, New in'],
  ['a delete', 'no contact', 'applied', 'settled, New in', 'none'],
  ['a delete', 'a refusal', 'open', 'settled, New in', 'settled, New in'],
  ['a delete of a sync', 'it as before', 'not applied', 'settled, New in', 'settled, New in'],
  ['a delete of a sync', 'it with the old title', 'not applied', 'settled, New in', 'changed, New in'],
  ['a delete of a sync', 'a new id', 'not applied', 'settled, New in', 'renamed, changed, New in'],
  ['a delete of a sync', 'no contact', 'applied', 'settled, New in', 'gone, New in'],
])('R9: after %s without an answer, a read shows %s: %s', (kind, read, expected, left, right) => {
  const set = setOf([LEFT, RIGHT]);
  const result = applyRead(set, OPERATIONS[kind], READS[read], KNOWN);
  const outcome = 'unreadable' in result ? 'open' : result.applied ? 'applied' : 'not applied';
  const pair = set.pair(1);
  expect([outcome, wordsOf(pair?.left ?? null), wordsOf(pair?.right ?? null)]).toEqual([expected, left, right]);
});

const EDITED = { ...shown('New'), contact: { ...shown('New').contact, company: 'X' } };

test.each<[string, ContactRecord | null, string]>([
  ['the contact', shown('New'), 'settled, New out'],
  ['the contact, edited since', EDITED, 'settled, New X out'],
  ['no contact', null, 'none'],
])('R9: after a create by an undo without an answer, a search finds %s', (_, found, right) => {
  const set = setOf([LEFT], { 1: 'kept' });
  const created = { ...OF, rightId: null, desired: shown('New').contact, image: shown('New', [], 'former') };
  expect(applySearch(set, operationOf('create', created), found, KNOWN).applied).toBe(found !== null);
  expect([set.pair(1)?.left, set.pair(1)?.right].map((half) => wordsOf(half ?? null))).toEqual([
    'settled, New in',
    right,
  ]);
});

describe('an answer', () => {
  const NEW = { ...ADA, title: 'New' };

  test.each([
    ['of its pair', 1, 'gone', true],
    ['of its pair', 1, 'doubted', true],
    ['without a pair', null, 'gone', true],
    ['of another pair', 2, 'gone', false],
  ] as const)('R6: to a create, the contact %s (%s) that was %s, restores it: %s', (_, pair, state, isRestored) => {
    const source = pairedHalf('left', 'l', 1, { state: 'changed', record: record('l', NEW) });
    const known = pair === null ? looseHalf('right', 'r', { state }) : pairedHalf('right', 'r', pair, { state });
    const set = setOf([source, known]);
    const writes = createWrites(WRITING, 'right', [creationOf(source, { pair: set.pair(1) })]);
    const [write] = writes.filter((each) => each.kind === 'create');
    const outcome = write && applyAnswer(applyingIn(set), { kind: 'record', write, value: shown('New') });
    expect(outcome?.kind).toBe(isRestored ? 'done' : 'refused');
    expect(set.half('right', 'r')?.state).toBe(isRestored ? 'settled' : state);
  });

  test.each([
    ['changed', 'changed', true],
    ['missing', 'missing', true],
    ['gone', 'gone', false],
  ] as const)(
    'R7: with an existing contact pairs it with a source that is %s by then as %s',
    (state, after, isPaired) => {
      const planned = looseHalf('left', 'l', { state: 'changed' });
      const set = setOf([{ ...planned, state }, looseHalf('right', 'r', { state: 'changed' })]);
      const [write] = createWrites(WRITING, 'right', [creationOf(planned)]).filter((each) => each.kind === 'create');
      if (write !== undefined) applyAnswer(applyingIn(set), { kind: 'record', write, value: shown('New') });
      const [left, right] = [set.half('left', 'l'), set.half('right', 'r')];
      expect([left?.state, right?.state]).toEqual([after, 'changed']);
      expect([left?.pair ?? null, right?.pair ?? null].map((pair) => pair !== null)).toEqual([isPaired, isPaired]);
    },
  );

  test.each([
    ['sync', null, 'gone, no pair', 'gone, no pair'],
    ['undo', 'kept', 'settled, New in', 'gone, no pair'],
  ] as const)('R9: to a delete of a %s leaves the pair %s: %s, %s', (cause, status, left, right) => {
    const set = setOf([{ ...LEFT, state: cause === 'sync' ? 'gone' : 'settled' }, RIGHT]);
    const pair = { id: 1, status: 'linked', left: LEFT, right: RIGHT } as const;
    const writes = deleteWrites(
      { ...WRITING, cause },
      [{ kind: 'delete', side: 'right', record: BEFORE, pair }],
      new Set(),
    );
    const [write] = writes.filter((each) => each.kind === 'delete');
    if (write !== undefined) applyAnswer(applyingIn(set), { kind: 'none', write });
    expect(set.pair(1)?.status ?? null).toBe(status);
    expect([wordsOf(set.half('left', 'l')), wordsOf(set.half('right', 'r'))]).toEqual([left, right]);
  });

  test('R18: to an update, with another tag, lets the contact be planned again', () => {
    const [left, right] = [pairedHalf('left', 'l', 1, { record: record('l', NEW) }), pairedHalf('right', 'r', 1)];
    const set = setOf([left, right]);
    const merge = mergeOf(left, right, { writes: plannedOn('right', ['title'], NEW) });
    const [write] = updateWrites(WRITING, set, 'right', [merge]).filter((each) => each.kind === 'update');
    const value = { ...shown('New'), marks: ['tag:Gold'] };
    if (write !== undefined) applyAnswer(applyingIn(set), { kind: 'record', write, value });
    expect(set.half('right', 'r')).toMatchObject({ state: 'changed', base: { contact: { title: 'New' } } });
  });
});
