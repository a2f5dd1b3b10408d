import { foldText, wordsOf } from './names.ts';

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
