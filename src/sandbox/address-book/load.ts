import { existsSync, readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { TextDecoder } from 'node:util';
import { type AddressBook, AddressBookBuilder, AddressBookError, type ReadFile } from './address-book.ts';
import { readCsv } from './csv.ts';
import { readVCards } from './vcard.ts';

const LARGEST_FILE_BYTES = 256 * 1024 * 1024;

const readFile = (path: string): Buffer => {
  if (!existsSync(path)) throw new AddressBookError('There is no such file; check the path.');
  try {
    if (statSync(path).size <= LARGEST_FILE_BYTES) return readFileSync(path);
  } catch (cause) {
    throw new AddressBookError('The file cannot be read; check its permissions.', { cause });
  }
  throw new AddressBookError('It is larger than 256 MiB; divide it.');
};

/** Detects UTF-16 by its byte order mark, or by the first character, which is ASCII in every address book. */
const utf16Of = ([first, second]: Buffer): 'utf-16le' | 'utf-16be' | null => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return null;
};

/** Returns the bytes of a file in UTF-8 if it is UTF-16, without a byte order mark. */
export const normalizeBytes = (bytes: Buffer): Buffer => {
  const encoding = utf16Of(bytes);
  const content = encoding === null ? bytes : Buffer.from(new TextDecoder(encoding).decode(bytes));
  return content.subarray(0, 3).toString('hex') === 'efbbbf' ? content.subarray(3) : content;
};

const READERS: Readonly<Record<string, ReadFile>> = { '.csv': readCsv, '.vcf': readVCards, '.vcard': readVCards };

const inFile = (path: string, error: unknown): unknown =>
  error instanceof AddressBookError ? new AddressBookError(`${path}: ${error.message}`, { cause: error }) : error;

/**
 * Reads an address book by its extension: vCards (`.vcf`, `.vcard`) or a "Google CSV" (`.csv`). Parts that cannot be read are
 * skipped. At most `most` people are kept; further ones are counted. Throws {@link AddressBookError} if the file is missing, of
 * another kind, or contains no person.
 */
export const loadAddressBook = async (path: string, most = Infinity): Promise<AddressBook> => {
  const read = READERS[extname(path).toLowerCase()];
  if (read === undefined) {
    throw new AddressBookError(`${path}: Unknown kind of file. Use a .vcf file, or a .csv export of Google.`);
  }
  const builder = new AddressBookBuilder(most);
  try {
    read(normalizeBytes(readFile(path)), builder);
  } catch (error) {
    throw inFile(path, error);
  }
  const book = builder.build();
  if (book.people.length > 0) return book;
  const first = book.refused.first[0] ?? book.skipped.first[0];
  const hint = first === undefined ? 'it is empty' : `line ${first.line}: ${first.reason}`;
  throw new AddressBookError(`${path}: No person was found in the file (${hint}).`);
};
