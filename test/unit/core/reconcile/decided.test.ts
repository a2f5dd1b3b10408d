import { expect, test } from 'vitest';
import type { Pair } from '../../../../src/core/reconcile/decision.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import { planContacts } from '../../../../src/core/reconcile/plan.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { pairOf, policyWith, present, record, SCOPES, snapshot } from './support.ts';

const BASE = snapshot({ title: 'Cook' });

/** Two halves that both changed the title; the right one is the newer by its stamp. */
const disputed = (right: string) =>
  pairOf(
    present(record('l', { title: 'Baker' }, { modifiedAtMs: 1 }), BASE),
    present(record('r', { title: right }, { modifiedAtMs: 2 }), BASE),
  );

const OPEN = { leftId: 'l', rightId: 'r', field: 'title', left: 'Baker', right: 'Brewer', winner: 'left' } as const;

const decide = (pair: Pair, given: Partial<Policy> = {}) => {
  const policy = policyWith(given);
  const groups = planGroups({ left: [], right: [], pairs: [] }, policy);
  const { decisions } = planContacts({
    pairs: [pair],
    survivors: [],
    unpaired: { left: [], right: [] },
    openConflicts: [OPEN],
    scopes: SCOPES,
    groups,
    policy,
  });
  return decisions;
};

const winnerOf = (right: string, given: Partial<Policy> = {}) =>
  decide(disputed(right), given).map((decision) => decision.kind === 'merge' && decision.conflicts[0]?.winner);

test('[R4] an open conflict keeps its winner while its two values are unchanged, even if they were written since', () => {
  expect(winnerOf('Brewer')).toEqual(['left']);
  expect(winnerOf('Brewer', { conflicts: 'right', conflictsByField: { title: 'newest' } })).toEqual(['left']);
});

test('[R4] it is decided again if a value changes, or if the policy names a side', () => {
  expect(winnerOf('Butcher')).toEqual(['right']);
  expect(winnerOf('Brewer', { conflicts: 'right' })).toEqual(['right']);
  expect(winnerOf('Brewer', { conflictsByField: { title: 'right' } })).toEqual(['right']);
});

test('[R4] a write of the value that a conflict was decided for is distinguished from a write of a later change', () => {
  const agreed = snapshot({ title: 'Brewer' });
  const restoredBy = (left: string) =>
    decide(pairOf(present(record('l', { title: left }), agreed), present(record('r', { title: 'Brewer' }), agreed)));
  expect(restoredBy('Baker')).toMatchObject([
    { writes: [{ kind: 'update', side: 'right', fields: ['title'] }], restored: ['title'] },
  ]);
  expect(restoredBy('Butcher')).toMatchObject([{ writes: [{ kind: 'update', side: 'right', fields: ['title'] }] }]);
  expect(restoredBy('Butcher')).not.toMatchObject([{ restored: ['title'] }]);
});
