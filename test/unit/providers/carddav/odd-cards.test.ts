import { describe, expect, test } from 'vitest';
import type { Contact } from '../../../../src/core/contact/contact.ts';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { cardMapping } from '../../../../src/providers/carddav/card/card-mapping.ts';
import { type Card, parseLines } from '../../../../src/providers/carddav/card/content-line.ts';
import { cardWith } from './support.ts';

const mapping = cardMapping([...USUAL_FIELDS, 'middleName', 'birthday', 'socialProfiles']);

const cardOf = (...lines: string[]): Card => parseLines(cardWith('4.0', 'UID:a', ...lines));

const read = (...lines: string[]): Contact => mapping.read(cardOf(...lines)).contact;

const textOf = (card: Card): string => card.map(({ head, value }) => `${head}:${value ?? ''}`).join('\n');

describe('R13: the card of a company has its name as the company', () => {
  test.each([
    ['FN only', ['KIND:org', 'FN:Copper Kettle']],
    ['another spelling of the kind', ['kind:ORG', 'FN:Copper Kettle', 'N:;;;;']],
    ['the property of Apple', ['item1.X-ABShowAs:COMPANY', 'FN:Copper Kettle', 'N:;;;;']],
    ['the name as the family name', ['KIND:org', 'FN:Copper Kettle', 'N:Copper Kettle;;;;']],
    ['the name in two parts', ['X-ABShowAs:company', 'FN:Copper Kettle', 'N:Kettle;Copper;;;']],
    ['the name as given name', ['KIND:org', 'FN:Copper Kettle', 'N:;Copper Kettle;;;', 'ORG:Copper Kettle;Head']],
    ['another formatted name', ['KIND:org', 'FN:Copper Kettle, Head Office', 'ORG:Copper Kettle;Head Office']],
  ])('%s', (_, lines) => {
    expect(read(...lines)).toMatchObject({ firstName: '', lastName: '', company: 'Copper Kettle' });
  });

  test('but the person of a company stays a person', () => {
    const lines = ['X-ABShowAs:COMPANY', 'FN:Copper Kettle', 'N:Lee;Ann;;;', 'ORG:Copper Kettle'];
    expect(read(...lines)).toMatchObject({ firstName: 'Ann', lastName: 'Lee', company: 'Copper Kettle' });
  });

  test('a written company replaces it everywhere, and another field changes no line of it', () => {
    const card = cardOf('KIND:org', 'FN:Copper Kettle', 'N:Copper Kettle;;;;');
    const { contact } = mapping.read(card);
    const renamed = mapping.write(card, { ...contact, company: 'Tin Pot' }, ['company']);
    expect(mapping.read(renamed).contact).toMatchObject({ firstName: '', lastName: '', company: 'Tin Pot' });
    expect(textOf(renamed)).not.toContain('Copper');
    const titled = mapping.write(card, { ...contact, title: 'Shop' }, ['title']);
    expect(textOf(titled)).toContain('N:Copper Kettle;;;;');
    const person = mapping.write(card, { ...contact, firstName: 'Ann' }, ['firstName']);
    expect(mapping.read(person).contact).toMatchObject({ firstName: 'Ann', lastName: '', company: 'Copper Kettle' });
  });

  const MARKS = ['KIND:org', 'item1.X-ABShowAs:COMPANY'];
  const NO_NAME = { firstName: '', lastName: '', company: '' };

  test.each([
    ['in ORG', ['FN:Acme', 'N:;;;;', 'ORG:Acme']],
    ['in FN', ['FN:Acme', 'N:;;;;']],
    ['in N', ['FN:Acme', 'N:Acme;;;;']],
    ['with a department and another FN', ['FN:Acme, Head Office', 'N:;;;;', 'ORG:Acme;Head Office']],
  ])('R5: a company %s can be removed and be written again', (_, lines) => {
    for (const mark of MARKS) {
      const card = cardOf(mark, ...lines, 'EMAIL:a@example.org');
      const { contact } = mapping.read(card);
      expect(contact.company).toBe('Acme');
      const removed = mapping.write(card, { ...contact, company: '' }, ['company']);
      expect(mapping.read(removed).contact).toEqual({ ...contact, ...NO_NAME });
      expect(textOf(removed)).toContain(mark);
      expect(mapping.read(mapping.write(removed, contact, ['company'])).contact).toEqual(contact);
      const named = mapping.write(removed, { ...contact, ...NO_NAME, firstName: 'Ada' }, ['firstName']);
      expect(mapping.read(named).contact).toEqual({ ...contact, ...NO_NAME, firstName: 'Ada' });
    }
  });

  test.each([
    ['that had no name', ['FN:Acme', 'N:;;;;', 'ORG:Acme']],
    ['that had a name', ['FN:Acme', 'N:Lee;Ann;;;', 'ORG:Acme']],
  ])('R5: the card of a company %s becomes that of a person if a name replaces the company', (_, lines) => {
    for (const mark of MARKS) {
      const card = cardOf(mark, ...lines);
      const { contact } = mapping.read(card);
      const desired = { ...contact, firstName: 'Ada', lastName: 'Lee', company: '' };
      const written = mapping.write(card, desired, ['firstName', 'lastName', 'company']);
      expect(mapping.read(written).contact).toEqual(desired);
      expect(textOf(written)).not.toMatch(/Acme|KIND|ABShowAs/u);
      expect(textOf(written)).toContain('FN:Ada Lee');
    }
  });

  test('R10: a title changes no other line of the card of a company without ORG', () => {
    const card = cardOf('KIND:org', 'FN:Acme', 'N:;;;;');
    const written = mapping.write(card, { ...mapping.read(card).contact, title: 'Shop' }, ['title']);
    expect(written.filter((line) => !card.includes(line)).map(({ name }) => name)).toEqual(['TITLE']);
    expect(card.filter((line) => !written.includes(line))).toEqual([]);
  });
});

