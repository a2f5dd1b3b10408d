import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import type { Pair } from '../../../../src/core/reconcile/decision.ts';
import type { Plan } from '../../../../src/core/reconcile/plan.ts';
import { gone, pairOf, planOf, present, record, SIDE_PAIRS, snapshot, values } from './support.ts';

const ADA: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('ada@x.org') };
const TWIN: Partial<Contact> = { firstName: 'Ada', phoneNumbers: values('+4930123456') };
const SITE = values('ada.example.org');

/** Pairs the halves of `side`, where two contacts became one, with those of the other side. */
const pairsOn = (side: Side, merged: readonly Half[], others: readonly Half[]): readonly Pair[] =>
  merged.map((half, index) => {
    const other = others[index] ?? half;
    return side === 'left' ? pairOf(half, other, 'linked', index + 1) : pairOf(other, half, 'linked', index + 1);
  });

/** The plan for two contacts that became one on `side`: the survivor's pair, and the other half of the merged-away contact. */
const planMerge = (
  side: Side,
  survivor: Partial<Contact>,
  keeper: Partial<Contact>,
  own: Partial<Contact>,
  other: Partial<Contact>,
): Plan => {
  const away = gone('merged-away', { base: snapshot(own), mergedInto: 'survivor' });
  const merged = [present(record('survivor', survivor)), away];
  const others = [present(record('keeper', keeper)), present(record('orphan', other))];
  return planOf({ pairs: pairsOn(side, merged, others) });
};

const decisionsOf = (plan: Plan) => ({
  merge: plan.decisions.find((decision) => decision.kind === 'merge'),
  deletion: plan.decisions.find((decision) => decision.kind === 'delete'),
});

test('[R12] [R15] a contact is not deleted if its value would replace one of the survivor that is not synced', () => {
  const away = gone('merged-away', { base: snapshot(TWIN), mergedInto: 'survivor' });
  const keeper = { ...record('keeper', ADA), unsyncable: [{ field: 'title' as const, reason: 'It is too long.' }] };
  const orphan = present(record('orphan', { ...TWIN, title: 'Dr' }));
  const pairs = pairsOn('left', [present(record('survivor', ADA)), away], [present(keeper), orphan]);
  expect(planOf({ pairs }).decisions).toContainEqual(expect.objectContaining({ kind: 'unlink', to: 'kept' }));
  expect(decisionsOf(planOf({ pairs })).deletion).toBeUndefined();
});

describe('a merge survivor without another half', () => {
  /** Pairs the left contacts with the right ones, in this order. */
  const decided = (left: readonly Half[], right: readonly Half[]) =>
    planOf({ pairs: pairsOn('left', left, right) }).decisions;
  const one = present(record('one', ADA));
  const two = present(record('two', ADA));
  const mergedInto = (id: string, survivor: string) => gone(id, { base: snapshot(ADA), mergedInto: survivor });

  const REUNITED = [
    { kind: 'unlink', to: 'drop', pair: { id: 1 } },
    { kind: 'merge', pair: { id: 2, status: 'kept', left: { id: 'two' }, right: { id: 'one' } }, writes: [] },
  ];

  test('[R12] is paired with the other half if the users of both sides merged the two in opposite directions', () => {
    expect(decided([mergedInto('one', 'two'), two], [one, mergedInto('two', 'one')])).toMatchObject(REUNITED);
  });

  test('[R12] is paired with the other half if the user of the other side deleted its own', () => {
    const decisions = decided([mergedInto('one', 'two'), two], [one, gone('two', { base: snapshot(ADA) })]);
    expect(decisions).toMatchObject(REUNITED);
  });

  test('[R12] is paired with the other half if its pair has one half', () => {
    const pairs = pairsOn('left', [mergedInto('one', 'two')], [one]);
    const lonePairs = [pairOf(two, null, 'kept', 2)];
    expect(planOf({ pairs, lonePairs }).decisions).toMatchObject(REUNITED);
  });

  test('[R12] is kept apart if no side selects it', () => {
    const pairs = pairsOn('left', [mergedInto('one', 'two')], [one]);
    const lonePairs = [pairOf(two, null, 'kept', 2)];
    const decisions = planOf({
      pairs,
      lonePairs,
      selection: { selects: (_, { marks }) => marks !== undefined },
    }).decisions;
    expect(decisions).toMatchObject([{ kind: 'unlink', to: 'kept' }, {}]);
  });
});

