import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import { otherSide, type Side, SIDES } from '../../../../src/core/contact/side.ts';
import type { RecordedConflict, Pair } from '../../../../src/core/reconcile/decision.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { decidedBy } from '../../../../src/core/reconcile/conflict-policy.ts';
import { conflictsEndedBy, conflictsToPlan } from '../../../../src/core/reconcile/recorded-conflicts.ts';
import {
  bothSides,
  gone,
  pairOf,
  planOf,
  policyWith,
  present,
  record,
  sideOf,
  snapshot,
  unpaired,
  values,
} from './support.ts';

type FieldMerge = ReturnType<typeof mergeHalves>;

/** Both are edits that were received: the left one at 1 h, the right one at 2 h, by our clock. */
const HOUR_MS = 3_600_000;
const aheadOf = (leftAtMs: number, rightAtMs: number): FieldMerge => {
  const left = sideOf({ title: 'Baker' }, { title: 'Cook' }, leftAtMs);
  const right = sideOf({ title: 'Brewer' }, { title: 'Cook' }, rightAtMs);
  const received = bothSides({ ...left, heardAtMs: HOUR_MS }, { ...right, heardAtMs: 2 * HOUR_MS });
  return mergeHalves(received, policyWith());
};

test.each<[string, number, number, Side]>([
  ['is not won by a stamp in the far future against a later edit', 4_000_000_000_000, 2 * HOUR_MS, 'right'],
  ['is not won by one half an hour ahead, either', HOUR_MS + 30 * 60_000, HOUR_MS + 6 * 60_000, 'right'],
  ['is won by a later stamp within the margin of the clocks', HOUR_MS + 4 * 60_000, HOUR_MS + 3 * 60_000, 'left'],
  ['is won by the left side if the end of the margin ties', 2 * HOUR_MS, HOUR_MS + 5 * 60_000, 'left'],
])('[R4] a conflict in which a stamp is ahead of the clock %s', (_, leftAtMs, rightAtMs, winner) => {
  expect(aheadOf(leftAtMs, rightAtMs).conflicts).toMatchObject([{ field: 'title', winner }]);
});

test.each<[string, Partial<Policy>, number | null, number | null, Side]>([
  ['the later edit, Google’s', {}, 2, 1, 'left'],
  ['the later edit, the service’s', {}, 1, 2, 'right'],
  ['Google if the times tie', {}, 1, 1, 'left'],
  ['Google if Google reports no time', {}, null, 9, 'left'],
  ['Google if the service reports no time', {}, 1, null, 'left'],
  ['Google by policy', { conflicts: 'left' }, 1, 2, 'left'],
  ['the service by policy', { conflicts: 'right' }, 2, 1, 'right'],
  ['the service by the policy of the field', { conflictsByField: { title: 'right' } }, 2, 1, 'right'],
  ['the later edit by that policy', { conflicts: 'right', conflictsByField: { title: 'newest' } }, 2, 1, 'left'],
  ['the later edit if that policy is of another field', { conflictsByField: { company: 'right' } }, 2, 1, 'left'],
  ['the source of a one-way link', { direction: 'to-right', conflictsByField: { title: 'right' } }, 1, 2, 'left'],
  ['the source of a link to Google', { direction: 'to-left', conflicts: 'left' }, 2, 1, 'right'],
  ['the source of a link that asks', { direction: 'to-left', conflicts: 'ask' }, 2, 1, 'right'],
])('[R4] a conflict is won by %s', (_, policy, leftAtMs, rightAtMs, winner) => {
  const left = sideOf({ title: 'Baker' }, { title: 'Cook' }, leftAtMs);
  const right = sideOf({ title: 'Brewer' }, { title: 'Cook' }, rightAtMs);
  const merge = mergeHalves(bothSides(left, right), policyWith(policy));
  expect(merge.conflicts).toEqual([{ field: 'title', left: 'Baker', right: 'Brewer', winner }]);
  expect(merge.fields).toEqual({ left: [], right: [], [otherSide(winner)]: ['title'] });
  const title = winner === 'left' ? 'Baker' : 'Brewer';
  expect([merge.desired.left.title, merge.desired.right.title]).toEqual([title, title]);
});

