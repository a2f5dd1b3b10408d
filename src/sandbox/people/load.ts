import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { AddressBookError } from './address-book-error.ts';
import { parseGoogleCsv } from './google-csv.ts';
import type { ParsedPeople } from './person.ts';
import { parseVCards } from './vcard.ts';

const PARSERS: Readonly<Record<string, (text: string) => ParsedPeople>> = {
  '.csv': parseGoogleCsv,
  '.vcf': parseVCards,
  '.vcard': parseVCards,
};

const readBytes = async (path: string): Promise<Uint8Array> => {
  try {
    return await readFile(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const reason = isMissing
      ? 'There is no such file; check the path.'
      : 'The file cannot be read; check its permissions.';
    throw new AddressBookError(`${path}: ${reason}`, { cause: error });
  }
};

/** UTF-8, UTF-16 by its byte order mark (older Google exports), else Windows-1252. */
const decode = (bytes: Uint8Array): string => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

const parseNamed = (path: string, parse: (text: string) => ParsedPeople, text: string): ParsedPeople => {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof AddressBookError) throw new AddressBookError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
};

/**
 * Reads an address book file by its extension: `.vcf` and `.vcard`, or `.csv` as Google Contacts exports it.
 * Throws {@link AddressBookError} where the file is missing, of another kind, or holds nobody.
 */
export const loadAddressBook = async (path: string): Promise<ParsedPeople> => {
  const parse = PARSERS[extname(path).toLowerCase()];
  if (parse === undefined) {
    throw new AddressBookError(`${path}: Not a known kind of address book; give a .vcf file or a Google .csv export.`);
  }
  const book = parseNamed(path, parse, decode(await readBytes(path)));
  if (book.people.length > 0) return book;
  const first = book.problems[0];
  const hint = first === undefined ? 'it holds no entries' : `entry ${first.entry}: ${first.reason}`;
  throw new AddressBookError(`${path}: No person was found in the file (${hint}).`);
};
