import { PRINTABLE_ASCII } from './text.ts';

/**
 * Accents of European letters, Hebrew points and Arabic vowel marks. The vowel signs of other scripts are kept, because
 * they are part of the name.
 */
const OPTIONAL_MARKS = /[\u0300-\u036F\u0591-\u05C7\u064B-\u065F]+/gu;

/** Letters that Unicode does not decompose into a letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l', đ: 'd', ð: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

const withoutAccents = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(OPTIONAL_MARKS, '')
    .toLowerCase()
    .replace(/[ßøłđðæœı]/gu, (letter) => LETTERS[letter] ?? letter);

/** Folds a text for comparisons that ignore spelling: no accents, lower case, words separated by one space. */
export const foldText = (text: string): string =>
  (PRINTABLE_ASCII.test(text) ? text.toLowerCase() : withoutAccents(text)).replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ').trim();

/** Returns the folded words of a name, from any number of fields. */
export const wordsOf = (...texts: readonly string[]): readonly string[] => {
  const folded = foldText(texts.join(' '));
  return folded === '' ? [] : folded.split(' ');
};

/** A folded word in two spellings: `muller` and `mueller` for Müller. */
export type Word = readonly [plain: string, spelt: string];

const UMLAUT = /[äöüøåæœ]/iu;
const SPELT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };

/** Returns the folded words of a text. */
export const wordsIn = (text: string): readonly Word[] => {
  const plain = foldText(text);
  if (plain === '') return [];
  const words = plain.split(' ');
  if (!UMLAUT.test(text)) return words.map((word) => [word, word]);
  const spelt = foldText(text.toLowerCase().replace(/[äöüøå]/gu, (letter) => SPELT[letter] ?? letter)).split(' ');
  return words.map((word, index) => [word, spelt[index] ?? word]);
};

/** Removes the `e` after a vowel, so that the spellings `mueller` and `muller` are equal. */
export const withoutDigraphs = (text: string): string => text.replace(/([aou])e/gu, '$1');

const SPACELESS =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** Returns whether the word is in a script that writes names without spaces. */
export const isSpaceless = ([plain]: Word): boolean => plain > '\u0E00' && SPACELESS.test(plain);

/** Joins the words to one text. */
export const entryOf = (words: readonly Word[]): string => words.map(([plain]) => plain).join(' ');

/** Returns the folded words of a text. A word in a script without spaces is split into letters, because it may be a whole name. */
export const namePieces = (text: string): readonly string[] =>
  wordsOf(text).flatMap((word) => (isSpaceless([word, word]) ? [...word] : [word]));
