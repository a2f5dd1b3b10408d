import { extname } from 'node:path';
import { TextDecoder } from 'node:util';
import { type AddressBook, AddressBookError, Gathering, ProblemList, type ReadFile } from './address-book.ts';
import { readCsv } from './csv.ts';
import { readVCards } from './vcard.ts';
import { readChunks } from '../../util/files.ts';

/** A file for a reader. It is open until it is read to its end or disposed of. */
type OpenFile = AsyncDisposable & Parameters<ReadFile>[0];

const LARGEST_FILE_BYTES = 1024 * 1024 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file; check the path.',
  NOT_A_REGULAR_FILE: 'It is not a regular file; save the address book to a file.',
  FILE_TOO_LARGE: 'It is larger than 1 GiB; divide it.',
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? 'The file cannot be read; check its permissions.';
};

async function* readBook(path: string): AsyncGenerator<Buffer> {
  try {
    yield* readChunks(path, LARGEST_FILE_BYTES);
  } catch (error) {
    throw new AddressBookError(reasonOf(error), { cause: error });
  }
}

/** Detects UTF-16 by its byte order mark, or by the first character, which is ASCII in every address book. */
const utf16Of = ([first, second]: Buffer): 'utf-16le' | 'utf-16be' | null => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  return null;
};

const withoutMark = (chunk: Buffer): Buffer =>
  chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? chunk.subarray(3) : chunk;

async function* joined(
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  decoder: TextDecoder | null,
): AsyncGenerator<Buffer> {
  const inUtf8 = (chunk: Buffer): Buffer =>
    decoder === null ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }), 'utf8');
  yield inUtf8(first);
  for await (const chunk of rest) yield inUtf8(chunk);
}

/**
 * Opens a file for reading in chunks. Throws {@link AddressBookError}, without the file name, if it is missing or cannot be
 * read.
 */
const readFileBytes = async (path: string): Promise<OpenFile> => {
  const chunks = readBook(path);
  const { value } = await chunks.next();
  const first = withoutMark(value ?? Buffer.alloc(0));
  const encoding = utf16Of(first);
  const decoder = encoding === null ? null : new TextDecoder(encoding);
  return {
    isTranscoded: decoder !== null,
    chunks: joined(first, chunks, decoder),
    // A reader may stop before it requests a chunk.
    [Symbol.asyncDispose]: async () => void (await chunks.return(undefined)),
  };
};

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
 * Reads an address book by its extension: vCards (`.vcf`, `.vcard`), or a CSV file (`.csv`, `.tsv`, `.txt`) of Google or
 * Outlook, in any encoding that {@link Decoder} detects. Parts that cannot be read are skipped. At most `most` people are kept;
 * further ones are counted. Throws {@link AddressBookError} if the file is missing, of another kind, or contains no person.
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
