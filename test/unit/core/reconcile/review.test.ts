import { expect, test } from 'vitest';
import type { OpenConflict } from '../../../../src/core/reconcile/decision.ts';
import { mergeContacts } from '../../../../src/core/reconcile/merge.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { bothSides, policyWith, sideOf } from './support.ts';

/** The left side's Baker had lost to the right side's Brewer. */
const CONFLICT: OpenConflict = {
  leftId: 'x',
  rightId: 'x',
  field: 'title',
  left: 'Baker',
  right: 'Brewer',
  winner: 'right',
  review: 'left',
};

type Title = { readonly now: string; readonly base: string };

const merged = (left: Title, right: Title, conflict: Partial<OpenConflict> = {}, policy: Partial<Policy> = {}) => {
  const halves = bothSides(
    sideOf({ title: left.now, company: 'X' }, { title: left.base, company: 'X' }),
    sideOf({ title: right.now, company: 'X' }, { title: right.base, company: 'X' }),
  );
  const open = [{ ...CONFLICT, ...conflict }];
  const { fields, desired, conflicts, taken, held } = mergeContacts(halves, policyWith(policy), open);
  const titles = { left: desired.left.title, right: desired.right.title };
  return { fields, titles, conflicts, taken, held };
};

const agreed = (title: string): Title => ({ now: title, base: title });
const TAKEN = [{ field: 'title', from: 'left' }];

test('[R4] the value that a user chose is written to both sides', () => {
  expect(merged(agreed('Brewer'), agreed('Brewer'))).toEqual({
    fields: { left: ['title'], right: ['title'] },
    titles: { left: 'Baker', right: 'Baker' },
    conflicts: [],
    taken: TAKEN,
    held: { left: [], right: [] },
  });
});

test.each([
  ['it has not been overwritten yet', { now: 'Baker', base: 'Cook' }, { now: 'Brewer', base: 'Cook' }, ['right']],
  ['the losing side has the winning value in another spelling', agreed('brewer'), agreed('Brewer'), ['left', 'right']],
  ['one side has it already', agreed('Baker'), agreed('Brewer'), ['right']],
  ['the other side has it already', agreed('Brewer'), { now: 'Baker', base: 'Brewer' }, ['left']],
])('[R4] only the sides that lack it are written: %s', (_, left, right, sides) => {
  const { fields, conflicts, taken } = merged(left, right);
  expect([...(fields.left.length > 0 ? ['left'] : []), ...(fields.right.length > 0 ? ['right'] : [])]).toEqual(sides);
  expect([conflicts, taken]).toEqual([[], TAKEN]);
});

test.each([
  ['at the winner', agreed('Brewer'), { now: 'Butcher', base: 'Brewer' }, ['left'], 'Butcher'],
  ['at the loser', { now: 'Butcher', base: 'Brewer' }, agreed('Brewer'), ['right'], 'Butcher'],
  ['alike at both', { now: 'Butcher', base: 'Brewer' }, { now: 'Butcher', base: 'Brewer' }, [], 'Butcher'],
])('[R5] a later change is not overwritten by the value that a user chose: %s', (_, left, right, sides, title) => {
  const { fields, titles, taken } = merged(left, right);
  expect([...(fields.left.length > 0 ? ['left'] : []), ...(fields.right.length > 0 ? ['right'] : [])]).toEqual(sides);
  expect([titles.left, titles.right, taken]).toEqual([title, title, []]);
});

test.each([['dismissed'], ['right'], [null]] as const)(
  'nothing is written for a conflict that is left unresolved: %s',
  (review) => {
    const { fields, taken } = merged(agreed('Brewer'), agreed('Brewer'), { review });
    expect([fields, taken]).toEqual([{ left: [], right: [] }, []]);
  },
);

test('a side that the link may not write keeps its value', () => {
  const { fields } = merged(agreed('Brewer'), agreed('Brewer'), {}, { direction: 'to-left' });
  expect(fields).toEqual({ left: ['title'], right: [] });
});
