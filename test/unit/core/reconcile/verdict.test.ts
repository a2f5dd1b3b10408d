import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import { bySide, SIDES, type Sides } from '../../../../src/core/contact/side.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import {
  cannotMatch,
  comparedBy,
  newTwinSearch,
  searchTwin,
  twinKeyOf,
  twinsIn,
} from '../../../../src/core/reconcile/twins.ts';
import { effectOf, type Verdict } from '../../../../src/core/reconcile/verdict.ts';
import { type Given, mail, named, people, phone } from './match-support.ts';
import { check } from './properties-support.ts';
import { halfOf, record, values } from './support.ts';

type VerdictHalf = NonNullable<Parameters<typeof effectOf>[1]['left']>;

type Word = readonly [string, string, Verdict['says']];

const verdictOf = ([leftId, rightId, says]: Word): Verdict => ({ leftId, rightId, says, atMs: 1 });

const match = (left: readonly Given[], right: readonly Given[], ...words: readonly Word[]) => {
  const verdicts = words.map(verdictOf);
  const { matches, ambiguous } = matchContacts({ left: people('left', left), right: people('right', right), verdicts });
  return {
    matches: matches.map((found) => `${found.left.id} ${found.right.id}${found.byHand ? ' by hand' : ''}`).toSorted(),
    ambiguous: ambiguous.map((candidates) => `${candidates.left.join(' ')} | ${candidates.right.join(' ')}`),
  };
};

const ADA = named('Ada King', mail('ada@x.org'));

const KING = named('Ada King', phone('+49301111111'));

const HOME = { ...mail('home@x.org'), ...phone('+49301111111') };

describe('[R13] two contacts that a user declared one person', () => {
  test('are paired before exact copies, and the others are matched as usual', () => {
    const other = { ...ADA, title: 'Dr' };
    expect(match([ADA], [ADA, other], ['g1', 's2', 'together'])).toEqual({ matches: ['g1 s2 by hand'], ambiguous: [] });
    expect(match([ADA, other], [ADA, other], ['g1', 's2', 'together']).matches).toEqual(['g1 s2 by hand', 'g2 s1']);
  });

  test('that include a deleted contact, or one that is already paired by hand, are matched by the other rules', () => {
    expect(match([ADA], [ADA], ['g1', 's9', 'together'], ['g9', 's1', 'together']).matches).toEqual(['g1 s1']);
    const twice = match([ADA], [ADA, ADA], ['g1', 's2', 'together'], ['g1', 's1', 'together']);
    expect(twice.matches).toEqual(['g1 s2 by hand']);
    const other = named('Bob Ray', mail('bob@x.org'));
    const others = match([ADA, other], [ADA], ['g2', 's1', 'together'], ['g1', 's1', 'together']);
    expect(others.matches).toEqual(['g2 s1 by hand']);
  });
});

