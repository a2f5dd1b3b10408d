import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ICAL from 'ical.js';
import { describe, expect, test } from 'vitest';
import { contactFieldsOf } from '../../../../src/core/contact/chosen.ts';
import {
  EMPTY_CONTACT,
  FURTHER,
  inFieldOrder,
  type Contact,
  type ContactField,
  USUAL_FIELDS,
} from '../../../../src/core/contact/contact.ts';
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

  test('differs in one line if its title is edited', () => {
    const own = linesOf(text);
    const added = linesOf(written(text, { title: 'Chief; Engineer' })).filter((line) => !own.includes(line));
    expect(added).toEqual([expect.stringMatching(/TITLE.*:Chief\\; Engineer$/u)]);
  });
});

describe('a field of a card', () => {
  const read = (...lines: readonly string[]): Contact => contactOf(['BEGIN:VCARD', ...lines, 'END:VCARD'].join('\r\n'));

  test.each([
    ['BDAY:19800517', '1980-05-17'],
    ['BDAY:1980-05-17T00:00:00Z', '1980-05-17'],
    ['BDAY;VALUE=date-time:19800517T093000', '1980-05-17'],
    ['BDAY:--0517', '--05-17'],
    ['BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-17', '--05-17'],
    ['BDAY;VALUE=text:circa 1800', 'circa 1800'],
  ])('%s is read as a birthday', (line, birthday) => {
    expect(read(line).birthday).toBe(birthday);
  });

  test.each([
    ['TEL;TYPE=CELL:1', 'mobile'],
    ['TEL;type=CELL;type=VOICE;type=pref:1', 'mobile'],
    ['TEL;TYPE="work,voice":1', 'work'],
    ['TEL;WORK;FAX:1', 'workFax'],
    ['TEL;TYPE=x-boat:1', 'boat'],
    ['TEL;VALUE=uri;TYPE=home:tel:1', 'home'],
    ['TEL:1', null],
  ])('the label of %s is %s', (line, label) => {
    expect(read(line).phoneNumbers).toEqual([{ value: '1', label }]);
  });

  test.each([
    [['FN:Ada King'], 'Ada King'],
    [['FN:Engines', 'N:;;;;', 'ORG:Engines;R&D'], ''],
    [['FN:ada@example.org', 'EMAIL:ada@example.org'], ''],
    [['FN:Other', 'N:King;Ada,Augusta;;;'], 'Ada Augusta'],
  ])('the first name of %j is %j', (lines, firstName) => {
    expect(read(...lines).firstName).toBe(firstName);
  });

  test('a messenger has its network from any property that names it', () => {
    const lines = ['IMPP;X-SERVICE-TYPE=Skype:skype:ada', 'X-AIM:aim.ada', 'IMPP:xmpp:ada@example.org'];
    const messengers = read(...lines).instantMessengers?.map(({ value, label }) => `${label}: ${value}`);
    expect(messengers).toEqual(['Skype: ada', 'aim: aim.ada', 'jabber: ada@example.org']);
  });

  test('a related card is not read as a relation', () => {
    const { relations } = read('RELATED;TYPE=spouse:urn:uuid:1', 'RELATED;TYPE=spouse;VALUE=text:Ben');
    expect(relations).toEqual([{ value: 'Ben', label: 'spouse' }]);
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
  [
    'a label next to the other types, as an X-ABLabel if it is no type',
    { emailAddresses: LABELS },
    'item3.EMAIL;TYPE=pref:b@example.org | item3.X-ABLabel:Club',
  ],
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

describe('a card of another program', () => {
  test('is unchanged by a text that it already contains in another spelling', () => {
    const text = cardOf('FN:Ada', 'N:;Ada;;;', String.raw`NOTE:a\u019dote`);
    expect(written(text, { notes: contactOf(text).notes ?? '' })).toBe(text);
  });

  test('keeps FN with an empty value if its last source is removed', () => {
    const text = cardOf('FN:Engines', 'N:;;;;', 'ORG:Engines');
    expect(difference(text, { company: '' })).toEqual({ removed: ['FN:Engines', 'ORG:Engines'], added: ['FN:'] });
  });

  test.each([
    ['only in FN', cardOf('FN:Ada King', 'N:;;;;', 'EMAIL:a@example.org')],
    ['in N, with another FN', cardOf('FN:The Countess', 'N:;Ada;;;', 'EMAIL:a@example.org')],
  ])('does not restore a removed name %s from FN, and keeps N', (_, text) => {
    const edited = written(text, { firstName: '' });
    expect(contactOf(edited).firstName).toBe('');
    expect(linesOf(edited)).toEqual(expect.arrayContaining(['FN:a@example.org', 'N:;;;;']));
  });

  test('has one value for a quoted parameter with a comma, except for types', () => {
    const text = cardOf('FN:Ada', 'IMPP;X-SERVICE-TYPE="Chat, old":x-apple:ada', 'TEL;TYPE="work,voice":1');
    const { instantMessengers, phoneNumbers } = contactOf(text);
    expect(instantMessengers).toEqual([{ value: 'ada', label: 'Chat, old' }]);
    expect(phoneNumbers).toEqual([{ value: '1', label: 'work' }]);
  });

  test.each(['home', 'school', null])(
    'keeps a label shared by two properties at the property that is not edited: the new label is %s',
    (label) => {
      const text = cardOf('FN:Ada', 'a.EMAIL:ada@example.org', 'a.ADR:;;1 St;;;;', 'a.X-ABLabel:club');
      const edited = written(text, { emailAddresses: [{ value: 'ada@example.org', label }] });
      expect(contactOf(edited).emailAddresses).toEqual([{ value: 'ada@example.org', label }]);
      expect(contactOf(edited).addresses.map((address) => address.label)).toEqual(['club']);
    },
  );
});

describe('R10: an edit refolds only the lines that it changes', () => {
  const note = 'a long text that no program has to fold at the same place as another one does';
  const folded = (...lines: readonly string[]): string => cardOf('FN:Ada', 'N:;Ada;;;', ...lines);

  test.each([
    ['not folded', [`NOTE:${note} ${note}`]],
    ['folded early', [`NOTE:${note.slice(0, 20)}`, ` ${note.slice(20)}`]],
    ['folded with tabs', [`NOTE:${note.slice(0, 40)}`, `\t${note.slice(40)}`]],
    ['folded in its name', ['X-LO', ` NG;X-A=1:${note}`]],
    ['folded twice', ['NOTE:a', ' b', '  c']],
  ])('a line that is %s', (_, lines) => {
    expect(written(folded(...lines), { title: 'Countess' })).toBe(folded(...lines, 'TITLE:Countess'));
  });

  test('a card with line feeds keeps its folds', () => {
    const text = folded('NOTE:a', ' b').replaceAll('\r\n', '\n');
    expect(written(text, { title: 'Countess' })).toBe(folded('NOTE:a', ' b', 'TITLE:Countess'));
  });
});

test.each(['https://maps.test/@48.1,11.5,17z', 'https://a.test/x;y,z', String.raw`https://a.test/a\b,c`])(
  'the commas of the URL %s are escaped, and it is read back',
  (value) => {
    const websites = [{ value, label: null }];
    const socialProfiles = [{ value, label: 'linkedin' }];
    const text = unfolded(formatLines(MAPPING.create({ ...EMPTY_CONTACT, websites, socialProfiles }, '1', '3.0')));
    expect(text).not.toMatch(/^(?:URL|X-SOCIALPROFILE)\b.*[^\\],/mu);
    expect(contactOf(text)).toMatchObject({ websites, socialProfiles });
  },
);
