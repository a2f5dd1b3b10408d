import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import type { UnsyncedName } from '../../../../src/core/contact/unsynced-name.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { address, type Given, halfOf, mail, named, people, phone, PREFIX, record, SCOPES, values } from './support.ts';

/** Matches contacts; ids are `g1`, `g2`... and `s1`, `s2`... by position. */
const match = (left: readonly Given[], right: readonly Given[]) => {
  const { matches, ambiguous } = matchContacts({ left: people('left', left), right: people('right', right) });
  return {
    matches: matches.map((found) => `${found.left.id} ${found.right.id}`).toSorted(),
    ambiguous: ambiguous.map((candidates) => ({ left: candidates.left, right: candidates.right })),
  };
};

/** The contacts that are left unpaired and reported, with the reasons. */
const reasons = (left: readonly Given[], right: readonly Given[]) =>
  matchContacts({ left: people('left', left), right: people('right', right) }).ambiguous;

const pairsIn = (text: string) => text.split(', ').map((pair) => pair.split(' | '));

const MAIL = mail('ada@x.org');
const NUMBER = phone('+491705550330');
const INFO = { ...mail('info@acme.test'), ...phone('+49305550120') };
const CARD: Given = { company: 'Acme Werke GmbH', ...INFO };
const at = (shared: Given, one: Given, other: Given): readonly [Given, Given] => [
  { ...one, ...shared },
  { ...other, ...shared },
];
const ada = named('Ada Lindholm');
const [JUNIOR, SENIOR] = [
  { firstName: 'John Jr.', lastName: 'Smith' },
  { firstName: 'John', lastName: 'Smith Sr.' },
];
const king = (given: Given = {}) => named('Ada King', given);
const [one, two] = [mail('a@x.org'), mail('b@x.org')];
const ADA_MARY = { firstName: 'Ada Mary', lastName: 'Lindholm', ...two };

