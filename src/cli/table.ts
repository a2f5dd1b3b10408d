import Table from 'cli-table3';

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

export type TableOptions = {
  readonly head?: readonly string[];
  /** Columns of numbers, counted from 0. */
  readonly numbers?: readonly number[];
  readonly indent?: string;
};

/** Rows in columns as wide as their widest cell, without lines between them: readable by people and by `awk`. */
export const formatTable = (rows: readonly (readonly (string | number)[])[], options: TableOptions = {}): string => {
  const { head, numbers = [], indent = '' } = options;
  const columns = Math.max(head?.length ?? 0, ...rows.map((row) => row.length));
  const table = new Table({
    chars: NO_LINES,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [], compact: true },
    colAligns: Array.from({ length: columns }, (_, column) => (numbers.includes(column) ? 'right' : 'left')),
    ...(head === undefined ? {} : { head: [...head] }),
  });
  // A line break in a cell would look like another row.
  const inLine = (cell: string | number) => (typeof cell === 'string' ? cell.replaceAll(/[\r\n]+/gu, ' ') : cell);
  table.push(...rows.map((row) => row.map(inLine)));
  const lines = table.toString().split('\n');
  return lines.map((line) => (indent + line).trimEnd()).join('\n');
};
