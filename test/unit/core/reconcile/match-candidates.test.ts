import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import type { Side } from '../../../../src/core/contact/side.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { address, halfOf, PREFIX, record, values } from './support.ts';
import { mail, match, named, phone, reasons, type Given } from './match-support.ts';

describe('[R13] an address that two contacts share', () => {
  const household = { ...mail('home@x.org'), ...phone('+49301111111') };

  test('is reported once for all contacts that share it, without those that were paired', () => {
    const left = ['John', 'Mia', 'Tim'].map((name) => named(`${name} Smith`, household));
    const right = ['Ada', 'John', 'Eve'].map((name) => named(`${name} Smith`, household));
    expect(reasons(left, right)).toEqual([{ left: ['g2', 'g3'], right: ['s1', 's3'], why: 'names differ' }]);
  });

  test('is reported also if each of the two has several candidates elsewhere', () => {
    const [latin, cyrillic] = [named('Ivan Petrov'), named('Иван Петров')];
    const [first, second] = [mail('first@x.org'), mail('second@x.org')];
    const left = [{ ...latin, ...first }, { ...latin, ...second }, cyrillic];
    const right = [{ ...cyrillic, ...first }, { ...cyrillic, ...second }, latin];
    expect(reasons(left, right)).toEqual([
      { left: ['g1', 'g2'], right: ['s3'], why: 'several candidates' },
      { left: ['g3'], right: ['s1', 's2'], why: 'several candidates' },
      { left: ['g1'], right: ['s1'], why: 'names differ' },
      { left: ['g2'], right: ['s2'], why: 'names differ' },
    ]);
  });
});

