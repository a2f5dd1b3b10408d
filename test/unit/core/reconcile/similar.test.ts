import { describe, expect, test } from 'vitest';
import { keyLists } from '../../../../src/core/contact/lists.ts';
import { aliasLeftovers, resembles } from '../../../../src/core/reconcile/similar.ts';
import { values } from './support.ts';

test.each([
  ['Ada@Example.ORG', 'ada@example.org', true],
  ['(030) 90-18-20', '030901820', true],
  ['a.very.long.address@example.org', 'a.very.long.addr', true],
  ['+49 30 901820', '901820', true],
  ['+49 30 901820', '820', false],
  ['000000', '+49 30 901820', false],
  ['anna@example.org', 'joanna@example.org', false],
  ['', '', true],
  ['🎉', '🎂', false],
])('[R2] a text may be another one as rewritten by a side: %j and %j: %s', (one, other, expected) => {
  expect([resembles(one, other), resembles(other, one)]).toEqual([expected, expected]);
});

describe('[R2] a value that one side rewrote', () => {
  const lists = (left: string[], leftBase: string[], right: string[], rightBase: string[]) =>
    keyLists('phoneNumbers', {
      left: values(...left),
      leftBase: values(...leftBase),
      right: values(...right),
      rightBase: values(...rightBase),
    });
  const [whole, cut] = ['+4930901820', '901820'];
  const keys = (four: Parameters<typeof aliasLeftovers>[0]) => [four.left, four.right].map((list) => [...list.keys()]);

  test('gets one key, and keeps its own while only one side has it in its base', () => {
    expect(keys(aliasLeftovers(lists([whole], [whole], [cut], [cut])))).toEqual([[whole], [whole]]);
    expect(keys(aliasLeftovers(lists([whole], [whole], [cut], [])))).toEqual([[whole], [cut]]);
  });

  test('[R5] keeps its own key once a side has both spellings', () => {
    expect(keys(aliasLeftovers(lists([whole], [whole], [cut, whole], [cut])))).toEqual([[whole], [cut, whole]]);
    expect(keys(aliasLeftovers(lists([whole, cut], [whole], [cut], [cut])))).toEqual([[whole, cut], [cut]]);
  });

  test('is the twin of one original only', () => {
    const [one, two] = ['+4930901820', '+4940901820'];
    const { rightBase } = aliasLeftovers(lists([one, two], [one, two], [cut], [cut]));
    expect([...rightBase.keys()]).toEqual([one]);
  });
});
