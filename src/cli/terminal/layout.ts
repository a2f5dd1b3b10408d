import stringWidth from 'fast-string-width';
import { wrapAnsi } from 'fast-wrap-ansi';
import { printable } from '../../util/printable.ts';

/** The layout of lines: their largest width in columns (Infinity: lines are not broken), and the styles. */
export type Layout = {
  readonly width: number;
  readonly style: (style: 'bold' | 'dim' | 'yellow' | 'red', text: string) => string;
};

/** Lines are not broken if fewer columns are left for them. */
const LEAST_WIDTH = 20;
/** The additional indent of the lines after the first. */
const HANGING = 2;

/** A text of a remote as part of a line: without line breaks, with control characters escaped. */
export const inLine = (text: string): string => printable(text.replaceAll(/\s+/gu, ' '));

/** Breaks a text between words into lines of at most `width` columns. A longer word is not broken. */
export const wrap = (text: string, indent: string, width: number): string => {
  const room = width - indent.length - HANGING;
  if (!Number.isFinite(width) || room < LEAST_WIDTH) return indent + text;
  const [first = '', ...others] = wrapAnsi(text, room, { hard: false }).split('\n');
  return [indent + first, ...others.map((line) => indent + ' '.repeat(HANGING) + line)].join('\n');
};

/** The longest name of a contact or group that is printed, in columns. */
export const NAME_COLUMNS = 40;
/** The longest value of a field that is printed, in columns. */
export const VALUE_COLUMNS = 200;

/** The text in one line, cut to `columns`; an ellipsis marks the cut. */
export const shorten = (text: string, columns: number): string => {
  const line = inLine(text);
  if (stringWidth(line) <= columns) return line;
  let cut = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    width += stringWidth(segment);
    if (width >= columns) break;
    cut += segment;
  }
  return `${cut}…`;
};

const two = (number: number): string => String(number).padStart(2, '0');

/** A time for people, in the local time zone: `2026-11-25 15:31`; an empty text for null. */
export const formatTime = (atMs: number | null): string => {
  if (atMs === null) return '';
  const at = new Date(atMs);
  const day = [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join('-');
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
};

/** A time for people with seconds: `2026-11-25 15:31:07`; an empty text for null. */
export const formatExactTime = (atMs: number | null): string =>
  atMs === null ? '' : `${formatTime(atMs)}:${two(new Date(atMs).getSeconds())}`;

const GAP = '  ';

type TableOptions = {
  readonly head?: readonly string[];
  /** Columns of numbers, counted from 0. */
  readonly numbers?: readonly number[];
  readonly indent?: string;
};

/** Rows in columns as wide as their widest cell, without lines between them: readable by people and by `awk`. */
export const formatTable = (rows: readonly (readonly (string | number)[])[], options: TableOptions = {}): string => {
  const { head, numbers = [], indent = '' } = options;
  // A line break in a cell would look like another row.
  const cells = [...(head === undefined ? [] : [head]), ...rows].map((row) =>
    row.map((cell) => String(cell).replaceAll(/[\r\n]+/gu, ' ')),
  );
  const columns = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...cells.map((row) => stringWidth(row[column] ?? ''))),
  );
  const lineOf = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? '';
        const padding = ' '.repeat(width - stringWidth(cell));
        return numbers.includes(column) ? padding + cell : cell + padding;
      })
      .join(GAP);
  return cells.map((row) => (indent + lineOf(row)).trimEnd()).join('\n');
};
