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
import { otherSide, SIDES, type Side } from '../../../src/contact/side.ts';
import { elementKey, listOf } from '../../../src/contact/lists.ts';
import { contactOf } from '../../../src/contact/normalise.ts';
import type { ContactRecord } from '../../../src/contact/record.ts';
import type { Decision, Pair, PairSide, PairStatus } from '../../../src/reconcile/decision.ts';
import { planGroups } from '../../../src/reconcile/groups.ts';
import { matchContacts } from '../../../src/reconcile/match.ts';
import { mergeContacts, type Merge, type MergeSide } from '../../../src/reconcile/merge.ts';
import { planContacts } from '../../../src/reconcile/plan.ts';
import { settleBase } from '../../../src/reconcile/settle.ts';
import { address, policyWith, record, SEED, values } from './support.ts';

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

type Meeting = { readonly left: MergeSide; readonly right: MergeSide };

const timeMs = fc.constantFrom(null, 1, 2);

/** Two sides that agreed once, each in its own words, and were edited since. */
const met = (phones?: readonly string[]): fc.Arbitrary<Meeting> => {
  const side = (agreed: Contact) => {
    return editOf(agreed, phones).chain((base) => {
      return fc.record({ contact: editOf(base, phones), base: fc.constant(base), modifiedAtMs: timeMs });
    });
  };
  return contact(phones).chain((agreed) => fc.record({ left: side(agreed), right: side(agreed) }));
};

const unmet = (phones?: readonly string[]): fc.Arbitrary<Meeting> => {
  const side = fc.record({ contact: contact(phones), base: fc.constant(null), modifiedAtMs: timeMs });
  return fc.record({ left: side, right: side });
};

const meeting = (phones?: readonly string[]) => fc.oneof(met(phones), unmet(phones));

const keysOf = (of: Contact | null, field: ListField): ReadonlySet<string> => {
  return new Set(of === null ? [] : listOf(of, field).map((element) => elementKey(field, element)));
};

const settled = (now: Contact): MergeSide => ({ contact: now, base: now, modifiedAtMs: null });

const QUIET = { fields: { left: [], right: [] }, held: { left: [], right: [] }, conflicts: [] };

// No number here is the national spelling of another one, so that keys tell elements apart.
const PLAIN_PHONES = ['+49 30 901820', '+1 212 555 0100', '112', '113', '114'];

describe('[R1] merging is idempotent', () => {
  test('what a merge wanted, once it stands on both sides, asks for nothing more', () => {
    const policies = fc.constantFrom('newest', 'left', 'right');
    check(
      fc.property(meeting(), policies, (sides, conflicts) => {
        const policy = policyWith({ conflicts });
        const { desired } = mergeContacts(sides.left, sides.right, policy);
        expect(mergeContacts(settled(desired.left), settled(desired.right), policy)).toMatchObject(QUIET);
      }),
    );
  });

  test('even if the two forget that they have met, since nothing is left to unite', () => {
    check(
      fc.property(unmet(), (sides) => {
        const { desired } = mergeContacts(sides.left, sides.right, policyWith());
        const again = (now: Contact): MergeSide => ({ contact: now, base: null, modifiedAtMs: null });
        expect(mergeContacts(again(desired.left), again(desired.right), policyWith())).toMatchObject(QUIET);
      }),
    );
  });
});

