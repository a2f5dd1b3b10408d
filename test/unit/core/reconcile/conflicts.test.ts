import { expect, test } from 'vitest';
import { otherSide, type Side, SIDES } from '../../../../src/core/contact/side.ts';
import { decidedBy } from '../../../../src/core/reconcile/conflict-policy.ts';
import type { Decision, RecordedConflict } from '../../../../src/core/reconcile/decision.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { conflictsEndedBy, conflictsToPlan } from '../../../../src/core/reconcile/recorded-conflicts.ts';
import {
  bothSides,
  gone,
  mergeOf,
  pairOf,
  planOf,
  policyWith,
  present,
  record,
  sideOf,
  snapshot,
  unpaired,
} from './support.ts';

/** A half with a title, as `its value when both sides agreed > its value now`. */
const half = (title: string, id = 'l', modifiedAtMs: number | null = null) => {
  const [base = '', now = base] = title.split(' > ');
  const contact = { title: now, company: 'X' };
  return present(record(id, contact, { modifiedAtMs }), snapshot({ title: base, company: 'X' }));
};

test.each<[string, Partial<Policy>, number | null, number | null, Side]>([
  ['the later edit, the left one', {}, 2, 1, 'left'],
  ['the later edit, the right one', {}, 1, 2, 'right'],
  ['the left side if the times tie', {}, 1, 1, 'left'],
  ['the left side if it reports no time', {}, null, 9, 'left'],
  ['the left side if the right one reports no time', {}, 1, null, 'left'],
  ['the left side by policy', { conflicts: 'left' }, 1, 2, 'left'],
  ['the right side by policy', { conflicts: 'right' }, 2, 1, 'right'],
  ['the right side by the policy of the field', { conflictsByField: { title: 'right' } }, 2, 1, 'right'],
  ['the later edit by that policy', { conflicts: 'right', conflictsByField: { title: 'newest' } }, 2, 1, 'left'],
  ['the later edit if that policy is of another field', { conflictsByField: { company: 'right' } }, 2, 1, 'left'],
  ['the source of a one-way link', { direction: 'to-right', conflictsByField: { title: 'right' } }, 1, 2, 'left'],
  ['the source of a link to the left', { direction: 'to-left', conflicts: 'left' }, 2, 1, 'right'],
  ['the source of a link that asks', { direction: 'to-left', conflicts: 'ask' }, 2, 1, 'right'],
])('R4: a conflict is won by %s', (_, policy, leftAtMs, rightAtMs, winner) => {
  const halves = bothSides(half('Cook > Baker', 'l', leftAtMs), half('Cook > Brewer', 'r', rightAtMs));
  const merge = mergeHalves(halves, policyWith(policy));
  expect(merge.conflicts).toEqual([{ field: 'title', left: 'Baker', right: 'Brewer', winner }]);
  expect(merge.fields).toEqual({ left: [], right: [], [otherSide(winner)]: ['title'] });
  const title = winner === 'left' ? 'Baker' : 'Brewer';
  expect([merge.desired.left.title, merge.desired.right.title]).toEqual([title, title]);
});

const ASK: Partial<Policy> = { conflicts: 'ask' };
const ASK_TITLE: Partial<Policy> = { conflictsByField: { title: 'ask' } };

test('R4: the policy decides other fields, and their edits are written, while a title waits', () => {
  const base = { title: 'Cook', company: 'A', firstName: 'Ann' };
  const left = sideOf({ title: 'Baker', company: 'B', firstName: 'Anna' }, base, 1);
  const right = sideOf({ title: 'Brewer', company: 'C', firstName: 'Ann' }, base, 2);
  const { conflicts, fields } = mergeOf(left, right, policyWith({ ...ASK_TITLE, conflicts: 'right' }));
  expect(conflicts.map(({ field, winner }) => `${field} ${winner}`)).toEqual(['company right', 'title null']);
  expect(fields).toEqual({ left: ['company'], right: ['firstName'] });
});

test('R13: a title also waits at a first match, but a filled field wins over an empty one', () => {
  const left = sideOf({ title: 'Baker', company: 'A' }, null, 1);
  const { conflicts, fields } = mergeOf(left, sideOf({ title: 'Brewer' }, null, 2), policyWith(ASK));
  expect(conflicts).toMatchObject([{ field: 'title', winner: null }]);
  expect(fields).toEqual({ left: [], right: ['company'] });
});

