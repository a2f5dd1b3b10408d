import { englishHeading } from './csv-headings.ts';
import type { ByteText, Decoder } from './decoder.ts';
import { readBirthday, severalLines, singleLine } from './values.ts';
import {
  isFilledAddress,
  type LabelledText,
  type Person,
  type PersonAddress,
  splitFullName,
  userGroups,
} from '../people/person.ts';

/** The cells of a row, not yet decoded. */
export type Row = readonly ByteText[];

/** Returns a cell's text; the empty string if the row or the file does not have the cell. */
export type Cell = (row: Row) => string;

/** Reads the rows of a file with certain columns. `skip` is called with the reason for each skipped cell. */
export type Layout = (row: Row, skip: (reason: string) => void) => Person;

/** The columns of a CSV file by their English names, case-insensitive. */
export class Columns {
  /** The names in the file's spelling. */
  readonly names: readonly string[];
  /** The English names, if the language is known. */
  readonly englishNames: readonly string[];
  readonly #decoder: Decoder;
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #used = new Set<number>();

  constructor(head: Row, decoder: Decoder) {
    this.names = head.map((cell) => decoder.decode(cell).trim());
    this.englishNames = this.names.map(englishHeading);
    this.#decoder = decoder;
    // Of several columns with one name, the first is used.
    this.#indexes = new Map(this.englishNames.map((name, index) => [name.toLowerCase(), index] as const).toReversed());
  }

  has(name: string): boolean {
    return this.#indexes.has(name.toLowerCase());
  }

  /** Returns the indexes of the columns that are not read. */
  unused(): readonly number[] {
    return [...this.names.keys()].filter((index) => this.names[index] !== '' && !this.#used.has(index));
  }

  /** Returns the first filled cell of the given columns, on one line. Exports of different years use different names. */
  cell(...names: readonly string[]): Cell {
    return this.#filled(names, singleLine);
  }

  /** Like `cell`, with line breaks. */
  lines(...names: readonly string[]): Cell {
    return this.#filled(names, severalLines);
  }

  #filled(names: readonly string[], clean: (text: string) => string): Cell {
    const indexes = names.flatMap((name) => this.#indexes.get(name.toLowerCase()) ?? []);
    for (const index of indexes) this.#used.add(index);
    return (row) => {
      for (const index of indexes) {
        const cell = row[index] ?? '';
        const text = cell === '' ? cell : clean(this.#decoder.decode(cell));
        if (text !== '') return text;
      }
      return '';
    };
  }
}

type TextField = 'prefix' | 'suffix' | 'nickname' | 'company' | 'title' | 'department' | 'notes';

/** The readers of the parts of a row. */
type Cells = Readonly<Record<TextField, Cell>> & {
  readonly names: (row: Row) => Names;
  readonly birthday: Cell;
  readonly emails: (row: Row) => LabelledText[];
  readonly phones: (row: Row) => LabelledText[];
  readonly websites: (row: Row) => LabelledText[];
  readonly addresses: readonly ((row: Row) => PersonAddress)[];
  readonly groups: (row: Row) => string[];
};

/** Returns the layout of a file with these cells. */
export const layoutOf = (cells: Cells): Layout => {
  return (row, skip) => {
    const { day, reason } = readBirthday(cells.birthday(row));
    if (reason !== null) skip(reason);
    return {
      prefix: cells.prefix(row),
      ...cells.names(row),
      suffix: cells.suffix(row),
      nickname: cells.nickname(row),
      company: cells.company(row),
      title: cells.title(row),
      department: cells.department(row),
      emails: cells.emails(row),
      phones: cells.phones(row),
      websites: cells.websites(row),
      addresses: cells.addresses.map((address) => address(row)).filter(isFilledAddress),
      groups: userGroups(cells.groups(row)),
      birthday: day ?? '',
      notes: cells.notes(row),
    };
  };
};

type Names = Pick<Person, 'givenName' | 'middleName' | 'familyName'>;

/** Returns the name in its columns. If these are empty, uses a column with the whole name. */
export const namesCell = (columns: Columns): ((row: Row) => Names) => {
  const given = columns.cell('First Name', 'Given Name');
  const middle = columns.cell('Middle Name', 'Additional Name');
  const family = columns.cell('Last Name', 'Family Name');
  const whole = columns.cell('Name');
  return (row) => {
    const [givenName, middleName, familyName] = [given(row), middle(row), family(row)];
    if (givenName !== '' || middleName !== '' || familyName !== '') return { givenName, middleName, familyName };
    return { middleName, ...splitFullName(whole(row)) };
  };
};
