import { extname } from 'node:path';
import { type AddressBook, ProblemList } from './address-book.ts';
import { AddressBookError } from './address-book-error.ts';
import { readCsv } from './csv.ts';
import { readFileBytes } from './file-bytes.ts';
import { Gathering } from './gathering.ts';
import { readVCards } from './vcard.ts';
import type { ReadFile } from './read-file.ts';

const READERS: Readonly<Record<string, ReadFile>> = {
  '.csv': readCsv,
  '.tsv': readCsv,
  '.txt': readCsv,
  '.vcf': readVCards,
  '.vcard': readVCards,
};

const inFile = (path: string, error: unknown): unknown =>
  error instanceof AddressBookError ? new AddressBookError(`${path}: ${error.message}`, { cause: error }) : error;

/**
 * Reads an address book by its extension: vCards (`.vcf`, `.vcard`), or a CSV file (`.csv`, `.tsv`, `.txt`) as Google or
 * Outlook exports it, in any encoding that {@link Decoder} tells apart. What cannot be read costs the rest nothing.
 * `most` people are kept, the others counted.
 * Throws {@link AddressBookError} where the file is missing, of another kind, or holds nobody.
 */
export const loadAddressBook = async (path: string, most = Infinity): Promise<AddressBook> => {
  const read = READERS[extname(path).toLowerCase()];
  if (read === undefined) {
    throw new AddressBookError(
      `${path}: Unknown kind of file. Use a .vcf file, or a .csv export of Google or Outlook.`,
    );
  }
  const [gathering, skipped, refused] = [new Gathering(most), new ProblemList(), new ProblemList()];
  try {
    await using file = await readFileBytes(path);
    await read(file, { add: (person) => gathering.add(person), skipped, refused });
  } catch (error) {
    throw inFile(path, error);
  }
  const { people, leftOut } = gathering;
  const book = { people, leftOut, skipped: skipped.toProblems(), refused: refused.toProblems() };
  if (book.people.length > 0) return book;
  const first = book.refused.first[0] ?? book.skipped.first[0];
  const hint = first === undefined ? 'it is empty' : `line ${first.line}: ${first.reason}`;
  throw new AddressBookError(`${path}: No person was found in the file (${hint}).`);
};
