import { describe, expect, test } from 'vitest';
import { keyLists } from '../../../../src/core/contact/lists.ts';

const values = (...list: string[]) => list.map((value) => ({ value, label: null }));

const keysOf = (field: 'emailAddresses' | 'phoneNumbers', versions: Record<string, string[]>) => {
  const entries = Object.entries(versions).map(([name, list]) => [name, values(...list)]);
  const keyed = keyLists(field, Object.fromEntries(entries));
  return Object.fromEntries(Object.entries(keyed).map(([name, list]) => [name, [...list.keys()]]));
};

describe('versions of a list', () => {
  test('give a phone number one key if one version spells it nationally and the other internationally', () => {
    expect(keysOf('phoneNumbers', { a: ['030 901820'], b: ['+49 30 901820'], c: [] })).toEqual({
      a: ['+4930901820'],
      b: ['+4930901820'],
      c: [],
    });
  });

  test('[R5] keep both spellings apart if one version contains both, so that neither is lost', () => {
    const versions = { a: ['030 901820', '+49 30 901820'], b: ['+49 30 901820'], c: ['030 901820'] };
    expect(keysOf('phoneNumbers', versions)).toEqual({
      a: ['030901820', '+4930901820'],
      b: ['+4930901820'],
      c: ['030901820'],
    });
  });

  test('[R5] keep two national spellings of one version apart', () => {
    expect(keysOf('phoneNumbers', { a: ['030 901820', '30 901820'], b: ['+49 30 901820'] }).a).toHaveLength(2);
  });

  test('do not match a national number that fits two international ones', () => {
    const versions = { a: ['030 901820'], b: ['+49 30 901820', '+43 30 901820'] };
    expect(keysOf('phoneNumbers', versions).a).toEqual(['030901820']);
  });

  test('do not treat email addresses as phone numbers', () => {
    expect(keysOf('emailAddresses', { a: ['0301234567'], b: ['+49301234567'] }).a).toEqual(['0301234567']);
  });
});
