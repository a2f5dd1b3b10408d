import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../src/contact/contact.ts';
import type { Half } from '../../../src/contact/half.ts';
import type { Side } from '../../../src/contact/side.ts';
import { matchContacts } from '../../../src/reconcile/match.ts';
import { nameKey } from '../../../src/reconcile/match-person.ts';
import { address, halfOf, PREFIX, record, unpaired, values } from './support.ts';

type Given = Partial<Contact>;

const people = (side: Side, list: readonly Given[]): readonly Half[] =>
  unpaired(side, ...list.map((given, index) => record(`${PREFIX[side]}${index + 1}`, given)));

/** Matches contacts; ids are `g1`, `g2`... and `s1`, `s2`... by their place. */
const match = (left: readonly Given[], right: readonly Given[]) => {
  const { matches, ambiguous } = matchContacts({ left: people('left', left), right: people('right', right) });
  return {
    matches: matches.map((found) => `${found.left.id} ${found.right.id}`).toSorted(),
    ambiguous: ambiguous.map((rivals) => ({ left: rivals.left, right: rivals.right })),
  };
};

/** Who is left unpaired and reported, and why. */
const reasons = (left: readonly Given[], right: readonly Given[]) =>
  matchContacts({ left: people('left', left), right: people('right', right) }).ambiguous;

const named = (name: string, given: Given = {}): Given => {
  const [firstName = '', lastName = ''] = name.split(' ');
  return { firstName, lastName, ...given };
};

const mail = (...list: string[]): Given => ({ emailAddresses: values(...list) });
const phone = (...list: string[]): Given => ({ phoneNumbers: values(...list) });

const NOBODY = { matches: [], ambiguous: [] };