describe('[R5] a run that ends after it wrote one side only', () => {
  /** What the store holds of a side when the writes of `done` have been answered as asked. */
  const stored = (side: Side, own: MergeSide, merge: Merge, done: Side): MergeSide => {
    const snapshotOf = (of: Contact) => ({ contact: of, groupIds: [] });
    const fields = new Set<SyncedField>(merge.fields[side]);
    const now = side === done ? merge.desired[side] : own.contact;
    const base = settleBase({
      base: snapshotOf(own.base ?? EMPTY_CONTACT),
      before: snapshotOf(own.contact),
      now: snapshotOf(now),
      written: side === done ? fields : new Set(),
      moved: new Set(),
      outstanding: new Set(otherSide(side) === done ? [] : merge.fields[otherSide(side)]),
    });
    return { contact: now, base: base.contact, modifiedAtMs: own.modifiedAtMs };
  };

  test.each(SIDES)('%s first is finished by the next run: the same in the end, nothing written twice', (done) => {
    check(
      fc.property(meeting(PLAIN_PHONES), (sides) => {
        // A name that only moves between its fields empties one, of which an empty base keeps no trace.
        fc.pre(sides.left.base !== null || SIDES.every((side) => sides[side].contact.firstName !== 'Ada King'));
        const policy = policyWith();
        const merge = mergeContacts(sides.left, sides.right, policy);
        const left = stored('left', sides.left, merge, done);
        const right = stored('right', sides.right, merge, done);
        const rest = mergeContacts(left, right, policy);
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
  test('is merged as if the two had never met', () => {
    const policies = fc.constantFrom('newest', 'left', 'right');
    const directions = fc.constantFrom('both', 'to-left', 'to-right');
    check(
      fc.property(unmet(), policies, directions, (sides, conflicts, direction) => {
        const policy = policyWith({ conflicts, direction });
        const stored = (side: MergeSide): MergeSide => ({ ...side, base: EMPTY_CONTACT });
        expect(mergeContacts(stored(sides.left), stored(sides.right), policy)).toEqual(
          mergeContacts(sides.left, sides.right, policy),
        );
      }),
    );
  });
});

describe('[R3] merging is symmetric', () => {
  test('the sides swapped, with the policy, give the same swapped', () => {
    check(
      fc.property(meeting(), (sides) => {
        const merge = mergeContacts(sides.left, sides.right, policyWith({ conflicts: 'left' }));
        const swapped = mergeContacts(sides.right, sides.left, policyWith({ conflicts: 'right' }));
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
  const bothWays = (sides: Meeting) => {
    return SIDES.map((side) => ({ side, own: sides[side], other: sides[otherSide(side)] }));
  };

  test('every element that was added on one side stands on both', () => {
    check(
      fc.property(meeting(PLAIN_PHONES), (sides) => {
        const { desired } = mergeContacts(sides.left, sides.right, policyWith());
        for (const { own } of bothWays(sides)) {
          for (const field of LIST_FIELDS) {
            const added = keysOf(own.contact, field).difference(keysOf(own.base, field));
            for (const side of SIDES) expect(keysOf(desired[side], field).isSupersetOf(added)).toBe(true);
          }
        }
      }),
    );
  });

  test('no element goes that the other side did not remove', () => {
    check(
      fc.property(meeting(PLAIN_PHONES), (sides) => {
        const { desired } = mergeContacts(sides.left, sides.right, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of LIST_FIELDS) {
            const lost = keysOf(own.contact, field).difference(keysOf(desired[side], field));
            const removed = keysOf(other.base, field).difference(keysOf(other.contact, field));
            expect(removed.isSupersetOf(lost)).toBe(true);
          }
        }
      }),
    );
  });

  test('no element goes at a first meeting, in whatever spelling', () => {
    check(
      fc.property(unmet(), (sides) => {
        const { desired } = mergeContacts(sides.left, sides.right, policyWith());
        for (const { side, own } of bothWays(sides)) {
          for (const field of LIST_FIELDS)
            expect(desired[side][field]).toEqual(expect.arrayContaining([...own.contact[field]]));
        }
      }),
    );
  });

  test('a scalar that one side changed stands on both; one that nobody changed stays', () => {
    check(
      fc.property(met(), (sides) => {
        const { desired } = mergeContacts(sides.left, sides.right, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of SCALAR_FIELDS) {
            const [changed, otherChanged] = [own, other].map((one) => one.contact[field] !== one.base?.[field]);
            if (!changed && !otherChanged) expect(desired[side][field]).toBe(own.contact[field]);
            if (changed && !otherChanged) {
              expect([desired.left[field], desired.right[field]]).toEqual([own.contact[field], own.contact[field]]);
            }
          }
        }
      }),
    );
  });

  test('[R4] a value that lost against another one is recorded', () => {
    check(
      fc.property(met(), (sides) => {
        const { desired, conflicts } = mergeContacts(sides.left, sides.right, policyWith());
        for (const { side, own, other } of bothWays(sides)) {
          for (const field of SCALAR_FIELDS) {
            const changed = own.contact[field] !== own.base?.[field];
            if (!changed || desired[side][field] === own.contact[field]) continue;
            const values_ = { [side]: own.contact[field], [otherSide(side)]: other.contact[field] };
            expect(conflicts).toContainEqual({ field, ...values_, winner: otherSide(side) });
          }
        }
      }),
    );
  });

  test('at a first meeting no word of a name is lost, and none is said twice', () => {
    const words = (of: Contact) => new Set(`${of.firstName} ${of.lastName}`.split(' ').filter((word) => word !== ''));
    check(
      fc.property(unmet(), (sides) => {
        const { desired, conflicts } = mergeContacts(sides.left, sides.right, policyWith());
        expect([desired.left.firstName, desired.left.lastName]).toEqual([
          desired.right.firstName,
          desired.right.lastName,
        ]);
        const repeats = SIDES.some((side) => {
          const { firstName, lastName } = sides[side].contact;
          return lastName !== '' && firstName.includes(lastName);
        });
        if (conflicts.length > 0 || repeats) return;
        const all = words(sides.left.contact).union(words(sides.right.contact));
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
      fc.property(meeting(), (sides) => {
        const merge = mergeContacts(sides.left, sides.right, policyWith({ direction }));
        expect(merge.fields[source]).toEqual([]);
        expect(merge.desired[source]).toEqual(sides[source].contact);
      }),
    );
  });
});

const records = (
  side: string,
  origins: readonly (string | null)[] = [null],
): fc.Arbitrary<readonly ContactRecord[]> => {
  return fc.array(fc.tuple(contact(), fc.constantFrom(...origins)), { maxLength: 8 }).map((list) => {
    return list.map(([given, originId], index) => record(`${side}${index}`, given, { originId }));
  });
};

describe('[R13] matching', () => {
  const world = fc.tuple(records('g', [null, null, 's0', 's1']), records('s'));

  test('takes no contact twice, and reports nobody as undecided who was paired', () => {
    check(
      fc.property(world, ([left, right]) => {
        const { matches, ambiguous } = matchContacts(left, right);
        const taken = matches.flatMap((match) => [match.left.id, match.right.id]);
        expect(new Set(taken).size).toBe(taken.length);
        const undecided = ambiguous.flatMap((rivals) => [...rivals.left, ...rivals.right]);
        expect(undecided.filter((id) => taken.includes(id))).toEqual([]);
      }),
    );
  });

  test('pairs the same people of different names whatever the order in which they come', () => {
    const naming = (side: string) => {
      const names = fc.shuffledSubarray(['Ada', 'Ada Ray', 'Bob', 'Bob Ray', 'Cid', 'Dot Ray', 'Eve Ray', 'Fay']);
      return fc.tuple(records(side), names).map(([list, pool]) => {
        return list.slice(0, pool.length).map((one, index): ContactRecord => {
          return { ...one, contact: { ...one.contact, firstName: pool[index] ?? '', lastName: '' } };
        });
      });
    };
    const pairsOf = (left: readonly ContactRecord[], right: readonly ContactRecord[]) => {
      return matchContacts(left, right).matches.map((match) => `${match.left.id} ${match.right.id}`);
    };
    check(
      fc.property(naming('g'), naming('s'), (left, right) => {
        const turned = pairsOf(left.toReversed(), right.toReversed());
        expect(turned.toSorted()).toEqual(pairsOf(left, right).toSorted());
      }),
    );
  });

  test('pairs an address book with its own copy one to one', () => {
    check(
      fc.property(records('g'), (left) => {
        const right = left.map((one) => ({ ...one, id: one.id.replace('g', 's') }));
        const { matches, ambiguous } = matchContacts(left, right);
        const filled = left.filter((one) => JSON.stringify(one.contact) !== JSON.stringify(EMPTY_CONTACT));
        expect(ambiguous).toEqual([]);
        expect(matches).toHaveLength(filled.length);
      }),
    );
  });
});

describe('a plan', () => {
  const half = (side: Side, index: number): fc.Arbitrary<PairSide> => {
    const id = `paired-${side}${index}`;
    return fc
      .tuple(contact(), contact(), fc.constantFrom('same', 'edited', 'gone'))
      .map(([base, now, kind]): PairSide => {
        const snapshot = { contact: base, groupIds: [] };
        if (kind === 'gone') return { kind, id, base: snapshot, mergedInto: null };
        return { kind: 'present', record: record(id, kind === 'same' ? base : now), base: snapshot };
      });
  };
  const pairs = fc
    .array(fc.constant(null), { maxLength: 6 })
    .chain((list) => fc.tuple(...list.map((_, index) => fc.tuple(half('left', index), half('right', index)))))
    .map((list) => list.map(([left, right], id): Pair => ({ id, status: 'linked', left, right })));
  const survivors = fc
    .array(fc.tuple(contact(), fc.constantFrom(...SIDES), fc.constantFrom<PairStatus>('kept', 'dormant')), {
      maxLength: 6,
    })
    .map((list) => {
      return list.map(([now, side, status], index): Pair => {
        const own: PairSide = { kind: 'present', record: record(`kept-${side}${index}`, now), base: null };
        const none: PairSide = { kind: 'none' };
        return { id: 100 + index, status, left: none, right: none, [side]: own };
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
    unpaired: fc.record({ left: records('new-google'), right: records('new-service') }),
    groups: fc.constant(planGroups({ left: [], right: [], pairs: [] }, policyWith())),
    policy: policies,
  });

  const present = (pair: Pair | null): readonly string[] => {
    return SIDES.flatMap((side) => {
      const own = pair?.[side];
      return own?.kind === 'present' ? [own.record.id] : [];
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
          expect(pair[otherSide(side)].kind).toBe('gone');
          expect(input.policy.deletes).toBe('propagate');
          expect([`to-${side}`, 'both']).toContain(input.policy.direction);
          const own = pair[side];
          if (input.policy.direction === 'both' && own.kind === 'present') {
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
          if (decision.kind === 'merge') expect(decision[source]).toBeNull();
          else if (decision.kind !== 'unlink') expect(decision.side).not.toBe(source);
        }
      }),
    );
  });
});
