import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { AddressBookError } from './address-book-error.ts';

/** A file from its beginning on. */
export type FileBytes = {
  /** Whether the file was UTF-16: its chunks are UTF-8, whatever charset it names. */
  readonly isTranscoded: boolean;
  /** At least one chunk, without a byte order mark. */
  readonly chunks: AsyncIterable<Buffer>;
};

const CHUNK_BYTES = 1 << 16;

const reasonOf = (error: unknown): string => {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing ? 'There is no such file; check the path.' : 'The file cannot be read; check its permissions.';
};

async function* readChunks(path: string): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) yield chunk as Buffer;
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
  const chunks = readChunks(path);
  const { value } = await chunks.next();
  const first = withoutMark(value ?? Buffer.alloc(0));
  const encoding = utf16Of(first);
  const decoder = encoding === null ? null : new TextDecoder(encoding);
  return { isTranscoded: decoder !== null, chunks: joined(first, chunks, decoder) };
};