describe('[R13] two contacts that a user keeps apart', () => {
  test.each<[string, Given, Given]>([
    ['the same content', ADA, ADA],
    ['an address', ADA, { ...ADA, title: 'Dr' }],
    ['a phone number and the name', KING, { ...KING, title: 'Dr' }],
    ['the name and a title', named('Ada King', { title: 'Dr' }), { ...named('Ada King', phone('112')), title: 'Dr' }],
    ['the name alone', named('Ada King', { company: 'Engine' }), named('Ada King')],
  ])('are not paired by %s, nor reported', (_, left, right) => {
    expect(match([left], [right]).matches).toEqual(['g1 s1']);
    expect(match([left], [right], ['g1', 's1', 'apart'])).toEqual({ matches: [], ambiguous: [] });
  });

  test('[R9] are not paired by an origin either', () => {
    const created = halfOf(record('g1', ADA, { originId: 's1' }));
    const source = halfOf(record('s1', ADA), { side: 'right' });
    const matches = (...words: readonly Word[]) =>
      matchContacts({ left: [created], right: [source], verdicts: words.map(verdictOf) }).matches.length;
    expect([matches(), matches(['g1', 's1', 'apart'])]).toEqual([1, 0]);
  });

  test('leave copies to other contacts, so that as many as possible are paired', () => {
    expect(match([ADA, ADA], [ADA, ADA], ['g2', 's2', 'apart']).matches).toEqual(['g1 s2', 'g2 s1']);
    expect(match([ADA, ADA], [ADA, ADA], ['g1', 's2', 'apart']).matches).toEqual(['g1 s1', 'g2 s2']);
    const near = { ...ADA, title: 'Dr' };
    expect(match([ADA, ADA], [near, near], ['g2', 's2', 'apart']).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('decide nothing about their competing candidates: those stay undecided', () => {
    const lefts = [named('Mia Smith', HOME), named('Tim Smith', HOME)];
    expect(match(lefts, [HOME]).ambiguous).toEqual(['g1 g2 | s1']);
    expect(match(lefts, [HOME], ['g1', 's1', 'apart'])).toEqual({ matches: [], ambiguous: ['g2 | s1'] });
    expect(match(lefts, [HOME], ['g1', 's1', 'apart'], ['g2', 's1', 'apart'])).toEqual({ matches: [], ambiguous: [] });
    const namesakes = [named('Ada King', { title: 'Dr' }), named('Ada King', { title: 'Mr' })];
    const undecided = { matches: [], ambiguous: ['g2 | s1'] };
    expect(match(namesakes, [named('Ada King')], ['g1', 's1', 'apart'])).toEqual(undecided);
  });

  test('of several people whose names differ are no longer reported', () => {
    const lefts = [named('Mia Smith', HOME)];
    const rights = [named('Ada Smith', HOME), named('Eve Smith', HOME)];
    expect(match(lefts, rights, ['g1', 's1', 'apart']).ambiguous).toEqual(['g1 | s2']);
  });
});

const at = (
  side: 'left' | 'right',
  pair: number | null,
  isLinked = pair !== null,
  state = 'changed' as 'changed' | 'gone' | 'missing',
): VerdictHalf => ({ half: { ...halfOf(record('x', ADA), { side }), pair, state }, isLinked });
test.each<[string, VerdictHalf | null, VerdictHalf | null, string, string]>([
  ['binds while both exist', at('left', null), at('right', null), 'binds', 'binds'],
  ['waits while one is missing', at('left', null, false, 'missing'), at('right', null), 'binds', 'binds'],
  ['lapses with an unknown contact', null, at('right', null), 'gone', 'gone'],
  ['lapses with a deleted contact', at('left', null), at('right', 1, true, 'gone'), 'gone', 'gone'],
  ['is fulfilled if they are paired', at('left', 1), at('right', 1), 'paired', 'paired'],
  ['cannot join a contact that is paired elsewhere', at('left', 1), at('right', null), 'linked elsewhere', 'binds'],
  ['may join contacts that were kept alone (R6)', at('left', 1, false), at('right', 2, false), 'binds', 'binds'],
])('[R13] a decision about two contacts %s', (_, left, right, together, apart) => {
  expect(effectOf({ says: 'together' }, { left, right })).toBe(together);
  expect(effectOf({ says: 'apart' }, { left, right })).toBe(apart);
});

const undigested = (content: string): string => content;

const divide = (halves: Sides<readonly Half[]>, judged: ReadonlySet<string> = new Set()) => {
  const search = newTwinSearch(judged);
  for (const side of SIDES) for (const half of halves[side]) searchTwin(search, twinKeyOf(half, new Map(), undigested));
  const twins = twinsIn(search);
  const paired = new Set(twins.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]));
  const rest = bySide((side) => halves[side].filter(({ id }) => !paired.has(`${side} ${id}`)));
  const keys = new Set(rest.left.flatMap((half) => comparedBy(half, undigested)));
  const unrelated = rest.right.filter((half) => cannotMatch(half, keys, undigested, search)).map(({ id }) => id);
  return { twins: twins.map(({ leftId, rightId }) => `${leftId} ${rightId}`), rest, unrelated };
};

const between = (left: readonly Given[], right: readonly Given[]) =>
  divide({ left: people('left', left), right: people('right', right) });

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
    const idOn = (prefix: string) => fc.nat({ max: 8 }).map((index) => `${prefix}${index}`);
    const word = fc.tuple(idOn('g'), idOn('s'), fc.constantFrom('together', 'apart'));
    check(
      fc.property(SIDE, SIDE, fc.array(word, { maxLength: 1 }), (left, right, words) => {
        const halves = { left: halvesOf('left', left), right: halvesOf('right', right) };
        const verdicts = words.map(verdictOf);
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
    expect(between([ann, named('Bob Ray')], [named('Bob Ray'), ann]).twins).toEqual(['g2 s1', 'g1 s2']);
    expect(between([ann, ann], [ann]).twins).toEqual([]);
    expect(between([ann], [ann, ann]).twins).toEqual([]);
    expect(between([{}], [{}]).twins).toEqual([]);
  });

  test('share no name, address, number or content with the others', () => {
    const left = [named('Ann Lee'), { emailAddresses: values('bob@x.org') }, { websites: values('x.org') }];
    const right = [named('Ann Lee', { title: 'Chief' }), named('Bob Ray', { emailAddresses: values('BOB@x.org') })];
    expect(between(left, [...right, named('Eve Fox')]).unrelated).toEqual(['s3']);
    const same = [{ websites: values('x.org') }, { websites: values('x.org') }];
    expect(between(left, same).unrelated).toEqual([]);
  });
});
