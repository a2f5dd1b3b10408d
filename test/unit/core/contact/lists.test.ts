import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LABELLED_VALUE, type LabelledValue } from '../../../../src/core/contact/elements.ts';
import { keyLists, listText, tagText, textList, textTags } from '../../../../src/core/contact/lists.ts';
import { values } from '../reconcile/support.ts';

// The versions of a list, and the keys of each.
test.each([
  ['one key in both spellings', '030 901820; +49 30 901820', '+4930901820; +4930901820'],
  [
    'R5: two keys if one version contains both spellings, so that neither is lost',
    '030 901820, +49 30 901820; +49 30 901820; 030 901820',
    '030901820, +4930901820; +4930901820; 030901820',
  ],
  ['R5: two keys in one version', '030 901820, 30 901820; +49 30 901820', '030901820, 30901820; +4930901820'],
  ['its own key if it fits two', '030 901820; +49 30 901820, +43 30 901820', '030901820; +4930901820, +4330901820'],
])('a phone number of the versions of a list has %s', (_, versions, keys) => {
  const lists = versions.split('; ').map((list, at) => [at, values(...list.split(', '))] as const);
  const keyed = Object.values(keyLists('phoneNumbers', Object.fromEntries(lists)));
  expect(keyed.map((list) => [...list.keys()].join(', ')).join('; ')).toBe(keys);
});

const ANNA_AND_BEN: readonly LabelledValue[] = [
  { value: 'Anna', label: 'spouse' },
  { value: 'Ben', label: null },
];

test.each<[string, readonly LabelledValue[]]>([
  ['', []],
  ['Anna (spouse), Ben', ANNA_AND_BEN],
  [String.raw`Roe\, Jane \(Jr.\) (child \(adopted\))`, [{ value: 'Roe, Jane (Jr.)', label: 'child (adopted)' }]],
])('a list becomes the text %s and is restored from it [R10]', (text, list) => {
  expect(listText(list)).toBe(text);
  expect(textList(text)).toEqual(list);
});

test.each<[string, readonly LabelledValue[]]>([
  [' Anna ( spouse ) ,, Ben ', ANNA_AND_BEN],
  ['Anna (spouse) Roe', [{ value: 'Anna (spouse) Roe', label: null }]],
  ['(spouse)', []],
])('as a user types it: %s', (text, list) => {
  expect(textList(text)).toEqual(list);
});

test('tags that a user types keep their parentheses [R5]', () => {
  const tags = textTags(String.raw`VIP (2025), VIP (2026),, A+ , C\, D, \(x\)`).map(({ value }) => value);
  expect(tags).toEqual(['VIP (2025)', 'VIP (2026)', 'A+', 'C, D', '(x)']);
});

const part = fc.string({ unit: fc.constantFrom('a', 'B', ' ', ',', '(', ')', '\\', 'é') });

test.each([
  ['list', textList, listText, fc.option(part)],
  ['tags', textTags, tagText, fc.constant(null)],
])('any %s are restored unchanged [R5]', (_, read, write, label) => {
  const element = fc.record({ value: part, label }).map(LABELLED_VALUE.normalise);
  const elements = fc.array(element.filter(({ value }) => value !== ''));
  fc.assert(
    fc.property(elements, (list) => {
      expect(read(write(list))).toEqual(list);
    }),
    { numRuns: 1_000 },
  );
});
