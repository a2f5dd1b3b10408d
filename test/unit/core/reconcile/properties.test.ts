import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Contact, ListField } from '../../../../src/core/contact/contact.ts';
import { CONTACT_FIELDS, EMPTY_CONTACT, LIST_FIELDS } from '../../../../src/core/contact/contact.ts';
import { elementKey, listOf } from '../../../../src/core/contact/lists.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { otherSide, type Side, SIDES, type Sides } from '../../../../src/core/contact/side.ts';
import { type Half } from '../../../../src/core/contact/half.ts';
import { NO_WRITES } from '../../../../src/core/reconcile/decision.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { mergeHalves } from '../../../../src/core/reconcile/merge.ts';
import {
  address,
  bothSides,
  check,
  mergeOf,
  planOf,
  policyWith,
  PREFIX,
  QUIET,
  record,
  sideOf,
  unpaired,
  values,
} from './support.ts';

// Small pools, so that the sides often have the same values, or the same in other spellings.
const EMAILS = ['ada@x.org', 'Ada@X.org', 'bob@x.org', 'joanna@x.org', 'anna@x.org'];
const PHONES = ['+49 30 901820', '004930901820', '030 901820', '+1 212 555 0100', '112', '1-800-FLOWERS'];
const SITES = ['https://x.org/', 'x.org', 'y.org'];
const STREETS = ['Main 1', 'main 1', 'Main 2', 'Flat 1/2'];

const contact = (phones: readonly string[] = PHONES): fc.Arbitrary<Contact> => {
  const some = <T>(pool: readonly T[]) => fc.subarray([...pool], { maxLength: 3 });
  return fc
    .record({
      firstName: fc.constantFrom('', 'Ada', 'Bob', 'Ada King'),
      lastName: fc.constantFrom('', 'King', 'Ray'),
      company: fc.constantFrom('', 'A', 'B'),
      title: fc.constantFrom('', 'T', 'U', 'V'),
      emailAddresses: some(EMAILS).map((list) => values(...list)),
      phoneNumbers: some(phones).map((list) => values(...list)),
      addresses: some(STREETS).map((list) => list.map((street) => address(street))),
      websites: some(SITES).map((list) => values(...list)),
    })
    .map(contactOf);
};

/** A contact that is, more often than not, similar to another one. */
const editOf = (from: Contact, phones?: readonly string[]): fc.Arbitrary<Contact> => {
  return fc.tuple(contact(phones), fc.subarray([...CONTACT_FIELDS], { maxLength: 3 })).map(([other, fields]) => {
    return { ...from, ...Object.fromEntries(fields.map((field) => [field, other[field]])) };
  });
};

const timeMs = fc.constantFrom(null, 1, 2);

/** Two sides that agreed once, each in its own spelling, and were edited since. */
const known = (phones?: readonly string[]): fc.Arbitrary<Sides<Half>> => {
  const side = (agreed: Contact) => {
    return editOf(agreed, phones).chain((base) => {
      return fc.tuple(editOf(base, phones), timeMs).map(([now, atMs]) => sideOf(now, base, atMs));
    });
  };
  return contact(phones).chain((agreed) =>
    fc.tuple(side(agreed), side(agreed)).map(([left, right]) => bothSides(left, right)),
  );
};

const firstMeeting = (phones?: readonly string[]): fc.Arbitrary<Sides<Half>> => {
  const side = fc.tuple(contact(phones), timeMs).map(([now, atMs]) => sideOf(now, null, atMs));
  return fc.tuple(side, side).map(([left, right]) => bothSides(left, right));
};

const anyMeeting = (phones?: readonly string[]) => fc.oneof(known(phones), firstMeeting(phones));

const keysOf = (of: Contact | null, field: ListField): ReadonlySet<string> => {
  return new Set(of === null ? [] : listOf(of, field).map((element) => elementKey(field, element)));
};

// No number here is the national spelling of another one, so that keys distinguish elements.
const PLAIN_PHONES = ['+49 30 901820', '+1 212 555 0100', '112', '113', '114'];

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

const bothWays = (sides: Sides<Half>) => {
  return SIDES.map((side) => ({ side, own: sides[side], other: sides[otherSide(side)] }));
};

test('[R5] every element that was added on one side exists on both, and none is deleted that no side removed', () => {
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

test('[R5] at a first match no word of a name is lost, and none is duplicated', () => {
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

/** Contacts without a pair. */
const loose = (side: Side): fc.Arbitrary<readonly Half[]> =>
  fc.array(contact(), { maxLength: 8 }).map((list) => {
    return unpaired(side, ...list.map((given, index) => record(`${PREFIX[side]}${index}`, given)));
  });

test('R13: the same people of different names are paired in every order of the contacts', () => {
  const naming = (side: Side) => {
    const names = fc.shuffledSubarray(['Ada', 'Ada Ray', 'Bob', 'Bob Ray', 'Cid', 'Dot Ray', 'Eve Ray', 'Fay']);
    return fc.tuple(loose(side), names).map(([list, pool]) => {
      return list.slice(0, pool.length).map((one, index): Half => {
        const name = { firstName: pool[index] ?? '', lastName: '' };
        return { ...one, record: { ...one.record, contact: { ...one.record.contact, ...name } } };
      });
    });
  };
  const pairsOf = (left: readonly Half[], right: readonly Half[]) => {
    return matchContacts({ left, right }).matches.map((match) => `${match.left.id} ${match.right.id}`);
  };
  check(
    fc.property(naming('left'), naming('right'), (left, right) => {
      const turned = pairsOf(left.toReversed(), right.toReversed());
      expect(turned.toSorted()).toEqual(pairsOf(left, right).toSorted());
    }),
  );
});

/** Address books with cards that are nearly the same, each card with its labels. */
const bookOf = (maxLength: number) => {
  const card = contact().chain((one) => fc.constantFrom(one, { ...one, title: 'T' }, { ...one, phoneNumbers: [] }));
  const labels = fc.subarray(['choir', 'team']);
  return fc
    .tuple(card, fc.array(fc.tuple(card, labels), { maxLength }), fc.array(labels, { maxLength }))
    .map(([one, others, copies]) => [...others, ...copies.map((own) => [one, own] as const)]);
};

test('[R13] an address book that is loaded on both sides is paired without a write, even if it has duplicates', () => {
  const shuffled = bookOf(8).chain((book) => {
    const order = fc.shuffledSubarray(book, { minLength: book.length });
    return fc.tuple(fc.constant(book), order);
  });
  check(
    fc.property(shuffled, ([book, copy]) => {
      const half = (side: Side, cards: typeof book) =>
        unpaired(
          side,
          ...cards.map(([now, labels], index) =>
            record(`${side}${index}`, now, { groupIds: labels.map((label) => `${side}-${label}`) }),
          ),
        );
      const groupsOf = (side: Side) => ['choir', 'team'].map((name) => ({ id: `${side}-${name}`, name, version: '' }));
      const groups = planGroups({ left: groupsOf('left'), right: groupsOf('right'), pairs: [] }, policyWith());
      const alone = { left: half('left', book), right: half('right', copy) };
      const { decisions, ambiguous } = planOf({ unpaired: alone, groups });
      expect(ambiguous).toEqual([]);
      for (const decision of decisions) {
        expect(decision).toMatchObject({ kind: 'merge', writes: { left: NO_WRITES, right: NO_WRITES }, conflicts: [] });
      }
    }),
  );
});
