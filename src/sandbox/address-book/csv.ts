import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { CsvError, parse } from 'csv-parse/sync';
import { AddressBookError, type ReadFile } from './address-book.ts';
import { commonLabel, readBirthday, severalLines, singleLine } from './values.ts';
import {
  isFilled,
  isFilledAddress,
  type LabelledText,
  type Person,
  type PersonAddress,
  userGroups,
} from '../people/person.ts';

/** The columns of a "Google CSV" for the texts of a person. */
const TEXT_COLUMNS = {
  prefix: 'Name Prefix',
  givenName: 'First Name',
  middleName: 'Middle Name',
  familyName: 'Last Name',
  suffix: 'Name Suffix',
  nickname: 'Nickname',
  company: 'Organization Name',
  title: 'Organization Title',
  department: 'Organization Department',
} as const;

/** Columns that exist once for each entry, such as `E-mail 1 - Value`. */
const ENTRY_COLUMN =
  /^(?<entry>(?:(?:E-mail|Phone|Website) \d+ - (?=Label$|Value$))|(?:Address \d+ - (?=Label$|Formatted$|Street$|City$|PO Box$|Region$|Postal Code$|Country$|Extended Address$)))/u;

const OTHER_COLUMNS: readonly string[] = [...Object.values(TEXT_COLUMNS), 'Birthday', 'Notes', 'Labels'];

const NAMES_SHOWN = 5;
const NAME_SHOWN_CHARACTERS = 40;

const shortName = (name: string): string => JSON.stringify(name.slice(0, NAME_SHOWN_CHARACTERS));

/** Reads the cells of one row by the name of their column. */
type Cells = (column: string) => string;

/** Several values in one cell are separated by `:::`. */
const splitCell = (text: string): string[] =>
  text
    .split(':::')
    .map(singleLine)
    .filter((part) => part !== '');

/** Returns common labels in the spelling of the People API, others unchanged. A leading `*` marks the primary value. */
const labelOf = (cell: string): string | null => commonLabel(singleLine(cell).replace(/^\*\s*/u, '')) || null;

/** Returns the beginnings of the columns of one kind: `E-mail 1 - `, `E-mail 2 - `. */
const entriesOf = (columns: readonly string[], kind: string): readonly string[] => {
  const entries = columns.map((column) => ENTRY_COLUMN.exec(column)?.groups?.['entry'] ?? '');
  return [...new Set(entries.filter((entry) => entry.startsWith(`${kind} `)))];
};

const readAddress = (cells: Cells, entry: string): PersonAddress => {
  const part = (name: string): string => singleLine(cells(`${entry}${name}`));
  const lines = (name: string): string => severalLines(cells(`${entry}${name}`));
  const address = {
    street: ['Street', 'Extended Address', 'PO Box'].map(lines).filter(Boolean).join('\n'),
    city: part('City'),
    region: part('Region'),
    postalCode: part('Postal Code'),
    country: part('Country'),
    label: labelOf(cells(`${entry}Label`)),
  };
  return isFilledAddress(address) ? address : { ...address, street: lines('Formatted') };
};

/** Returns a reader for the rows of a file with these columns. */
const rowReader = (columns: readonly string[]) => {
  const entries = (kind: string): readonly string[] => entriesOf(columns, kind);
  const [emails, phones, websites, addresses] = [
    entries('E-mail'),
    entries('Phone'),
    entries('Website'),
    entries('Address'),
  ];
  return (cells: Cells, birthday: string): Person => {
    const values = (of: readonly string[]): LabelledText[] =>
      of.flatMap((entry) =>
        splitCell(cells(`${entry}Value`)).map((value) => ({ value, label: labelOf(cells(`${entry}Label`)) })),
      );
    const texts = Object.entries(TEXT_COLUMNS).map(([field, column]) => [field, singleLine(cells(column))]);
    return {
      ...(Object.fromEntries(texts) as Record<keyof typeof TEXT_COLUMNS, string>),
      emails: values(emails),
      phones: values(phones),
      websites: values(websites),
      addresses: addresses.map((entry) => readAddress(cells, entry)).filter(isFilledAddress),
      groups: userGroups(splitCell(cells('Labels'))),
      birthday,
      notes: severalLines(cells('Notes')),
    };
  };
};

const refuseOther = (columns: readonly string[]): void => {
  if (columns.includes('First Name') && columns.includes('Labels')) return;
  const shown = columns.filter(Boolean).map(shortName);
  const more = shown.length > NAMES_SHOWN ? ` and ${shown.length - NAMES_SHOWN} more` : '';
  throw new AddressBookError(
    `It is not a "Google CSV" with the columns "First Name" and "Labels". The first line has ` +
      `${shown.slice(0, NAMES_SHOWN).join(', ')}${more}.`,
  );
};

const occurrences = (cells: readonly string[], part: string): number => cells.join('').split(part).length - 1;

/** Reads the rows that are complete, each with its last line. Returns false if a quoted cell is not closed. */
const readRows = (bytes: Buffer, onRow: (row: readonly string[], endLine: number) => void): boolean => {
  const text = isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes);
  let countedTwice = 0;
  try {
    parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      on_record: (row: string[], { lines }) => {
        // The parser counts CR LF in a cell as two lines.
        countedTwice += occurrences(row, '\r\n');
        onRow(row, lines - countedTwice);
        return null;
      },
    });
    return true;
  } catch (error) {
    if (error instanceof CsvError) return false;
    throw error;
  }
};

export const readCsv: ReadFile = (bytes, book) => {
  let columns: readonly string[] | null = null;
  let read = rowReader([]);
  let endedLine = 0;
  const ignored = new Map<number, number>();
  const isClosed = readRows(bytes, (row, endLine) => {
    endedLine = endLine;
    if (columns === null) {
      columns = row.map((cell) => cell.trim());
      refuseOther(columns);
      read = rowReader(columns);
      return;
    }
    const names = columns;
    for (const [index, cell] of row.entries()) {
      const name = names[index] ?? '';
      const isUsed = name === '' || OTHER_COLUMNS.includes(name) || ENTRY_COLUMN.test(name);
      if (!isUsed && cell.trim() !== '') ignored.set(index, (ignored.get(index) ?? 0) + 1);
    }
    const line = endLine - occurrences(row, '\n');
    const cells: Cells = (column) => row[names.indexOf(column)] ?? '';
    const { day, reason } = readBirthday(cells('Birthday'));
    if (reason !== null) book.skipped.add(line, reason);
    const person = read(cells, day ?? '');
    if (isFilled(person)) book.add(person);
    else book.refused.add(line, 'no field of a contact can be read in the row');
  });
  if (!isClosed)
    book.refused.add(endedLine + 1, 'a quoted field is not closed, so the rest of the file cannot be read');
  for (const [index, filled] of ignored) {
    book.skipped.add(1, `the column ${shortName(columns?.[index] ?? '')} is ignored (${filled} filled)`);
  }
};
