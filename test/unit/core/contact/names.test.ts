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
  ])('does not depend on %s', (_, one, other) => {
    expect(one).toBe(other);
    expect(one).not.toBe('');
  });

  test.each([
    ['Thai', 'สม', 'สิม'],
    ['Devanagari', 'मनु', 'मन'],
    ['Latin', 'Ann', 'Anna'],
  ])('differs in %s if a vowel differs', (_, one, other) => {
    expect(name(one)).not.toBe(name(other));
  });

  test('is empty for a contact without a name', () => {
    expect([name(''), name('🙂', '--')]).toEqual(['', '']);
  });
});

test('a folded text separates its words with one space', () => {
  expect(foldText('  Müller & Söhne GmbH ')).toBe('muller sohne gmbh');
});
