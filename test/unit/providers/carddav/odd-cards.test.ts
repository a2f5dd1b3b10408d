import { expect, test } from 'vitest';
import { USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import type { LabelledValue } from '../../../../src/core/contact/elements.ts';
import { cardMapping } from '../../../../src/providers/carddav/card/card-mapping.ts';
import { type Card, formatLines, parseLines } from '../../../../src/providers/carddav/card/content-line.ts';
import { cardWith } from './support.ts';

const mapping = cardMapping([...USUAL_FIELDS, 'middleName']);
const cardOf = (...lines: string[]): Card => parseLines(cardWith('4.0', 'UID:a', ...lines));
const textOf = (card: Card): string => card.map(({ head, value }) => `${head}:${value ?? ''}`).join('\n');
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

test.each([
  ['NICKNAME', 'nickname'],
  ['ORG', 'company'],
  ['EMAIL', 'emailAddresses'],
  ['TEL', 'phoneNumbers'],
] as const)('R5: FN that repeats %s is a name if its field is not synced', (name, field) => {
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

const ENTRIES = cardMapping([...USUAL_FIELDS, 'relations', 'instantMessengers', 'socialProfiles']);

/** Returns the lines of a card with this line after its only entry of the field was replaced, and the read entries. */
const replaced = (field: 'relations' | 'instantMessengers' | 'socialProfiles', line: string, entry: LabelledValue) => {
  const card = cardOf('FN:Ann', 'N:;Ann;;;', ...line.split('|'));
  const written = ENTRIES.write(card, { ...ENTRIES.read(card).contact, [field]: [entry] }, [field]);
  return { text: textOf(written), entries: ENTRIES.read(written).contact[field] };
};

test.each<[Parameters<typeof replaced>[0], string, string, string | null, RegExp]>([
  ['relations', 'X-SPOUSE:Ben', 'Tom', 'brother', /SPOUSE/u],
  ['relations', 'X-SPOUSE:Ben', 'Ben', 'partner', /SPOUSE/u],
  ['relations', 'X-EVOLUTION-SPOUSE:Ben', 'Tom', null, /SPOUSE/u],
  ['relations', 'item1.X-MANAGER:Ben|item1.X-ABLabel:Boss', 'Tom', 'assistant', /MANAGER/u],
  ['instantMessengers', 'X-ICQ:12345', 'ada.lee', 'skype', /X-ICQ/u],
  ['instantMessengers', 'X-JABBER:ada@example.org', 'ada@example.org', 'googleTalk', /X-JABBER/u],
  ['instantMessengers', 'X-SKYPE-USERNAME:ada', 'ada', null, /X-SKYPE/u],
  ['instantMessengers', 'IMPP;SERVICE-TYPE=Skype:skype:ann', 'bob', null, /ann/u],
  ['instantMessengers', 'IMPP;SERVICE-TYPE=Skype:skype:ann', 'ann', null, /Skype/u],
  ['instantMessengers', 'IMPP;SERVICE-TYPE=Skype:skype:ann', 'bob', 'icq', /Skype/u],
  ['instantMessengers', 'IMPP;X-SERVICE-TYPE=Skype;SERVICE-TYPE=ICQ:skype:ann', 'bob', 'aim', /Skype/u],
  ['instantMessengers', 'IMPP:xmpp:ann@example.org', 'bob', 'icq', /ann@/u],
  ['instantMessengers', 'IMPP:ann', 'ann', null, /SERVICE-TYPE/u],
  ['socialProfiles', 'SOCIALPROFILE;SERVICE-TYPE=Mastodon;VALUE=text:ann', 'bob', 'Instagram', /Mastodon/u],
  ['socialProfiles', 'SOCIALPROFILE;SERVICE-TYPE=M;TYPE=work:https://m.test/@a', 'https://m.test/@b', null, /@a/u],
  ['socialProfiles', 'SOCIALPROFILE;SERVICE-TYPE=M;USERNAME=a:https://m.test/@a', 'https://m.test/@b', 'M', /USER/u],
  ['socialProfiles', 'X-SOCIALPROFILE;TYPE=twitter;X-USER=ann:x-apple:ann', 'https://twitter.com/ann', 'x', /X-USER/u],
  ['socialProfiles', 'X-SOCIALPROFILE;TYPE=facebook:facebook:ann', 'https://www.facebook.com/ann', null, /:ann/u],
])('R5: %s of %s are read as %s of %s after that was written', (field, line, value, label, former) => {
  const { text, entries } = replaced(field, line, { value, label });
  expect(entries).toEqual([{ value, label }]);
  expect(text).not.toMatch(former);
});

test('R5: a line keeps its parameters if its label stays', () => {
  const { text } = replaced('relations', 'X-EVOLUTION-SPOUSE;X-A=1:Ben', { value: 'Tom', label: 'spouse' });
  expect(text).toContain('X-EVOLUTION-SPOUSE;X-A=1:Tom');
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

const COMPANY = ['FN:Smith, Jones & Co', 'N:;;;;', 'ORG:Smith, Jones & Co;Sales'];

test.each([
  ['marked as a company', ['X-ABShowAs:COMPANY']],
  ['not marked', []],
])('R10: a comma that a card does not escape stays in its company, on a card that is %s', (_, marks) => {
  const card = parseLines(cardWith('3.0', 'UID:1', ...COMPANY, ...marks));
  const { contact } = mapping.read(card);
  expect(contact).toMatchObject({ firstName: '', lastName: '', company: 'Smith, Jones & Co' });
  const written = mapping.write(card, { ...contact, lastName: 'Lee' }, ['lastName']);
  expect(mapping.read(written).contact).toEqual({ ...contact, lastName: 'Lee' });
  const renamed = mapping.write(card, { ...contact, company: 'Smith & Co' }, ['company']);
  expect(mapping.read(renamed).contact).toEqual({ ...contact, company: 'Smith & Co' });
  expect(formatLines(renamed)).toContain('FN:Smith & Co\r\n');
});

test.each(['Ann Lee', 'The Boss'])('R5: a name with a semicolon is stored as sent on the card of %s', (whole) => {
  const card = parseLines(cardWith('3.0', 'UID:1', `FN:${whole}`, 'N:Lee;Ann;;;'));
  const desired = { ...mapping.read(card).contact, firstName: 'Family Lee; House 3', lastName: '' };
  const written = mapping.write(card, desired, ['firstName', 'lastName']);
  expect(mapping.read(parseLines(formatLines(written))).contact).toEqual(desired);
});

test.each(['3.0', '4.0'])('R10: a new label of a line changes no other label of its group, in %s', (version) => {
  const adr = 'HOME.ADR;TYPE=WORK:;;1 Elm St;Rye;;1;UK';
  const lines = ['UID:1', 'FN:Ann Lee', 'N:Lee;Ann;;;', 'HOME.TEL;TYPE=HOME:+49 30 901820', adr];
  const card = parseLines(cardWith(version, ...lines));
  const { contact } = mapping.read(card);
  const phoneNumbers = [{ value: '+49 30 901999', label: 'Holidays' }];
  const written = mapping.write(card, { ...contact, phoneNumbers }, ['phoneNumbers']);
  expect(mapping.read(written).contact).toEqual({ ...contact, phoneNumbers });
  expect(formatLines(written)).toContain(`${adr}\r\n`);
});
