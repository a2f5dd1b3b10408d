import { describe, expect, it } from 'vitest';
import { type Contact, EMPTY_CONTACT } from '../../../../src/core/contact/contact.ts';
import { FIELDS } from '../../../../src/core/contact/fields.ts';
import { emailKey, phoneKey, websiteKey } from '../../../../src/core/contact/keys.ts';
import { LONGEST_LIST, LONGEST_TEXT } from '../../../../src/core/contact/kinds.ts';
import { contactOf, syncableContact } from '../../../../src/core/contact/record.ts';

const cpuMsOf = (work: () => void): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

const ADDRESS = { street: '', city: '', region: '', postalCode: '', country: '', label: null };

describe('a value that is crafted to be slow [R17]', () => {
  const rows = ['/', 'a/', '#', '?/', 'www.', 'x ', '1/', '1 ', '(', '+', '.', '\u200b', "'"].map((unit) =>
    unit.repeat(150_000),
  );

  it.each([
    ['a website', websiteKey],
    ['an email address', emailKey],
    ['a phone number', phoneKey],
    ['a street', (street: string) => FIELDS.addresses.keyOf({ ...ADDRESS, street })],
  ])('has its key quickly: %s', (_, keyOf) => {
    for (const row of rows)
      for (const value of [row, `http://${row}x`, `1${row}`]) {
        expect(cpuMsOf(() => keyOf(value))).toBeLessThan(1_000);
      }
  });
});

it('the key of a website has no closing slash, even if the address has many', () => {
  expect(websiteKey('https://www.Ada.example/a///')).toBe('ada.example/a');
  expect(websiteKey('///')).toBe('///');
});

describe('R15: a value that is too long leaves out its field, not the contact', () => {
  const long = 'x'.repeat(LONGEST_TEXT);
  const value = { value: `${long}x`, label: null };
  const unsyncableOf = (given: Partial<Contact>) => syncableContact(given).unsyncable.map(({ field }) => field);

  it('reports the field of a text, a list and an address', () => {
    expect(unsyncableOf({ title: `${long}x` })).toEqual(['title']);
    expect(unsyncableOf({ emailAddresses: [value] })).toEqual(['emailAddresses']);
    expect(unsyncableOf({ addresses: [{ ...ADDRESS, city: `${long}x` }] })).toEqual(['addresses']);
    const websites = Array.from({ length: LONGEST_LIST + 1 }, (_, index) => ({ value: String(index), label: null }));
    expect(unsyncableOf({ websites })).toEqual(['websites']);
  });

  it('leaves the field empty and keeps all others', () => {
    expect(syncableContact({ firstName: 'Ada', title: `${long}x` }).contact).toEqual({
      ...EMPTY_CONTACT,
      firstName: 'Ada',
    });
  });

  it('accepts a value of exactly the maximum length', () => {
    expect(unsyncableOf({ firstName: long, websites: [{ value: long, label: long }] })).toEqual([]);
  });

  it('leaves out a birthday that may be either of two days', () => {
    expect(unsyncableOf({ birthday: '05/06/1980' })).toEqual(['birthday']);
    expect(unsyncableOf({ birthday: '05/05/1980' })).toEqual([]);
    expect(unsyncableOf({ birthday: '25/06/1980' })).toEqual([]);
    expect(unsyncableOf({ birthday: 'in summer' })).toEqual([]);
  });
});

describe('a street of several lines', () => {
  const streetOf = (street: string): string | undefined =>
    contactOf({ addresses: [{ ...ADDRESS, street }] }).addresses[0]?.street;

  it('keeps the lines, each normalised', () => {
    expect(streetOf(' Main  St 1 \r\n\n Apt 4\u2028Back  door ')).toBe('Main St 1\nApt 4\nBack door');
    expect(streetOf('Main St 1\nApt 4')).toBe('Main St 1\nApt 4');
  });

  it('is the same address as a street in a single line', () => {
    const keyOf = (street: string): string => FIELDS.addresses.keyOf({ ...ADDRESS, street });
    expect(keyOf('Main St 1\nApt 4')).toBe(keyOf('Main St 1, Apt 4'));
  });

  it('is the only text that has lines', () => {
    expect(contactOf({ title: 'a\nb', addresses: [{ ...ADDRESS, city: 'a\nb' }] })).toMatchObject({
      title: 'a b',
      addresses: [{ city: 'a b' }],
    });
  });
});

describe('notes', () => {
  const notesOf = (notes: string): string | undefined => contactOf({ notes }).notes;

  it('of several lines keep their layout', () => {
    expect(notesOf('Tea:  none\n\n  two \n')).toBe('Tea:  none\n\n  two');
  });

  it('of one line are the same with and without surrounding line breaks [R2]', () => {
    for (const notes of ['Tea:  none\n', '\r\n\n Tea:  none', '\u2028Tea:  none']) {
      expect(notesOf(notes)).toBe('Tea: none');
      expect(notesOf(notesOf(notes) ?? '')).toBe('Tea: none');
    }
  });
});
