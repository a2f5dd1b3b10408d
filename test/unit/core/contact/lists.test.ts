import { expect, test } from 'vitest';
import { keyLists } from '../../../../src/core/contact/lists.ts';
import { values } from '../reconcile/support.ts';

type Lists = Record<string, string[]>;

test.each<[string, Lists, Lists]>([
  [
    'a phone number has one key in both spellings',
    { a: ['030 901820'], b: ['+49 30 901820'], c: [] },
    { a: ['+4930901820'], b: ['+4930901820'], c: [] },
  ],
  [
    '[R5] both spellings stay apart if one version contains both, so that neither is lost',
    { a: ['030 901820', '+49 30 901820'], b: ['+49 30 901820'], c: ['030 901820'] },
    { a: ['030901820', '+4930901820'], b: ['+4930901820'], c: ['030901820'] },
  ],
  [
    '[R5] two national spellings of one version stay apart',
    { a: ['030 901820', '30 901820'], b: ['+49 30 901820'] },
    { a: ['030901820', '30901820'], b: ['+4930901820'] },
  ],
  [
    'a national number that fits two international ones matches neither',
    { a: ['030 901820'], b: ['+49 30 901820', '+43 30 901820'] },
    { a: ['030901820'], b: ['+4930901820', '+4330901820'] },
  ],
])('of the versions of a list, %s', (_, versions, keys) => {
  const entries = Object.entries(versions).map(([name, list]) => [name, values(...list)]);
  const keyed = keyLists('phoneNumbers', Object.fromEntries(entries));
  expect(Object.fromEntries(Object.entries(keyed).map(([name, list]) => [name, [...list.keys()]]))).toEqual(keys);
});
