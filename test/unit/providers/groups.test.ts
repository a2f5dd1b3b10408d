import { expect, it } from 'vitest';
import { membershipAfter } from '../../../src/providers/groups.ts';

it('[R11] a change is applied to the current membership', () => {
  expect(membershipAfter(['c', 'b', 'a'], { add: ['d', 'a'], remove: ['b', 'x'] })).toEqual(['a', 'c', 'd']);
});
