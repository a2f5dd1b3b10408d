import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LABELLED_VALUE, type LabelledValue } from '../../../../src/core/contact/elements.ts';
import { listText, tagText, textList, textTags } from '../../../../src/core/contact/lists.ts';

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
  const values = textTags(String.raw`VIP (2025), VIP (2026),, A+ , C\, D, \(x\)`).map(({ value }) => value);
  expect(values).toEqual(['VIP (2025)', 'VIP (2026)', 'A+', 'C, D', '(x)']);
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
