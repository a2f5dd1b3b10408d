import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Contact, EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { normaliseDay } from '../../../../src/core/contact/days.ts';
import { FIELDS } from '../../../../src/core/contact/fields.ts';
import { emailKey, phoneKey, websiteKey } from '../../../../src/core/contact/keys.ts';
import { LONGEST_LIST, LONGEST_TEXT } from '../../../../src/core/contact/kinds.ts';
import { contactOf, syncableContact } from '../../../../src/core/contact/record.ts';
import { normaliseLabel, normaliseNotes, normaliseText } from '../../../../src/core/contact/text.ts';

const SEED = 20261121;

describe('a text', () => {
  test.each([
    ['absent', undefined, ''],
    ['decomposed', 'Jose\u0301 Nu\u0301n\u0303ez', 'José Núñez'],
    ['Hangul syllables taken apart', '\u1112\u1161\u11ab', '한'],
    ['control characters', 'A\u0000d\u0007a\u001B\u007F\u009F', 'Ada'],
    ['white space of every kind', '  12\tHigh\r\nStreet\u00A0\u2003 2\u0085 ', '12 High Street 2'],
    ['emoji of several code points', '👩‍💻 Ada 🇩🇪', '👩‍💻 Ada 🇩🇪'],
    ['right-to-left script with its marks', 'שָׁלוֹם \u200Fעולם', 'שָׁלוֹם \u200Fעולם'],
    ['halves of characters, as in a text that was cut off', 'Ann \ud83d, \ude00', 'Ann \ufffd, \ufffd'],
    ['a mark that a control character separates from its letter', 'e\u0000\u0301', 'é'],
  ])('that is %s is normalised', (_, given, expected) => {
    expect(normaliseText(given)).toBe(expected);
  });

  test('that is normalised does not change when it is normalised again', () => {
    const text = fc.string({
      unit: fc.constantFrom('e', '\ud83d', '\ude00', '\u0301', '\u0000', ' ', '\u0085', '\u2000', 'ﬁ', '👩', '\u200D'),
    });
    fc.assert(
      fc.property(text, (given) => {
        const once = normaliseText(given);
        expect(normaliseText(once)).toBe(once);
      }),
      { seed: SEED, numRuns: 500 },
    );
  });

  test('of several lines contains no half of a character either', () => {
    expect(normaliseNotes('one \ud83d\n\ude00')).toBe('one \ufffd\n\ufffd');
  });

  test('that is a blank label is null', () => {
    expect([normaliseLabel(' \t'), normaliseLabel(null), normaliseLabel(' Work ')]).toEqual([null, null, 'Work']);
  });
});

const mail = (value: string, label: string | null) => ({ value, label });

test('a contact keeps the first of elements with the same key, in its own spelling, and drops empty ones', () => {
  const contact = contactOf({
    emailAddresses: [mail(' Ada@Example.org ', ' home '), mail('ada@example.org', 'work'), mail('\u0000', 'work')],
    phoneNumbers: [mail('+1 (555) 234-5678', null), mail('001 555 234 5678', 'mobile'), mail('555-234', '')],
  });
  expect(contact.emailAddresses).toEqual([mail('Ada@Example.org', 'home')]);
  expect(contact.phoneNumbers).toEqual([mail('+1 (555) 234-5678', null), mail('555-234', null)]);
});

const ADDRESS = { street: '', city: '', region: '', postalCode: '', country: '', label: null };

test('a contact drops an address without any text and keeps one that has only a country', () => {
  const country = { ...ADDRESS, country: ' Peru ' };
  const addresses = [{ ...ADDRESS, street: ' ', region: '-', label: 'home' }, country, country];
  expect(contactOf({ addresses }).addresses).toEqual([{ ...ADDRESS, country: 'Peru' }]);
});

const cpuMsOf = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const SLOW = ['/', 'a/', '#', '?/', 'www.', 'x ', '1/', '1 ', '(', '+', '.', '\u200b', "'"];

test.each([
  ['a website', websiteKey],
  ['an email address', emailKey],
  ['a phone number', phoneKey],
  ['a street', (street: string) => FIELDS.addresses.keyOf({ ...ADDRESS, street })],
])('[R17] a value that is crafted to be slow has its key quickly: %s', (_, keyOf) => {
  for (const row of SLOW.map((unit) => unit.repeat(150_000)))
    for (const value of [row, `http://${row}x`, `1${row}`]) {
      expect(cpuMsOf(() => keyOf(value))).toBeLessThan(1_000);
    }
});

const long = 'x'.repeat(LONGEST_TEXT);
const value = { value: `${long}x`, label: null };

