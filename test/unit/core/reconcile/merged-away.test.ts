import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import type { Pair } from '../../../../src/core/reconcile/decision.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import { type Plan, planContacts } from '../../../../src/core/reconcile/plan.ts';
import type { Policy } from '../../../../src/core/reconcile/policy.ts';
import { gone, pairOf, policyWith, present, record, SCOPES, SIDE_PAIRS, snapshot, values } from './support.ts';

const planOf = (pairs: readonly Pair[], given: Partial<Policy> = {}): Plan => {
  const policy = policyWith(given);
  const groups = planGroups({ left: [], right: [], pairs: [] }, policy);
  const none = { left: [], right: [] };
  const fixed = { groups, conflicts: [], policy, scopes: SCOPES };
  return planContacts({ pairs, survivors: [], unpaired: none, ...fixed });
};

const ADA: Partial<Contact> = { firstName: 'Ada', emailAddresses: values('ada@x.org') };
const TWIN: Partial<Contact> = { firstName: 'Ada', phoneNumbers: values('+4930123456') };
const SITE = values('ada.example.org');

const mergedAway = (base: Partial<Contact>, into: string): Half => {
  return gone('merged-away', { base: snapshot(base), mergedInto: into });
};

/** Pairs the halves of `side`, where two contacts became one, with those of the other side. */
const pairs = (side: Side, merged: readonly [Half, Half], others: readonly [Half, Half]): Pair[] => {
  return merged.map((half, index) => {
    const other = others[index] ?? half;
    return side === 'left' ? pairOf(half, other, 'linked', index + 1) : pairOf(other, half, 'linked', index + 1);
  });
};

const survivor = (now: Partial<Contact>, base: Partial<Contact> = now) => {
  return present(record('survivor', now), snapshot(base));
};

/** The plan for two contacts that became one on `side`: the survivor's pair, and the other half of the merged-away contact. */
const planMerge = (
  side: Side,
  survivors: { readonly own: Half; readonly other: Half },
  mergedAwayPair: { readonly own: Partial<Contact>; readonly other: Partial<Contact> },
  policy?: Partial<Policy>,
): Plan => {
  const merged = [survivors.own, mergedAway(mergedAwayPair.own, 'survivor')] as const;
  return planOf(pairs(side, merged, [survivors.other, present(record('orphan', mergedAwayPair.other))]), policy);
};

const decisionsOf = (plan: Plan) => ({
  merge: plan.decisions.find((decision) => decision.kind === 'merge'),
  deletion: plan.decisions.find((decision) => decision.kind === 'delete'),
});

describe('two contacts that became one', () => {
  const KEEPER = present(record('keeper', ADA));

  test('[R12] do not propagate values that a side computed for the contact that is deleted', () => {
    const plan = planMerge(
      'left',
      { own: survivor(ADA), other: KEEPER },
      { own: TWIN, other: { ...TWIN, title: 'Dr', lastContacted: 'today' } },
    );
    expect(decisionsOf(plan)).toMatchObject({
      merge: { writes: [{ kind: 'update', side: 'right', fields: ['title'] }] },
      deletion: { after: { fields: { left: [], right: ['title'] } } },
    });
  });

  test.each(SIDE_PAIRS)('[R4] at %s record a conflict if the survivor at %s has another value', (side, other) => {
    const keeper = present(record('keeper', { ...ADA, company: 'Engines' }));
    const survivors = { own: survivor({ ...ADA, company: 'Engines' }), other: keeper };
    const plan = planMerge(side, survivors, { own: TWIN, other: { ...TWIN, company: 'Analytical' } });
    const { merge, deletion } = decisionsOf(plan);
    const conflict = { field: 'company', [side]: 'Engines', [other]: 'Analytical', winner: side };
    expect(merge).toMatchObject({ writes: [], conflicts: [conflict] });
    expect(deletion).toMatchObject({ after: { fields: { left: [], right: [] } } });
  });

  describe('shown as a deletion alone', () => {
    const NAMED: Partial<Contact> = {
      firstName: 'Ada',
      emailAddresses: values('a@x.org'),
      phoneNumbers: TWIN.phoneNumbers ?? [],
    };
    const deleted = gone('deleted', { record: record('deleted', NAMED), base: snapshot(NAMED) });
    const orphan = present(record('orphan', { ...NAMED, websites: SITE }), snapshot({ ...NAMED, websites: SITE }));
    const taking = (id: string, given: Partial<Contact>): Half =>
      present(record(id, { ...ADA, ...given }), snapshot(ADA));
    const both = values('ada@x.org', 'a@x.org');
    const phoneNumbers = TWIN.phoneNumbers ?? [];

    const afterOf = (side: Side, survivors: readonly Half[]) => {
      const halves = [deleted, ...survivors].map((half, index) => {
        const other = index === 0 ? orphan : present(record(`keeper ${index}`, ADA), snapshot(ADA));
        return side === 'left' ? pairOf(half, other, 'linked', index + 1) : pairOf(other, half, 'linked', index + 1);
      });
      return decisionsOf(planOf(halves)).deletion?.after;
    };

    test.each(SIDE_PAIRS)(
      '[R12] at %s are recognised by the contact that took over their identifying values',
      (side, other) => {
        const after = afterOf(side, [taking('survivor', { emailAddresses: both, phoneNumbers })]);
        expect(after).toEqual({ survivorId: 'keeper 1', fields: { [side]: [], [other]: ['websites'] } });
      },
    );

    test('[R12] are no merge if a value was not taken over, or nothing recently', () => {
      expect(afterOf('left', [taking('survivor', { emailAddresses: both })])).toBeUndefined();
      const held = { ...ADA, emailAddresses: both, phoneNumbers };
      const shared = present(record('survivor', { ...held, title: 'Countess' }), snapshot(held));
      expect(afterOf('left', [shared])).toBeUndefined();
    });

    test('[R12] are no merge if only a number was passed on to a contact of another name', () => {
      const ann = { firstName: 'Ann', lastName: 'Miller', phoneNumbers };
      const halves = [
        gone('deleted', { record: record('deleted', ann), base: snapshot(ann) }),
        taking('survivor', { phoneNumbers }),
      ] as const;
      const other = present(record('orphan', ann), snapshot(ann));
      const plan = planOf([pairOf(halves[0], other, 'linked', 1), pairOf(halves[1], KEEPER, 'linked', 2)]);
      expect(decisionsOf(plan).deletion).toMatchObject({ record: { id: 'orphan' } });
      expect(decisionsOf(plan).deletion).not.toHaveProperty('after.survivorId');
    });

    test('[R12] are no merge if two contacts took the values over, or the deleted one had neither address nor number', () => {
      const given = { emailAddresses: both, phoneNumbers };
      expect(afterOf('left', [taking('one', given), taking('two', given)])).toBeUndefined();
      const nameless = gone('deleted', {
        record: record('deleted', { firstName: 'Ada' }),
        base: snapshot({ firstName: 'Ada' }),
      });
      const other = present(record('orphan', { firstName: 'Ada' }), snapshot({ firstName: 'Ada' }));
      const taker = taking('survivor', given);
      const plan = planOf([pairOf(nameless, other, 'linked', 1), pairOf(taker, KEEPER, 'linked', 2)]);
      expect(decisionsOf(plan).deletion).not.toHaveProperty('after.survivorId');
    });
  });
});
