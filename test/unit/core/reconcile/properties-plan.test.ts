import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCALAR_FIELDS } from '../../../../src/core/contact/contact.ts';
import { type Half, isPresent } from '../../../../src/core/contact/half.ts';
import { bySide, otherSide, type Side, SIDES } from '../../../../src/core/contact/side.ts';
import { type Decision, type Pair, type PairStatus, plannedFields } from '../../../../src/core/reconcile/decision.ts';
import { planGroups } from '../../../../src/core/reconcile/groups.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { check, contact } from './properties-support.ts';
import { halfOf, NONE, pairOf, planOf, policyWith, record, unpaired } from './support.ts';

/** Contacts without a pair; their ids begin as given. */
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
  test('pairs no contact twice, and reports no paired contact as undecided', () => {
    check(
      fc.property(loose('left', 'g', [null, null, 's0', 's1']), loose('right', 's'), (left, right) => {
        const { matches, ambiguous } = matchContacts({ left, right });
        const taken = matches.flatMap((match) => [match.left.id, match.right.id]);
        expect(new Set(taken).size).toBe(taken.length);
        const undecided = ambiguous.flatMap((candidates) => [...candidates.left, ...candidates.right]);
        expect(undecided.filter((id) => taken.includes(id))).toEqual([]);
      }),
    );
  });

  test('pairs the same people of different names in every order of the contacts', () => {
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
        expect(decision).toMatchObject({ kind: 'merge', writes: [], conflicts: [] });
      }
    }),
  );
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
  const lonePairs = fc
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
  const directions = fc.constantFrom('both', 'to-left', 'to-right');
  const inputs = fc.record({
    pairs,
    lonePairs,
    unpaired: fc.record({
      left: loose('left', 'new-left'),
      right: loose('right', 'new-right'),
    }),
    policy: fc.record({ direction: directions, deletes: fc.constantFrom('propagate', 'keep') }),
  });

  const present = (pair: Pair | null): readonly string[] =>
    SIDES.flatMap((side) => {
      const own = pair?.[side] ?? null;
      return isPresent(own) ? [own.id] : [];
    });
  const contactsOf = (decision: Decision): readonly string[] => {
    if (decision.kind === 'create') return [decision.source.id];
    return decision.kind === 'unlink' && decision.to === 'drop' ? [] : present(decision.pair);
  };

  test('decides on every contact at most once, and on every stored pair', () => {
    check(
      fc.property(inputs, (input) => {
        const { decisions } = planOf(input);
        const ids = decisions.flatMap(contactsOf);
        expect(new Set(ids).size).toBe(ids.length);
        const rows = decisions.flatMap((decision) => decision.pair?.id ?? []);
        expect(rows.toSorted((a, b) => a - b)).toEqual([...input.pairs, ...input.lonePairs].map((pair) => pair.id));
      }),
    );
  });

  test('[R6] deletes only an unedited contact whose other half is deleted, on a side that it may write', () => {
    check(
      fc.property(inputs, (input) => {
        for (const decision of planOf(input).decisions) {
          if (decision.kind !== 'delete') continue;
          const { side, pair } = decision;
          expect(pair[otherSide(side)]?.state).toBe('gone');
          expect(input.policy.deletes).toBe('propagate');
          expect([`to-${side}`, 'both']).toContain(input.policy.direction);
          const own = pair[side];
          if (input.policy.direction === 'both' && isPresent(own)) {
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
        for (const decision of planOf(input).decisions) {
          if (decision.kind === 'merge') expect(plannedFields(decision.writes, source)).toEqual([]);
          else if (decision.kind !== 'unlink') expect(decision.side).not.toBe(source);
        }
      }),
    );
  });
});