const websites = Array.from({ length: LONGEST_LIST + 1 }, (_, index) => ({ value: String(index), label: null }));

test.each<[string, Partial<Contact>, readonly string[]]>([
  ['a text', { title: `${long}x` }, ['title']],
  ['a value of a list', { emailAddresses: [value] }, ['emailAddresses']],
  ['a part of an address', { addresses: [{ ...ADDRESS, city: `${long}x` }] }, ['addresses']],
  ['a list', { websites }, ['websites']],
  ['a birthday that may be either of two days', { birthday: '05/06/1980' }, ['birthday']],
  ['no birthday that is one day', { birthday: '05/05/1980' }, []],
  ['no birthday that is a text', { birthday: 'in summer' }, []],
])('R15: a value that is too long leaves out its field, not the contact: %s', (_, given, fields) => {
  expect(syncableContact(given).unsyncable.map(({ field }) => field)).toEqual(fields);
});

test('R15: a contact with a value that is too long keeps all others, also one of exactly the maximum length', () => {
  const others = { firstName: long, websites: [{ value: long, label: long }] };
  expect(syncableContact({ ...others, title: `${long}x` }).contact).toEqual({ ...EMPTY_CONTACT, ...others });
});

const streetOf = (street: string): string | undefined =>
  contactOf({ addresses: [{ ...ADDRESS, street }] }).addresses[0]?.street;

test('a street of several lines keeps the lines, each normalised', () => {
  expect(streetOf(' Main  St 1 \r\n\n Apt 4\u2028Back  door ')).toBe('Main St 1\nApt 4\nBack door');
  expect(streetOf('Main St 1\nApt 4')).toBe('Main St 1\nApt 4');
});

test('a street of several lines is the same address as a street in a single line, and the only text that has lines', () => {
  const keyOf = (street: string): string => FIELDS.addresses.keyOf({ ...ADDRESS, street });
  expect(keyOf('Main St 1\nApt 4')).toBe(keyOf('Main St 1, Apt 4'));
  const { title, addresses } = contactOf({ title: 'a\nb', addresses: [{ ...ADDRESS, city: 'a\nb' }] });
  expect([title, addresses[0]?.city]).toEqual(['a b', 'a b']);
});

test('[R2] notes of several lines keep their layout, and those of one line lose surrounding line breaks', () => {
  expect(contactOf({ notes: 'Tea:  none\n\n  two \n' }).notes).toBe('Tea:  none\n\n  two');
  for (const notes of ['Tea:  none\n', '\r\n\n Tea:  none', '\u2028Tea:  none', 'Tea: none'])
    expect(contactOf({ notes }).notes).toBe('Tea: none');
});

describe('a day', () => {
  const READ =
    '1980-5-7 = 1980-05-07, 1980.05.17 = 1980-05-17, 1980-05-17T00:00:00.000+00:00 = 1980-05-17, ' +
    '1980-05-17 00:00:00 UTC = 1980-05-17, 1980-05-17 00:00:00 = 1980-05-17, 19800517T000000Z = 1980-05-17, ' +
    ' 17. 5. 1980  = 1980-05-17, 17.05. = --05-17, 17/05/1980 = 1980-05-17, 05/17/1980 = 1980-05-17, ' +
    '17-05-1980 = 1980-05-17, 05/05/1980 = 1980-05-05, --05-17 = --05-17, --0229 = --02-29';
  const UNCHANGED =
    '05/06/1980, 5-6-1980, 2001-02-29, 29.02.2001, 19801340, 0000-05-17, 1980-05-17T22:00:00Z, 1980-05, May 17';

  test.each(READ.split(', ').map((pair) => pair.split(' = ')))('is read from %s: %s', (text = '', day = '') => {
    expect(normaliseDay(text)).toBe(day);
  });

  test.each(UNCHANGED.split(', '))('is not guessed: %s stays unchanged', (text) => {
    expect(normaliseDay(text)).toBe(text);
  });

  test('has one spelling', () => {
    const dates = fc.date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    const property = fc.property(dates, (date) => {
      const day = date.toISOString().slice(0, 10);
      const [year = '', month = '', ofMonth = ''] = day.split('-');
      // Apple's programs write 1604 for an unknown year.
      const expected = year === '1604' ? `--${month}-${ofMonth}` : day;
      for (const text of [day, `${year}${month}${ofMonth}`, `${ofMonth}.${month}.${year}`, `${day}T00:00:00Z`]) {
        expect(normaliseDay(text)).toBe(expected);
      }
      const once = normaliseDay(`${month}/${ofMonth}/${year}`);
      expect(normaliseDay(once)).toBe(once);
    });
    fc.assert(property, { examples: [[new Date('1604-12-31')]] });
  });
});
