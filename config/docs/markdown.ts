/** A Markdown table. A `|` inside a cell is escaped. */
export const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll(/(?<!\\)\|/gu, String.raw`\|`)).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
};

export const code = (text: string): string => `\`${text}\``;

/** Several words as code, separated by commas. */
export const codes = (words: readonly string[]): string => words.map(code).join(', ');
