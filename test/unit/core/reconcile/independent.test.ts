import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import { bySide, type Side, SIDES, type Sides } from '../../../../src/core/contact/side.ts';
import { IndependentSets } from '../../../../src/core/reconcile/independent.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import type { Verdict } from '../../../../src/core/reconcile/verdict.ts';
import { check, type Given, halfOf, mail, named, people, PREFIX, record, values } from './support.ts';

/** Divides contacts into sets that are matched apart. */
const divide = (halves: Sides<readonly Half[]>, verdicts: readonly Verdict[] = []) => {
  const contacts = new IndependentSets();
  for (const side of SIDES) for (const half of halves[side]) contacts.add(half, { marked: new Map(), verdicts });
  return contacts
    .sets()
    .map((set) =>
      bySide((side) => halves[side].filter((half) => set.some((each) => each.side === side && each.id === half.id))),
    );
};

/** Few values, so that contacts are often alike. */
const CONTACT: fc.Arbitrary<Given> = fc.record({
  firstName: fc.constantFrom('', 'Ann', 'A.', 'Bob', 'Robert'),
  lastName: fc.constantFrom('', 'Lee', 'Ray'),
  company: fc.constantFrom('', '', 'Acme'),
  title: fc.constantFrom('', 'Chief'),
  emailAddresses: fc.constantFrom(values(), values('ann@x.org'), values('bob@x.org'), values('ann@x.org', 'a@y.org')),
  phoneNumbers: fc.constantFrom(values(), values('+4930123456'), values('112')),
});

const book = (side: Side, other: Side): fc.Arbitrary<readonly Half[]> =>
  fc.array(fc.record({ given: CONTACT, origin: fc.nat({ max: 40 }) }), { maxLength: 9 }).map((drawn) =>
    drawn.map(({ given, origin }, index) => {
      const originId = origin > 0 && origin < 9 ? `${PREFIX[other]}${origin}` : null;
      return halfOf(record(`${PREFIX[side]}${index + 1}`, given, { originId }), { side });
    }),
  );

test('R13: contacts are matched in independent sets as they are matched together', () => {
  const idOn = (side: Side) => fc.nat({ max: 8 }).map((index) => `${PREFIX[side]}${index}`);
  const says = fc.constantFrom('together', 'apart');
  const verdict = fc.record({ leftId: idOn('left'), rightId: idOn('right'), says, atMs: fc.constant(1) });
  const found = (sets: readonly Sides<readonly Half[]>[], verdicts: readonly Verdict[]) => {
    const results = sets.map((halves) => matchContacts({ ...halves, verdicts }));
    const reports = results.flatMap(({ ambiguous }) => ambiguous.map((each) => JSON.stringify(each)));
    const pairs = results.flatMap(({ matches }) => matches.map(({ left, right }) => `${left.id} ${right.id}`));
    return [pairs.toSorted(), reports.toSorted()];
  };
  const verdicts = fc.array(verdict, { maxLength: 1 });
  check(
    fc.property(book('left', 'right'), book('right', 'left'), verdicts, (left, right, decided) => {
      expect(found(divide({ left, right }, decided), decided)).toEqual(found([{ left, right }], decided));
    }),
  );
});

test.each<[string, Given, Given, boolean]>([
  ['a name', named('Ann Lee'), named('Ann Lee', { title: 'Chief' }), true],
  ['an address', mail('bob@x.org'), named('Bob Ray', mail('BOB@x.org')), true],
  ['their content', { websites: values('x.org') }, { websites: values('x.org') }, true],
  ['nothing', named('Ann Lee'), named('Eve Fox'), false],
])('R13: two contacts that share %s are in one set, others are not', (_, left, right, isOne) => {
  expect(divide({ left: people('left', [left]), right: people('right', [right]) })).toHaveLength(isOne ? 1 : 2);
});