const BOTH_TITLES = { field: 'title', left: 'Baker', right: 'Brewer' } as const;
const QUESTION: RecordedConflict = { ...BOTH_TITLES, leftId: 'l', rightId: 'r', winner: null, decided: null };
const SETTLED: RecordedConflict = { ...QUESTION, winner: 'left' };
const CHOSEN: RecordedConflict = { ...QUESTION, decided: 'left' };
/** The left side's Baker had lost to the right side's Brewer, and a user chose it. */
const REVISED: RecordedConflict = { ...CHOSEN, winner: 'right' };

/** The decisions about a pair with these titles, of which a conflict is recorded. */
const decide = (row: RecordedConflict, left: string, right: string, policy: Partial<Policy> = {}, ids = 'lr') => {
  const [leftId = '', rightId = ''] = ids;
  // The right title is the newer one.
  const pair = pairOf(half(left, leftId, 1), half(right, rightId, 2));
  return planOf({ pairs: [pair], conflicts: [row], policy }).decisions;
};

const [BAKER, BREWER] = ['Cook > Baker', 'Cook > Brewer'];
type About = readonly [left: string, right: string, policy?: Partial<Policy>, ids?: string];

test.each<[string, 'stays' | 'ends' | 'lapses', RecordedConflict, About | null]>([
  ['an open one while both values are unchanged', 'stays', QUESTION, [BAKER, BREWER, ASK]],
  ['an open one with a new value, which the executor records', 'stays', QUESTION, [BAKER, 'Cook > Butcher', ASK]],
  ['an open one that the policy decides now', 'stays', QUESTION, [BAKER, BREWER]],
  ['an open one of another contact', 'stays', QUESTION, [BAKER, BAKER, ASK, 'xy']],
  ['an open one after both values became the same', 'ends', QUESTION, [BAKER, BAKER, ASK]],
  ['an open one after one side got its former value', 'ends', QUESTION, ['Cook', BREWER, ASK]],
  ['an open one after one contact got another id', 'ends', QUESTION, [BAKER, BREWER, ASK, 'nr']],
  ['an open one of an unlinked pair', 'ends', QUESTION, null],
  ['a settled one of an unlinked pair', 'stays', SETTLED, null],
  ['a decided one of an unlinked pair', 'lapses', CHOSEN, null],
  ['a decided one while a side lacks the value', 'stays', REVISED, ['Brewer', 'Brewer']],
  ['a decided one after both sides got the value', 'ends', REVISED, ['Baker', 'Baker']],
  ['a decided one after the field was changed', 'lapses', REVISED, ['Brewer', 'Brewer > Butcher']],
  ['a decided one after one contact got another id', 'stays', CHOSEN, [BAKER, BREWER, ASK, 'nr']],
])('R4: of the conflicts, %s %s', (_, expected, row, about) => {
  const unlinked: Decision = { kind: 'unlink', to: 'drop', pair: pairOf(half('Cook'), null) };
  const decisions = about === null ? [unlinked] : decide(row, ...about);
  const ended = expected === 'stays' ? [] : [{ row, lapsed: expected === 'lapses' }];
  expect(conflictsEndedBy([row], decisions)).toEqual(ended);
});

test('R4: a choice is written although a contact got another id since, or was deleted and added again', () => {
  const writes = { right: { update: { fields: ['title'], desired: { title: 'Baker' } } } };
  const taken = { writes, taken: [{ field: 'title', from: 'left' }], ends: [{ leftId: 'l', field: 'title' }] };
  for (const ids of ['nr', 'ln']) {
    expect(decide(CHOSEN, BAKER, BREWER, ASK, ids)).toMatchObject([taken]);
  }
  const emailAddresses = [{ value: 'ada@x.example', label: null }];
  const base = snapshot({ title: 'Cook', emailAddresses });
  const titled = (id: string, title: string) => record(id, { title, emailAddresses });
  const { decisions } = planOf({
    pairs: [pairOf(present(titled('l', 'Baker'), base), gone('r', { record: titled('r', 'Brewer'), base }))],
    unpaired: { left: [], right: unpaired('right', titled('new', 'Brewer')) },
    conflicts: [CHOSEN],
    policy: ASK,
  });
  expect(decisions).toMatchObject([{ kind: 'merge', replacedOn: 'right', writes }]);
});

