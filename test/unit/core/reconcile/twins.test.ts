import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import { bySide, SIDES, type Sides } from '../../../../src/core/contact/side.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import {
  comparedBy,
  cannotMatch,
  newTwinSearch,
  searchTwin,
  sketchOf,
  twinsIn,
} from '../../../../src/core/reconcile/twins.ts';
import type { Verdict } from '../../../../src/core/reconcile/verdict.ts';
import { named, people, type Given } from './match-support.ts';
import { check } from './properties-support.ts';
import { halfOf, record, values } from './support.ts';

const NONE: ReadonlySet<string> = new Set();

const divide = (halves: Sides<readonly Half[]>, judged: ReadonlySet<string> = NONE) => {
  const search = newTwinSearch(judged);
  for (const side of SIDES) for (const half of halves[side]) searchTwin(search, sketchOf(half));
  const twins = twinsIn(search);
  const paired = new Set(twins.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]));
  const rest = bySide((side) => halves[side].filter(({ id }) => !paired.has(`${side} ${id}`)));
  const keys = new Set(rest.left.flatMap((half) => comparedBy(sketchOf(half))));
  const unrelated = rest.right.filter((half) => cannotMatch(sketchOf(half), keys, search)).map(({ id }) => id);
  return { twins: twins.map(({ leftId, rightId }) => `${leftId} ${rightId}`), rest, unrelated };
};

const between = (left: readonly Given[], right: readonly Given[]) => ({
  left: people('left', left),
  right: people('right', right),
});

/** Few values, so that contacts are often alike. */
const CONTACT: fc.Arbitrary<Given> = fc.record({
  firstName: fc.constantFrom('', 'Ann', 'A.', 'Bob', 'Robert'),
  lastName: fc.constantFrom('', 'Lee', 'Ray'),
  company: fc.constantFrom('', '', 'Acme'),
  title: fc.constantFrom('', 'Chief'),
  emailAddresses: fc.constantFrom(values(), values('ann@x.org'), values('bob@x.org'), values('ann@x.org', 'a@y.org')),
  phoneNumbers: fc.constantFrom(values(), values('+4930123456'), values('112')),
});

type Drawn = { readonly given: Given; readonly origin: number };
const SIDE = fc.array(fc.record({ given: CONTACT, origin: fc.nat({ max: 40 }) }), { maxLength: 9 });

const halvesOf = (side: 'left' | 'right', drawn: readonly Drawn[]): readonly Half[] =>
  drawn.map(({ given, origin }, index) => {
    const other = side === 'left' ? 's' : 'g';
    const originId = origin > 0 && origin < 9 ? `${other}${origin}` : null;
    return halfOf(record(`${side === 'left' ? 'g' : 's'}${index + 1}`, given, { originId }), { side });
  });

const found = (halves: Sides<readonly Half[]>, verdicts: readonly Verdict[]) => {
  const { matches, ambiguous } = matchContacts({ ...halves, verdicts });
  return { matches: matches.map(({ left, right }) => `${left.id} ${right.id}`).toSorted(), ambiguous };
};

describe('[R13] contacts that are certain to be paired with each other, or to stay unpaired,', () => {
  test('do not change how the other contacts are paired', () => {
    const judged = fc.option(
      fc.record({ left: fc.nat({ max: 8 }), right: fc.nat({ max: 8 }), together: fc.boolean() }),
    );
    check(
      fc.property(SIDE, SIDE, judged, (left, right, verdict) => {
        const halves = { left: halvesOf('left', left), right: halvesOf('right', right) };
        const verdicts: readonly Verdict[] =
          verdict === null
            ? []
            : [
                {
                  leftId: `g${verdict.left}`,
                  rightId: `s${verdict.right}`,
                  says: verdict.together ? 'together' : 'apart',
                  atMs: 0,
                },
              ];
        const names = verdicts.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]);
        const { twins, rest, unrelated } = divide(halves, new Set(names));
        const others = { ...rest, right: rest.right.filter(({ id }) => !unrelated.includes(id)) };
        const whole = found(halves, verdicts);
        const divided = found(others, verdicts);
        expect([...twins, ...divided.matches].toSorted()).toEqual(whole.matches);
        expect(divided.ambiguous).toEqual(whole.ambiguous);
      }),
    );
  });

  test('are the only ones of their sides with their content', () => {
    const ann = named('Ann Lee');
    expect(divide(between([ann, named('Bob Ray')], [named('Bob Ray'), ann])).twins).toEqual(['g2 s1', 'g1 s2']);
    expect(divide(between([ann, ann], [ann])).twins).toEqual([]);
    expect(divide(between([ann], [ann, ann])).twins).toEqual([]);
    expect(divide(between([{}], [{}])).twins).toEqual([]);
  });

  test("exclude contacts with an origin or with a user's decision", () => {
    const halves = between([named('Ann Lee')], [named('Ann Lee')]);
    expect(divide(halves, new Set(['left g1'])).twins).toEqual([]);
    const created = halvesOf('right', [{ given: named('Ann Lee'), origin: 1 }]);
    expect(divide({ ...halves, right: created }).twins).toEqual([]);
  });

  test('share no name, address, number or content with the others', () => {
    const left = [named('Ann Lee'), { emailAddresses: values('bob@x.org') }, { websites: values('x.org') }];
    const right = [named('Ann Lee', { title: 'Chief' }), named('Bob Ray', { emailAddresses: values('BOB@x.org') })];
    expect(divide(between(left, [...right, named('Eve Fox')])).unrelated).toEqual(['s3']);
    const same = [{ websites: values('x.org') }, { websites: values('x.org') }];
    expect(divide(between(left, same)).unrelated).toEqual([]);
  });
});
