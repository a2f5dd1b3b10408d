import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import { contactFieldsOf } from '../../../../src/core/contact/chosen.ts';
import type { Contact, ContactField } from '../../../../src/core/contact/contact.ts';
import { EMPTY_CONTACT, FURTHER, inFieldOrder, USUAL_FIELDS } from '../../../../src/core/contact/contact.ts';
import { cardMapping } from '../../../../src/providers/carddav/card/card-mapping.ts';
import { formatLines, parseLines } from '../../../../src/providers/carddav/card/content-line.ts';
import { cardWith } from './support.ts';

const ALL = inFieldOrder([...USUAL_FIELDS, ...FURTHER, 'custom:Shoe size', 'custom:Größe']);
const MAPPING = cardMapping(ALL);
const contactOf = (text: string): Contact => MAPPING.read(parseLines(text)).contact;
const unfolded = (text: string): string => text.replaceAll(/\r?\n[ \t]/gu, '').replaceAll('\r\n', '\n');
const linesOf = (text: string): readonly string[] => unfolded(text).split('\n');
const FOLDER = join(import.meta.dirname, '../../../support/address-books');
const FIXTURES = ['apple-3.0.vcf', 'standard-4.0.vcf'].flatMap((file) =>
  readFileSync(join(FOLDER, file), 'utf8')
    .split(/(?<=END:VCARD\r?\n)/u)
    .filter((text) => text.trim() !== '')
    .map((text, index) => [`card ${index + 1} of ${file}`, text] as const),
);

const CARD = cardWith(
  '3.0',
  'UID:1',
  'FN:Dr. Ada Augusta King',
  'N:King;Ada;Augusta;Dr.;',
  'ORG:Engines;R&D',
  'item1.EMAIL;type=INTERNET;type=pref:ada@example.org',
  'item1.X-ABLabel:_$!<Other>!$_',
  'EMAIL;TYPE=work,pref:b@example.org',
  'TEL;TYPE=HOME,FAX:+1 555 1234567',
  'item2.ADR;type=HOME:Box 1;;1 St\\nFlat 2;City;;123;UK',
  'item2.X-ABADR:gb',
  'BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-17',
  'X-FOO;A="b:c;d":bar\\,baz',
  'a line without meaning',
);

const written = (text: string, change: Partial<Contact>): string => {
  const card = parseLines(text);
  const fields = Object.keys(change) as ContactField[];
  return formatLines(MAPPING.write(card, { ...contactOf(text), ...change }, fields));
};

describe.each(FIXTURES)('R10: %s', (_, text) => {
  const card = parseLines(text);

  test('is written back unchanged if no field is edited', () => {
    const again = formatLines(MAPPING.write(card, contactOf(text), contactFieldsOf(ALL)));
    expect(unfolded(again)).toBe(unfolded(text));
  });
});

const cardOf = (...lines: readonly string[]): string => cardWith('3.0', 'UID:1', ...lines);

/** Returns the lines that an edit removed and added. */
const difference = (text: string, change: Partial<Contact>) => {
  const [before, after] = [linesOf(text), linesOf(written(text, change))];
  return {
    removed: before.filter((line) => !after.includes(line)),
    added: after.filter((line) => !before.includes(line)),
  };
};

const CARD_4 = CARD.replace('VERSION:3.0', 'VERSION:4.0');
const WITH_OWN_NAME = CARD.replace('FN:Dr. Ada Augusta King', 'FN:The Countess');
const COMPANY = cardOf('FN:Engines', 'N:;;;;', 'ORG:Engines;R&D');
const ADDRESS = { street: '2 St', city: 'City', region: '', postalCode: '123', country: 'UK', label: 'home' };
const [ADA, B] = ['ada@example.org', 'b@example.org'];
const LABELS = [ADA, B].map((value, index) => ({ value, label: ['other', 'Club'][index] ?? null }));
const FLAT = { ...ADDRESS, extended: 'Apt 4', poBox: 'Box 2' };