test.each<[string, RecordedConflict, Partial<Policy>, boolean]>([
  ['an open one is not', QUESTION, ASK, false],
  ['an open one whose field no longer asks is', QUESTION, { ...ASK, conflictsByField: { title: 'left' } }, true],
  ['an open one of a one-way link is', QUESTION, { ...ASK, direction: 'to-left' }, true],
  ['a settled one is not', SETTLED, {}, false],
  ['a decided one is', CHOSEN, ASK, true],
])('R4: conflicts are planned without an edit: %s', (_, row, policy, isPlanned) => {
  expect(conflictsToPlan([row], policyWith(policy))).toEqual(isPlanned ? [row] : []);
});

test.each([
  ['a side stores only seconds, and both edits are in one second', 'left', 61_000, 61_900, 'same second'],
  ['it is the other side', 'left', 61_900, 61_000, 'same second'],
  ['the edits are in different seconds', 'right', 61_999, 62_000, 'newer edit'],
  ['both sides store milliseconds', 'right', 61_100, 61_900, 'newer edit'],
  ['the older edit won by an earlier policy', 'left', 61_999, 62_000, 'earlier policy'],
  ['one side reports no time', 'left', null, 61_900, 'time missing'],
  ['no side reports a time, or the times are no longer stored', 'left', null, null, 'times unknown'],
] as const)('R4: the newer edit is named as the winner only if the times show it: %s', (_, winner, left, right, by) => {
  const row = { ...BOTH_TITLES, winner, decided: null, endedAtMs: null } as const;
  expect(decidedBy(row, policyWith(), { left, right })).toBe(by);
});

const NEWEST_TITLE = { conflicts: 'right', conflictsByField: { title: 'newest' } } as const;

test.each<[string, string, Partial<Policy>, Side]>([
  ['keeps its winner', 'Brewer', {}, 'left'],
  ['keeps it under newest for the field', 'Brewer', NEWEST_TITLE, 'left'],
  ['is decided again if a value changed', 'Butcher', {}, 'right'],
  ['is decided again by a policy that names a side', 'Brewer', { conflicts: 'right' }, 'right'],
  ['is decided again by such a policy of the field', 'Brewer', { conflictsByField: { title: 'right' } }, 'right'],
])('R4: a settled conflict %s', (_, right, policy, winner) => {
  const conflicts = [{ field: 'title', winner }];
  expect(decide(SETTLED, BAKER, `Cook > ${right}`, policy)).toMatchObject([{ conflicts }]);
});

test('R4: a conflict ends with the write of another value than the one that won', () => {
  const written = { writes: { right: { update: { fields: ['title'] } } } };
  const other = decide(SETTLED, 'Brewer > Butcher', 'Brewer');
  expect(other).toMatchObject([{ ...written, ends: [{ leftId: 'l', field: 'title' }] }]);
  // The value that won is written again.
  const again = decide(SETTLED, 'Brewer > Baker', 'Brewer');
  expect(again).toMatchObject([written]);
  expect(again).not.toMatchObject([{ ends: [{ field: 'title' }] }]);
});

test.each<[string, string, string, readonly Side[], string, boolean]>([
  ['R4: it has not been overwritten yet', BAKER, BREWER, ['right'], 'Baker', true],
  ['R4: the losing side has another spelling', 'brewer', 'Brewer', ['left', 'right'], 'Baker', true],
  ['R4: one side has it already', 'Baker', 'Brewer', ['right'], 'Baker', true],
  ['R4: the other side has it already', 'Brewer', 'Brewer > Baker', ['left'], 'Baker', true],
  ['R5: a later change of the winner stays', 'Brewer', 'Brewer > Butcher', ['left'], 'Butcher', false],
  ['R5: a later change of the loser stays', 'Brewer > Butcher', 'Brewer', ['right'], 'Butcher', false],
  ['R5: a later change alike of both stays', 'Brewer > Butcher', 'Brewer > Butcher', [], 'Butcher', false],
])('a value that a user chose is written only to sides that lack it: %s', (_, left, right, sides, title, isTaken) => {
  const halves = bothSides(half(left), half(right, 'r'));
  const merge = mergeHalves(halves, policyWith(), [REVISED]);
  expect(SIDES.filter((side) => merge.fields[side].length > 0)).toEqual(sides);
  expect([merge.desired.left.title, merge.desired.right.title]).toEqual([title, title]);
  expect([merge.conflicts, merge.taken]).toEqual([[], isTaken ? [{ field: 'title', from: 'left' }] : []]);
  const oneWay = mergeHalves(halves, policyWith({ direction: 'to-left' }), [REVISED]);
  expect(oneWay.fields).toEqual({ left: sides.includes('left') ? ['title'] : [], right: [] });
});
