import { expect, test } from 'vitest';
import { NameIndex } from '../../../src/sandbox/name-index.ts';

test('an id is found by its present name only, among namesakes, and not after it was removed', () => {
  const names = new NameIndex();
  names.move('a', undefined, 'Friends');
  names.move('b', undefined, 'Friends');
  expect([...names.idsOf('Friends')]).toEqual(['a', 'b']);
  names.move('a', 'Friends', 'Family');
  expect([[...names.idsOf('Friends')], [...names.idsOf('Family')]]).toEqual([['b'], ['a']]);
  names.move('b', 'Friends', undefined);
  names.move('a', 'Family', 'Family');
  expect([names.idsOf('Friends').size, [...names.idsOf('Family')]]).toEqual([0, ['a']]);
});
