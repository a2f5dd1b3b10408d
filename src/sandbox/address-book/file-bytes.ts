import { TextDecoder } from 'node:util';
import { readChunks } from '../../util/files.ts';
import { AddressBookError } from './address-book-error.ts';

/** A file from its beginning on. It is open until it was read to its end, or is disposed of. */
export type FileBytes = AsyncDisposable & {
  /** Whether the file was UTF-16: its chunks are UTF-8, whatever charset it names. */
  readonly isTranscoded: boolean;
  /** At least one chunk, without a byte order mark. */
  readonly chunks: AsyncIterable<Buffer>;
};

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

/** By its byte order mark; without one by its first character, which is ASCII in every address book. */
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

/** Opens a file for reading piece by piece. Throws {@link AddressBookError}, which does not name the file, where it is missing or cannot be read. */
export const readFileBytes = async (path: string): Promise<FileBytes> => {
  const chunks = readBook(path);
  const { value } = await chunks.next();
  const first = withoutMark(value ?? Buffer.alloc(0));
  const encoding = utf16Of(first);
  const decoder = encoding === null ? null : new TextDecoder(encoding);
  return {
    isTranscoded: decoder !== null,
    chunks: joined(first, chunks, decoder),
    // A reader may stop before it asks for a chunk.
    [Symbol.asyncDispose]: async () => void (await chunks.return(undefined)),
  };
};
