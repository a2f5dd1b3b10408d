import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  CONTACT_FIELDS,
  EMPTY_CONTACT,
  LIST_FIELDS,
  SCALAR_FIELDS,
  type Contact,
  type ListField,
  type SyncedField,
} from '../../../src/contact/contact.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../../../src/contact/side.ts';
import { elementKey, listOf } from '../../../src/contact/lists.ts';
import { contactOf } from '../../../src/contact/normalise.ts';
import { stands, type Half } from '../../../src/contact/half.ts';
import type { Decision, Pair, PairStatus } from '../../../src/reconcile/decision.ts';
import { planGroups } from '../../../src/reconcile/groups.ts';
import { matchContacts } from '../../../src/reconcile/match.ts';
import { mergeContacts, type FieldMerge } from '../../../src/reconcile/merge.ts';
import { planContacts } from '../../../src/reconcile/plan.ts';
import { settleBase } from '../../../src/reconcile/settle.ts';
import {
  address,
  bothSides,
  halfOf,
  NONE,
  pairOf,
  policyWith,
  record,
  SCOPES,
  SEED,
  unpaired,
  values,
} from './support.ts';

/** A failure prints the seed, the path and the smallest counterexample. */
const check = <Values>(property: fc.IProperty<Values>): void => {
  fc.assert(property, { seed: SEED, numRuns: 400 });
};

// Small pools, so that the sides often hold the same, or the same in other spellings.
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

/** A contact that is, more often than not, close to another one. */
const editOf = (from: Contact, phones?: readonly string[]): fc.Arbitrary<Contact> => {
  return fc.tuple(contact(phones), fc.subarray([...CONTACT_FIELDS], { maxLength: 3 })).map(([other, fields]) => {
    return { ...from, ...Object.fromEntries(fields.map((field) => [field, other[field]])) };
  });
};

/** A half as it stands now, and as its side gave it when both agreed. */
const sideOf = (now: Contact, base: Contact | null, modifiedAtMs: number | null = null): Half => {
  return halfOf(record('x', now, { modifiedAtMs }), { base: base === null ? null : { contact: base, groupIds: [] } });
};

const timeMs = fc.constantFrom(null, 1, 2);

/** Two sides that agreed once, each in its own words, and were edited since. */
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

const mergeOf = (left: Half, right: Half, policy = policyWith()): FieldMerge => {
  return mergeContacts(bothSides(left, right), policy);
};

const keysOf = (of: Contact | null, field: ListField): ReadonlySet<string> => {
  return new Set(of === null ? [] : listOf(of, field).map((element) => elementKey(field, element)));
};

const settled = (now: Contact): Half => sideOf(now, now);

const QUIET = { fields: { left: [], right: [] }, held: { left: [], right: [] }, conflicts: [] };

// No number here is the national spelling of another one, so that keys tell elements apart.
const PLAIN_PHONES = ['+49 30 901820', '+1 212 555 0100', '112', '113', '114'];

describe('[R1] merging is idempotent', () => {
  test('what a merge wanted, once it stands on both sides, asks for nothing more', () => {
    const policies = fc.constantFrom('newest', 'left', 'right');
    check(
      fc.property(anyMeeting(), policies, (sides, conflicts) => {
        const policy = policyWith({ conflicts });
        const { desired } = mergeContacts(sides, policy);
        expect(mergeOf(settled(desired.left), settled(desired.right), policy)).toMatchObject(QUIET);
      }),
    );
  });

  test('even if the two have lost their bases, since nothing is left to unite', () => {
    check(
      fc.property(firstMeeting(), (sides) => {
        const { desired } = mergeContacts(sides, policyWith());
        const again = (now: Contact): Half => sideOf(now, null);
        expect(mergeOf(again(desired.left), again(desired.right))).toMatchObject(QUIET);
      }),
    );
  });
});