describe('R5: a formatted name that repeats another property is a name if the field of that property is not synced', () => {
  test.each([
    ['NICKNAME', 'nickname'],
    ['ORG', 'company'],
    ['EMAIL', 'emailAddresses'],
    ['TEL', 'phoneNumbers'],
  ] as const)('%s', (name, field) => {
    const card = cardOf('FN:Bob', 'N:;;;;', `${name}:Bob`);
    const chosen = [...USUAL_FIELDS.filter((each) => each !== field), 'middleName'] as const;
    expect(cardMapping([...chosen, field]).read(card).contact.firstName).toBe('');
    const without = cardMapping(chosen);
    const { contact } = without.read(card);
    expect(contact.firstName).toBe('Bob');
    const renamed = without.write(card, { ...contact, firstName: 'Rob' }, ['firstName']);
    expect(textOf(renamed)).toContain('FN:Rob');
    const unnamed = without.write(card, { ...contact, firstName: '' }, ['firstName']);
    expect(without.read(unnamed).contact.firstName).toBe('');
    expect(textOf(unnamed)).toContain(`${name}:Bob`);
  });
});

describe('R5: a property whose name is a label is replaced if its element gets another label', () => {
  const related = cardMapping([...USUAL_FIELDS, 'relations', 'instantMessengers']);

  test.each([
    ['X-SPOUSE:Ben', { value: 'Tom', label: 'brother' }],
    ['X-SPOUSE:Ben', { value: 'Ben', label: 'partner' }],
    ['X-EVOLUTION-SPOUSE:Ben', { value: 'Tom', label: null }],
    ['item1.X-MANAGER:Ben', { value: 'Tom', label: 'assistant' }],
  ])('%s becomes %j', (line, relation) => {
    for (const version of ['3.0', '4.0']) {
      const text = cardWith(version, 'FN:Ada', 'N:;Ada;;;', line, 'item1.X-ABLabel:Boss', 'NOTE:x');
      const card = parseLines(text);
      const relations = [relation];
      const written = related.write(card, { ...related.read(card).contact, relations }, ['relations']);
      expect(related.read(written).contact.relations).toEqual(relations);
      expect(textOf(written)).not.toMatch(/SPOUSE|MANAGER/u);
    }
  });

  test.each([
    ['X-ICQ:12345', { value: 'ada.lee', label: 'skype' }],
    ['X-JABBER:ada@example.org', { value: 'ada@example.org', label: 'googleTalk' }],
    ['X-SKYPE-USERNAME:ada', { value: 'ada', label: null }],
  ])('%s becomes %j', (line, messenger) => {
    const card = cardOf('FN:Ada', 'N:;Ada;;;', line);
    const instantMessengers = [messenger];
    const desired = { ...related.read(card).contact, instantMessengers };
    const written = related.write(card, desired, ['instantMessengers']);
    expect(related.read(written).contact.instantMessengers).toEqual(instantMessengers);
    expect(textOf(written)).not.toMatch(/X-(?:ICQ|JABBER|SKYPE-USERNAME)/u);
  });

  test('a line with the same label stays', () => {
    const card = cardOf('FN:Ada', 'N:;Ada;;;', 'X-EVOLUTION-SPOUSE;X-A=1:Ben');
    const relations = [{ value: 'Tom', label: 'spouse' }];
    const written = related.write(card, { ...related.read(card).contact, relations }, ['relations']);
    expect(textOf(written)).toContain('X-EVOLUTION-SPOUSE;X-A=1:Tom');
  });
});

