import { expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { effectOf, type Verdict } from '../../../../src/core/reconcile/verdict.ts';
import { type Given, halfOf, mail, named, people, phone, record } from './support.ts';

type VerdictHalf = NonNullable<Parameters<typeof effectOf>[1]['left']>;

/** Decisions of a user, as `left id, right id, word`. */
const verdictsOf = (text: string): readonly Verdict[] =>
  text.split(', ').flatMap((word) => {
    const [leftId = '', rightId = '', says] = word.split(' ');
    return says === 'together' || says === 'apart' ? { leftId, rightId, says, atMs: 1 } : [];
  });

const match = (left: readonly Given[], right: readonly Given[], words: string) => {
  const verdicts = verdictsOf(words);
  const { matches, ambiguous } = matchContacts({ left: people('left', left), right: people('right', right), verdicts });
  return [
    matches
      .map((found) => `${found.left.id} ${found.right.id}${found.byHand ? ' by hand' : ''}`)
      .toSorted()
      .join(', '),
    ambiguous.map((candidates) => `${candidates.left.join(' ')} | ${candidates.right.join(' ')}`).join(', '),
  ];
};

const ADA = named('Ada King', mail('ada@x.org'));
const KING = named('Ada King', phone('+49301111111'));
const HOME = { ...mail('home@x.org'), ...phone('+49301111111') };
const DOCTOR = { ...ADA, title: 'Dr' };
const BOB = named('Bob Ray', mail('bob@x.org'));
const [MIA, TIM] = [named('Mia Smith', HOME), named('Tim Smith', HOME)];
const [ADAS, HOUSEHOLD] = [
  [ADA, ADA],
  [MIA, TIM],
];
const TITLED = [named('Ada King', { title: 'Dr' }), named('Ada King', { title: 'Mr' })];
const SMITHS = [named('Ada Smith', HOME), named('Eve Smith', HOME)];

// The contacts of both sides, the decisions of a user, the pairs, and the reports.
test.each<[string, readonly Given[], readonly Given[], string, string, string]>([
  ['together beats an exact copy', [ADA], [ADA, DOCTOR], 'g1 s2 together', 'g1 s2 by hand', ''],
  ['others are matched as usual', [ADA, DOCTOR], [ADA, DOCTOR], 'g1 s2 together', 'g1 s2 by hand, g2 s1', ''],
  ['together with a deleted one has no effect', [ADA], [ADA], 'g1 s9 together, g9 s1 together', 'g1 s1', ''],
  ['the first of two counts', [ADA], ADAS, 'g1 s2 together, g1 s1 together', 'g1 s2 by hand', ''],
  ['the first of two counts there', [ADA, BOB], [ADA], 'g2 s1 together, g1 s1 together', 'g2 s1 by hand', ''],
  ['apart leaves copies to others', ADAS, ADAS, 'g2 s2 apart', 'g1 s2, g2 s1', ''],
  ['apart leaves other copies', ADAS, ADAS, 'g1 s2 apart', 'g1 s1, g2 s2', ''],
  ['apart leaves near copies', ADAS, [DOCTOR, DOCTOR], 'g2 s2 apart', 'g1 s2, g2 s1', ''],
  ['candidates are reported', HOUSEHOLD, [HOME], '', '', 'g1 g2 | s1'],
  ['the other candidate stays undecided', HOUSEHOLD, [HOME], 'g1 s1 apart', '', 'g2 | s1'],
  ['none stays undecided', HOUSEHOLD, [HOME], 'g1 s1 apart, g2 s1 apart', '', ''],
  ['the other namesake stays undecided', TITLED, [named('Ada King')], 'g1 s1 apart', '', 'g2 | s1'],
  ['the others of a household stay reported', [MIA], SMITHS, 'g1 s1 apart', '', 'g1 | s2'],
])('R13: %s', (_, left, right, words, matches, reports) => {
  expect(match(left, right, words)).toEqual([matches, reports]);
});

test.each<[string, Given, Given]>([
  ['the same content', ADA, ADA],
  ['an address', ADA, DOCTOR],
  ['a phone number and the name', KING, { ...KING, title: 'Dr' }],
  ['the name and a title', named('Ada King', { title: 'Dr' }), { ...named('Ada King', phone('112')), title: 'Dr' }],
  ['the name alone', named('Ada King', { company: 'Engine' }), named('Ada King')],
])('R13: two contacts that a user keeps apart are not paired by %s, nor reported', (_, left, right) => {
  expect(match([left], [right], '')).toEqual(['g1 s1', '']);
  expect(match([left], [right], 'g1 s1 apart')).toEqual(['', '']);
});

test('R9: two contacts that a user keeps apart are not paired by an origin either', () => {
  const created = halfOf(record('g1', ADA, { originId: 's1' }));
  const source = halfOf(record('s1', ADA), { side: 'right' });
  const matches = (words: string) =>
    matchContacts({ left: [created], right: [source], verdicts: verdictsOf(words) }).matches.length;
  expect([matches(''), matches('g1 s1 apart')]).toEqual([1, 0]);
});

const at = (
  side: Side,
  pair: number | null,
  isLinked = pair !== null,
  state: Half['state'] = 'changed',
): VerdictHalf => {
  return { half: { ...halfOf(record('x', ADA), { side }), pair, state }, isLinked };
};
test.each<[string, VerdictHalf | null, VerdictHalf | null, string, string]>([
  ['binds while both exist', at('left', null), at('right', null), 'binds', 'binds'],
  ['waits while one is missing', at('left', null, false, 'missing'), at('right', null), 'binds', 'binds'],
  ['lapses with an unknown contact', null, at('right', null), 'gone', 'gone'],
  ['lapses with a deleted contact', at('left', null), at('right', 1, true, 'gone'), 'gone', 'gone'],
  ['is fulfilled if they are paired', at('left', 1), at('right', 1), 'paired', 'paired'],
  ['cannot join a contact that is paired elsewhere', at('left', 1), at('right', null), 'linked elsewhere', 'binds'],
  ['may join contacts that were kept alone (R6)', at('left', 1, false), at('right', 2, false), 'binds', 'binds'],
])('R13: a decision about two contacts %s', (_, left, right, together, apart) => {
  expect(effectOf({ says: 'together' }, { left, right })).toBe(together);
  expect(effectOf({ says: 'apart' }, { left, right })).toBe(apart);
});
