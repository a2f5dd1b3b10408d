import { describe, expect, test } from 'vitest';
import type { Half } from '../../../../src/core/contact/half.ts';
import { matchContacts } from '../../../../src/core/reconcile/match.ts';
import { address, halfOf, record, values } from './support.ts';
import { NOBODY, mail, match, named, people, phone, reasons, type Given } from './match-support.ts';

const bothWays = (one: Given, other: Given) =>
  [
    [one, other],
    [other, one],
  ] as const;

describe('[R13] by email', () => {
  test.each<[string, Given, Given]>([
    ['among others', mail('a@x.org', 'b@x.org'), mail('c@x.org', 'b@x.org')],
    ['under another name', named('Ada Byron', mail('ada@x.org')), named('Ada Lovelace', mail('ada@x.org'))],
    ['under a nickname', named('Bob Smith', mail('bob@x.org')), named('Robert Smith', mail('bob@x.org'))],
    ['named by the address', { firstName: 'ada@x.org', ...mail('ada@x.org') }, named('Ada King', mail('ada@x.org'))],
    ['if one has no name', mail('ada@x.org'), named('Ada King', mail('ada@x.org'))],
    ['if phones differ', { ...mail('a@x.org'), ...phone('1111111') }, { ...mail('a@x.org'), ...phone('2222222') }],
  ])('two contacts are one person: %s', (_, left, right) => {
    expect(match([left], [right])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
  });

  test('a family that shares an address is paired by name', () => {
    const family = (name: string) => named(`${name} Smith`, mail('smiths@x.org'));
    const [left, right] = [['John', 'Jane', 'Tim'].map(family), ['Tim', 'John', 'Jane'].map(family)];
    expect(match(left, right)).toEqual({ matches: ['g1 s2', 'g2 s3', 'g3 s1'], ambiguous: [] });
  });

  test('two people of one household are not paired', () => {
    const john = named('John Smith', mail('smiths@x.org'));
    const jane = named('Jane Smith', mail('smiths@x.org'));
    expect(match([john], [jane])).toEqual({ matches: [], ambiguous: [{ left: ['g1'], right: ['s1'] }] });
  });

  test('the better of two candidates is paired, at any position', () => {
    const ada = named('Ada King', mail('office@x.org', 'ada@x.org'));
    const candidates = [named('Office', mail('office@x.org')), named('Ada King', mail('ada@x.org', 'office@x.org'))];
    expect(match([ada], candidates).matches).toEqual(['g1 s2']);
    expect(match([ada], candidates.toReversed()).matches).toEqual(['g1 s1']);
    expect(match(candidates, [ada]).matches).toEqual(['g2 s1']);
  });

  test('a phone or a company decides between equal candidates', () => {
    const office = (given: Given): Given => ({ ...mail('office@x.org'), ...given });
    const [one, two] = [office(phone('1111111')), office(phone('2222222'))];
    expect(match([one], [two, one]).matches).toEqual(['g1 s2']);
    const companies = [office({ company: 'A' }), office({ company: 'b' })];
    expect(match([office({ company: 'B' })], companies).matches).toEqual(['g1 s2']);
  });

  test('each set of competing candidates is reported separately', () => {
    const candidates = (address_: string) => [named('Ann Lee', mail(address_)), named('Bob Ray', mail(address_))];
    const right = [...candidates('one@x.org'), ...candidates('two@x.org')];
    const both = match([mail('one@x.org'), mail('two@x.org')], right);
    expect(both.ambiguous).toEqual([
      { left: ['g1'], right: ['s1', 's2'] },
      { left: ['g2'], right: ['s3', 's4'] },
    ]);
  });

  test('contacts without a name are copies only if they have the same addresses', () => {
    const [both, one] = [mail('a@x.org', 'b@x.org'), mail('a@x.org')];
    expect(match([one, mail('b@x.org')], [both, one])).toEqual({ matches: ['g1 s2', 'g2 s1'], ambiguous: [] });
    expect(match([one], [mail('c@x.org', 'a@x.org'), both]).matches).toEqual([]);
    expect(match([mail('c@x.org', 'a@x.org'), both], [one]).matches).toEqual([]);
    expect(match([one, one], [one]).matches).toEqual(['g1 s1']);
  });

  test('copies of one person are paired with one of them, the others stay unpaired', () => {
    const ada = named('Ada King', mail('ada@x.org'));
    expect(match([ada], [ada, ada])).toEqual({ matches: ['g1 s1'], ambiguous: [] });
    expect(match([ada, ada, ada], [ada, ada]).matches).toHaveLength(2);
  });
});

describe('[R13] the card of a company', () => {
  const info = { ...mail('info@acme.test'), ...phone('+49305550120') };
  const card: Given = { company: 'Acme Werke GmbH', ...info };

  test.each<[string, Given]>([
    ['of the company', named('Lena Personova', { company: 'Acme Werke GmbH', ...info })],
    ['of another company', named('Lena Personova', { company: 'Beta Handel', ...info })],
    ['without a company', named('Lena Personova', info)],
    ['named only by a title', { firstName: 'Frau', lastName: 'Personova', ...info }],
  ])('is not paired with a person %s at its address and number', (_, person) => {
    for (const [left, right] of bothWays(card, person)) {
      expect(reasons([left], [right])).toEqual([{ left: ['g1'], right: ['s1'], why: 'names differ' }]);
      expect(match([left], [right]).matches).toEqual([]);
    }
  });

  test.each<[string, Given, number]>([
    ['the same company', { company: 'ACME Werke GmbH', ...info }, 1],
    ['it without its legal form', { company: 'Acme Werke', ...info }, 1],
    ['an address alone', info, 1],
    ['another company at the same address', { company: 'Beta Handel', ...info }, 0],
  ])('is paired with the card of its company alone: %s', (_, other, expected) => {
    expect(match([card], [other]).matches).toHaveLength(expected);
  });
});

describe('[R13] by phone and name', () => {
  test('decides between contacts of the same name', () => {
    const namesakes = [named('Ada King', phone('+49301111111')), named('Ada King', phone('+49302222222'))];
    expect(match(namesakes, namesakes.toReversed())).toEqual({ matches: ['g1 s2', 'g2 s1'], ambiguous: [] });
  });

  test('is not enough if the number is too short to identify a person', () => {
    const card = (company: string): Given => ({ ...named('A B', phone('112')), company });
    expect(match([card('C')], [card('D')]).matches).toEqual([]);
  });

  test.each<[string, Given, Given]>([
    ['a first name alone', named('Ada'), named('Ada Lindholm')],
    ['a short form', named('Bob Rayner'), named('Robert Rayner')],
    ['an initial', named('A. Lindholm'), named('Ada Lindholm')],
    ['a remark in brackets', { firstName: 'Ada Lindholm', lastName: '(Acme)' }, named('Ada Lindholm')],
    ['a lost accent', named('Anna Muller'), named('Anna Mueller')],
    ['another script', named('Иван Петров'), named('Ivan Petrov')],
    ['no name', {}, named('Ada Lindholm')],
  ])('one number, and a name that differs by %s, is reported as a possible match', (_, left, right) => {
    const number = phone('+491705550330');
    for (const [one, other] of bothWays(left, right)) {
      expect(reasons([{ ...one, ...number }], [{ ...other, ...number }])).toEqual([
        { left: ['g1'], right: ['s1'], why: 'same phone number' },
      ]);
    }
  });

  test.each<[string, Given, Given]>([
    ['another first name', named('Mama'), named('Anna Lindholm')],
    ['a suffix', { firstName: 'John Jr.', lastName: 'Smith' }, { firstName: 'John', lastName: 'Smith Sr.' }],
    ['the card of a company', { company: 'Acme' }, named('Ada Lindholm', { company: 'Acme' })],
    ['several people', { firstName: 'Ada & Ben', lastName: 'Lindholm' }, named('Ada Lindholm')],
  ])('one number is no evidence if %s distinguishes them', (_, left, right) => {
    const number = phone('+491705550330');
    expect(match([{ ...left, ...number }], [{ ...right, ...number }])).toEqual(NOBODY);
  });
});

describe('[R13] by a full name', () => {
  test.each<[string, Given, Given]>([
    ['alone', named('Ada King'), named('ADA KÍNG')],
    ['in one field', { firstName: 'Ada King' }, named('Ada King')],
    ['if only one has more values', named('Ada King', mail('a@x.org')), named('Ada King', phone('1111111'))],
    ['if one of several phones is shared', named('A B', phone('1111111', '2222222')), named('A B', phone('2222222'))],
    ['of a company without a person', { company: 'Engine Ltd.' }, { company: 'engine ltd', title: 'x' }],
  ])('two contacts are one person: %s', (_, left, right) => {
    expect(match([left], [right]).matches).toEqual(['g1 s1']);
  });

  test.each<[string, Given, Given]>([
    ['other addresses', named('Ada King', mail('a@x.org')), named('Ada King', mail('b@x.org'))],
    ['other phones', named('Ada King', phone('1111111')), named('Ada King', phone('2222222'))],
    ['another company', named('Ada King', { company: 'A' }), named('Ada King', { company: 'B' })],
  ])('is contradicted by %s: reported as a possible match', (_, left, right) => {
    expect(reasons([left], [right])).toEqual([{ left: ['g1'], right: ['s1'], why: 'same name' }]);
    expect(match([left], [right]).matches).toEqual([]);
  });

  test.each<[string, Given, Given]>([
    ['a short form', named('Bob Rayner'), named('Robert Rayner')],
    ['two short forms', named('Bob Rayner'), named('Rob Rayner')],
    ['an initial', named('A. Lindholm'), named('Ada Lindholm')],
    ['a further given name', named('Ada Lindholm'), { firstName: 'Ada Mary', lastName: 'Lindholm' }],
    ['a lost accent', named('Ada Muller'), named('Ada Mueller')],
  ])('in %s, with other addresses, is reported as a possible match', (_, left, right) => {
    for (const [one, other] of bothWays(left, right)) {
      const found = reasons([{ ...one, ...mail('a@x.org') }], [{ ...other, ...mail('b@x.org') }]);
      expect(found).toEqual([{ left: ['g1'], right: ['s1'], why: 'same name' }]);
    }
  });

  test('decides nothing about a contact that shares a number with a short form of the name', () => {
    const [robert, bob] = [named('Robert Rayner', mail('r@x.org')), named('Bob Rayner', phone('+49301111111'))];
    expect(match([robert], [named('Robert Rayner'), bob]).matches).toEqual(['g1 s1']);
    expect(match([robert, bob], [named('Robert Rayner', phone('+49301111111'))]).matches).toEqual([]);
  });

  test('does not match a company of this name', () => {
    expect(match([{ company: 'Ada King' }], [named('Ada King')])).toEqual(NOBODY);
  });

  test('a first name alone is no evidence: two of them with other addresses are not reported', () => {
    expect(match([named('Ada', mail('a@x.org'))], [named('Ada', mail('b@x.org'))])).toEqual(NOBODY);
  });

  test('that is not unique is not paired and is reported', () => {
    const [one, two] = [[named('Ada King')], [named('Ada King', { title: 'Dr' }), named('Ada King', phone('2222222'))]];
    expect(match(one, two)).toEqual({ matches: [], ambiguous: [{ left: ['g1'], right: ['s1', 's2'] }] });
    expect(match(two, one)).toEqual({ matches: [], ambiguous: [{ left: ['g1', 'g2'], right: ['s1'] }] });
  });

  test('is unique once the other contacts of that name are paired otherwise', () => {
    const left = [named('Ada King', mail('a@x.org')), named('Ada King')];
    const right = [named('Ada King', { title: 'Dr' }), named('Ada King', mail('a@x.org'))];
    expect(match(left, right)).toEqual({ matches: ['g1 s2', 'g2 s1'], ambiguous: [] });
  });
});

describe('[R13] copies with exactly the same content', () => {
  test('are paired even if they have neither a name nor an email', () => {
    const place = { addresses: [address('Main 1')], websites: values('x.org') };
    const same = { addresses: [address('main 1', { label: 'home' })], websites: values('https://x.org/') };
    expect(match([place], [same]).matches).toEqual(['g1 s1']);
    expect(match([place, place], [same, same]).matches).toHaveLength(2);
  });

  test('are paired as far as possible if a side has one more', () => {
    const ada = named('Ada King');
    expect(match([ada], [named('Ada King', { title: 'Dr' }), ada])).toEqual({ matches: ['g1 s2'], ambiguous: [] });
  });
});

describe('[R9] by the origin id that a create stored', () => {
  const twins = people('right', [named('Ada King', mail('a@x.org')), named('Ada King', mail('a@x.org'))]);
  const copy = (id: string, originId: string): Half =>
    halfOf(record(id, named('Ada King', mail('a@x.org')), { originId }));

  test('a contact is paired with its origin before other evidence is compared', () => {
    const { matches } = matchContacts({ left: [copy('g1', 's2')], right: twins });
    expect(matches.map((found) => found.right.id)).toEqual(['s2']);
  });

  test('an origin is paired once', () => {
    const { matches } = matchContacts({ left: [copy('g1', 's2'), copy('g2', 's2')], right: twins });
    expect(matches.map((found) => `${found.left.id} ${found.right.id}`)).toEqual(['g1 s2', 'g2 s1']);
  });

  test('an origin that is deleted is no evidence', () => {
    const { matches } = matchContacts({ left: [copy('g1', 's9')], right: twins });
    expect(matches).toHaveLength(1);
  });
});
