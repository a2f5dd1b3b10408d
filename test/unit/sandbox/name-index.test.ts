import { expect, test } from 'vitest';
import { NameIndex } from '../../../src/sandbox/name-index.ts';

test('an id is found only by its current name, among contacts of the same name, and not after its removal', () => {
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