const ASK: Partial<Policy> = { conflicts: 'ask' };

const merged = (left: Partial<Contact>, right: Partial<Contact>, base: Partial<Contact> | null, policy = ASK) =>
  mergeHalves(bothSides(sideOf(left, base, 1), sideOf(right, base, 2)), policyWith(policy));

describe('[R4] ask', () => {
  test('of one field lets the policy decide the others, and their edits are written', () => {
    const policy = { conflicts: 'right', conflictsByField: { title: 'ask' } } as const;
    const base = { title: 'Cook', company: 'A', firstName: 'Ann' };
    const left = { title: 'Baker', company: 'B', firstName: 'Anna' };
    const { conflicts, fields } = merged(left, { title: 'Brewer', company: 'C', firstName: 'Ann' }, base, policy);
    expect(conflicts.map(({ field, winner }) => `${field} ${winner}`)).toEqual(['company right', 'title null']);
    expect(fields).toEqual({ left: ['company'], right: ['firstName'] });
  });

  test('[R13] also waits at a first match, but a filled field still wins over an empty one', () => {
    const { conflicts, fields } = merged({ title: 'Baker', company: 'A' }, { title: 'Brewer' }, null);
    expect(conflicts.map(({ field, winner }) => [field, winner])).toEqual([['title', null]]);
    expect(fields).toEqual({ left: [], right: ['company'] });
  });
});

const BOTH_TITLES = { field: 'title', left: 'Baker', right: 'Brewer' } as const;

const QUESTION: RecordedConflict = { ...BOTH_TITLES, leftId: 'l', rightId: 'r', winner: null, decided: null };

const decide = (pair: Pair, policy: Partial<Policy>, conflicts: readonly RecordedConflict[]) =>
  planOf({ pairs: [pair], conflicts, policy }).decisions;

/** The state of the question after a plan about the pair. */
const ended = (left: string | null, right: string, { ids = 'lr', policy = ASK } = {}): readonly RecordedConflict[] => {
  const [leftId = '', rightId = ''] = ids;
  const base = snapshot({ title: 'Cook' });
  const there = record(rightId, { title: right });
  const pair =
    left === null
      ? { ...pairOf(present(record(leftId, {}), base), present(there, base)), left: null }
      : pairOf(present(record(leftId, { title: left }), base), present(there, base));
  const decisions = decide(pair, policy, [QUESTION]);
  return conflictsEndedBy([QUESTION], decisions).map(({ row }) => row);
};

test.each<[string, boolean, Parameters<typeof ended>]>([
  ['stays while both values are unchanged', false, ['Baker', 'Brewer']],
  ['stays for the executor to record, if a value changed', false, ['Baker', 'Butcher']],
  ['stays for the executor to record, if the policy decides now', false, ['Baker', 'Brewer', { policy: {} }]],
  ['stays if the plan is about another contact', false, ['Baker', 'Baker', { ids: 'xy' }]],
  ['ends if both became the same', true, ['Baker', 'Baker']],
  ['ends if one side has its former value', true, ['Cook', 'Brewer']],
  ['ends if one contact is deleted', true, [null, 'Brewer']],
  ['ends if the left contact has another id', true, ['Baker', 'Brewer', { ids: 'nr' }]],
])('[R4] a conflict that waits %s', (_, hasEnded, [left, right, more]) => {
  expect(ended(left, right, more)).toEqual(hasEnded ? [QUESTION] : []);
});

test('[R4] a decision lapses if its contact is no longer paired', () => {
  const decision = { kind: 'unlink', to: 'drop', pair: pairOf(present(record('l', {}), null), null) } as const;
  const row: RecordedConflict = { ...QUESTION, decided: 'left' };
  expect(conflictsEndedBy([row], [decision])).toEqual([{ row, lapsed: true }]);
  expect(conflictsEndedBy([QUESTION], [decision])).toEqual([{ row: QUESTION, lapsed: false }]);
  expect(conflictsEndedBy([{ ...QUESTION, winner: 'left' }], [decision])).toEqual([]);
});

