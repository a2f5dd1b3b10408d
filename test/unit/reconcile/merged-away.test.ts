import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../src/contact/contact.ts';
import type { Side } from '../../../src/contact/side.ts';
import type { Pair, PairSide } from '../../../src/reconcile/decision.ts';
import { planGroups } from '../../../src/reconcile/groups.ts';
import { planContacts, type Plan } from '../../../src/reconcile/plan.ts';
import type { Policy } from '../../../src/reconcile/policy.ts';
import { pairOf, policyWith, present, record, SIDE_PAIRS, snapshot, values } from './support.ts';

const planOf = (pairs: readonly Pair[], given: Partial<Policy> = {}): Plan => {
  const policy = policyWith(given);
  const groups = planGroups({ left: [], right: [], pairs: [] }, policy);
  return planContacts({ pairs, survivors: [], unpaired: { left: [], right: [] }, groups, policy });
};

const ADA: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('ada@x.org') };
const LOSER: Partial<Contact> = { firstName: 'Ada', phoneNumbers: values('+4930123456') };
const SITE = values('ada.example.org');

const mergedAway = (base: Partial<Contact>, into: string): PairSide => {
  return { kind: 'gone', id: 'loser', base: snapshot(base), mergedInto: into };
};

/** Pairs the halves of `side`, where two contacts became one, with those of the other side. */
const pairs = (side: Side, merged: readonly [PairSide, PairSide], others: readonly [PairSide, PairSide]): Pair[] => {
  return merged.map((half, index) => {
    const other = others[index] ?? half;
    return side === 'left' ? pairOf(half, other, 'linked', index + 1) : pairOf(other, half, 'linked', index + 1);
  });
};

const heir = (now: Partial<Contact>, base: Partial<Contact> = now) => present(record('heir', now), snapshot(base));

/** The plan for two contacts that became one on `side`: what the heirs hold, and the loser's other half. */
const planMerge = (
  side: Side,
  heirs: { readonly own: PairSide; readonly other: PairSide },
  loser: { readonly taken: Partial<Contact>; readonly other: Partial<Contact> },
  policy?: Partial<Policy>,
): Plan => {
  const merged = [heirs.own, mergedAway(loser.taken, 'heir')] as const;
  return planOf(pairs(side, merged, [heirs.other, present(record('orphan', loser.other))]), policy);
};

const decisionsOf = (plan: Plan) => ({
  merge: plan.decisions.find((decision) => decision.kind === 'merge'),
  deletion: plan.decisions.find((decision) => decision.kind === 'delete'),
});

describe('two contacts that became one', () => {
  const KEEPER = present(record('keeper', ADA));

  test.each(SIDE_PAIRS)('[R12] at %s cost the one that goes nothing that only %s held', (side, other) => {
    const plan = planMerge(
      side,
      { own: heir(ADA), other: KEEPER },
      { taken: LOSER, other: { ...LOSER, company: 'Analytical', websites: SITE } },
    );
    const { merge, deletion } = decisionsOf(plan);
    const given = { fields: ['company', 'websites'], desired: { ...ADA, company: 'Analytical', websites: SITE } };
    expect(merge).toMatchObject({ left: given, right: given, conflicts: [] });
    expect(deletion).toMatchObject({
      side: other,
      record: { id: 'orphan' },
      handsOver: { heirId: 'keeper', fields: ['company', 'websites'] },
    });
  });

  test('[R12] write nothing to the source of a one-way link', () => {
    const loser = { taken: LOSER, other: { ...LOSER, websites: SITE } };
    const plan = planMerge('left', { own: heir(ADA), other: KEEPER }, loser, { direction: 'to-right' });
    const { merge, deletion } = decisionsOf(plan);
    expect(merge).toMatchObject({ left: null, right: { fields: ['websites'], desired: { websites: SITE } } });
    expect(deletion).toMatchObject({ handsOver: { heirId: 'keeper', fields: ['websites'] } });
  });

  test('[R12] are written once where the merge itself changes the one that stays', () => {
    const own = heir({ ...ADA, phoneNumbers: values('+4930123456') }, ADA);
    const plan = planMerge('left', { own, other: KEEPER }, { taken: LOSER, other: { ...LOSER, websites: SITE } });
    expect(decisionsOf(plan).merge?.right).toMatchObject({
      fields: ['phoneNumbers', 'websites'],
      desired: { phoneNumbers: values('+4930123456'), websites: SITE },
    });
  });

  test('[R12] hand over nothing that the merged side had taken, in whatever spelling, or dropped on merging', () => {
    const taken = { ...LOSER, title: 'Countess', websites: values('ada.example.org/long') };
    const loser = { ...taken, title: 'Countess of Lovelace', websites: values('ada.example.org/longer') };
    const { merge, deletion } = decisionsOf(
      planMerge('left', { own: heir(ADA), other: KEEPER }, { taken, other: loser }),
    );
    expect(merge).toMatchObject({ left: null, right: null, conflicts: [] });
    expect(deletion).toBeDefined();
    expect(deletion).not.toHaveProperty('handsOver');
  });

  test.each(SIDE_PAIRS)('[R4] at %s record what the one that stays at %s fills otherwise', (side, other) => {
    const keeper = present(record('keeper', { ...ADA, company: 'Engines' }));
    const heirs = { own: heir({ ...ADA, company: 'Engines' }), other: keeper };
    const plan = planMerge(side, heirs, { taken: LOSER, other: { ...LOSER, company: 'Analytical' } });
    const { merge, deletion } = decisionsOf(plan);
    const conflict = { field: 'company', [side]: 'Engines', [other]: 'Analytical', winner: side };
    expect(merge).toMatchObject({ left: null, right: null, conflicts: [conflict] });
    expect(deletion).toMatchObject({ handsOver: { fields: [] } });
  });

  test('[R12] delete nothing yet where the one that stays is only about to be made', () => {
    const own = heir({ ...ADA, title: 'Countess' }, ADA);
    const missing: PairSide = { kind: 'gone', id: 'keeper', base: snapshot(ADA), mergedInto: null };
    const plan = planMerge('left', { own, other: missing }, { taken: LOSER, other: { ...LOSER, websites: SITE } });
    expect(plan.decisions.map((decision) => decision.kind)).toEqual(['create']);
  });

  test('[R6] that were edited on the other side come back', () => {
    const merged = [heir(ADA), mergedAway(LOSER, 'heir')] as const;
    const edited = present(record('orphan', { ...LOSER, title: 'Countess' }), snapshot(LOSER));
    const plan = planOf(pairs('left', merged, [KEEPER, edited]));
    expect(plan.decisions.map((decision) => decision.kind)).toEqual(['merge', 'create']);
  });

  test('[R7] are deleted like any other where nobody stands for them', () => {
    const plan = planOf(
      pairs('left', [mergedAway(LOSER, 'stranger'), heir(ADA)], [present(record('o', LOSER)), KEEPER]),
    );
    expect(decisionsOf(plan).deletion).toMatchObject({ side: 'right', record: { id: 'o' } });
  });
});