describe('R13: two contacts', () => {
  const PAIRED: readonly (readonly [string, readonly [Given, Given]])[] = [
    ['one email address among others', [mail('a@x.org', 'b@x.org'), mail('c@x.org', 'b@x.org')]],
    ['one address and another family name', at(MAIL, named('Ada Byron'), named('Ada Lovelace'))],
    ['one address and a nickname', at(MAIL, named('Bob Smith'), named('Robert Smith'))],
    ['one address as the name', at(MAIL, { firstName: 'ada@x.org' }, king())],
    ['one address, and one has no name', at(MAIL, {}, king())],
    ['one address and other numbers', at(MAIL, phone('1111111'), phone('2222222'))],
    ['one address and company', at(INFO, CARD, { company: 'ACME Werke GmbH' })],
    ['one address and a company without its legal form', at(INFO, CARD, { company: 'Acme Werke' })],
    ['the address of a company alone', at(INFO, CARD, {})],
    ['one name', [king(), named('ADA KÍNG')]],
    ['one name, in one field', [{ firstName: 'Ada King' }, king()]],
    ['one name, if only one has more values', [king(one), king(phone('1111111'))]],
    ['one name and one of several numbers', at(named('A B'), phone('1111111', '2222222'), phone('2222222'))],
    ['one company without a person', [{ company: 'Engine Ltd.' }, { company: 'engine ltd', title: 'x' }]],
  ];
  test.each(PAIRED)('are paired that share %s', (_, [left, right]) => {
    expect(match([left], [right])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
    expect(match([right], [left])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
  });

  type Why = 'names differ' | 'same phone number' | 'same name';
  const REPORTED: readonly (readonly [Why, string, readonly [Given, Given]])[] = [
    ['names differ', 'the person of a company', at(INFO, CARD, named('Lena Roth', { company: 'Acme Werke GmbH' }))],
    ['names differ', 'the person of another company', at(INFO, CARD, named('Lena Roth', { company: 'Beta' }))],
    ['names differ', 'a person without a company', at(INFO, CARD, named('Lena Roth'))],
    ['names differ', 'a person named by a title', at(INFO, CARD, named('Frau Roth'))],
    ['names differ', 'another company', at(INFO, CARD, { company: 'Beta Handel' })],
    ['names differ', 'another company called like a legal form', at(INFO, { company: 'AG' }, { company: 'SA' })],
    ['names differ', 'another first name', at(mail('smiths@x.org'), named('John Smith'), named('Jane Smith'))],
    ['same phone number', 'a first name alone', at(NUMBER, named('Ada'), ada)],
    ['same phone number', 'a short form', at(NUMBER, named('Bob Rayner'), named('Robert Rayner'))],
    ['same phone number', 'an initial', at(NUMBER, named('A. Lindholm'), ada)],
    ['same phone number', 'a remark', at(NUMBER, { firstName: 'Ada Lindholm', lastName: '(Acme)' }, ada)],
    ['same phone number', 'a lost accent', at(NUMBER, named('Anna Muller'), named('Anna Mueller'))],
    ['same phone number', 'another script', at(NUMBER, named('Иван Петров'), named('Ivan Petrov'))],
    ['same phone number', 'no name', at(NUMBER, {}, ada)],
    ['same phone number', 'the number as the name', [named('+491705550330'), { ...ada, ...NUMBER }]],
    ['same phone number', 'the number as the name, twice', at(NUMBER, named('+491705550330'), ada)],
    ['same name', 'other addresses', [king(one), king(two)]],
    ['same name', 'other numbers', [king(phone('1111111')), king(phone('2222222'))]],
    ['same name', 'another company', [king({ company: 'A' }), king({ company: 'B' })]],
    ['same name', 'a short form', [named('Bob Rayner', one), named('Robert Rayner', two)]],
    ['same name', 'two short forms', [named('Bob Rayner', one), named('Rob Rayner', two)]],
    ['same name', 'an initial', [named('A. Lindholm', one), { ...ada, ...two }]],
    ['same name', 'a further given name', [named('Ada Lindholm', one), ADA_MARY]],
    ['same name', 'a lost accent', [named('Ada Muller', one), named('Ada Mueller', two)]],
  ];
  test.each(REPORTED)('are only reported for the %s: %s', (why, _, [left, right]) => {
    expect(reasons([left], [right])).toEqual([{ left: ['g1'], right: ['s1'], why }]);
    expect(reasons([right], [left])).toEqual([{ left: ['g1'], right: ['s1'], why }]);
    expect([match([left], [right]).matches, match([right], [left]).matches]).toEqual([[], []]);
  });

  const NEITHER: readonly (readonly [string, readonly [Given, Given]])[] = [
    ['a first name alone', at({ firstName: 'Ada' }, one, two)],
    ['the name of a company', [{ company: 'Ada King' }, king()]],
    ['a number, with another first name', at(NUMBER, named('Mama'), named('Anna Lindholm'))],
    ['a number, with another suffix', at(NUMBER, JUNIOR, SENIOR)],
    ['a number, with the card of a company', at(NUMBER, { company: 'Acme' }, { ...ada, company: 'Acme' })],
    ['a number, with several people', at(NUMBER, { firstName: 'Ada & Ben', lastName: 'Lindholm' }, ada)],
  ];
  test.each(NEITHER)('are neither paired nor reported that share %s', (_, [left, right]) => {
    expect(match([left], [right])).toEqual({ matches: [], ambiguous: [] });
  });

  test('are not paired by a number that is too short to identify a person', () => {
    const card = (company: string): Given => ({ ...named('A B', phone('112')), company });
    expect(match([card('C')], [card('D')]).matches).toEqual([]);
  });

  const TWO_NUMBERS =
    '+20 100 123 4567 | 0170 1234567, +49 170 1234567 | +43 170 1234567, ' +
    '+49 30 51234567 | 030 1234567, 0170 1234567 | 0171 1234567';
  test.each(pairsIn(TWO_NUMBERS))('are not paired by two numbers: %s and %s', (left = '', right = '') => {
    expect(match([named('Ann Lee', phone(left))], [named('Ann Lee', phone(right))]).matches).toEqual([]);
    expect(reasons([named('Ann', phone(left))], [named('محمد علي', phone(right))])).toEqual([]);
  });

  const ONE_NUMBER =
    '+49 170 1234567 | 0170 1234567, +49 170 1234567 | 0049 170 1234567, +49 170 1234567 | 49 170 1234567, ' +
    '+1 202-555-0143 | (202) 555-0143, +1 202-555-0143 | 1 202 555 0143, +7 495 123-45-67 | 8 (495) 123-45-67, ' +
    '0170 1234567 | 170 1234567, +49 30 901820 | +٤٩ ٣٠ ٩٠١٨٢٠, +1 212 555 0100 | +1 212 555 0100 x12';
  test.each(pairsIn(ONE_NUMBER))('are paired by one number in two spellings: %s and %s', (left = '', right = '') => {
    expect(match([named('Ann Lee', phone(left))], [named('Ann Lee', phone(right))]).matches).toEqual(['g1 s1']);
  });
});

const family = (names: string, given: Given = mail('smiths@x.org')) =>
  names.split(' ').map((name) => named(`${name} Smith`, given));
const office = (given: Given): Given => ({ ...mail('office@x.org'), ...given });
const [both, otherOnly] = [mail('a@x.org', 'b@x.org'), mail('b@x.org')];
const wider = mail('c@x.org', 'a@x.org');
const [robert, bob] = [named('Robert Rayner', mail('r@x.org')), named('Bob Rayner', phone('+49301111111'))];
const doctor = king({ title: 'Dr' });
const placed = (street: string, label: string | null, site: string): Given => ({
  addresses: [address(street, { label })],
  websites: values(site),
});
const [place, same] = [placed('Main 1', null, 'x.org'), placed('main 1', 'home', 'https://x.org/')];
const [clerk, better] = [named('Office', office({})), king(mail('ada@x.org', 'office@x.org'))];
const OFFICES = [{ company: 'A' }, { company: 'b' }].map(office);
const wanted = king(mail('office@x.org', 'ada@x.org'));
const [first, second] = [phone('+49301111111'), phone('+49302222222')];
const CROSSED = 'g1 s2, g2 s1';
const site = { websites: values('x.org') };

test.each<[string, readonly Given[], readonly Given[], string]>([
  ['a family that shares an address', family('John Jane Tim'), family('Tim John Jane'), 'g1 s2, g2 s3, g3 s1'],
  ['the better of two candidates', [wanted], [clerk, better], 'g1 s2'],
  ['the better of two candidates, as the first one', [wanted], [better, clerk], 'g1 s1'],
  ['the better of two candidates, on the other side', [clerk, better], [wanted], 'g2 s1'],
  ['the candidate with the same number', [office(first)], [office(second), office(first)], 'g1 s2'],
  ['the one with the same company', [office({ company: 'B' })], OFFICES, 'g1 s2'],
  ['nameless copies with the same addresses', [one, otherOnly], [both, one], CROSSED],
  ['no nameless contacts of which each has more addresses', [one], [wider, both], ''],
  ['none of those on the other side', [wider, both], [one], ''],
  ['one of two nameless copies', [one, one], [one], 'g1 s1'],
  ['one of two copies', [king(MAIL)], [king(MAIL), king(MAIL)], 'g1 s1'],
  ['two of three copies', [king(MAIL), king(MAIL), king(MAIL)], [king(MAIL), king(MAIL)], 'g1 s1, g2 s2'],
  ['contacts of one name, by number', [king(first), king(second)], [king(second), king(first)], CROSSED],
  ['a name, if no short form of it has the same number', [robert], [named('Robert Rayner'), bob], 'g1 s1'],
  ['no name, if a short form of it has the same number', [robert, bob], [named('Robert Rayner', first)], ''],
  ['a name that is unique once others are paired', [king(one), king()], [doctor, king(one)], CROSSED],
  ['copies without name and address', [place, place], [same, same], 'g1 s1, g2 s2'],
  ['an exact copy before one with more values', [king()], [doctor, king()], 'g1 s2'],
  ['by another shared value', [king(), king(site)], [king({ title: 'Dr', ...site }), doctor], CROSSED],
  ['copies, without a computed value', [king()], [king({ lastContacted: 'today' })], 'g1 s1'],
])('R13: of several contacts are paired: %s', (_, left, right, matches) => {
  const found = match(left, right);
  expect(found.matches.join(', ')).toBe(matches);
  // Without a pair, or with a contradiction, the candidates may be reported.
  if (matches !== '') expect(found.ambiguous).toEqual([]);
});

const household = { ...mail('home@x.org'), ...first };
const pairAt = (email: string) => [named('Ann Lee', mail(email)), named('Bob Ray', mail(email))];
const [latin, cyrillic] = [named('Ivan Petrov'), named('Иван Петров')];
const twice = (name: Given) => [
  { ...name, ...one },
  { ...name, ...two },
];
const [MIAS, EVES] = [family('John Mia Tim', household), family('Ada John Eve', household)];
const SEVERAL = 'several candidates';

test.each<[string, readonly Given[], readonly Given[], readonly string[]]>([
  ['each set alone', [one, two], [...pairAt('a@x.org'), ...pairAt('b@x.org')], ['g1 | s1 s2', 'g2 | s3 s4']],
  ['a name that is not unique', [king()], [doctor, king(second)], ['g1 | s1 s2']],
  ['a name that is not unique on the other side', [doctor, king(second)], [king()], ['g1 g2 | s1']],
  ['all at one address, without the paired ones', MIAS, EVES, ['g2 g3 | s1 s3: names differ']],
  [
    'those that share an address, if each has candidates elsewhere',
    [...twice(latin), cyrillic],
    [...twice(cyrillic), latin],
    ['g1 g2 | s3', 'g3 | s1 s2', 'g1 | s1: names differ', 'g2 | s2: names differ'],
  ],
])('R13: candidates that are not paired are reported: %s', (_, left, right, reports) => {
  const texts = reasons(left, right).map((each) => `${each.left.join(' ')} | ${each.right.join(' ')}: ${each.why}`);
  expect(texts).toEqual(reports.map((report) => (report.includes(':') ? report : `${report}: ${SEVERAL}`)));
});

describe('R13: near copies', () => {
  const card = king(MAIL);
  const edited = (given: Given): Given => ({ ...given, company: 'Engine' });

  test.each([
    ['exact', card],
    ['near', edited(card)],
  ])('are paired by their groups if they are otherwise %s copies', (_, other) => {
    const inGroup = (side: Side, id: string, given: Given, groupIds: readonly string[]): Half =>
      halfOf(record(id, given, { groupIds }), { side });
    const left = [inGroup('left', 'g1', card, []), inGroup('left', 'g2', card, ['g-choir'])];
    const right = [inGroup('right', 's1', other, ['s-choir']), inGroup('right', 's2', other, [])];
    const links = [{ key: 'choir', left: 'g-choir', right: 's-choir', isUnited: true }];
    const { matches } = matchContacts({ left, right, links });
    expect(matches.map((found) => `${found.left.id} ${found.right.id}`).toSorted()).toEqual(['g1 s2', 'g2 s1']);
  });

  // A company on one side only keeps the contacts from being exact copies.
  test.each<[string, Given]>([
    ['a title', { title: 'Dr' }],
    ['an address', { addresses: [address('Main 1')] }],
    ['a website', { websites: values('x.org') }],
    ['a short phone number', phone('112')],
  ])('that are no exact copies are paired by %s', (_, more) => {
    const other = { ...card, ...more };
    expect(match([card, other], [edited(other), edited(card)]).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('a contradicting contact is paired last', () => {
    const nurse = { ...card, title: 'Nurse', ...phone('112') };
    const { matches } = match([{ ...card, title: 'Dr' }, card], [nurse, { ...card, ...phone('113') }]);
    expect(matches).toEqual(['g1 s2', 'g2 s1']);
  });
});

const [own, foreign] = [SCOPES.right, 'account of another link'];
const made = (id: string, given: Given, originId: string, originScope?: string): Half =>
  halfOf(record(id, given, { originId, ...(originScope === undefined ? {} : { originScope }) }));
const [renamed, different] = [named('Augusta Byron', one), named('Bob Ray', two)];

test.each<[string, Given, Given, string | undefined, number]>([
  ['of this link and an address', king(one), renamed, own, 1],
  ['of this link and the name', king(one), king(two), own, 1],
  ['of this link, as the only evidence', king(one), different, own, 0],
  ['of another account and an address', king(one), renamed, foreign, 0],
  ['of another account and the name', king(one), king(two), foreign, 0],
  ['without an account and an address', king(one), renamed, undefined, 1],
  ['without an account and the name', king(one), king(two), undefined, 1],
  ['without an account, as the only evidence', king(one), different, undefined, 0],
  ['of this link, without a value to compare', {}, king(), own, 1],
  ['without an account, without a value to compare', {}, king(), undefined, 0],
])('R9: an origin id %s, of %j and %j, by %s, pairs %i', (_, left, right, scope, expected) => {
  const source = halfOf(record('s1', right), { side: 'right' });
  const { matches } = matchContacts({ left: [made('g1', left, 's1', scope)], right: [source], scopes: SCOPES });
  expect(matches).toHaveLength(expected);
});

test.each<[string, readonly string[], readonly string[]]>([
  ['is compared before other evidence', ['s2'], ['g1 s2']],
  ['pairs its contact once', ['s2', 's2'], ['g1 s2', 'g2 s1']],
  ['of a deleted contact is no evidence', ['s9'], ['g1 s1']],
])('R9: an origin id %s', (_, origins, expected) => {
  const left = origins.map((originId, index) => made(`g${index + 1}`, king(one), originId));
  const { matches } = matchContacts({ left, right: people('right', [king(one), king(one)]) });
  expect(matches.map((found) => `${found.left.id} ${found.right.id}`).toSorted()).toEqual(expected);
});

describe('many contacts with the same email address', () => {
  const SIZE = 5_000;
  type Naming = (index: number) => string;
  /** Matches a crowd at each side. A comparison reads both companies at least once, so the reads bound the comparisons. */
  const matchCrowds = (leftName: Naming, rightName: Naming, given: Given = {}) => {
    let reads = 0;
    const get = () => {
      reads += 1;
      return '';
    };
    const crowd = (side: Side, nameOf: Naming, more: Given): readonly Half[] =>
      Array.from({ length: SIZE }, (_, index) => {
        const found = record(`${PREFIX[side]}${index}`, { firstName: nameOf(index), ...mail('all@x.org'), ...more });
        const contact = Object.defineProperty({ ...found.contact }, 'company', { enumerable: true, get });
        return halfOf({ ...found, contact }, { side });
      });
    const found = matchContacts({ left: crowd('left', leftName, {}), right: crowd('right', rightName, given) });
    expect(reads).toBeLessThan(20 * SIZE);
    return found;
  };

  describe.each<[string, Given]>([
    ['copies', {}],
    ['near copies', { title: 'Dr' }],
  ])('of %s', (_, onTheRight) => {
    test.each<[string, Naming]>([
      ['of different names', (index) => `Person ${index}`],
      ['of one name', () => 'Office'],
      ['without names', () => ''],
      ['of a hundred names', (index) => `Person ${index % 100}`],
    ])('%s is compared about once for each contact, not with every other contact', (__, nameOf) => {
      const { matches } = matchCrowds(nameOf, nameOf, onTheRight);
      expect(new Set(matches.map((found) => found.right.id)).size).toBe(SIZE);
      expect(matches).toHaveLength(SIZE);
    });
  });

  test('without a match on the other side is reported at once, without comparing its contacts', () => {
    const { matches, ambiguous } = matchCrowds(
      (index) => `Person ${index}`,
      (index) => `Other ${index}`,
    );
    const counts = ambiguous.map(({ left, right, why }) => [left.length, right.length, why]);
    expect([matches, counts]).toEqual([[], [[SIZE, SIZE, 'names differ']]]);
  });
});

describe('R13: parts of a name that are not synced', () => {
  type Person = Given & { readonly unsyncedName?: UnsyncedName };
  const side = (of: Side, list: readonly Person[]) =>
    list.map(({ unsyncedName, ...contact }, index) =>
      halfOf(record(`${PREFIX[of]}${index + 1}`, contact, unsyncedName === undefined ? {} : { unsyncedName }), {
        side: of,
      }),
    );
  const pairsOf = (left: readonly Person[], right: readonly Person[]) =>
    matchContacts({ left: side('left', left), right: side('right', right) })
      .matches.map((found) => `${found.left.id} ${found.right.id}`)
      .toSorted();
  const HOUSEHOLD = { ...mail('harrow@x.example'), ...phone('+1 202-555-0143') };
  const john = (unsyncedName?: UnsyncedName, more: Given = {}): Person => ({
    ...named('John Harrow', HOUSEHOLD),
    ...more,
    ...(unsyncedName && { unsyncedName }),
  });
  const [father, son] = [john({ nameSuffix: 'Sr.' }), john({ nameSuffix: 'Jr.' })];

  test.each<[string, Person, Person]>([
    ['suffixes', father, john(undefined, { lastName: 'Harrow Jr.' })],
    ['suffixes of two sides', father, son],
    ['middle names', john({ middleName: 'Robert' }), john({ middleName: 'Peter' })],
    ['a middle name in the first name', john({ middleName: 'Robert' }), john(undefined, { firstName: 'John Peter' })],
    ['titles', john({ namePrefix: 'Mr' }), john({ namePrefix: 'Mrs' })],
    ['spoken names', john({ phonetic: 'ゆうこ' }), john({ phonetic: 'ヒロコ' })],
  ])('keep people apart: %s', (_, left, right) => {
    // Neither by an address and a phone number, nor by a number or by the name alone.
    for (const more of [{}, { emailAddresses: [] }, { emailAddresses: [], phoneNumbers: [] }]) {
      expect(pairsOf([{ ...left, ...more }], [{ ...right, ...more }])).toEqual([]);
    }
  });

  test.each<[string, Person, Person]>([
    ['suffix', father, john()],
    ['middle name', john({ middleName: 'Robert' }), john()],
    ['middle name that is an initial there', john({ middleName: 'Robert' }), john(undefined, { firstName: 'John R.' })],
    ['spoken name', john({ phonetic: 'ゆうこ' }), john({ phonetic: 'ユウコ' })],
  ])('agree with the same person without the %s', (_, left, right) => {
    expect(pairsOf([left], [right])).toEqual(['g1 s1']);
  });

  test('pair father and son of one household by their suffixes, in any order', () => {
    expect(pairsOf([father, son], [son, father])).toEqual(['g1 s2', 'g2 s1']);
    expect(pairsOf([{ ...father, title: 'Baker' }, son], [son, father])).toEqual(['g1 s2', 'g2 s1']);
  });
});

const teacher = (given: Given): Given => named('Michael Maier', { title: 'Teacher', ...given });
const smith = (given: Given): Given => named('John Smith', { ...mail('smiths@x.org'), ...given });

test.each<[string, Given, readonly Given[]]>([
  [
    'one name and one title',
    teacher({}),
    [
      teacher({ company: 'Schiller School', ...phone('+493011111111') }),
      teacher({ company: 'Goethe School', ...phone('+498922222222') }),
    ],
  ],
  [
    'one name and the address of a family',
    smith({}),
    [smith({ ...phone('+493011111111'), title: 'Judge' }), smith({ ...phone('+498922222222'), title: 'Nurse' })],
  ],
])('R13: of two different people with %s none is chosen, in any order', (_, alone, others) => {
  for (const twins of [others, others.toReversed()]) {
    for (const [left, right] of [
      [[alone], twins],
      [twins, [alone]],
    ] as const) {
      expect(match(left, right).matches).toEqual([]);
      expect(new Set(reasons(left, right).map(({ why }) => why))).toEqual(new Set(['several candidates']));
    }
  }
});
