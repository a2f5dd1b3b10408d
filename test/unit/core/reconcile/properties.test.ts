import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_CONTACT, LIST_FIELDS, SCALAR_FIELDS, type Contact } from '../../../../src/core/contact/contact.ts';
import { otherSide, SIDES, type Sides } from '../../../../src/core/contact/side.ts';
import { type Half } from '../../../../src/core/contact/half.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import { policyWith, sideOf } from './support.ts';
import { check, known, firstMeeting, anyMeeting, mergeOf, keysOf, QUIET, PLAIN_PHONES } from './properties-support.ts';

const CONFLICTS = fc.constantFrom('newest', 'left', 'right');

test('[R1] the result of a merge needs no further write, even if a first match loses its bases', () => {
  check(
    fc.property(anyMeeting(), CONFLICTS, (sides, conflicts) => {
      const policy = policyWith({ conflicts });
      const { left, right } = mergeHalves(sides, policy).desired;
      expect(mergeOf(sideOf(left, left), sideOf(right, right), policy)).toMatchObject(QUIET);
      if (sides.left.base === null) expect(mergeOf(sideOf(left, null), sideOf(right, null))).toMatchObject(QUIET);
    }),
  );
});

test('[R13] a first match that was stored before anything was written is merged as if nothing had been stored', () => {
  const directions = fc.constantFrom('both', 'to-left', 'to-right');
  check(
    fc.property(firstMeeting(), CONFLICTS, directions, (sides, conflicts, direction) => {
      const policy = policyWith({ conflicts, direction });
      const stored = (half: Half): Half => ({ ...half, base: { contact: EMPTY_CONTACT, groupIds: [] } });
      expect(mergeOf(stored(sides.left), stored(sides.right), policy)).toEqual(mergeHalves(sides, policy));
    }),
  );
});

test('[R3] merging is symmetric: the sides swapped, with the policy, give the same result swapped', () => {
  check(
    fc.property(anyMeeting(), (sides) => {
      const merge = mergeHalves(sides, policyWith({ conflicts: 'left' }));
      const swapped = mergeOf(sides.right, sides.left, policyWith({ conflicts: 'right' }));
      expect(swapped.desired).toEqual({ left: merge.desired.right, right: merge.desired.left });
      expect(swapped.fields).toEqual({ left: merge.fields.right, right: merge.fields.left });
      expect(swapped.conflicts.map(({ field }) => field)).toEqual(merge.conflicts.map(({ field }) => field));
    }),
  );
});

describe('[R5] no loss', () => {
  const bothWays = (sides: Sides<Half>) => {
    return SIDES.map((side) => ({ side, own: sides[side], other: sides[otherSide(side)] }));
  };

  test('every element that was added on one side exists on both, and none is deleted that no side removed', () => {
    check(
      fc.property(anyMeeting(PLAIN_PHONES), (sides) => {
        const { desired } = mergeHalves(sides, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of LIST_FIELDS) {
            const now = keysOf(own.record.contact, field);
            const added = now.difference(keysOf(own.base?.contact ?? null, field));
            for (const each of SIDES) expect(keysOf(desired[each], field).isSupersetOf(added)).toBe(true);
            const lost = now.difference(keysOf(desired[side], field));
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

  test('[R4] a scalar that one side changed is on both, an unchanged one stays, and a lost one is recorded', () => {
    check(
      fc.property(known(), (sides) => {
        const { desired, conflicts } = mergeHalves(sides, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of SCALAR_FIELDS) {
            const [now, others] = [own.record.contact[field], other.record.contact[field]];
            const [changed, otherChanged] = [now !== own.base?.contact[field], others !== other.base?.contact[field]];
            if (!otherChanged) expect(desired[side][field]).toBe(now);
            if (changed && !otherChanged) expect(desired[otherSide(side)][field]).toBe(now);
            if (!changed || desired[side][field] === now) continue;
            const lost = { [side]: now, [otherSide(side)]: others };
            expect(conflicts).toContainEqual({ field, ...lost, winner: otherSide(side) });
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
        const { firstName: first, lastName: last } = desired.left;
        expect(desired.right).toMatchObject({ firstName: first, lastName: last });
        const repeats = SIDES.some((side) => {
          const { firstName, lastName } = sides[side].record.contact;
          return lastName !== '' && firstName.includes(lastName);
        });
        if (conflicts.length > 0 || repeats) return;
        const all = words(sides.left.record.contact).union(words(sides.right.record.contact));
        expect(words(desired.left)).toEqual(all);
        expect(`${first} ${last}`.trim().split(' ')).toHaveLength(Math.max(all.size, 1));
      }),
    );
  });
});
