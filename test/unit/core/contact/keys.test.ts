import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FURTHER, LIST_FIELDS, type ListField, listsOf, specOf } from '../../../../src/core/contact/contact.ts';
import { type LabelledValue, POSTAL_ADDRESS, type PostalAddress } from '../../../../src/core/contact/elements.ts';
import { isNationalFormOf, phoneKey, websiteKey } from '../../../../src/core/contact/keys.ts';
import { elementKey, unitedElement } from '../../../../src/core/contact/lists.ts';
import { foldGroupName } from '../../../../src/core/reconcile/policy.ts';

test.each([
  [phoneKey, '\u200f', '\u200f'],
  [websiteKey, 'http://', 'http://'],
  [websiteKey, '///', '///'],
  [websiteKey, 'https://www.Ada.example/a///', 'ada.example/a'],
  [websiteKey, 'Example.org?Page=One', 'example.org?Page=One'],
])('%o: the key of %j is %j', (keyOf, value, key) => {
  expect(keyOf(value)).toBe(key);
});

test.each([
  ['030901820', '+4930901820', true],
  ['0666123490', '+34666123490', true],
  ['901820', '+4930901820', false],
  ['0301234567', '+4930901820', false],
  ['0000000', '+4930000000', false],
])('the phone number %s in national spelling may be %s: %s', (national, international, expected) => {
  expect(isNationalFormOf(national, international)).toBe(expected);
});

const SPEC = readFileSync(join(import.meta.dirname, '../../../../src/core/SPEC.md'), 'utf8');

const ALL_LISTS: readonly ListField[] = [...LIST_FIELDS, ...listsOf(FURTHER)];

const unescaped = (text: string): string =>
  text.replace(/\\u([\dA-F]{4})/gu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));

const addressOf = (text: string): PostalAddress => {
  const [street = '', city = '', region = '', postalCode = '', country = ''] = text
    .split(';')
    .map((part) => part.trim());
  return { ...POSTAL_ADDRESS.empty, street, city, region, postalCode, country };
};

const valueOf = (text: string): LabelledValue => {
  const [, value = text, label = null] = /^(.*) \(([^()]*)\)$/u.exec(text) ?? [];
  return { value, label };
};

/** The key of an example of the table. */
const keyOf = (words: string, example: string): string => {
  const text = unescaped(example);
  if (words === 'group names') return foldGroupName(text);
  const field = ALL_LISTS.find((each) => specOf(each).words === words);
  if (field === undefined) throw new Error(`no list field is called ${words}`);
  if (field === 'addresses') return elementKey(field, addressOf(text));
  return elementKey(field, field === 'tags' ? { value: text, label: null } : valueOf(text));
};

const rowsOf = (spec: string): readonly (readonly string[])[] => {
  const table = spec.slice(spec.indexOf('| elements of | rule |'), spec.indexOf('Across sides, a national'));
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/gu, '')));
};

const ROWS = rowsOf(SPEC);

const EXAMPLES = ROWS.flatMap(([words = '', , one = '', two = '']) =>
  [...`${one} ${two}`.matchAll(/`([^`]*)` ([=≠]) `([^`]*)`/gu)].map(([, a = '', sign = '', b = '']) => ({
    words,
    a,
    sign,
    b,
  })),
);

const MORE = String.raw`
email addresses: ada@نامه\u200Cای.com = ada@xn--mgba3gch31f060k.com | ada@نامهای.com = ada@xn--mgba3gch31f.com
email addresses: jose\u0301@example.org = josé@example.org
phone numbers: \u202A+49 30 901820\u202C = +4930901820 | +٤٩ ٣٠ ٩٠١٨٢٠ = +4930901820 | ＋４９３０９０１８２０ = +4930901820
phone numbers: +1 555 234 5678 ext. 12 = +15552345678x12 | +1-555-234-5678;ext=12 = +15552345678x12
phone numbers: ۰۳۰ ۹۰۱۸۲۰ = 030901820 | (830)285-9851 x5271 = 8302859851x5271 | 830 285 9851 #5271 = 8302859851x5271
phone numbers: 830 285 9851 extension 5271 = 8302859851x5271 | 0012 = +12 | Reception = reception
websites: HTTP://example.org = example.org | example.org/About/ = example.org/About
addresses: P.O. Box 12 = PO box 12 | Flat 5, 12 High Street = Flat 5 12 High Street | किरण मार्ग = किरण  मार्ग
addresses: 1½ High Street = 1 1/2 High Street | １２ High Street = 12 High Street
addresses: №5 High Street, 40㎡ = No. 5 High Street 40 m2 | Hauptstraße 5 = HAUPTSTRASSE 5
addresses: Bağdat Caddesi Işıl 3 = BAĞDAT CADDESI IŞIL 3 | ; Rye; ; 113 30 = ; Rye; ; 11330
addresses: Flat 1/2 High Street ≠ Flat 12 High Street | 1, 2 High Street ≠ 12 High Street | किरण ≠ करण
addresses: 1½ High Street ≠ 112 High Street | 12² High Street ≠ 122 High Street | ①2 High Street ≠ 12 High Street`;

const MORE_EXAMPLES = MORE.trim()
  .split('\n')
  .flatMap((line) => {
    const [words = '', pairs = ''] = line.split(/: (.*)/u);
    return pairs.split(' | ').map((pair) => {
      const [a = '', sign = '', b = ''] = pair.split(/ ([=≠]) /u);
      return { words, a, sign, b };
    });
  });

describe('the table of element keys', () => {
  test('has a row with both kinds of examples for every list field of the registry', () => {
    const named = ALL_LISTS.map((field) => specOf(field).words);
    expect(new Set(ROWS.map(([words]) => words))).toEqual(new Set([...named, 'group names']));
    for (const words of named) {
      expect(new Set(EXAMPLES.filter((each) => each.words === words).map(({ sign }) => sign))).toEqual(
        new Set(['=', '≠']),
      );
    }
  });

  test.each([...EXAMPLES, ...MORE_EXAMPLES])('R5: $words: $a $sign $b', ({ words, a, sign, b }) => {
    expect(keyOf(words, a) === keyOf(words, b)).toBe(sign === '=');
  });
});

type Field = 'addresses' | 'instantMessengers' | 'relations' | 'socialProfiles';
test.each<[Field, string, string, string | null]>([
  ['addresses', '5 Elm St; Rye; NY', '5 Elm St; Rye; ; 10580', '5 Elm St; Rye; NY; 10580'],
  ['addresses', '5 Elm St; Rye; NY', '5 Elm St; Rye; CT', null],
  ['addresses', '5 Elm St; Rye', '7 Elm St; Rye', null],
  ['addresses', '; Rye', '5 Elm St; Rye', null],
  ['addresses', '5 ELM STREET; Rye', '5 Elm St; Rye; NY; 10580; US', '5 ELM STREET; Rye; NY; 10580; US'],
  ['instantMessengers', 'ann', 'ann (icq)', 'ann (icq)'],
  ['relations', 'Anna (sister)', 'anna', 'Anna (sister)'],
  ['socialProfiles', '@ann (profile)', '@ann (x)', '@ann (x)'],
  ['instantMessengers', 'ann (icq)', 'ann (skype)', null],
  ['instantMessengers', 'ann', 'bob (skype)', null],
])('R13: two elements that are the same %s: of %s and %s: %s', (field, own, other, united) => {
  const elementOf = field === 'addresses' ? addressOf : valueOf;
  expect(unitedElement(field, elementOf(own), elementOf(other))).toEqual(united === null ? null : elementOf(united));
});
