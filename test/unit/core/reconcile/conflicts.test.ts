import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import { otherSide, type Side } from '../../../../src/core/contact/side.ts';
import type { RecordedConflict, Pair } from '../../../../src/core/reconcile/decision.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import { planContacts } from '../../../../src/core/reconcile/plan.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { decidedBy } from '../../../../src/core/reconcile/conflict-policy.ts';
import { conflictsEndedBy, conflictsToPlan } from '../../../../src/core/reconcile/recorded-conflicts.ts';
import { bothSides, pairOf, policyWith, present, record, SCOPES, sideOf, snapshot } from './support.ts';

type FieldMerge = ReturnType<typeof mergeHalves>;

const mergeOf = (left: Half, right: Half, policy: Policy = policyWith()): FieldMerge => {
  return mergeHalves(bothSides(left, right), policy);
};

describe('a conflict in which a side’s stamp is ahead of the clock', () => {
  /** Both are edits that were received: the left one at 1 h, the right one at 2 h, by our clock. */
  const HOUR_MS = 3_600_000;
  const merged = (leftAtMs: number, rightAtMs: number): FieldMerge => {
    const left = sideOf({ title: 'Baker' }, { title: 'Cook' }, leftAtMs);
    const right = sideOf({ title: 'Brewer' }, { title: 'Cook' }, rightAtMs);
    const received = { ...left, heardAtMs: HOUR_MS };
    return mergeOf(received, { ...right, heardAtMs: 2 * HOUR_MS }, policyWith());
  };

  test.each<[string, number, number, Side]>([
    ['is not won by a stamp in the far future against a later edit', 4_000_000_000_000, 2 * HOUR_MS, 'right'],
    ['is not won by one half an hour ahead, either', HOUR_MS + 30 * 60_000, HOUR_MS + 6 * 60_000, 'right'],
    ['is won by a later stamp within the margin of the clocks', HOUR_MS + 4 * 60_000, HOUR_MS + 3 * 60_000, 'left'],
    ['is won by the left side if the end of the margin ties', 2 * HOUR_MS, HOUR_MS + 5 * 60_000, 'left'],
  ])('[R4] %s', (_, leftAtMs, rightAtMs, winner) => {
    expect(merged(leftAtMs, rightAtMs).conflicts).toMatchObject([{ field: 'title', winner }]);
  });
});

describe('a conflict', () => {
  const both = (policy: Partial<Policy>, leftAtMs: number | null, rightAtMs: number | null): FieldMerge => {
    return mergeOf(
      sideOf({ title: 'Baker' }, { title: 'Cook' }, leftAtMs),
      sideOf({ title: 'Brewer' }, { title: 'Cook' }, rightAtMs),
      policyWith(policy),
    );
  };

  test.each<[string, Partial<Policy>, number | null, number | null, Side]>([
    ['the later edit, Google’s', {}, 2, 1, 'left'],
    ['the later edit, the service’s', {}, 1, 2, 'right'],
    ['Google if the times tie', {}, 1, 1, 'left'],
    ['Google if Google reports no time', {}, null, 9, 'left'],
    ['Google if the service reports no time', {}, 1, null, 'left'],
    ['Google if neither side reports a time', {}, null, null, 'left'],
    ['Google by policy', { conflicts: 'left' }, 1, 2, 'left'],
    ['the service by policy', { conflicts: 'right' }, 2, 1, 'right'],
    ['the service by the policy of the field', { conflictsByField: { title: 'right' } }, 2, 1, 'right'],
    [
      'the later edit by the policy of the field',
      { conflicts: 'right', conflictsByField: { title: 'newest' } },
      2,
      1,
      'left',
    ],
    [
      'the later edit, if the policy of another field names a side',
      { conflictsByField: { company: 'right' } },
      2,
      1,
      'left',
    ],
    [
      'the source, whatever the policy of the field',
      { direction: 'to-right', conflictsByField: { title: 'right' } },
      1,
      2,
      'left',
    ],
    ['the source of a link to Google', { direction: 'to-left', conflicts: 'left' }, 2, 1, 'right'],
    ['the source of a link that asks', { direction: 'to-left', conflicts: 'ask' }, 2, 1, 'right'],
  ])('[R4] is won by %s', (_, policy, leftAtMs, rightAtMs, winner) => {
    const merge = both(policy, leftAtMs, rightAtMs);
    expect(merge.conflicts).toEqual([{ field: 'title', left: 'Baker', right: 'Brewer', winner }]);
    expect(merge.fields).toEqual({ left: [], right: [], [otherSide(winner)]: ['title'] });
    const title = winner === 'left' ? 'Baker' : 'Brewer';
    expect([merge.desired.left.title, merge.desired.right.title]).toEqual([title, title]);
  });
});

