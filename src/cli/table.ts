import stringWidth from 'string-width';

const GAP = '  ';

export type TableOptions = {
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
