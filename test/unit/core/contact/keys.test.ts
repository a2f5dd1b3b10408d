import { describe, expect, test } from 'vitest';
import { addressKey, emailKey, isNationalFormOf, phoneKey, websiteKey } from '../../../../src/core/contact/keys.ts';
import { elementKey } from '../../../../src/core/contact/lists.ts';

describe('an email address', () => {
  test.each([
    ['Ada@Example.ORG', 'ada@example.org'],
    [' ada@example.org ', 'ada@example.org'],
    ['\u200Bada@example.org\u202C', 'ada@example.org'],
    ['jose\u0301@example.org', 'josé@example.org'],
  ])('%j has the key %j', (value, key) => {
    expect(emailKey(value)).toBe(key);
  });

  test('has another key if dots or a tag before the @ differ', () => {
    expect(new Set(['a.da@x.org', 'ada@x.org', 'ada+x@x.org'].map(emailKey)).size).toBe(3);
  });
});

describe('a phone number', () => {
  test.each([
    ['+49 30 901820', '+4930901820'],
    ['+49 (0)30 90 18 20', '+4930901820'],
    ['0049 30 901820', '+4930901820'],
    ['(+49) 30-901820', '+4930901820'],
    ['\u202A+49 30 901820\u202C', '+4930901820'],
    ['+٤٩ ٣٠ ٩٠١٨٢٠', '+4930901820'],
    ['٠٠٤٩ ٣٠ ٩٠١٨٢٠', '+4930901820'],
    ['＋４９３０９０１８２０', '+4930901820'],
    ['+1 555 234 5678 ext. 12', '+15552345678x12'],
    ['+1-555-234-5678;ext=12', '+15552345678x12'],
    ['030 / 90 18 20', '030901820'],
    ['۰۳۰ ۹۰۱۸۲۰', '030901820'],
    ['(830)285-9851 x5271', '8302859851x5271'],
    ['830.285.9851x5271', '8302859851x5271'],
    ['830 285 9851 extension 5271', '8302859851x5271'],
    ['830 285 9851 #5271', '8302859851x5271'],
    ['+12', '+12'],
    ['0012', '+12'],
    ['112', '112'],
    ['Reception', 'reception'],
    ['1-800-Flowers', '1800flowers'],
    ['\u200f', '\u200f'],
  ])('%j has the key %j', (value, key) => {
    expect(phoneKey(value)).toBe(key);
  });

  test('has another key if its country is unknown', () => {
    expect(phoneKey('030 901820')).not.toBe(phoneKey('+49 30 901820'));
  });

  test.each([
    ['030901820', '+4930901820', true],
    ['0666123490', '+34666123490', true],
    ['901820', '+4930901820', false],
    ['0301234567', '+4930901820', false],
    ['0000000', '+4930000000', false],
  ])('%s in national spelling may be %s: %s', (national, international, expected) => {
    expect(isNationalFormOf(national, international)).toBe(expected);
  });
});

describe('a website', () => {
  test.each([
    ['https://www.Example.org/', 'example.org'],
    ['HTTP://example.org', 'example.org'],
    ['example.org/About/', 'example.org/About'],
    ['Example.org?Page=One', 'example.org?Page=One'],
    ['http://', 'http://'],
  ])('%j has the key %j', (value, key) => {
    expect(websiteKey(value)).toBe(key);
  });

  test('has another key if the case of its path differs', () => {
    expect(websiteKey('example.org/A')).not.toBe(websiteKey('example.org/a'));
  });
});

describe('a postal address', () => {
  const address = { street: '', city: 'Berlin', region: '', postalCode: '', country: '', label: null };
  const keyOf = (street: string) => addressKey({ ...address, street });

  test('a side that writes addresses in capitals contains the same addresses', () => {
    for (const street of ['Hauptstraße 5', 'Bağdat Caddesi Işıl 3'])
      expect(keyOf(street.toUpperCase())).toBe(keyOf(street));
  });

  test.each([
    ['P.O. Box 12', 'PO box 12'],
    ['12 High St.', '12 high st'],
    ['Flat 5, 12 High Street', 'Flat 5 12 High Street'],
    ['Stra\u00DFe 1', 'stra\u00DFe 1'],
    ['किरण मार्ग', ' किरण  मार्ग'],
    ['1½ High Street', '1 1/2 High Street'],
    ['½ High Street', '1/2 High Street'],
    ['１２ High Street', '12 High Street'],
    ['№5 High Street, 40㎡', 'No. 5 High Street 40 m2'],
  ])('%j has the same key as %j', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  test.each([
    ['Flat 1/2 High Street', 'Flat 12 High Street'],
    ['1, 2 High Street', '12 High Street'],
    ['12 High Street', '12 High Road'],
    ['1½ High Street', '112 High Street'],
    ['1½ High Street', '11/2 High Street'],
    ['12² High Street', '122 High Street'],
    ['①2 High Street', '12 High Street'],
    ['किरण', 'करण'],
  ])('%j has another key than %j', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  test('is distinguished by the field of a text, not by its label', () => {
    const inRegion = { ...address, city: '', region: 'Berlin' };
    expect(addressKey(inRegion)).not.toBe(addressKey(address));
    expect(addressKey({ ...address, label: 'home' })).toBe(addressKey(address));
  });

  test('has the same key for every grouping of its postal code', () => {
    expect(addressKey({ ...address, postalCode: '113 30' })).toBe(addressKey({ ...address, postalCode: '11330' }));
  });

  test('that is blank has no key', () => {
    expect(addressKey({ ...address, city: ' -' })).toBe('');
  });
});

test.each([
  ['emailAddresses', 'A@x.org', 'a@x.org'],
  ['phoneNumbers', '+49 30 901820', '+4930901820'],
  ['websites', 'https://x.org/', 'x.org'],
] as const)('an element of %s has the key of that field’s rule', (field, value, key) => {
  expect(elementKey(field, { value, label: 'work' })).toBe(key);
});
