import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { OpenConflict } from '../../../../src/core/reconcile/decision.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import { mergeContacts } from '../../../../src/core/reconcile/merge.ts';
import { planContacts } from '../../../../src/core/reconcile/plan.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { noLongerAsked, pastQuestions, takenValue } from '../../../../src/core/reconcile/review.ts';
import { bothSides, pairOf, policyWith, present, record, SCOPES, sideOf, snapshot } from './support.ts';

const ASK: Partial<Policy> = { conflicts: 'ask' };

const merged = (
  left: Partial<Contact>,
  right: Partial<Contact>,
  base: Partial<Contact> | null,
  policy: Partial<Policy> = ASK,
) => mergeContacts(bothSides(sideOf(left, base, 1), sideOf(right, base, 2)), policyWith(policy));

describe('[R4] ask', () => {
  test('leaves both values unchanged, as a conflict without a winner', () => {
    const { conflicts, fields, held, desired } = merged({ title: 'Baker' }, { title: 'Brewer' }, { title: 'Cook' });
    expect(conflicts).toEqual([{ field: 'title', left: 'Baker', right: 'Brewer', winner: null }]);
    expect([fields, held]).toEqual([
      { left: [], right: [] },
      { left: ['title'], right: ['title'] },
    ]);
    expect([desired.left.title, desired.right.title]).toEqual(['Baker', 'Brewer']);
  });

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

  test.each([
    ['no question if the values are the same', 'Baker', 'Baker'],
    ['no question if only one side changed it', 'Baker', 'Cook'],
  ])('asks %s', (_, left, right) => {
    expect(merged({ title: left }, { title: right }, { title: 'Cook' }).conflicts).toEqual([]);
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

  test('does not apply to a one-way link: its source wins', () => {
    const { conflicts } = merged(
      { title: 'Baker' },
      { title: 'Brewer' },
      { title: 'Cook' },
      { ...ASK, direction: 'to-left' },
    );
    expect(conflicts).toMatchObject([{ winner: 'right' }]);
  });
});

const QUESTION: OpenConflict = {
  leftId: 'l',
  rightId: 'r',
  field: 'title',
  left: 'Baker',
  right: 'Brewer',
  winner: null,
};

/** The state of the question after a plan about the pair. */
const ended = (left: string | null, right: string, { ids = 'lr', policy = ASK } = {}): readonly OpenConflict[] => {
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
    openConflicts: [QUESTION],
    scopes: SCOPES,
    groups,
    policy: policyWith(policy),
  });
  return pastQuestions([QUESTION], decisions);
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

test('[R4] a conflict that was reviewed is decided by its review', () => {
  const decision = { kind: 'unlink', to: 'drop', pair: pairOf(present(record('l', {}), null), null) } as const;
  expect(pastQuestions([{ ...QUESTION, review: 'left' }], [decision])).toEqual([]);
  expect(pastQuestions([QUESTION], [decision])).toEqual([QUESTION]);
});

test('[R4] conflicts that wait are decided again once the policy does not ask', () => {
  expect(noLongerAsked([QUESTION], policyWith(ASK))).toEqual([]);
  expect(noLongerAsked([QUESTION], policyWith({ ...ASK, conflictsByField: { title: 'left' } }))).toEqual([QUESTION]);
  expect(noLongerAsked([QUESTION], policyWith({ ...ASK, direction: 'to-left' }))).toEqual([QUESTION]);
  expect(noLongerAsked([{ ...QUESTION, review: 'left' }], policyWith())).toEqual([]);
});

test.each([
  ['both sides have their former values', 'Baker', 'Brewer', true],
  ['the other side has it already', 'Baker', 'Baker', true],
  ['its own side was edited', 'Butcher', 'Brewer', false],
  ['its own side has its former value', 'Cook', 'Brewer', false],
  ['the other side was edited', 'Baker', 'Butcher', false],
])(
  '[R5] the value that a user chose is written only while neither side changed since: %s',
  (_, left, right, isWritten) => {
    const halves = bothSides(sideOf({ title: left }, { title: 'Cook' }), sideOf({ title: right }, { title: 'Cook' }));
    const taken = takenValue('title', halves, [{ ...QUESTION, review: 'left' }]);
    expect(taken).toEqual(isWritten ? { from: 'left', value: 'Baker' } : null);
  },
);