test.each<[string, Partial<Contact>, string, string?]>([
  ['a name in N and FN', { firstName: 'Adele' }, 'FN:Dr. Adele Augusta King | N:King;Adele;Augusta;Dr.;'],
  ['a name, but no FN of its own', { firstName: 'Adele' }, 'N:King;Adele;Augusta;Dr.;', WITH_OWN_NAME],
  ['a company, in FN without a name', { company: 'Looms' }, 'FN:Looms | ORG:Looms;R&D', COMPANY],
  ['a label that is no type', { emailAddresses: LABELS }, 'item3.EMAIL;TYPE=pref:b@example.org | item3.X-ABLabel:Club'],
  ['a street without a former one', { addresses: [ADDRESS] }, 'item2.ADR;type=HOME:;;2 St;City;;123;UK'],
  ['an address by its parts', { addresses: [FLAT] }, 'item2.ADR;type=HOME:Box 2;Apt 4;2 St;City;;123;UK'],
  ['a day without a year in 3.0', { birthday: '--05-18' }, 'BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-18'],
  ['a day in 3.0', { birthday: '1980-05-18' }, 'BDAY:1980-05-18'],
  ['a day without a year in 4.0', { birthday: '--05-18' }, 'BDAY:--0518', CARD_4],
  ['a day in 4.0', { birthday: '1980-05-18' }, 'BDAY:19800518', CARD_4],
  ['custom fields', { 'custom:Shoe size': '41', 'custom:Größe': '170' }, 'X-SHOE-SIZE:41 | X-GRUD6SSE:170'],
  ['a title, and no missing FN', { title: 'X' }, 'TITLE:X', cardOf('N:King;Ada;;;')],
  ['a title, and nothing in an empty FN', { title: 'X' }, 'TITLE:X', cardOf('FN:', `EMAIL:${ADA}`)],
])('a write adds %s', (...[, change, added, text = CARD]) => {
  expect(difference(text, change).added.join(' | ')).toBe(added);
});

test('a write of email addresses keeps the others, and removes the X-ABLabel of a removed one', () => {
  expect(difference(CARD, { emailAddresses: [{ value: B, label: 'work' }] })).toEqual({
    removed: ['item1.EMAIL;type=INTERNET;type=pref:ada@example.org', 'item1.X-ABLabel:_$!<Other>!$_'],
    added: [],
  });
});

test('a write folds long lines at 75 octets without splitting a character', () => {
  const notes = '☕ Käthe '.repeat(40).trim();
  const text = written(CARD, { notes });
  expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
  expect(contactOf(text).notes).toBe(notes);
});

describe.each(['3.0', '4.0'] as const)('a new card of version %s', (version) => {
  const contact: Contact = {
    ...EMPTY_CONTACT,
    ...contactOf(CARD),
    websites: [{ value: 'https://example.org/a,b', label: 'homePage' }],
    nickname: 'Addie, the first',
    notes: 'First line\n\nSecond, line\\',
    relations: [{ value: 'Ben, the elder', label: 'spouse' }],
    instantMessengers: [{ value: 'ada.l', label: 'skype' }],
    socialProfiles: [{ value: 'https://linkedin.com/in/ada', label: 'linkedin' }],
    tags: [{ value: 'A+, B', label: null }],
    'custom:Shoe size': '41',
  };
  const text = formatLines(MAPPING.create(contact, 'uid-1', version));

  test('is read as the contact that it was created from', () => {
    expect(contactOf(text)).toEqual(contact);
  });

  test('is a valid card for another program', () => {
    const component = new ICAL.Component(ICAL.parse(text) as unknown[]);
    expect(component.getFirstPropertyValue('version')).toBe(version);
    expect(component.getFirstPropertyValue('fn')).toBe('Dr. Ada Augusta King');
    expect(component.getFirstPropertyValue('n')).toEqual(['King', 'Ada', 'Augusta', 'Dr.', '']);
    expect(component.getFirstPropertyValue('note')).toBe('First line\n\nSecond, line\\');
    expect(component.getFirstProperty('adr')?.getFirstValue()).toContain('1 St\nFlat 2');
  });
});

test('a card of another program is unchanged by a text that it already contains in another spelling', () => {
  const text = cardOf('FN:Ada', 'N:;Ada;;;', String.raw`NOTE:a\u019dote`);
  expect(written(text, { notes: contactOf(text).notes ?? '' })).toBe(text);
});

test('a card of another program keeps FN with an empty value if its last source is removed', () => {
  const text = cardOf('FN:Engines', 'N:;;;;', 'ORG:Engines');
  expect(difference(text, { company: '' })).toEqual({ removed: ['FN:Engines', 'ORG:Engines'], added: ['FN:'] });
});

test.each([
  ['only in FN', cardOf('FN:Ada King', 'N:;;;;', 'EMAIL:a@example.org')],
  ['in N, with another FN', cardOf('FN:The Countess', 'N:;Ada;;;', 'EMAIL:a@example.org')],
])('a card of another program does not restore a removed name %s from FN, and keeps N', (_, text) => {
  const edited = written(text, { firstName: '' });
  expect(contactOf(edited).firstName).toBe('');
  expect(linesOf(edited)).toEqual(expect.arrayContaining(['FN:a@example.org', 'N:;;;;']));
});

const NEW_LABELS = ['home', 'school', null];