const ASK: Partial<Policy> = { conflicts: 'ask' };

const merged = (
  left: Partial<Contact>,
  right: Partial<Contact>,
  base: Partial<Contact> | null,
  policy: Partial<Policy> = ASK,
) => mergeHalves(bothSides(sideOf(left, base, 1), sideOf(right, base, 2)), policyWith(policy));

describe('[R4] ask', () => {
  test('of one field lets the policy decide the others, and their edits are written', () => {
    const policy = { conflicts: 'right', conflictsByField: { title: 'ask' } } as const;
    const base = { title: 'Cook', company: 'A', firstName: 'Ann' };
    const { conflicts, fields } = merged(
      { title: 'Baker', company: 'B', firstName: 'Anna' },
      { title: 'Brewer', company: 'C', firstName: 'Ann' },
      base,
      policy,
    );
    expect(conflicts.map(({ field, winner }) => [field, winner])).toEqual([
      ['company', 'right'],
      ['title', null],
    ]);
    expect(fields).toEqual({ left: ['company'], right: ['firstName'] });
  });

  test('[R13] also waits at a first match, but a filled field still wins over an empty one', () => {
    const { conflicts, fields } = merged({ title: 'Baker', company: 'A' }, { title: 'Brewer' }, null);
    expect(conflicts.map(({ field, winner }) => [field, winner])).toEqual([['title', null]]);
    expect(fields).toEqual({ left: [], right: ['company'] });
  });

  test.each<[Partial<Contact>, Partial<Contact>, Partial<Contact>]>([
    [
      { firstName: 'Ann', lastName: 'Lee' },
      { firstName: 'Ann Lee', lastName: '' },
      { firstName: 'Ann', lastName: 'Lee' },
    ],
    [
      { firstName: 'Ann Lee', lastName: '' },
      { firstName: 'Ann', lastName: 'Lee' },
      { firstName: 'Ann', lastName: 'Lee' },
    ],
    [
      { firstName: 'Ann Lee', lastName: '' },
      { firstName: '', lastName: 'Ann Lee' },
      { firstName: 'Ann Lee', lastName: '' },
    ],
  ])('[R13] does not ask about the division of one name: %j and %j', (left, right, expected) => {
    const { desired } = merged(left, right, null);
    expect(desired).toMatchObject({ left: expected, right: expected });
  });
});

const QUESTION: RecordedConflict = {
  leftId: 'l',
  rightId: 'r',
  field: 'title',
  left: 'Baker',
  right: 'Brewer',
  winner: null,
  decided: null,
};

