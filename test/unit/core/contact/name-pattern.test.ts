import { expect, test } from 'vitest';
import { globMatcher, quotedName } from '../../../../src/core/contact/name-pattern.ts';

test.each([
  ['*', ['', 'a', 'a/b', '.hidden', '😀'], []],
  ['work*', ['work', 'works', 'work/old'], ['homework']],
  ['*work*', ['homework', 'works'], ['word']],
  ['team ?', ['team a', 'team 😀'], ['team', 'team ab']],
  ['[a-c]x', ['ax', 'cx'], ['dx', 'x', '-x']],
  ['[!a-c]x', ['dx'], ['ax']],
  ['[^ab]', ['c'], ['a', 'b']],
  ['[]a]', [']', 'a'], ['b']],
  ['[a-]', ['a', '-'], ['b']],
  ['{work,home}*', ['works', 'home'], ['play', '{work,home}']],
  ['a{b,{c,d}e}', ['ab', 'ace', 'ade'], ['ac', 'abe']],
  ['a{,b}', ['a', 'ab'], ['b']],
  ['{*,b}x', ['x', 'ax', 'bx'], ['xa']],
  ['{a}', ['{a}'], ['a']],
  ['{a,b', ['{a,b'], ['a']],
  ['[a', ['[a'], ['a']],
  ['a}b,c', ['a}b,c'], []],
  [String.raw`\*`, ['*'], ['a']],
  [String.raw`\[vip\]`, ['[vip]'], ['v']],
  [String.raw`{a\,b,c}`, ['a,b', 'c'], ['a', 'b']],
  ['a\\', ['a\\'], ['a']],
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

test.each([
  ['stars', '*a'.repeat(400)],
  ['alternatives', '{a,b}'.repeat(200)],
  ['stars in alternatives', `${'{*,a}'.repeat(160)}b`],
  ['nested alternatives', `${'{a,'.repeat(300)}b${'}'.repeat(300)}`],
  ['classes that are not closed', '['.repeat(1000)],
  ['braces that are not closed', '{'.repeat(1000)],
])('matching ends for a pattern of many %s', (_, pattern) => {
  expect(globMatcher(pattern)(`${'a'.repeat(2000)}!`)).toBe(false);
});
