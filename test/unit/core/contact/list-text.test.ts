import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LABELLED_VALUE, type LabelledValue } from '../../../../src/core/contact/elements.ts';
import { listText, tagText, textList, textTags } from '../../../../src/core/contact/lists.ts';

test.each<[string, readonly LabelledValue[]]>([
  ['', []],
  ['Anna', [{ value: 'Anna', label: null }]],
  [
    'Anna (spouse), Ben',
    [
      { value: 'Anna', label: 'spouse' },
      { value: 'Ben', label: null },
    ],
  ],
  [String.raw`Roe\, Jane \(Jr.\) (child \(adopted\))`, [{ value: 'Roe, Jane (Jr.)', label: 'child (adopted)' }]],
])('a list becomes the text %s and is restored from it [R10]', (text, list) => {
  expect(listText(list)).toBe(text);
  expect(textList(text)).toEqual(list);
});

test.each<[string, readonly LabelledValue[]]>([
  [
    ' Anna ( spouse ) ,, Ben ',
    [
      { value: 'Anna', label: 'spouse' },
      { value: 'Ben', label: null },
    ],
  ],
  ['Anna (spouse) Roe', [{ value: 'Anna (spouse) Roe', label: null }]],
  ['(spouse)', []],
])('as a user types it: %s', (text, list) => {
  expect(textList(text)).toEqual(list);
});

test('any list is restored unchanged [R5]', () => {
  const part = fc.string({ unit: fc.constantFrom('a', 'B', ' ', ',', '(', ')', '\\', 'é') });
  const element = fc.record({ value: part, label: fc.option(part) }).map(LABELLED_VALUE.normalise);
  const list = fc.array(element.filter(({ value }) => value !== ''));
  fc.assert(
    fc.property(list, (elements) => {
      expect(textList(listText(elements))).toEqual(elements);
    }),
    { numRuns: 1_000 },
  );
});

test('tags that a user types keep their parentheses [R5]', () => {
  const values = textTags(String.raw`VIP (2025), VIP (2026),, A+ , C\, D, \(x\)`).map(({ value }) => value);
  expect(values).toEqual(['VIP (2025)', 'VIP (2026)', 'A+', 'C, D', '(x)']);
});

test('any tags are restored unchanged [R5]', () => {
  const value = fc.string({ unit: fc.constantFrom('a', 'B', ' ', ',', '(', ')', '\\', '+') });
  const tag = value.map((each) => LABELLED_VALUE.normalise({ value: each, label: null }));
  fc.assert(
    fc.property(fc.array(tag.filter((each) => each.value !== '')), (tags) => {
      expect(textTags(tagText(tags))).toEqual(tags);
    }),
    { numRuns: 1_000 },
  );
});