/** The state of the question after a plan about the pair. */
const ended = (left: string | null, right: string, { ids = 'lr', policy = ASK } = {}): readonly RecordedConflict[] => {
  const [leftId = '', rightId = ''] = ids;
  const base = snapshot({ title: 'Cook' });
  const there = record(rightId, { title: right });
  const pair =
    left === null
      ? { ...pairOf(present(record(leftId, {}), base), present(there, base)), left: null }
      : pairOf(present(record(leftId, { title: left }), base), present(there, base));
  const groups = planGroups({ left: [], right: [], pairs: [] }, policyWith(policy));
  const { decisions } = planContacts({
    pairs: [pair],
    survivors: [],
    unpaired: { left: [], right: [] },
    conflicts: [QUESTION],
    scopes: SCOPES,
    groups,
    policy: policyWith(policy),
  });
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

const decide = (pair: Pair, given: Partial<Policy> = {}, conflicts: readonly RecordedConflict[] = [SETTLED]) => {
  const policy = policyWith(given);
  const groups = planGroups({ left: [], right: [], pairs: [] }, policy);
  const { decisions } = planContacts({
    pairs: [pair],
    survivors: [],
    unpaired: { left: [], right: [] },
    conflicts,
    scopes: SCOPES,
    groups,
    policy,
  });
  return decisions;
};

const winnerOf = (right: string, given: Partial<Policy> = {}) =>
  decide(disputed(right), given).map((decision) => decision.kind === 'merge' && decision.conflicts[0]?.winner);

test.each([
  ['a side stores only seconds, and both edits are in one second', 61_000, 61_900, 'same second'],
  ['it is the other side', 61_900, 61_000, 'same second'],
  ['the edits are in different seconds', 61_999, 62_000, 'newer edit'],
  ['both sides store milliseconds', 61_100, 61_900, 'newer edit'],
  ['one side reports no time', null, 61_900, 'time missing'],
  ['the times are no longer stored', null, null, 'newer edit'],
] as const)('[R4] the newer edit is named as the winner only if the times show it: %s', (_, left, right, by) => {
  const row = {
    field: 'title',
    left: 'Baker',
    right: 'Brewer',
    winner: 'left',
    decided: null,
    endedAtMs: null,
  } as const;
  expect(decidedBy(row, policyWith(), { left, right })).toBe(by);
});

test('[R4] a settled conflict keeps its winner while its two values are unchanged, even if they were written since', () => {
  expect(winnerOf('Brewer')).toEqual(['left']);
  expect(winnerOf('Brewer', { conflicts: 'right', conflictsByField: { title: 'newest' } })).toEqual(['left']);
});

test('[R4] it is decided again if a value changes, or if the policy names a side', () => {
  expect(winnerOf('Butcher')).toEqual(['right']);
  expect(winnerOf('Brewer', { conflicts: 'right' })).toEqual(['right']);
  expect(winnerOf('Brewer', { conflictsByField: { title: 'right' } })).toEqual(['right']);
});

test('[R4] a conflict ends with the write of another value than the one that won', () => {
  const agreed = snapshot({ title: 'Brewer' });
  const writtenBy = (left: string) =>
    decide(pairOf(present(record('l', { title: left }), agreed), present(record('r', { title: 'Brewer' }), agreed)));
  const written = { writes: [{ kind: 'update', side: 'right', fields: ['title'] }] };
  expect(writtenBy('Butcher')).toMatchObject([{ ...written, ends: ['title'] }]);
  // The value that won is written again.
  expect(writtenBy('Baker')).toMatchObject([written]);
  expect(writtenBy('Baker')).not.toMatchObject([{ ends: ['title'] }]);
});

/** The left side's Baker had lost to the right side's Brewer. */
const CONFLICT: RecordedConflict = {
  leftId: 'x',
  rightId: 'x',
  field: 'title',
  left: 'Baker',
  right: 'Brewer',
  winner: 'right',
  decided: 'left',
};

type Title = { readonly now: string; readonly base: string };

const afterDecision = (
  left: Title,
  right: Title,
  conflict: Partial<RecordedConflict> = {},
  policy: Partial<Policy> = {},
) => {
  const halves = bothSides(
    sideOf({ title: left.now, company: 'X' }, { title: left.base, company: 'X' }),
    sideOf({ title: right.now, company: 'X' }, { title: right.base, company: 'X' }),
  );
  const open = [{ ...CONFLICT, ...conflict }];
  const { fields, desired, conflicts, taken, localFields } = mergeHalves(halves, policyWith(policy), open);
  const titles = { left: desired.left.title, right: desired.right.title };
  return { fields, titles, conflicts, taken, localFields };
};

const agreed = (title: string): Title => ({ now: title, base: title });

const TAKEN = [{ field: 'title', from: 'left' }];

test.each([
  ['it has not been overwritten yet', { now: 'Baker', base: 'Cook' }, { now: 'Brewer', base: 'Cook' }, ['right']],
  ['the losing side has the winning value in another spelling', agreed('brewer'), agreed('Brewer'), ['left', 'right']],
  ['one side has it already', agreed('Baker'), agreed('Brewer'), ['right']],
  ['the other side has it already', agreed('Brewer'), { now: 'Baker', base: 'Brewer' }, ['left']],
])('[R4] only the sides that lack it are written: %s', (_, left, right, sides) => {
  const { fields, conflicts, taken } = afterDecision(left, right);
  expect([...(fields.left.length > 0 ? ['left'] : []), ...(fields.right.length > 0 ? ['right'] : [])]).toEqual(sides);
  expect([conflicts, taken]).toEqual([[], TAKEN]);
});

test.each([
  ['at the winner', agreed('Brewer'), { now: 'Butcher', base: 'Brewer' }, ['left'], 'Butcher'],
  ['at the loser', { now: 'Butcher', base: 'Brewer' }, agreed('Brewer'), ['right'], 'Butcher'],
  ['alike at both', { now: 'Butcher', base: 'Brewer' }, { now: 'Butcher', base: 'Brewer' }, [], 'Butcher'],
])('[R5] a later change is not overwritten by the value that a user chose: %s', (_, left, right, sides, title) => {
  const { fields, titles, taken } = afterDecision(left, right);
  expect([...(fields.left.length > 0 ? ['left'] : []), ...(fields.right.length > 0 ? ['right'] : [])]).toEqual(sides);
  expect([titles.left, titles.right, taken]).toEqual([title, title, []]);
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
  const { fields } = afterDecision(agreed('Brewer'), agreed('Brewer'), {}, { direction: 'to-left' });
  expect(fields).toEqual({ left: ['title'], right: [] });
});
