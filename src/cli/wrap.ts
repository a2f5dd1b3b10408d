import wrapAnsi from 'wrap-ansi';
import { printable } from '../util/printable.ts';

/** What lines are laid out for: how wide they may be, Infinity where nothing breaks them, and how text is styled. */
export type Layout = {
  readonly width: number;
  readonly style: (style: 'bold' | 'dim' | 'yellow' | 'red', text: string) => string;
};

/** Narrower than this, words are left to the terminal. */
const LEAST_WIDTH = 20;
/** How far the lines that follow are indented more than the first. */
const HANGING = 2;

/** A text of a remote as part of a line: in one line, with what a terminal would obey written out. */
export const inLine = (text: string): string => printable(text.replaceAll(/\s+/gu, ' '));

/** The text as lines of so many columns at most, broken between words; a longer word is not broken. */
export const wrap = (text: string, indent: string, width: number): string => {
  const room = width - indent.length - HANGING;
  if (!Number.isFinite(width) || room < LEAST_WIDTH) return indent + text;
  const [first = '', ...others] = wrapAnsi(text, room, { hard: false }).split('\n');
  return [indent + first, ...others.map((line) => indent + ' '.repeat(HANGING) + line)].join('\n');
};