describe('[R5] a run that ends after it wrote one side only', () => {
  /** What the store holds of a side when the writes of `done` have been answered as asked. */
  const stored = (side: Side, own: Half, merge: FieldMerge, done: Side): Half => {
    const snapshotOf = (of: Contact) => ({ contact: of, groupIds: [] });
    const fields = new Set<SyncedField>(merge.fields[side]);
    const now = side === done ? merge.desired[side] : own.record.contact;
    const base = settleBase({
      base: own.base ?? snapshotOf(EMPTY_CONTACT),
      before: snapshotOf(own.record.contact),
      now: snapshotOf(now),
      written: side === done ? fields : new Set(),
      moved: new Set(),
      outstanding: new Set(otherSide(side) === done ? [] : merge.fields[otherSide(side)]),
    });
    return { ...own, record: { ...own.record, contact: now }, base };
  };

  test.each(SIDES)('%s first is finished by the next run: the same in the end, nothing written twice', (done) => {
    check(
      fc.property(anyMeeting(PLAIN_PHONES), (sides) => {
        // A name that only moves between its fields empties one, of which an empty base keeps no trace.
        fc.pre(sides.left.base !== null || SIDES.every((side) => sides[side].record.contact.firstName !== 'Ada King'));
        const policy = policyWith();
        const merge = mergeContacts(sides, policy);
        const left = stored('left', sides.left, merge, done);
        const right = stored('right', sides.right, merge, done);
        const rest = mergeOf(left, right, policy);
        const open = otherSide(done);
        expect(rest.fields[done]).toEqual([]);
        expect(rest.fields[open]).toEqual(merge.fields[open]);
        expect(rest.desired[open]).toEqual(merge.desired[open]);
        expect(rest.conflicts).toEqual([]);
      }),
    );
  });
});

describe('[R13] a first meeting that was stored before anything was written', () => {
  test('is merged as if nothing had been stored', () => {
    const policies = fc.constantFrom('newest', 'left', 'right');
    const directions = fc.constantFrom('both', 'to-left', 'to-right');
    check(
      fc.property(firstMeeting(), policies, directions, (sides, conflicts, direction) => {
        const policy = policyWith({ conflicts, direction });
        const stored = (half: Half): Half => ({ ...half, base: { contact: EMPTY_CONTACT, groupIds: [] } });
        expect(mergeOf(stored(sides.left), stored(sides.right), policy)).toEqual(mergeContacts(sides, policy));
      }),
    );
  });
});

