import { expect, test } from 'vitest';
import { globMatcher, quotedName } from '../../../../src/core/contact/name-pattern.ts';

test.each([
  ['*', ['', 'a', 'a/b', '.hidden', '😀'], []],
  ['work*', ['work', 'works', 'work/old'], ['homework']],
  ['*work*', ['homework', 'works'], ['word']],
  ['team ?', ['team a', 'team 😀'], ['team', 'team ab']],
  // Other characters match themselves.
  ['[vip]', ['[vip]'], ['v']],
  ['{a}', ['{a}'], ['a']],
  ['50% (new)', ['50% (new)'], ['50% new']],
  ['a|b', ['a|b'], ['a']],
  ['', [''], ['a']],
] as const)('the pattern %j matches %j and not %j', (pattern, matching, others) => {
  const matches = globMatcher(pattern);
  expect(matching.filter((name) => !matches(name))).toEqual([]);
  expect((others as readonly string[]).filter(matches)).toEqual([]);
});

test.each([
  ['"[VIP]"', '[VIP]'],
  [' "A,B" ', 'A,B'],
  ['"*"', '*'],
  ['""', null],
  ['"a" "b"', null],
  ['"a', null],
  ['a"', null],
])('%j names %j', (pattern, name) => {
  expect(quotedName(pattern)).toBe(name);
});

test('matching ends for a pattern of many stars', () => {
  expect(globMatcher('*a'.repeat(400))(`${'a'.repeat(2000)}!`)).toBe(false);
});