test.each(NEW_LABELS)('an edit of a label to %s keeps it at another property', (label) => {
  const text = cardOf('FN:Ada', 'a.EMAIL:ada@example.org', 'a.ADR:;;1 St;;;;', 'a.X-ABLabel:club');
  const edited = written(text, { emailAddresses: [{ value: 'ada@example.org', label }] });
  expect(contactOf(edited).emailAddresses).toEqual([{ value: 'ada@example.org', label }]);
  expect(contactOf(edited).addresses.map((address) => address.label)).toEqual(['club']);
});

const note = 'a long text that no program has to fold at the same place as another one does';
const folded = (...lines: readonly string[]): string => cardOf('FN:Ada', 'N:;Ada;;;', ...lines);

test.each([
  ['not folded', [`NOTE:${note} ${note}`]],
  ['folded early', [`NOTE:${note.slice(0, 20)}`, ` ${note.slice(20)}`]],
  ['folded with tabs', [`NOTE:${note.slice(0, 40)}`, `\t${note.slice(40)}`]],
  ['folded in its name', ['X-LO', ` NG;X-A=1:${note}`]],
  ['folded twice', ['NOTE:a', ' b', '  c']],
])('R10: an edit refolds only the lines that it changes: a line that is %s', (_, lines) => {
  expect(written(folded(...lines), { title: 'Countess' })).toBe(folded(...lines, 'TITLE:Countess'));
});

test('R10: an edit refolds only the lines that it changes: a card with line feeds keeps its folds', () => {
  const text = folded('NOTE:a', ' b').replaceAll('\r\n', '\n');
  expect(written(text, { title: 'Countess' })).toBe(folded('NOTE:a', ' b', 'TITLE:Countess'));
});

const URLS = ['https://maps.test/@48.1,11.5,17z', 'https://a.test/x;y,z', String.raw`https://a.test/a\b,c`];

test.each(URLS)('the commas of the URL %s are escaped, and it is read back', (value) => {
  const websites = [{ value, label: null }];
  const socialProfiles = [{ value, label: 'linkedin' }];
  const text = unfolded(formatLines(MAPPING.create({ ...EMPTY_CONTACT, websites, socialProfiles }, '1', '3.0')));
  expect(text).not.toMatch(/^(?:URL|X-SOCIALPROFILE)\b.*[^\\],/mu);
  expect(contactOf(text)).toMatchObject({ websites, socialProfiles });
});

const READING = cardMapping(inFieldOrder([...USUAL_FIELDS, ...FURTHER]));
const phone = (value: string, label: string | null = null) => ({ phoneNumbers: [{ value, label }] });
const profile = (value: string, label: string) => ({ socialProfiles: [{ value, label }] });
const messenger = (value: string, label: string) => ({ instantMessengers: [{ value, label }] });
const ANN_AT_TWITTER = profile('https://twitter.com/ann', 'twitter');
const SPOUSE = { relations: [{ value: 'Ben', label: 'spouse' }] };
const ACME = { firstName: '', lastName: '', company: 'Acme' };
const PERSON = { firstName: 'Ann', lastName: 'Lee', company: 'Acme' };

