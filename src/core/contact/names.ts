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

/** The same key for all spellings, divisions and orders of one full name; empty without a name. */
export const fullNameKey = (contact: Contact): string => {
  return wordsOf(contact.firstName, contact.lastName).toSorted().join(' ');
};

/** A folded word in two spellings: `muller` and `mueller` for Müller. */
export type Word = readonly [plain: string, spelt: string];

const UMLAUT = /[äöüøåæœ]/iu;
const SPELT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** The folded words of a text. */
export const wordsIn = (text: string): readonly Word[] => {
  const plain = foldText(text);
  if (plain === '') return [];
  const words = plain.split(' ');
  if (!UMLAUT.test(text)) return words.map((word) => [word, word]);
  const spelt = foldText(text.toLowerCase().replace(/[äöüøå]/gu, (letter) => SPELT[letter] ?? letter)).split(' ');
  return words.map((word, index) => [word, spelt[index] ?? word]);
};

/** Vowels in either spelling: `mueller` and `muller`. */
export const withoutDigraphs = (text: string): string => text.replace(/([aou])e/gu, '$1');

const SPACELESS =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Whether the word is of a script that writes names without spaces. */
export const isSpaceless = ([plain]: Word): boolean => plain > '\u0E00' && SPACELESS.test(plain);

/** The words as one text. */
export const entryOf = (words: readonly Word[]): string => words.map(([plain]) => plain).join(' ');

/** The folded words of a text; of a word in a script without spaces its letters, because it may be a whole name. */
export const namePieces = (text: string): readonly string[] =>
  wordsOf(text).flatMap((word) => (isSpaceless([word, word]) ? [...word] : [word]));