test('[R4] a choice is written although a contact got another id since, or was deleted and added again', () => {
  const row: RecordedConflict = { ...QUESTION, decided: 'left' };
  const base = snapshot({ title: 'Cook', emailAddresses: values('ada@x.example') });
  const titled = (id: string, title: string) => record(id, { title, emailAddresses: values('ada@x.example') });
  const written = [{ kind: 'update', side: 'right', fields: ['title'], desired: { title: 'Baker' } }];
  for (const [leftId, rightId] of [
    ['new', 'r'],
    ['l', 'new'],
  ] as const) {
    const pair = pairOf(present(titled(leftId, 'Baker'), base), present(titled(rightId, 'Brewer'), base));
    const decisions = decide(pair, ASK, [row]);
    const ends = [{ leftId: 'l', field: 'title' }];
    expect(decisions).toMatchObject([{ writes: written, taken: [{ field: 'title', from: 'left' }], ends }]);
    expect(conflictsEndedBy([row], decisions)).toEqual([]);
  }
  const former = gone('r', { record: titled('r', 'Brewer'), base });
  const { decisions } = planOf({
    pairs: [pairOf(present(titled('l', 'Baker'), base), former)],
    unpaired: { left: [], right: unpaired('right', titled('new', 'Brewer')) },
    conflicts: [row],
    policy: ASK,
  });
  expect(decisions).toMatchObject([{ kind: 'merge', replacedOn: 'right', writes: written }]);
});

test('[R4] open conflicts are planned once the policy does not ask, and decided ones are always planned', () => {
  expect(conflictsToPlan([QUESTION], policyWith(ASK))).toEqual([]);
  expect(conflictsToPlan([QUESTION], policyWith({ ...ASK, conflictsByField: { title: 'left' } }))).toEqual([QUESTION]);
  expect(conflictsToPlan([QUESTION], policyWith({ ...ASK, direction: 'to-left' }))).toEqual([QUESTION]);
  expect(conflictsToPlan([{ ...QUESTION, winner: 'left' }], policyWith())).toEqual([]);
  const decided: RecordedConflict = { ...QUESTION, decided: 'left' };
  expect(conflictsToPlan([decided], policyWith(ASK))).toEqual([decided]);
});

const BASE = snapshot({ title: 'Cook' });

/** Two halves that both changed the title; the right one is the newer by its stamp. */
const disputed = (right: string) =>
  pairOf(
    present(record('l', { title: 'Baker' }, { modifiedAtMs: 1 }), BASE),
    present(record('r', { title: right }, { modifiedAtMs: 2 }), BASE),
  );

const SETTLED: RecordedConflict = { ...QUESTION, winner: 'left' };

const winnerOf = (right: string, given: Partial<Policy> = {}) =>
  decide(disputed(right), given, [SETTLED]).map(
    (decision) => decision.kind === 'merge' && decision.conflicts[0]?.winner,
  );

test.each([
  ['a side stores only seconds, and both edits are in one second', 61_000, 61_900, 'same second'],
  ['it is the other side', 61_900, 61_000, 'same second'],
  ['the edits are in different seconds', 61_999, 62_000, 'newer edit'],
  ['both sides store milliseconds', 61_100, 61_900, 'newer edit'],
  ['one side reports no time', null, 61_900, 'time missing'],
  ['the times are no longer stored', null, null, 'newer edit'],
] as const)('[R4] the newer edit is named as the winner only if the times show it: %s', (_, left, right, by) => {
  const row = { ...BOTH_TITLES, winner: 'left', decided: null, endedAtMs: null } as const;
  expect(decidedBy(row, policyWith(), { left, right })).toBe(by);
});

test('[R4] a settled conflict keeps its winner until a value changes, or the policy names a side', () => {
  expect(winnerOf('Brewer')).toEqual(['left']);
  expect(winnerOf('Brewer', { conflicts: 'right', conflictsByField: { title: 'newest' } })).toEqual(['left']);
  expect(winnerOf('Butcher')).toEqual(['right']);
  expect(winnerOf('Brewer', { conflicts: 'right' })).toEqual(['right']);
  expect(winnerOf('Brewer', { conflictsByField: { title: 'right' } })).toEqual(['right']);
});

