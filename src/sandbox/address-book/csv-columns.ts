import { englishHeading } from './csv-headings.ts';
import type { ByteText, Decoder } from './decoder.ts';
import { severalLines, singleLine } from './values.ts';
import { type Person, splitFullName } from '../people/person.ts';

/** The cells of a row, not yet decoded. */
export type Row = readonly ByteText[];

/** Reads a cell; the empty string where the row or the file has none. */
export type Cell = (row: Row) => string;

/** How the rows of a file with certain columns are read; `skip` is called with the reason for each cell that is left out. */
export type Layout = (row: Row, skip: (reason: string) => void) => Person;

/** The columns of a CSV file, by their English names without regard to case. */
export class Columns {
  /** As the file spells them. */
  readonly names: readonly string[];
  /** In English where the language is known. */
  readonly englishNames: readonly string[];
  readonly #decoder: Decoder;
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #used = new Set<number>();

  constructor(head: Row, decoder: Decoder) {
    this.names = head.map((cell) => decoder.decode(cell).trim());
    this.englishNames = this.names.map(englishHeading);
    this.#decoder = decoder;
    // Of columns with one name the first counts.
    this.#indexes = new Map(this.englishNames.map((name, index) => [name.toLowerCase(), index] as const).toReversed());
  }

  has(name: string): boolean {
    return this.#indexes.has(name.toLowerCase());
  }

  /** The columns of which no cell is read, by their place. */
  unused(): readonly number[] {
    return [...this.names.keys()].filter((index) => this.names[index] !== '' && !this.#used.has(index));
  }

  /** The first filled cell of the columns named, on one line: exports of different years name the same differently. */
  cell(...names: readonly string[]): Cell {
    return this.#filled(names, singleLine);
  }

  /** The same, with its line breaks. */
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

type Names = Pick<Person, 'givenName' | 'middleName' | 'familyName'>;

/** The name in its columns; where these are empty, that of a column with the whole name. */
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