describe('[R13] near copies', () => {
  const card = named('Ada King', mail('ada@x.org'));
  const choir = { key: 'choir', left: 'g-choir', right: 's-choir', settled: true };
  const inGroup = (side: Side, id: string, given: Given, groupIds: readonly string[]): Half =>
    halfOf(record(id, given, { groupIds }), { side });

  test.each([
    ['exact', card],
    ['near', { ...card, company: 'Engine' }],
  ])('are paired by their groups if they are otherwise %s copies', (_, other) => {
    const left = [inGroup('left', 'g1', card, []), inGroup('left', 'g2', card, ['g-choir'])];
    const right = [inGroup('right', 's1', other, ['s-choir']), inGroup('right', 's2', other, [])];
    const { matches } = matchContacts({ left, right, links: [choir] });
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
    const edited = (given: Given): Given => ({ ...given, company: 'Engine' });
    expect(match([card, other], [edited(other), edited(card)]).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('a contradicting contact is paired last', () => {
    const [plain, doctor] = [card, { ...card, title: 'Dr' }];
    const nurse = { ...card, title: 'Nurse', ...phone('112') };
    const engine = { ...card, ...phone('113') };
    expect(match([doctor, plain], [nurse, engine]).matches).toEqual(['g1 s2', 'g2 s1']);
  });

  test('without an address are paired by other shared values', () => {
    const [plain, other] = [named('Ada King'), named('Ada King', { websites: values('x.org') })];
    const edited = (given: Given): Given => ({ ...given, title: 'Dr' });
    const matches = ['g1 s2', 'g2 s1'];
    expect(match([plain, other], [edited(other), edited(plain)])).toEqual({ matches, ambiguous: [] });
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
  const different: [Given, Given] = [named('Ada King', mail('a@x.org')), named('Bob Ray', mail('b@x.org'))];
  const namesakes: [Given, Given] = [named('Ada King', mail('a@x.org')), named('Ada King', mail('b@x.org'))];

  test.each<[string, [Given, Given], string | undefined, number]>([
    ['of this link and an address', renamed, own, 1],
    ['of this link and the name', namesakes, own, 1],
    ['of this link, as the only evidence', different, own, 0],
    ['of another account and an address', renamed, foreign, 0],
    ['of another account and the name', namesakes, foreign, 0],
    ['without an account and an address', renamed, undefined, 1],
    ['without an account and the name', namesakes, undefined, 1],
    ['without an account, as the only evidence', different, undefined, 0],
    ['of this link, without a value to compare', [{}, named('Ada King')], own, 1],
    ['without an account, without a value to compare', [{}, named('Ada King')], undefined, 0],
  ])('%s: %j, %s: pairs %i', (_, [left, right], scope, expected) => {
    expect(pairsWith(made(left, scope), source(right))).toBe(expected);
  });
});

describe('many contacts with the same email address', () => {
  const SIZE = 5_000;
  type Naming = (index: number) => string;
  /** Matches a crowd at each side. Returns also how often a company was read. */
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
    return [found, reads] as const;
  };

  // A comparison reads both companies at least once, so the reads bound the comparisons.
  describe.each<[string, Given]>([
    ['copies', {}],
    ['near copies', { title: 'Dr' }],
  ])('of %s', (_, onTheRight) => {
    test.each<[string, (index: number) => string]>([
      ['of different names', (index) => `Person ${index}`],
      ['of one name', () => 'Office'],
      ['without names', () => ''],
      ['of a hundred names', (index) => `Person ${index % 100}`],
    ])('%s is compared about once for each contact, not with every other contact', (__, nameOf) => {
      const [{ matches }, reads] = matchCrowds(nameOf, nameOf, onTheRight);
      expect(new Set(matches.map((found) => found.right.id)).size).toBe(SIZE);
      expect(matches).toHaveLength(SIZE);
      expect(reads).toBeLessThan(20 * SIZE);
    });
  });

  test('without a match on the other side is reported at once, without comparing its contacts', () => {
    const [{ matches, ambiguous }, reads] = matchCrowds(
      (index) => `Person ${index}`,
      (index) => `Other ${index}`,
    );
    expect(matches).toEqual([]);
    expect(ambiguous.map(({ left, right, why }) => [left.length, right.length, why])).toEqual([
      [SIZE, SIZE, 'names differ'],
    ]);
    expect(reads).toBeLessThan(20 * SIZE);
  });
});

describe('R13: a phone number agrees only in full', () => {
  test.each([
    ['+20 100 123 4567', '0170 1234567'],
    ['+49 170 1234567', '+43 170 1234567'],
    ['+49 30 51234567', '030 1234567'],
    ['0170 1234567', '0171 1234567'],
  ])('%s and %s are two numbers', (one, other) => {
    expect(match([named('Ann Lee', phone(one))], [named('Ann Lee', phone(other))]).matches).toEqual([]);
    expect(reasons([named('Ann', phone(one))], [named('محمد علي', phone(other))])).toEqual([]);
  });

  test.each([
    ['+49 170 1234567', '0170 1234567'],
    ['+49 170 1234567', '0049 170 1234567'],
    ['+49 170 1234567', '49 170 1234567'],
    ['+1 202-555-0143', '(202) 555-0143'],
    ['+1 202-555-0143', '1 202 555 0143'],
    ['+7 495 123-45-67', '8 (495) 123-45-67'],
    ['0170 1234567', '170 1234567'],
    ['+49 30 901820', '+٤٩ ٣٠ ٩٠١٨٢٠'],
    ['+1 212 555 0100', '+1 212 555 0100 x12'],
  ])('%s and %s are one number', (one, other) => {
    expect(match([named('Ann Lee', phone(one))], [named('Ann Lee', phone(other))]).matches).toEqual(['g1 s1']);
  });
});

test('R13: a contact named by its phone number is a possible match of a person with the number', () => {
  const found = [{ left: ['g1'], right: ['s1'], why: 'same phone number' }];
  for (const numbers of [phone('0170 1234567'), {}]) {
    const nameless = { firstName: '+49 170 1234567', ...numbers };
    expect(reasons([nameless], [named('Ann Lee', phone('+49 170 1234567'))])).toEqual(found);
  }
});
