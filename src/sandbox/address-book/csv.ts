import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { AddressBookError, type ReadFile } from './address-book.ts';
import { Columns, type Layout } from './csv-columns.ts';
import { googleLayout, isGoogle } from './csv-google.ts';
import { isOutlook, outlookLayout } from './csv-outlook.ts';
import { type ByteText, Decoder } from './decoder.ts';
import { isFilled } from '../people/person.ts';

const EXPECTED =
  'Expected are the columns of a "Google CSV" ("First Name" or "Given Name", "E-mail 1 - Value", "Labels"...) or of ' +
  'an Outlook export ("First Name", "Last Name", "E-mail Address"...)';
const NAMES_SHOWN = 5;
const NAME_SHOWN_CHARACTERS = 40;

const shortName = (name: string): string => JSON.stringify(name.slice(0, NAME_SHOWN_CHARACTERS));

/** An unused column, and the number of its filled cells. */
type IgnoredColumn = { readonly index: number; readonly name: string; values: number };

const foundIn = ({ names }: Columns): string => {
  const shown = names.filter(Boolean).map(shortName);
  const more = shown.length > NAMES_SHOWN ? ` and ${shown.length - NAMES_SHOWN} more` : '';
  return `${shown.slice(0, NAMES_SHOWN).join(', ')}${more}`;
};

const layoutOf = (columns: Columns): Layout => {
  if (isGoogle(columns)) return googleLayout(columns);
  if (isOutlook(columns)) return outlookLayout(columns);
  throw new AddressBookError(`Too few columns are known. ${EXPECTED}; the first line has ${foundIn(columns)}.`);
};

/** The separator of cells, and the line with the column names. */
type Form = { readonly delimiter: string; readonly headLine: number };

const DELIMITERS = [',', ';', '\t'];

/** Returns the separator of `sep=` on the first line, else the most frequent one outside quotation marks on that line. */
const formOf = (start: ByteText): Form => {
  const [named] = /^"?sep=(?:.)(?="?\s*[\r\n])/iu.exec(start) ?? [];
  if (named !== undefined) return { delimiter: named.slice(-1), headLine: 2 };
  const [line = ''] = start
    .replaceAll(/"[^"]*"/gu, '')
    .trimStart()
    .split(/[\r\n]/u, 1);
  const countOf = (delimiter: string): number => line.split(delimiter).length;
  const delimiter = DELIMITERS.toSorted((a, b) => countOf(b) - countOf(a))[0] ?? ',';
  return { delimiter, headLine: 1 };
};

const HEAD_BYTES = 1 << 16;

async function* withFirst(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

type OnRow = (cells: readonly ByteText[], lines: number) => void;

/** Calls back for each row when it is complete, so that no row is lost to a later error. */
const parserFor = ({ delimiter, headLine }: Form, onRow: OnRow) =>
  parse({
    delimiter,
    from_line: headLine,
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (cells: string[], { lines }) => {
      onRow(cells, lines);
      return null;
    },
  }).resume();

const occurrences = (cells: readonly string[], part: string): number =>
  cells.reduce((sum, cell) => (cell.includes(part) ? sum + cell.split(part).length - 1 : sum), 0);

/** Reads the people of a CSV file of Google or Outlook, also one that a spreadsheet program saved again. */
export const readCsv: ReadFile = async ({ chunks }, { add, skipped, refused }) => {
  const decoder = new Decoder();
  const pieces = chunks[Symbol.asyncIterator]();
  const first: Buffer = (await pieces.next()).value ?? Buffer.alloc(0);
  const form = formOf(first.toString('latin1', 0, HEAD_BYTES));
  let layout: Layout | null = null;
  let ignored: readonly IgnoredColumn[] = [];
  let countedTwice = 0;
  let endedLine = 0;
  const onRow: OnRow = (cells, lines) => {
    // The parser counts CR LF in a cell as two lines.
    countedTwice += occurrences(cells, '\r\n');
    endedLine = lines - countedTwice;
    if (layout === null) {
      const columns = new Columns(cells, decoder);
      layout = layoutOf(columns);
      ignored = columns.unused().map((index) => ({ index, name: columns.names[index] ?? '', values: 0 }));
      return;
    }
    for (const column of ignored) if ((cells[column.index] ?? '').trim() !== '') column.values += 1;
    const line = endedLine - occurrences(cells, '\n');
    const person = layout(cells, (reason) => skipped.add(line, reason));
    if (isFilled(person)) add(person);
    else refused.add(line, 'no field of a contact can be read in the row');
  };
  const parser = parserFor(form, onRow);
  try {
    await pipeline(withFirst(first, pieces), parser);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    refused.add(endedLine + 1, 'a quoted field is not closed, so the rest of the file cannot be read');
  }
  for (const { name, values } of ignored) {
    if (values > 0) skipped.add(form.headLine, `the column ${shortName(name)} is ignored (${values} filled)`);
  }
};