test.each<readonly [string, string, Partial<Contact>]>([
  ['a day', 'BDAY:19800517', { birthday: '1980-05-17' }],
  ['a day with a time', 'BDAY:1980-05-17T00:00:00Z', { birthday: '1980-05-17' }],
  ['a day with a time as its type', 'BDAY;VALUE=date-time:19800517T093000', { birthday: '1980-05-17' }],
  ['a day without a year', 'BDAY:--0517', { birthday: '--05-17' }],
  ['a day whose year Apple omits', 'BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-17', { birthday: '--05-17' }],
  ['R5: the year 1604, which means no year', 'BDAY:1604-06-26', { birthday: '--06-26' }],
  ['R5: the year 1604 without hyphens', 'BDAY:16040626', { birthday: '--06-26' }],
  ['R5: the year 1604 at the end', 'BDAY:26.06.1604', { birthday: '--06-26' }],
  ['a text as a birthday', 'BDAY;VALUE=text:circa 1800', { birthday: 'circa 1800' }],
  ['a type', 'TEL;TYPE=CELL:1', phone('1', 'mobile')],
  ['a type among others', 'TEL;type=CELL;type=VOICE;type=pref:1', phone('1', 'mobile')],
  ['quoted types', 'TEL;TYPE="work,voice":1', phone('1', 'work')],
  ['types without a name', 'TEL;WORK;FAX:1', phone('1', 'workFax')],
  ['a type of its own', 'TEL;TYPE=x-boat:1', phone('1', 'boat')],
  ['a URI with a type', 'TEL;VALUE=uri;TYPE=home:tel:1', phone('1', 'home')],
  ['no type', 'TEL:1', phone('1')],
  ['R5: an extension', 'TEL;VALUE=uri:tel:+1-202-555-0142;ext=5555', phone('+1-202-555-0142 ext. 5555')],
  ['R5: an escaped extension', 'TEL;VALUE=uri:TEL:+1-202-555-0142;EXT=%35555', phone('+1-202-555-0142 ext. 5555')],
  ['R5: escaped spaces', 'TEL;VALUE=uri:tel:0151%2055501%2044', phone('0151 55501 44')],
  ['R5: a prefix as context', 'TEL;VALUE=uri:tel:5550145;phone-context=+49-30', phone('+49-30-5550145')],
  ['R5: a host as context', 'TEL;VALUE=uri:tel:7042;phone-context=example.com', phone('7042')],
  ['R5: a complete number', 'TEL;VALUE=uri:tel:+49-30-5;isub=12;phone-context=+49', phone('+49-30-5')],
  ['R5: an unknown parameter', 'TEL;VALUE=uri:tel:+49-30-5550145;x-note=a%3Bb', phone('+49-30-5550145')],
  ['R5: a URI without a scheme', 'TEL;VALUE=uri:+49 30 5550145', phone('+49 30 5550145')],
  ['R5: a user name', 'X-SOCIALPROFILE;TYPE=twitter;x-user=ann:x-apple:ann', ANN_AT_TWITTER],
  ['R5: an escaped user name', 'X-SOCIALPROFILE;TYPE=Xing:x-apple:%40ann', profile('ann', 'Xing')],
  [
    'R5: another network',
    'X-SOCIALPROFILE;TYPE=Instagram:x-apple:%40ann',
    profile('https://www.instagram.com/ann', 'Instagram'),
  ],
  ['R5: only a user name', 'X-SOCIALPROFILE;TYPE=twitter;x-user=ann:', ANN_AT_TWITTER],
  ['R5: a network without URLs', 'X-SOCIALPROFILE;TYPE=gamecenter:x-apple:ann', profile('ann', 'gamecenter')],
  ['R5: a network of Evolution', 'X-SOCIALPROFILE;TYPE=pref,xing:x-evolution:ann', profile('ann', 'xing')],
  ['R5: a URL in a URI', 'X-SOCIALPROFILE;TYPE=X:facebook:https://f.test/bob', profile('https://f.test/bob', 'X')],
  ['R5: a URL', 'X-SOCIALPROFILE;TYPE=twitter:http://twitter.com/bob', profile('http://twitter.com/bob', 'twitter')],
  ['a messenger by its parameter', 'IMPP;X-SERVICE-TYPE=Skype:skype:ada', messenger('ada', 'Skype')],
  ['a messenger by its property', 'X-AIM:aim.ada', messenger('aim.ada', 'aim')],
  ['a messenger by its scheme', 'IMPP:xmpp:a@x.test', messenger('a@x.test', 'jabber')],
  ['a quoted comma', 'IMPP;X-SERVICE-TYPE="Chat, old":x-apple:ada', messenger('ada', 'Chat, old')],
  ['no related card', 'RELATED;TYPE=spouse:urn:uuid:1|RELATED;TYPE=spouse;VALUE=text:Ben', SPOUSE],
  ['a name in FN only', 'FN:Ada King', { firstName: 'Ada King' }],
  ['FN that repeats the company', 'FN:Engines|N:;;;;|ORG:Engines;R&D', { firstName: '' }],
  ['FN that repeats an address', 'FN:ada@example.org|EMAIL:ada@example.org', { firstName: '' }],
  ['N with another FN', 'FN:Other|N:King;Ada,Augusta;;;', { firstName: 'Ada Augusta' }],
  ['R13: a company in FN only', 'KIND:org|FN:Acme', ACME],
  ['R13: a company in another spelling', 'kind:ORG|FN:Acme|N:;;;;', ACME],
  ['R13: a company of Apple', 'item1.X-ABShowAs:COMPANY|FN:Acme|N:;;;;', ACME],
  ['R13: a company as a family name', 'KIND:org|FN:Acme|N:Acme;;;;', ACME],
  ['R13: a company in two parts of N', 'X-ABShowAs:company|FN:My Acme|N:Acme;My;;;', { ...ACME, company: 'My Acme' }],
  ['R13: a company as a given name', 'KIND:org|FN:Acme|N:;Acme;;;|ORG:Acme;Head', ACME],
  ['R13: a company with another FN', 'KIND:org|FN:Acme, Head Office|ORG:Acme;Head Office', ACME],
  ['R13: a person of a company', 'X-ABShowAs:COMPANY|FN:Acme|N:Lee;Ann;;;|ORG:Acme', PERSON],
])('a card is read with %s: %s', (_, lines, contact) => {
  expect(READING.read(parseLines(cardWith('4.0', 'UID:a', ...lines.split('|')))).contact).toMatchObject(contact);
});
