import type { Contact } from './contact.ts';

/** Accents of European letters, Hebrew points and Arabic vowel marks; the vowel signs of other scripts make the name. */
const OPTIONAL_MARKS = /[\u0300-\u036F\u0591-\u05C7\u064B-\u065F]+/gu;

/** Letters that Unicode does not take apart into a letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/** A text as texts are compared where spelling does not matter: no accents, no case, words parted by one space. */
export const foldText = (text: string): string => {
  return text
    .normalize('NFKD')
    .replace(OPTIONAL_MARKS, '')
    .toLowerCase()
    .replace(/[ßøłđðæœı]/gu, (letter) => LETTERS[letter] ?? letter)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
};

/** The folded words of a name, from any number of fields. */
export const wordsOf = (...texts: readonly string[]): readonly string[] => {
  return texts.flatMap((text) => foldText(text).split(' ')).filter((word) => word !== '');
};

/** What two spellings of one full name have in common, however it is divided and ordered; empty where no name is. */
export const fullNameKey = (contact: Contact): string => {
  return wordsOf(contact.firstName, contact.lastName).toSorted().join(' ');
};