describe('[R3] merging is symmetric', () => {
  test('the sides swapped, with the policy, give the same swapped', () => {
    check(
      fc.property(anyMeeting(), (sides) => {
        const merge = mergeContacts(sides, policyWith({ conflicts: 'left' }));
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

  test('every element that was added on one side stands on both', () => {
    check(
      fc.property(anyMeeting(PLAIN_PHONES), (sides) => {
        const { desired } = mergeContacts(sides, policyWith());
        for (const { own } of bothWays(sides)) {
          for (const field of LIST_FIELDS) {
            const added = keysOf(own.record.contact, field).difference(keysOf(own.base?.contact ?? null, field));
            for (const side of SIDES) expect(keysOf(desired[side], field).isSupersetOf(added)).toBe(true);
          }
        }
      }),
    );
  });

  test('no element goes that the other side did not remove', () => {
    check(
      fc.property(anyMeeting(PLAIN_PHONES), (sides) => {
        const { desired } = mergeContacts(sides, policyWith());
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

  test('no element goes at a first meeting, in whatever spelling', () => {
    check(
      fc.property(firstMeeting(), (sides) => {
        const { desired } = mergeContacts(sides, policyWith());
        for (const { side, own } of bothWays(sides)) {
          for (const field of LIST_FIELDS)
            expect(desired[side][field]).toEqual(expect.arrayContaining([...own.record.contact[field]]));
        }
      }),
    );
  });

  test('a scalar that one side changed stands on both; one that nobody changed stays', () => {
    check(
      fc.property(known(), (sides) => {
        const { desired } = mergeContacts(sides, policyWith());
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
        const { desired, conflicts } = mergeContacts(sides, policyWith());
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

  test('at a first meeting no word of a name is lost, and none is said twice', () => {
    const words = (of: Contact) => new Set(`${of.firstName} ${of.lastName}`.split(' ').filter((word) => word !== ''));
    check(
      fc.property(firstMeeting(), (sides) => {
        const { desired, conflicts } = mergeContacts(sides, policyWith());
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
  ] as const)('%s never asks for a write to %s', (direction, source) => {
    check(
      fc.property(anyMeeting(), (sides) => {
        const merge = mergeContacts(sides, policyWith({ direction }));
        expect(merge.fields[source]).toEqual([]);
        expect(merge.desired[source]).toEqual(sides[source].record.contact);
      }),
    );
  });
});

/** Contacts of no pair; their ids begin as given. */
const loose = (
  side: Side,
  prefix: string,
  origins: readonly (string | null)[] = [null],
): fc.Arbitrary<readonly Half[]> => {
  return fc.array(fc.tuple(contact(), fc.constantFrom(...origins)), { maxLength: 8 }).map((list) => {
    return unpaired(side, ...list.map(([given, originId], index) => record(`${prefix}${index}`, given, { originId })));
  });
};

describe('[R13] matching', () => {
  const world = fc.tuple(loose('left', 'g', [null, null, 's0', 's1']), loose('right', 's'));

  test('takes no contact twice, and reports nobody as undecided who was paired', () => {
    check(
      fc.property(world, ([left, right]) => {
        const { matches, ambiguous } = matchContacts({ left, right });
        const taken = matches.flatMap((match) => [match.left.id, match.right.id]);
        expect(new Set(taken).size).toBe(taken.length);
        const undecided = ambiguous.flatMap((rivals) => [...rivals.left, ...rivals.right]);
        expect(undecided.filter((id) => taken.includes(id))).toEqual([]);
      }),
    );
  });

  test('pairs the same people of different names whatever the order in which they come', () => {
    const naming = (side: Side, prefix: string) => {
      const names = fc.shuffledSubarray(['Ada', 'Ada Ray', 'Bob', 'Bob Ray', 'Cid', 'Dot Ray', 'Eve Ray', 'Fay']);
      return fc.tuple(loose(side, prefix), names).map(([list, pool]) => {
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
      fc.property(naming('left', 'g'), naming('right', 's'), (left, right) => {
        const turned = pairsOf(left.toReversed(), right.toReversed());
        expect(turned.toSorted()).toEqual(pairsOf(left, right).toSorted());
      }),
    );
  });

  test('pairs an address book with its own copy one to one', () => {
    check(
      fc.property(loose('left', 'g'), (left) => {
        const right = unpaired('right', ...left.map(({ record: one }) => ({ ...one, id: one.id.replace('g', 's') })));
        const { matches, ambiguous } = matchContacts({ left, right });
        const filled = left.filter((one) => JSON.stringify(one.record.contact) !== JSON.stringify(EMPTY_CONTACT));
        expect(ambiguous).toEqual([]);
        expect(matches).toHaveLength(filled.length);
      }),
    );
  });
});

/** Address books with cards that are nearly the same, each card with the labels that it is in. */
const bookOf = (maxLength: number) => {
  const card = contact().chain((one) => fc.constantFrom(one, { ...one, title: 'T' }, { ...one, phoneNumbers: [] }));
  const labels = fc.subarray(['choir', 'team']);
  return fc
    .tuple(card, fc.array(fc.tuple(card, labels), { maxLength }), fc.array(labels, { maxLength }))
    .map(([one, others, copies]) => [...others, ...copies.map((own) => [one, own] as const)]);
};

describe('[R13] an address book that is loaded on both sides', () => {
  const LABELS = ['choir', 'team'];

  test('is paired without a write, whatever its duplicates', () => {
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
        const groupsOf = (side: Side) => LABELS.map((name) => ({ id: `${side}-${name}`, name, version: '' }));
        const policy = policyWith();
        const groups = planGroups({ left: groupsOf('left'), right: groupsOf('right'), pairs: [] }, policy);
        const alone = { left: half('left', book), right: half('right', copy) };
        const { decisions, ambiguous } = planContacts({
          pairs: [],
          survivors: [],
          unpaired: alone,
          groups,
          openConflicts: [],
          policy,
          scopes: SCOPES,
        });
        expect(ambiguous).toEqual([]);
        for (const decision of decisions) {
          expect(decision).toMatchObject({ kind: 'merge', writes: { left: null, right: null }, conflicts: [] });
        }
      }),
    );
  });
});

describe('a plan', () => {
  const half = (side: Side, index: number): fc.Arbitrary<Half> => {
    const id = `paired-${side}${index}`;
    return fc.tuple(contact(), contact(), fc.constantFrom('same', 'edited', 'gone')).map(([base, now, kind]): Half => {
      const own = record(id, kind === 'edited' ? now : base);
      return halfOf(own, { base: { contact: base, groupIds: [] }, state: kind === 'gone' ? 'gone' : 'changed' });
    });
  };
  const pairs = fc
    .array(fc.constant(null), { maxLength: 6 })
    .chain((list) => fc.tuple(...list.map((_, index) => fc.tuple(half('left', index), half('right', index)))))
    .map((list) => list.map(([left, right], id): Pair => pairOf(left, right, 'linked', id)));
  const survivors = fc
    .array(fc.tuple(contact(), fc.constantFrom(...SIDES), fc.constantFrom<PairStatus>('kept', 'dormant')), {
      maxLength: 6,
    })
    .map((list) => {
      return list.map(([now, side, status], index): Pair => {
        const own = halfOf(record(`kept-${side}${index}`, now));
        const halves = bySide((each) => (each === side ? own : NONE));
        return pairOf(halves.left, halves.right, status, 100 + index);
      });
    });
  const policies = fc
    .record({
      direction: fc.constantFrom('both', 'to-left', 'to-right'),
      deletes: fc.constantFrom('propagate', 'keep'),
    })
    .map(policyWith);
  const inputs = fc.record({
    pairs,
    survivors,
    unpaired: fc.record({ left: loose('left', 'new-left'), right: loose('right', 'new-right') }),
    groups: fc.constant(planGroups({ left: [], right: [], pairs: [] }, policyWith())),
    openConflicts: fc.constant([]),
    policy: policies,
    scopes: fc.constant(SCOPES),
  });

  const present = (pair: Pair | null): readonly string[] => {
    return SIDES.flatMap((side) => {
      const own = pair?.[side] ?? null;
      return stands(own) ? [own.record.id] : [];
    });
  };
  const contactsOf = (decision: Decision): readonly string[] => {
    if (decision.kind === 'create') return [decision.source.id];
    return decision.kind === 'unlink' && decision.to === 'drop' ? [] : present(decision.pair);
  };

  test('decides on every contact at most once', () => {
    check(
      fc.property(inputs, (input) => {
        const ids = planContacts(input).decisions.flatMap(contactsOf);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  test('decides on every stored pair, and on each row once at most beside its end', () => {
    check(
      fc.property(inputs, (input) => {
        const { decisions } = planContacts(input);
        const rows = decisions.flatMap((decision) => decision.pair?.id ?? []);
        expect(rows.toSorted((a, b) => a - b)).toEqual([...input.pairs, ...input.survivors].map((pair) => pair.id));
      }),
    );
  });

  test('[R6] deletes only what stands unedited, whose other half is gone, on a side that it may write', () => {
    check(
      fc.property(inputs, (input) => {
        for (const decision of planContacts(input).decisions) {
          if (decision.kind !== 'delete') continue;
          const { side, pair } = decision;
          expect(pair[otherSide(side)]?.state).toBe('gone');
          expect(input.policy.deletes).toBe('propagate');
          expect([`to-${side}`, 'both']).toContain(input.policy.direction);
          const own = pair[side];
          if (input.policy.direction === 'both' && stands(own)) {
            for (const field of SCALAR_FIELDS) expect(own.record.contact[field]).toBe(own.base?.contact[field]);
          }
        }
      }),
    );
  });

  test('writes nothing to the source of a one-way link', () => {
    check(
      fc.property(inputs, (input) => {
        const { direction } = input.policy;
        if (direction === 'both') return;
        const source: Side = direction === 'to-left' ? 'right' : 'left';
        for (const decision of planContacts(input).decisions) {
          if (decision.kind === 'merge') expect(decision.writes[source]).toBeNull();
          else if (decision.kind !== 'unlink') expect(decision.side).not.toBe(source);
        }
      }),
    );
  });
});
