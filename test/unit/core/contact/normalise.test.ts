import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { normaliseLabel, normaliseNotes, normaliseText } from '../../../../src/core/contact/text.ts';

const SEED = 20261121;

describe('a text', () => {
  test.each([
    ['absent', undefined, ''],
    ['null', null, ''],
    ['decomposed', 'Jose\u0301 Nu\u0301n\u0303ez', 'José Núñez'],
    ['composed', 'José Núñez', 'José Núñez'],
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

  test('of 10,000 characters stays whole', () => {
    const long = 'añ🎉 x'.repeat(2_000);
    expect(normaliseText(long)).toBe(long);
    expect(contactOf({ title: long }).title).toHaveLength(12_000);
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

describe('a contact', () => {
  test('that is blank is empty in every field', () => {
    expect(contactOf({})).toEqual({
      firstName: '',
      lastName: '',
      company: '',
      title: '',
      emailAddresses: [],
      phoneNumbers: [],
      addresses: [],
      websites: [],
    });
  });

  test('keeps the first of elements with the same key, in its own spelling, and drops empty ones', () => {
    const contact = contactOf({
      emailAddresses: [
        { value: ' Ada@Example.org ', label: ' home ' },
        { value: 'ada@example.org', label: 'work' },
        { value: '\u0000', label: 'work' },
      ],
      phoneNumbers: [
        { value: '+1 (555) 234-5678', label: null },
        { value: '001 555 234 5678', label: 'mobile' },
        { value: '555-234', label: '' },
      ],
      websites: [
        { value: 'https://www.Example.org/', label: null },
        { value: 'example.org', label: null },
      ],
    });
    expect(contact.emailAddresses).toEqual([{ value: 'Ada@Example.org', label: 'home' }]);
    expect(contact.phoneNumbers).toEqual([
      { value: '+1 (555) 234-5678', label: null },
      { value: '555-234', label: null },
    ]);
    expect(contact.websites).toEqual([{ value: 'https://www.Example.org/', label: null }]);
  });

  test('drops an address without any text and keeps one that has only a country', () => {
    const nothing = { street: ' ', city: '', region: '-', postalCode: '', country: '', label: 'home' };
    const country = { ...nothing, region: '', country: ' Peru ' };
    expect(contactOf({ addresses: [nothing, country, country] }).addresses).toEqual([
      { street: '', city: '', region: '', postalCode: '', country: 'Peru', label: 'home' },
    ]);
  });

  test('contains 50 email addresses in their order', () => {
    const emailAddresses = Array.from({ length: 50 }, (_, index) => ({ value: `a${index}@example.org`, label: null }));
    expect(contactOf({ emailAddresses }).emailAddresses).toEqual(emailAddresses);
  });

  test('loses no phone number that differs only in letters or dialled signs', () => {
    const numbers = ['1-800-FLOWERS', '1-800-CONTACT', '*100#', '100', 'skype:ada1', 'skype:bob1'];
    const phoneNumbers = numbers.map((value) => ({ value, label: null }));
    expect(contactOf({ phoneNumbers }).phoneNumbers).toEqual(phoneNumbers);
  });
});