test('[R4] a conflict ends with the write of another value than the one that won', () => {
  const agreed = snapshot({ title: 'Brewer' });
  const right = present(record('r', { title: 'Brewer' }), agreed);
  const writtenBy = (left: string) =>
    decide(pairOf(present(record('l', { title: left }), agreed), right), {}, [SETTLED]);
  const written = { writes: [{ kind: 'update', side: 'right', fields: ['title'] }] };
  expect(writtenBy('Butcher')).toMatchObject([{ ...written, ends: [{ leftId: 'l', field: 'title' }] }]);
  // The value that won is written again.
  expect(writtenBy('Baker')).toMatchObject([written]);
  expect(writtenBy('Baker')).not.toMatchObject([{ ends: ['title'] }]);
});

/** The left side's Baker had lost to the right side's Brewer. */
const CONFLICT: RecordedConflict = { ...BOTH_TITLES, leftId: 'x', rightId: 'x', winner: 'right', decided: 'left' };

type Title = { readonly now: string; readonly base: string };

const afterDecision = (left: Title, right: Title, policy: Partial<Policy> = {}) => {
  const half = ({ now, base }: Title) => sideOf({ title: now, company: 'X' }, { title: base, company: 'X' });
  const { fields, desired, conflicts, taken } = mergeHalves(bothSides(half(left), half(right)), policyWith(policy), [
    CONFLICT,
  ]);
  const sides = SIDES.filter((side) => fields[side].length > 0);
  return { fields, sides, titles: SIDES.map((side) => desired[side].title), conflicts, taken };
};

const agreed = (title: string): Title => ({ now: title, base: title });

const TAKEN = [{ field: 'title', from: 'left' }];

test.each([
  ['it has not been overwritten yet', { now: 'Baker', base: 'Cook' }, { now: 'Brewer', base: 'Cook' }, ['right']],
  ['the losing side has the winning value in another spelling', agreed('brewer'), agreed('Brewer'), ['left', 'right']],
  ['one side has it already', agreed('Baker'), agreed('Brewer'), ['right']],
  ['the other side has it already', agreed('Brewer'), { now: 'Baker', base: 'Brewer' }, ['left']],
])('[R4] only the sides that lack it are written: %s', (_, left, right, sides) => {
  expect(afterDecision(left, right)).toMatchObject({ sides, conflicts: [], taken: TAKEN });
});

test.each([
  ['at the winner', agreed('Brewer'), { now: 'Butcher', base: 'Brewer' }, ['left'], 'Butcher'],
  ['at the loser', { now: 'Butcher', base: 'Brewer' }, agreed('Brewer'), ['right'], 'Butcher'],
  ['alike at both', { now: 'Butcher', base: 'Brewer' }, { now: 'Butcher', base: 'Brewer' }, [], 'Butcher'],
])('[R5] a later change is not overwritten by the value that a user chose: %s', (_, left, right, sides, title) => {
  expect(afterDecision(left, right)).toMatchObject({ sides, titles: [title, title], taken: [] });
});

test.each<[string, Title, Title, boolean, boolean]>([
  ['does not end while a side lacks the value', agreed('Brewer'), agreed('Brewer'), false, false],
  ['ends when both sides have the value', agreed('Baker'), agreed('Baker'), true, false],
  ['lapses if the field was changed since', agreed('Brewer'), { now: 'Butcher', base: 'Brewer' }, true, true],
])('[R4] a conflict that a user decided %s', (_, left, right, hasEnded, lapsed) => {
  const pair = pairOf(
    present(record('x', { title: left.now }), snapshot({ title: left.base })),
    present(record('x', { title: right.now }), snapshot({ title: right.base })),
  );
  const decisions = decide(pair, {}, [CONFLICT]);
  expect(conflictsEndedBy([CONFLICT], decisions)).toEqual(hasEnded ? [{ row: CONFLICT, lapsed }] : []);
});

test('a side that the link may not write keeps its value', () => {
  const { fields } = afterDecision(agreed('Brewer'), agreed('Brewer'), { direction: 'to-left' });
  expect(fields).toEqual({ left: ['title'], right: [] });
});
