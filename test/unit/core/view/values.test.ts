import { expect, test } from 'vitest';
import { contactOf } from '../../../../src/core/contact/record.ts';
import { nameOf } from '../../../../src/core/view/values.ts';

test.each([
  ['Chinese', '小明', '王', '王小明'],
  ['Japanese', 'さくら', '佐藤', '佐藤さくら'],
  ['Korean', '지훈', '김', '김지훈'],
  ['a foreign name in katakana', 'マリア', 'シュミット', 'マリア シュミット'],
  ['Latin', 'Ada', 'Lovelace', 'Ada Lovelace'],
  ['two scripts', 'David', '王', 'David 王'],
  ['one part', '王小明', '', '王小明'],
])('a name is displayed in the order of its script: %s', (_, firstName, lastName, name) => {
  expect(nameOf(contactOf({ firstName, lastName }))).toBe(name);
});
