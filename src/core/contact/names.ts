import type { Contact } from './contact.ts';

/** Accents of European letters, Hebrew points and Arabic vowel marks; the vowel signs of other scripts make the name. */
const OPTIONAL_MARKS = /[\u0300-\u036F\u0591-\u05C7\u064B-\u065F]+/gu;

/** Letters that Unicode does not take apart into a letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/** Printable ASCII has no accents, and most texts are that. */
const PLAIN = /^[ -~]*$/u;

const withoutAccents = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(OPTIONAL_MARKS, '')
    .toLowerCase()
    .replace(/[ßøłđðæœı]/gu, (letter) => LETTERS[letter] ?? letter);

/** A text as texts are compared where spelling does not matter: no accents, no case, words parted by one space. */
export const foldText = (text: string): string => {
  return (PLAIN.test(text) ? text.toLowerCase() : withoutAccents(text)).replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();
};

/** The folded words of a name, from any number of fields. */
export const wordsOf = (...texts: readonly string[]): readonly string[] => {
  const folded = foldText(texts.join(' '));
  return folded === '' ? [] : folded.split(' ');
};

/** What two spellings of one full name have in common, however it is divided and ordered; empty where no name is. */
export const fullNameKey = (contact: Contact): string => {
  return wordsOf(contact.firstName, contact.lastName).toSorted().join(' ');
};
