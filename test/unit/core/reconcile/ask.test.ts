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
  test('leaves both values where they are, as a conflict that nobody has won', () => {
    const { conflicts, fields, held, desired } = merged({ title: 'Baker' }, { title: 'Brewer' }, { title: 'Cook' });
    expect(conflicts).toEqual([{ field: 'title', left: 'Baker', right: 'Brewer', winner: null }]);
    expect([fields, held]).toEqual([
      { left: [], right: [] },
      { left: ['title'], right: ['title'] },
    ]);
    expect([desired.left.title, desired.right.title]).toEqual(['Baker', 'Brewer']);
  });

  test('of one field lets the policy decide the others, and their edits travel', () => {
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
    ['nobody where the values are the same', 'Baker', 'Baker'],
    ['nobody where one side alone changed it', 'Baker', 'Cook'],
  ])('asks %s', (_, left, right) => {
    expect(merged({ title: left }, { title: right }, { title: 'Cook' }).conflicts).toEqual([]);
  });

  test('[R13] waits at a first meeting too, where a filled field still beats an empty one', () => {
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
  ])('[R13] asks nobody how one name is divided: %j and %j', (left, right, expected) => {
    const { desired } = merged(left, right, null);
    expect(desired).toMatchObject({ left: expected, right: expected });
  });

  test('is no matter of a one-way link: its source wins', () => {
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

/** What becomes of the question by a plan about the pair. */
const past = (left: string | null, right: string, { ids = 'lr', policy = ASK } = {}): readonly OpenConflict[] => {
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

test.each<[string, boolean, Parameters<typeof past>]>([
  ['stays while both values stand', false, ['Baker', 'Brewer']],
  ['stays for the executor to record, where a value is another one', false, ['Baker', 'Butcher']],
  ['stays for the executor to record, where the policy decides now', false, ['Baker', 'Brewer', { policy: {} }]],
  ['stays where the plan is about somebody else', false, ['Baker', 'Baker', { ids: 'xy' }]],
  ['is past where both became the same', true, ['Baker', 'Baker']],
  ['is past where one side has its former value', true, ['Cook', 'Brewer']],
  ['is past where one contact is gone', true, [null, 'Brewer']],
  ['is past where the left contact goes by another id', true, ['Baker', 'Brewer', { ids: 'nr' }]],
])('[R4] a conflict that waits %s', (_, isPast, [left, right, more]) => {
  expect(past(left, right, more)).toEqual(isPast ? [QUESTION] : []);
});

test('[R4] a conflict that was reviewed is left to its review', () => {
  const decision = { kind: 'unlink', to: 'drop', pair: pairOf(present(record('l', {}), null), null) } as const;
  expect(pastQuestions([{ ...QUESTION, review: 'left' }], [decision])).toEqual([]);
  expect(pastQuestions([QUESTION], [decision])).toEqual([QUESTION]);
});

test('[R4] conflicts that wait are looked at again once the policy asks nobody', () => {
  expect(noLongerAsked([QUESTION], policyWith(ASK))).toEqual([]);
  expect(noLongerAsked([QUESTION], policyWith({ ...ASK, conflictsByField: { title: 'left' } }))).toEqual([QUESTION]);
  expect(noLongerAsked([QUESTION], policyWith({ ...ASK, direction: 'to-left' }))).toEqual([QUESTION]);
  expect(noLongerAsked([{ ...QUESTION, review: 'left' }], policyWith())).toEqual([]);
});

test.each([
  ['both sides hold what they held', 'Baker', 'Brewer', true],
  ['the other side holds it already', 'Baker', 'Baker', true],
  ['its own side was edited', 'Butcher', 'Brewer', false],
  ['its own side has its former value', 'Cook', 'Brewer', false],
  ['the other side was edited', 'Baker', 'Butcher', false],
])('[R5] the value that a person took of it, where %s', (_, left, right, stands) => {
  const halves = bothSides(sideOf({ title: left }, { title: 'Cook' }), sideOf({ title: right }, { title: 'Cook' }));
  const taken = takenValue('title', halves, [{ ...QUESTION, review: 'left' }]);
  expect(taken).toEqual(stands ? { from: 'left', value: 'Baker' } : null);
});
