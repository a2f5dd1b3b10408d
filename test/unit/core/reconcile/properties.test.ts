import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT, LIST_FIELDS, SCALAR_FIELDS, type Contact } from '../../../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Sides } from '../../../../src/core/contact/side.ts';
import { type Half } from '../../../../src/core/contact/half.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import { policyWith } from './support.ts';
import {
  check,
  sideOf,
  known,
  firstMeeting,
  anyMeeting,
  mergeOf,
  keysOf,
  settled,
  QUIET,
  PLAIN_PHONES,
} from './properties-support.ts';

describe('[R1] merging is idempotent', () => {
  test('the result of a merge, once both sides have it, needs no further write', () => {
    const policies = fc.constantFrom('newest', 'left', 'right');
    check(
      fc.property(anyMeeting(), policies, (sides, conflicts) => {
        const policy = policyWith({ conflicts });
        const { desired } = mergeHalves(sides, policy);
        expect(mergeOf(settled(desired.left), settled(desired.right), policy)).toMatchObject(QUIET);
      }),
    );
  });

  test('even if the two have lost their bases, since nothing is left to unite', () => {
    check(
      fc.property(firstMeeting(), (sides) => {
        const { desired } = mergeHalves(sides, policyWith());
        const again = (now: Contact): Half => sideOf(now, null);
        expect(mergeOf(again(desired.left), again(desired.right))).toMatchObject(QUIET);
      }),
    );
  });
});

describe('[R13] a first match that was stored before anything was written', () => {
  test('is merged as if nothing had been stored', () => {
    const policies = fc.constantFrom('newest', 'left', 'right');
    const directions = fc.constantFrom('both', 'to-left', 'to-right');
    check(
      fc.property(firstMeeting(), policies, directions, (sides, conflicts, direction) => {
        const policy = policyWith({ conflicts, direction });
        const stored = (half: Half): Half => ({ ...half, base: { contact: EMPTY_CONTACT, groupIds: [] } });
        expect(mergeOf(stored(sides.left), stored(sides.right), policy)).toEqual(mergeHalves(sides, policy));
      }),
    );
  });
});

describe('[R3] merging is symmetric', () => {
  test('the sides swapped, with the policy, give the same result swapped', () => {
    check(
      fc.property(anyMeeting(), (sides) => {
        const merge = mergeHalves(sides, policyWith({ conflicts: 'left' }));
        const swapped = mergeOf(sides.right, sides.left, policyWith({ conflicts: 'right' }));
        expect(swapped.desired).toEqual({ left: merge.desired.right, right: merge.desired.left });
        expect(swapped.fields).toEqual({ left: merge.fields.right, right: merge.fields.left });
        expect(swapped.conflicts.map((conflict) => conflict.field)).toEqual(
          merge.conflicts.map((conflict) => conflict.field),
        );
      }),
    );
  });
});

describe('[R5] no loss', () => {
  const bothWays = (sides: Sides<Half>) => {
    return SIDES.map((side) => ({ side, own: sides[side], other: sides[otherSide(side)] }));
  };

  test('every element that was added on one side exists on both', () => {
    check(
      fc.property(anyMeeting(PLAIN_PHONES), (sides) => {
        const { desired } = mergeHalves(sides, policyWith());
        for (const { own } of bothWays(sides)) {
          for (const field of LIST_FIELDS) {
            const added = keysOf(own.record.contact, field).difference(keysOf(own.base?.contact ?? null, field));
            for (const side of SIDES) expect(keysOf(desired[side], field).isSupersetOf(added)).toBe(true);
          }
        }
      }),
    );
  });

  test('no element is deleted that the other side did not remove', () => {
    check(
      fc.property(anyMeeting(PLAIN_PHONES), (sides) => {
        const { desired } = mergeHalves(sides, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of LIST_FIELDS) {
            const lost = keysOf(own.record.contact, field).difference(keysOf(desired[side], field));
            const removed = keysOf(other.base?.contact ?? null, field).difference(keysOf(other.record.contact, field));
            expect(removed.isSupersetOf(lost)).toBe(true);
          }
        }
      }),
    );
  });

  test('no element is deleted at a first match, in any spelling', () => {
    check(
      fc.property(firstMeeting(), (sides) => {
        const { desired } = mergeHalves(sides, policyWith());
        for (const { side, own } of bothWays(sides)) {
          for (const field of LIST_FIELDS)
            expect(desired[side][field]).toEqual(expect.arrayContaining([...own.record.contact[field]]));
        }
      }),
    );
  });

  test('a scalar that one side changed is on both; one that no side changed stays', () => {
    check(
      fc.property(known(), (sides) => {
        const { desired } = mergeHalves(sides, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of SCALAR_FIELDS) {
            const [changed, otherChanged] = [own, other].map(
              (one) => one.record.contact[field] !== one.base?.contact[field],
            );
            if (!changed && !otherChanged) expect(desired[side][field]).toBe(own.record.contact[field]);
            if (changed && !otherChanged) {
              expect([desired.left[field], desired.right[field]]).toEqual([
                own.record.contact[field],
                own.record.contact[field],
              ]);
            }
          }
        }
      }),
    );
  });

  test('[R4] a value that lost against another one is recorded', () => {
    check(
      fc.property(known(), (sides) => {
        const { desired, conflicts } = mergeHalves(sides, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of SCALAR_FIELDS) {
            const changed = own.record.contact[field] !== own.base?.contact[field];
            if (!changed || desired[side][field] === own.record.contact[field]) continue;
            const values_ = { [side]: own.record.contact[field], [otherSide(side)]: other.record.contact[field] };
            expect(conflicts).toContainEqual({ field, ...values_, winner: otherSide(side) });
          }
        }
      }),
    );
  });

  test('at a first match no word of a name is lost, and none is duplicated', () => {
    const words = (of: Contact) => new Set(`${of.firstName} ${of.lastName}`.split(' ').filter((word) => word !== ''));
    check(
      fc.property(firstMeeting(), (sides) => {
        const { desired, conflicts } = mergeHalves(sides, policyWith());
        expect([desired.left.firstName, desired.left.lastName]).toEqual([
          desired.right.firstName,
          desired.right.lastName,
        ]);
        const repeats = SIDES.some((side) => {
          const { firstName, lastName } = sides[side].record.contact;
          return lastName !== '' && firstName.includes(lastName);
        });
        if (conflicts.length > 0 || repeats) return;
        const all = words(sides.left.record.contact).union(words(sides.right.record.contact));
        expect(words(desired.left)).toEqual(all);
        expect(`${desired.left.firstName} ${desired.left.lastName}`.trim().split(' ')).toHaveLength(
          Math.max(all.size, 1),
        );
      }),
    );
  });
});

describe('a one-way link', () => {
  test.each([
    ['to-left', 'right'],
    ['to-right', 'left'],
  ] as const)('%s never requests a write to %s', (direction, source) => {
    check(
      fc.property(anyMeeting(), (sides) => {
        const merge = mergeHalves(sides, policyWith({ direction }));
        expect(merge.fields[source]).toEqual([]);
        expect(merge.desired[source]).toEqual(sides[source].record.contact);
      }),
    );
  });
});