describe('[R13] by email', () => {
  test.each<[string, Given, Given]>([
    ['in another case', mail('Ada@X.org'), mail('ada@x.org')],
    ['among others', mail('a@x.org', 'b@x.org'), mail('c@x.org', 'b@x.org')],
    ['under another name', named('Ada Byron', mail('ada@x.org')), named('Ada Lovelace', mail('ada@x.org'))],
    [
      'under a nickname',
      named('Bob Smith', mail('robert.smith@x.org')),
      named('Robert Smith', mail('robert.smith@x.org')),
    ],
    ['where one has no name', mail('ada@x.org'), named('Ada King', mail('ada@x.org'))],
    ['where phones differ', { ...mail('a@x.org'), ...phone('1111111') }, { ...mail('a@x.org'), ...phone('2222222') }],
  ])('two contacts are one person: %s', (_, left, right) => {
    expect(match([left], [right])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
  });

  test('a family that shares an address is paired by name', () => {
    const family = (name: string) => named(`${name} Smith`, mail('smiths@x.org'));
    expect(
      match([family('John'), family('Jane'), family('Tim')], [family('Tim'), family('John'), family('Jane')]),
    ).toEqual({
      matches: ['g1 s2', 'g2 s3', 'g3 s1'],
      ambiguous: [],
    });
  });

  test('two people of one household are not made one', () => {
    const john = named('John Smith', mail('smiths@x.org'));
    const jane = named('Jane Smith', mail('smiths@x.org'));
    expect(match([john], [jane])).toEqual({ matches: [], ambiguous: [{ left: ['g1'], right: ['s1'] }] });
  });

  test('the better one of two candidates is taken, wherever it stands', () => {
    const ada = named('Ada King', mail('office@x.org', 'ada@x.org'));
    const rivals = [named('Office', mail('office@x.org')), named('Ada King', mail('ada@x.org', 'office@x.org'))];
    expect(match([ada], rivals).matches).toEqual(['g1 s2']);
    expect(match([ada], rivals.toReversed()).matches).toEqual(['g1 s1']);
    expect(match(rivals, [ada]).matches).toEqual(['g2 s1']);
  });

  test('a phone or a company decides between equal candidates', () => {
    const office = (given: Given): Given => ({ ...mail('office@x.org'), ...given });
    expect(match([office(phone('1111111'))], [office(phone('2222222')), office(phone('1111111'))]).matches).toEqual([
      'g1 s2',
    ]);
    expect(match([office({ company: 'B' })], [office({ company: 'A' }), office({ company: 'b' })]).matches).toEqual([
      'g1 s2',
    ]);
  });

  test('equally good candidates of other names are paired with none and reported', () => {
    const office = mail('office@x.org');
    const rivals = [named('Ann Lee', office), named('Bob Ray', office)];
    expect(match([{ ...office, firstName: 'Office' }], rivals)).toEqual({
      matches: [],
      ambiguous: [{ left: ['g1'], right: ['s1', 's2'] }],
    });
  });

  test('each set of rivals is reported by itself', () => {
    const rivals = (address_: string) => [named('Ann Lee', mail(address_)), named('Bob Ray', mail(address_))];
    const both = match([mail('one@x.org'), mail('two@x.org')], [...rivals('one@x.org'), ...rivals('two@x.org')]);
    expect(both.ambiguous).toEqual([
      { left: ['g1'], right: ['s1', 's2'] },
      { left: ['g2'], right: ['s3', 's4'] },
    ]);
  });

  test('contacts without a name are copies only where they have the same addresses', () => {
    const [both, one] = [mail('a@x.org', 'b@x.org'), mail('a@x.org')];
    expect(match([one, mail('b@x.org')], [both, one])).toEqual({ matches: ['g1 s2', 'g2 s1'], ambiguous: [] });
    expect(match([one], [mail('c@x.org', 'a@x.org'), both]).matches).toEqual([]);
    expect(match([mail('c@x.org', 'a@x.org'), both], [one]).matches).toEqual([]);
    expect(match([one, one], [one]).matches).toEqual(['g1 s1']);
  });

  test('copies of one person are paired with one of them, the rest stays alone', () => {
    const ada = named('Ada King', mail('ada@x.org'));
    expect(match([ada], [ada, ada])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
    expect(match([ada, ada, ada], [ada, ada]).matches).toHaveLength(2);
  });
});

describe('[R13] by phone and name', () => {
  test.each<[string, string, string]>([
    ['in the same spelling', '+49 30 901820', '+49 30 901820'],
    ['spelt nationally on one side', '+49 30 9018201', '030 9018201'],
    ['in Arabic digits', '+49 30 901820', '+٤٩ ٣٠ ٩٠١٨٢٠'],
    ['with an extension on one side', '+1 212 555 0100', '+1 212 555 0100 x12'],
  ])('two contacts are one person: %s', (_, left, right) => {
    const other = { company: 'Other' };
    expect(match([named('Ada King', phone(left))], [named('King Ada', { ...phone(right), ...other })]).matches).toEqual(
      ['g1 s1'],
    );
  });

  test('decides between namesakes', () => {
    const namesakes = [named('Ada King', phone('+49301111111')), named('Ada King', phone('+49302222222'))];
    expect(match(namesakes, namesakes.toReversed())).toEqual({ matches: ['g1 s2', 'g2 s1'], ambiguous: [] });
  });

  test.each<[string, Given, Given]>([
    ['the names differ', named('Ada King', phone('+49301111111')), named('Bob Ray', phone('+49301111111'))],
    ['there is no name', phone('+49301111111'), { ...phone('+49301111111'), title: 'Dr' }],
    [
      'the number is too short to tell',
      { ...named('A B', phone('112')), company: 'C' },
      { ...named('A B', phone('112')), company: 'D' },
    ],
  ])('is not enough where %s', (_, left, right) => {
    expect(match([left], [right])).toEqual(NOBODY);
  });
});

describe('[R13] by a full name', () => {
  test.each<[string, Given, Given]>([
    ['alone', named('Ada King'), named('ADA KÍNG')],
    ['in one field', { firstName: 'Ada King' }, named('Ada King')],
    [
      'where only one says more',
      named('Ada King', { ...mail('a@x.org'), company: 'X' }),
      named('Ada King', phone('1111111')),
    ],
    [
      'where one of several phones is shared',
      named('A B', phone('1111111', '2222222')),
      named('A B', phone('2222222')),
    ],
    ['of a company that has no person', { company: 'Engine Ltd.' }, { company: 'engine ltd', title: 'x' }],
  ])('two contacts are one person: %s', (_, left, right) => {
    expect(match([left], [right]).matches).toEqual(['g1 s1']);
  });

  test.each<[string, Given, Given]>([
    ['other addresses', named('Ada King', mail('a@x.org')), named('Ada King', mail('b@x.org'))],
    ['other phones', named('Ada King', phone('1111111')), named('Ada King', phone('2222222'))],
    ['another company', named('Ada King', { company: 'A' }), named('Ada King', { company: 'B' })],
    ['a person against a company', { company: 'Ada King' }, named('Ada King')],
  ])('is contradicted by %s', (_, left, right) => {
    expect(match([left], [right])).toEqual(NOBODY);
  });

  test.each<[string, readonly Given[], readonly Given[]]>([
    ['at the service', [named('Ada King')], [named('Ada King', { title: 'Dr' }), named('Ada King', phone('2222222'))]],
    ['at Google', [named('Ada King'), named('Ada King', { title: 'Dr' })], [named('Ada King', { company: 'X' })]],
  ])('that is not unique %s pairs nobody and is reported', (_, left, right) => {
    expect(match(left, right)).toEqual({
      matches: [],
      ambiguous: [{ left: left.map((__, index) => `g${index + 1}`), right: right.map((__, index) => `s${index + 1}`) }],
    });
  });

  test('is unique once its namesakes were paired otherwise', () => {
    const left = [named('Ada King', mail('a@x.org')), named('Ada King')];
    const right = [named('Ada King', { title: 'Dr' }), named('Ada King', mail('a@x.org'))];
    expect(match(left, right)).toEqual({ matches: ['g1 s2', 'g2 s1'], ambiguous: [] });
  });

  test.each([
    [{ firstName: 'Ada' }, 'ada'],
    [{ company: 'Engine' }, 'company engine'],
    [{ firstName: 'Ada', company: 'Engine' }, 'ada'],
    [{ title: 'Dr' }, ''],
  ])('of %j is known as %j', (given, key) => {
    expect(nameKey(record('g1', given).contact)).toBe(key);
  });
});

describe('[R13] copies that say exactly the same', () => {
  test('are paired one by one where both sides hold the very same namesakes', () => {
    const [ada, other] = [named('Ada King', { title: 'Dr' }), named('Ada King')];
    expect(match([ada, other, ada], [other, ada, ada])).toEqual({
      matches: ['g1 s2', 'g2 s1', 'g3 s3'],
      ambiguous: [],
    });
  });

  test('are paired even if they have neither a name nor an email', () => {
    const place = { addresses: [address('Main 1')], websites: values('x.org') };
    const same = { addresses: [address('main 1', { label: 'home' })], websites: values('https://x.org/') };
    expect(match([place], [same]).matches).toEqual(['g1 s1']);
    expect(match([place, place], [same, same]).matches).toHaveLength(2);
  });

  test('decide between namesakes that have different companies', () => {
    const namesakes = [named('Ada King', { company: 'A' }), named('Ada King', { company: 'B' })];
    expect(match(namesakes, namesakes.toReversed()).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('are paired as far as they go where a side holds one more', () => {
    const ada = named('Ada King');
    expect(match([ada, ada], [ada])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
    expect(match([ada], [named('Ada King', { title: 'Dr' }), ada])).toEqual({ matches: ['g1 s2'], ambiguous: [] });
  });

  test('that say nothing are nobody', () => {
    expect(match([{}], [{}])).toEqual(NOBODY);
  });
});

describe('[R9] by the id that a create left behind', () => {
  const twins = people('right', [named('Ada King', mail('a@x.org')), named('Ada King', mail('a@x.org'))]);
  const copy = (id: string, originId: string): Half =>
    halfOf(record(id, named('Ada King', mail('a@x.org')), { originId }));

  test('a contact is paired with its origin before anything else is looked at', () => {
    const { matches } = matchContacts({ left: [copy('g1', 's2')], right: twins });
    expect(matches.map((found) => found.right.id)).toEqual(['s2']);
  });

  test('an origin is taken once', () => {
    const { matches } = matchContacts({ left: [copy('g1', 's2'), copy('g2', 's2')], right: twins });
    expect(matches.map((found) => `${found.left.id} ${found.right.id}`)).toEqual(['g1 s2', 'g2 s1']);
  });

  test('an origin that is gone says nothing', () => {
    const { matches } = matchContacts({ left: [copy('g1', 's9')], right: twins });
    expect(matches).toHaveLength(1);
  });
});

describe('[R13] an address that two contacts share', () => {
  const household = { ...mail('home@x.org'), ...phone('+49301111111') };

  test.each<[string, Given, Given]>([
    ['by a nickname', named("Robert O'Neil", household), named("Bob O'Neil", household)],
    ['by two nicknames of one name', named('Bill Gray', household), named('Will Gray', household)],
    ['by an initial', named('J Gray', household), named('Jane Gray', household)],
    ['by a short form', named('Ben Gray', household), named('Benjamin Gray', household)],
    ['but for accents', named('José Soto', household), named('Jose Soto', household)],
    ['of two words and of one', named('Anna', household), named('Anna Gray', household)],
  ])('pairs them where their names agree %s', (_, left, right) => {
    expect(match([left], [right])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
  });

  test.each<[string, Given, Given]>([
    ['strangers', named('José Soto', household), named('İpek Müller', household)],
    ['a couple', named('John Smith', household), named('Jane Smith', household)],
    [
      'a couple, and the address names one of them',
      named('John Smith', mail('john.smith@x.org')),
      named('Jane Smith', mail('john.smith@x.org')),
    ],
    ['namesakes of two families', named('Maria Soto', mail('office@x.org')), named('Maria Lee', mail('office@x.org'))],
    ['names of one nickname', named('Alexander Gray', household), named('Alexandra Gray', household)],
  ])('leaves %s apart and reports them', (_, left, right) => {
    expect(reasons([left], [right])).toEqual([{ left: ['g1'], right: ['s1'], why: 'names differ' }]);
    expect(match([left], [right]).matches).toEqual([]);
  });

  test('is reported once for all who share it, without those who were paired', () => {
    const left = ['John', 'Mia', 'Tim'].map((name) => named(`${name} Smith`, household));
    const right = ['Ada', 'John', 'Eve'].map((name) => named(`${name} Smith`, household));
    expect(reasons(left, right)).toEqual([{ left: ['g2', 'g3'], right: ['s1', 's3'], why: 'names differ' }]);
  });

  test('says why where several fit', () => {
    const rivals = [named('Ann Lee', mail('office@x.org')), named('Bob Ray', mail('office@x.org'))];
    expect(reasons([mail('office@x.org')], rivals)).toEqual([
      { left: ['g1'], right: ['s1', 's2'], why: 'several candidates' },
    ]);
  });
});

describe('[R13] near copies', () => {
  const card = named('Ada King', mail('ada@x.org'));
  const choir = { key: 'choir', left: 'g-choir', right: 's-choir', settled: true };
  const inGroup = (side: Side, id: string, given: Given, groupIds: readonly string[]): Half =>
    halfOf(record(id, given, { groupIds }), { side });
  const pairsOf = (left: readonly Half[], right: readonly Half[]) =>
    matchContacts({ left, right, links: [choir] })
      .matches.map((found) => `${found.left.id} ${found.right.id}`)
      .toSorted();

  test.each<[string, Given]>([
    ['a title', { title: 'Dr' }],
    ['an address', { addresses: [address('Main 1')] }],
    ['a website', { websites: values('x.org') }],
    ['a short phone number', phone('112')],
    ['a phone number', phone('+49301111111')],
  ])('are paired with their own copies where one has %s', (_, more) => {
    const other = { ...card, ...more };
    expect(match([card, other], [other, card]).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('are paired with their own copies where one is in a group', () => {
    const left = [inGroup('left', 'g1', card, []), inGroup('left', 'g2', card, ['g-choir'])];
    const right = [inGroup('right', 's1', card, ['s-choir']), inGroup('right', 's2', card, [])];
    expect(pairsOf(left, right)).toEqual(['g1 s2', 'g2 s1']);
  });

  // A company on one side only keeps the contacts from being exact copies.
  test.each<[string, Given]>([
    ['a title', { title: 'Dr' }],
    ['an address', { addresses: [address('Main 1')] }],
    ['a website', { websites: values('x.org') }],
    ['a short phone number', phone('112')],
  ])('that are no exact copies go by %s', (_, more) => {
    const other = { ...card, ...more };
    const edited = (given: Given): Given => ({ ...given, company: 'Engine' });
    expect(match([card, other], [edited(other), edited(card)]).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('that are no exact copies go by their groups', () => {
    const edited = { ...card, company: 'Engine' };
    const left = [inGroup('left', 'g1', card, []), inGroup('left', 'g2', card, ['g-choir'])];
    const right = [inGroup('right', 's1', edited, ['s-choir']), inGroup('right', 's2', edited, [])];
    expect(pairsOf(left, right)).toEqual(['g1 s2', 'g2 s1']);
  });

  test('a contact that contradicts is taken last', () => {
    const [plain, doctor] = [card, { ...card, title: 'Dr' }];
    const [nurse, engine] = [
      { ...card, title: 'Nurse', ...phone('112') },
      { ...card, ...phone('113') },
    ];
    expect(match([doctor, plain], [nurse, engine]).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('without an address go by what else they share', () => {
    const [plain, other] = [named('Ada King'), named('Ada King', { websites: values('x.org') })];
    const edited = (given: Given): Given => ({ ...given, title: 'Dr' });
    expect(match([plain, other], [edited(other), edited(plain)])).toEqual({
      matches: ['g1 s2', 'g2 s1'],
      ambiguous: [],
    });
  });
});

describe('[R9] an origin id', () => {
  const scopes = { left: 'account of the left', right: 'account of the right' };
  const pairsWith = (left: Half, right: Half): number =>
    matchContacts({ left: [left], right: [right], scopes }).matches.length;
  const made = (given: Given, originScope?: string): Half =>
    halfOf(record('g1', given, { originId: 's1', ...(originScope === undefined ? {} : { originScope }) }));
  const source = (given: Given): Half => halfOf(record('s1', given), { side: 'right' });
  const [own, foreign] = [scopes.right, 'account of another link'];
  const renamed: [Given, Given] = [named('Ada King', mail('a@x.org')), named('Augusta Byron', mail('a@x.org'))];
  const strangers: [Given, Given] = [named('Ada King', mail('a@x.org')), named('Bob Ray', mail('b@x.org'))];
  const namesakes: [Given, Given] = [named('Ada King', mail('a@x.org')), named('Ada King', mail('b@x.org'))];

  test.each<[string, [Given, Given], string | undefined, number]>([
    ['of this link and an address', renamed, own, 1],
    ['of this link and the name', namesakes, own, 1],
    ['of this link alone', strangers, own, 0],
    ['of another account and an address', renamed, foreign, 0],
    ['of another account and the name', namesakes, foreign, 0],
    ['that names no account and an address', renamed, undefined, 1],
    ['that names no account and the name', namesakes, undefined, 1],
    ['that names no account alone', strangers, undefined, 0],
    ['of this link and nothing that could agree', [{}, named('Ada King')], own, 1],
    ['that names no account and nothing that could agree', [{}, named('Ada King')], undefined, 0],
  ])('%s: %j, %s: pairs %i', (_, [left, right], scope, expected) => {
    expect(pairsWith(made(left, scope), source(right))).toBe(expected);
  });
});

describe('a crowd that shares one email address', () => {
  const SIZE = 5_000;
  type Crowd = { readonly nameOf: (index: number) => string; readonly given: Given };
  const crowd = (side: Side, { nameOf, given }: Crowd, onRead: () => void): readonly Half[] => {
    return Array.from({ length: SIZE }, (_, index) => {
      const found = record(`${PREFIX[side]}${index}`, { firstName: nameOf(index), ...mail('all@x.org'), ...given });
      const contact = Object.defineProperty({ ...found.contact }, 'company', {
        enumerable: true,
        get: () => {
          onRead();
          return '';
        },
      });
      return halfOf({ ...found, contact }, { side });
    });
  };

  // A comparison reads both companies at least once, so the reads bound the comparisons.
  describe.each<[string, Given]>([
    ['copies', {}],
    ['near copies', { title: 'Dr' }],
  ])('of %s', (_, onTheRight) => {
    test.each<[string, (index: number) => string, number]>([
      ['of different names', (index) => `Person ${index}`, SIZE],
      ['of one name', () => 'Office', SIZE],
      ['without names', () => '', SIZE],
      ['of a hundred names', (index) => `Person ${index % 100}`, SIZE],
    ])('%s is compared about once for each contact, not each with each', (__, nameOf, expected) => {
      let reads = 0;
      const count = () => {
        reads += 1;
      };
      const { matches } = matchContacts({
        left: crowd('left', { nameOf, given: {} }, count),
        right: crowd('right', { nameOf, given: onTheRight }, count),
      });
      expect(matches).toHaveLength(expected);
      expect(new Set(matches.map((found) => found.right.id)).size).toBe(expected);
      expect(reads).toBeLessThan(20 * SIZE);
    });
  });

  test('of people who are all others on the other side is reported at once, without comparing them', () => {
    let reads = 0;
    const count = () => {
      reads += 1;
    };
    const { matches, ambiguous } = matchContacts({
      left: crowd('left', { nameOf: (index) => `Person ${index}`, given: {} }, count),
      right: crowd('right', { nameOf: (index) => `Other ${index}`, given: {} }, count),
    });
    expect(matches).toEqual([]);
    expect(ambiguous.map(({ left, right, why }) => [left.length, right.length, why])).toEqual([
      [SIZE, SIZE, 'names differ'],
    ]);
    expect(reads).toBeLessThan(20 * SIZE);
  });
});
