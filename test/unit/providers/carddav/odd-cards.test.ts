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
