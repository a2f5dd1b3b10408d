import { describe, expect, test } from 'vitest';
import { foldGroupName, groupFilter, mayWrite, type Policy } from '../../../../src/core/reconcile/policy.ts';
import { policyWith } from './support.ts';

test.each<[Policy['direction'], boolean, boolean]>([
  ['both', true, true],
  ['to-left', true, false],
  ['to-right', false, true],
])('a link with the direction %s may write to Google: %s, to the service: %s', (direction, left, right) => {
  const policy = policyWith({ direction });
  expect([mayWrite(policy, 'left'), mayWrite(policy, 'right')]).toEqual([left, right]);
});

test('names of groups are compared composed, trimmed and in any case', () => {
  expect(foldGroupName(' Cafe\u0301 ')).toBe(foldGroupName('CAFÉ'));
  expect(foldGroupName('Work')).not.toBe(foldGroupName('Works'));
});

describe('BUCKETS', () => {
  test.each<[readonly string[], string, boolean]>([
    [['*'], 'Anything at all', true],
    [['*'], 'a/b', true],
    [['*'], '.hidden', true],
    [['Work'], 'work ', true],
    [['Work'], 'Homework', false],
    [['*work'], 'Homework', true],
    [['Cafe\u0301'], 'CAFÉ', true],
    [['Team ?'], 'Team A', true],
    [['Team ?'], 'Team AB', false],
    [['{A,B}*'], 'Bees', true],
    [['*', '!Private*'], 'Private life', false],
    [['*', '!Private*'], 'Work', true],
    [['*', '!Private*', 'Private club'], 'Private club', true],
    [['Work', '!*'], 'Work', false],
    [['!Work'], 'Play', false],
    [['C++ (old)'], 'c++ (old)', true],
    [['[Friends]'], '[Friends]', true],
    [['"[VIP]"'], '[vip]', true],
    [['"[VIP]"'], 'V', false],
    [['"*"'], '*', true],
    [['"*"'], 'Work', false],
    [['"!Important"'], '!Important', true],
    [['*', '!"A,B"'], 'a,b', false],
    [[String.raw`\!Important`], '!Important', true],
    [['*', '!'], 'Work', true],
    [[], 'Work', false],
  ])('%j lets %j take part: %s', (patterns, name, expected) => {
    expect(groupFilter(patterns)(name)).toBe(expected);
  });
});