describe('two contacts that became one', () => {
  test('[R12] do not propagate values that a side computed for the contact that is deleted', () => {
    const plan = planMerge('left', ADA, ADA, TWIN, { ...TWIN, title: 'Dr', lastContacted: 'today' });
    expect(decisionsOf(plan)).toMatchObject({
      merge: { writes: [{ kind: 'update', side: 'right', fields: ['title'] }] },
      deletion: { after: { fields: { left: [], right: ['title'] } } },
    });
  });

  test.each(SIDE_PAIRS)('[R4] at %s record a conflict if the survivor at %s has another value', (side, other) => {
    const known = { ...ADA, company: 'Engines' };
    const { merge, deletion } = decisionsOf(planMerge(side, known, known, TWIN, { ...TWIN, company: 'Analytical' }));
    const conflict = { field: 'company', [side]: 'Engines', [other]: 'Analytical', winner: side };
    expect(merge).toMatchObject({ writes: [], conflicts: [conflict] });
    expect(deletion).toMatchObject({ after: { fields: { left: [], right: [] } } });
  });

  describe('shown as a deletion alone', () => {
    const phoneNumbers = values('+4930123456');
    const NAMED: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('a@x.org'), phoneNumbers };
    const both = values('ada@x.org', 'a@x.org');
    const given = { emailAddresses: both, phoneNumbers };
    const taking = (id: string, more: Partial<Contact>): Half =>
      present(record(id, { ...ADA, ...more }), snapshot(ADA));

    const afterOf = (
      side: Side,
      survivors: readonly Half[],
      was = NAMED,
      other: Partial<Contact> = { ...was, websites: SITE },
    ) => {
      const merged = [gone('deleted', { record: record('deleted', was), base: snapshot(was) }), ...survivors];
      const keepers = survivors.map((_, index) => present(record(`keeper ${index + 1}`, ADA)));
      const pairs = pairsOn(side, merged, [present(record('orphan', other)), ...keepers]);
      const { deletion } = decisionsOf(planOf({ pairs }));
      expect(deletion).toMatchObject({ record: { id: 'orphan' } });
      return deletion?.after;
    };

    test.each(SIDE_PAIRS)(
      '[R12] at %s are recognised by the one that took over their identifying values',
      (side, other) => {
        const after = afterOf(side, [taking('survivor', given)]);
        expect(after).toEqual({ survivorId: 'keeper 1', fields: { [side]: [], [other]: ['websites'] } });
      },
    );

    test('[R12] are no merge if a value was not taken over, or nothing recently', () => {
      expect(afterOf('left', [taking('survivor', { emailAddresses: both })])).toBeUndefined();
      const held = { ...ADA, ...given };
      const shared = present(record('survivor', { ...held, title: 'Countess' }), snapshot(held));
      expect(afterOf('left', [shared])).toBeUndefined();
    });

    test('[R12] are no merge if only a number was passed on to a contact of another name', () => {
      const ann = { firstName: 'Ann', lastName: 'Miller', phoneNumbers };
      expect(afterOf('left', [taking('survivor', { phoneNumbers })], ann, ann)).toBeUndefined();
    });

    test('[R12] are no merge if two contacts took the values over, or the deleted one had neither address nor number', () => {
      expect(afterOf('left', [taking('one', given), taking('two', given)])).toBeUndefined();
      expect(afterOf('left', [taking('survivor', given)], { firstName: 'Ada' }, { firstName: 'Ada' })).toBeUndefined();
    });
  });
});
