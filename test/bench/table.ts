export type Table = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes?: readonly string[];
};

/** Returns a table as Markdown, which is also readable in a terminal. */
export const printTable = ({ title, head, rows, notes = [] }: Table): string => {
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  const lines = [`## ${title}`, '', line(head), rule, ...rows.map(line), ...notes.flatMap((note) => ['', note])];
  return `${lines.join('\n')}\n`;
};

export const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
export const seconds = (durationMs: number): string => `${(durationMs / 1_000).toFixed(2)} s`;
export const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;

/** An upper bound in words, marked if a measured value is above it. */
export const boundText = (text: string, isKept: boolean): string => (isKept ? text : `${text} **(missed)**`);
