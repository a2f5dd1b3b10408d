import { describe, expect, test } from 'vitest';
import { foldText, fullNameKey } from '../../../../src/core/contact/names.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';

const name = (firstName: string, lastName = '') => fullNameKey(contactOf({ firstName, lastName }));

describe('a full name', () => {
  test.each([
    ['accents', name('José', 'Núñez'), name('Jose', 'Nunez')],
    ['case and punctuation', name('ANNE-MARIE', "O'Neil"), name('Anne Marie', 'O neil')],
    ['order', name('Ada', 'Lovelace'), name('Lovelace', 'Ada')],
    ['division', name('Mary Ann', 'Lee'), name('Mary', 'Ann Lee')],
    ['one field for all', name('Mary Ann Lee'), name('Mary Ann', 'Lee')],
    ['Hebrew points', name('שָׁלוֹם'), name('שלום')],
    ['Arabic vowel marks', name('مُحَمَّد'), name('محمد')],
  ])('is the same whatever the %s', (_, one, other) => {
    expect(one).toBe(other);
    expect(one).not.toBe('');
  });

  test.each([
    ['Thai', 'สม', 'สิม'],
    ['Devanagari', 'मनु', 'मन'],
    ['Latin', 'Ann', 'Anna'],
  ])('is another one in %s where a vowel differs', (_, one, other) => {
    expect(name(one)).not.toBe(name(other));
  });

  test('is empty where there is none', () => {
    expect([name(''), name('🙂', '--')]).toEqual(['', '']);
  });
});

test('a folded text has its words parted by one space', () => {
  expect(foldText('  Müller & Söhne GmbH ')).toBe('muller sohne gmbh');
});