describe('R5: a written network or user name is the one that is read', () => {
  const networked = cardMapping([...USUAL_FIELDS, 'socialProfiles', 'instantMessengers']);

  test.each([
    ['SOCIALPROFILE;SERVICE-TYPE=Mastodon;VALUE=text:ann', 'bob', 'Instagram'],
    ['SOCIALPROFILE;SERVICE-TYPE=Mastodon;TYPE=work:https://m.example/@ann', 'https://m.example/@bob', null],
    ['SOCIALPROFILE;SERVICE-TYPE=Mastodon;USERNAME=ann:https://m.example/@ann', 'https://m.example/@bob', 'Mastodon'],
    ['X-SOCIALPROFILE;TYPE=twitter;X-USER=ann:x-apple:ann', 'https://twitter.com/ann', 'x'],
    ['X-SOCIALPROFILE;TYPE=facebook:facebook:ann', 'https://www.facebook.com/ann', null],
  ])('%s becomes %s of %s', (line, value, label) => {
    const card = cardOf('FN:Ann', line);
    const socialProfiles = [{ value, label }];
    const written = networked.write(card, { ...networked.read(card).contact, socialProfiles }, ['socialProfiles']);
    expect(networked.read(written).contact.socialProfiles).toEqual(socialProfiles);
    expect(textOf(written)).not.toContain('USERNAME');
    if (line.includes('SERVICE-TYPE') && label !== null) expect(textOf(written)).toContain(`SERVICE-TYPE=${label}`);
  });

  test.each([
    ['IMPP;SERVICE-TYPE=Skype:skype:ann', 'bob', null],
    ['IMPP;SERVICE-TYPE=Skype:skype:ann', 'ann', null],
    ['IMPP;SERVICE-TYPE=Skype:skype:ann', 'bob', 'icq'],
    ['IMPP;X-SERVICE-TYPE=Skype;SERVICE-TYPE=ICQ:skype:ann', 'bob', 'aim'],
    ['IMPP:xmpp:ann@example.org', 'bob', 'icq'],
    ['IMPP:ann', 'ann', null],
  ])('%s becomes %s of %s', (line, value, label) => {
    const card = cardOf('FN:Ann', line);
    const instantMessengers = [{ value, label }];
    const desired = { ...networked.read(card).contact, instantMessengers };
    const written = networked.write(card, desired, ['instantMessengers']);
    expect(networked.read(written).contact.instantMessengers).toEqual(instantMessengers);
  });
});

test.each([
  ['N:Ab\\;Petra\\;Paula\\;\\;;;;;', 'Petra Paula Ab', ['Petra', 'Paula', 'Ab']],
  ['N:Ab\\;Petra', 'Petra Ab', ['Petra', '', 'Ab']],
  ['N:;Ab\\;Petra;;;', 'Petra Ab', ['Petra', '', 'Ab']],
  ['N:Smith\\; Sons;;;;', 'Smith; Sons', ['', '', 'Smith; Sons']],
])('R5: %s of %s has these parts', (line, whole, [firstName, middleName, lastName]) => {
  const card = cardOf(line, `FN:${whole}`);
  const { contact } = mapping.read(card);
  expect([contact.firstName, contact.middleName ?? '', contact.lastName]).toEqual([firstName, middleName, lastName]);
  const written = mapping.write(card, { ...contact, lastName: 'New' }, ['lastName']);
  expect(mapping.read(written).contact).toMatchObject({ firstName, lastName: 'New' });
  expect(textOf(mapping.write(card, { ...contact, title: 'X' }, ['title']))).toContain(line);
});

test.each([
  ['tel:+1-202-555-0142;ext=5555', '+1-202-555-0142 ext. 5555'],
  ['TEL:+1-202-555-0142;EXT=%35555', '+1-202-555-0142 ext. 5555'],
  ['tel:0151%2055501%2044', '0151 55501 44'],
  ['tel:5550145;phone-context=+49-30', '+49-30-5550145'],
  ['tel:7042;phone-context=example.com', '7042'],
  ['tel:+49-30-5550145;isub=12;phone-context=+49', '+49-30-5550145'],
  ['tel:+49-30-5550145;x-note=a%3Bb', '+49-30-5550145'],
  ['+49 30 5550145', '+49 30 5550145'],
])('R5: %s is %s', (uri, value) => {
  expect(read(`TEL;VALUE=uri:${uri}`).phoneNumbers).toEqual([{ value, label: null }]);
});

test.each([
  ['TYPE=twitter;x-user=ann:x-apple:ann', { value: 'https://twitter.com/ann', label: 'twitter' }],
  ['TYPE=Instagram:x-apple:%40ann', { value: 'https://www.instagram.com/ann', label: 'Instagram' }],
  ['TYPE=twitter;x-user=ann:', { value: 'https://twitter.com/ann', label: 'twitter' }],
  ['TYPE=gamecenter:x-apple:ann', { value: 'ann', label: 'gamecenter' }],
  ['TYPE=pref,xing:x-evolution:ann', { value: 'ann', label: 'xing' }],
  ['TYPE=FACEBOOK:facebook:https://www.facebook.com/bob', { value: 'https://www.facebook.com/bob', label: 'FACEBOOK' }],
  ['TYPE=twitter:http://twitter.com/bob', { value: 'http://twitter.com/bob', label: 'twitter' }],
])('R5: the profile %s has a URL or a user name', (line, profile) => {
  expect(read(`X-SOCIALPROFILE;${line}`).socialProfiles).toEqual([profile]);
});

test.each(['1604-06-26', '16040626', '26.06.1604'])('R5: the birthday %s has no year', (day) => {
  expect(read(`BDAY:${day}`).birthday).toBe('--06-26');
});
