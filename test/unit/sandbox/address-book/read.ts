import {
  type AddressBook,
  Gathering,
  ProblemList,
  type ReadFile,
} from '../../../../src/sandbox/address-book/address-book.ts';

async function* inChunks(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/** Returns the result of a reader for bytes that arrive in chunks of that size. */
export const readWith = async (read: ReadFile, bytes: Uint8Array, chunkBytes = 1 << 20): Promise<AddressBook> => {
  const [gathering, skipped, refused] = [new Gathering(Infinity), new ProblemList(), new ProblemList()];
  const file = { isTranscoded: false, chunks: inChunks(Buffer.from(bytes), chunkBytes) };
  await read(file, { add: (person) => gathering.add(person), skipped, refused });
  const { people, leftOut } = gathering;
  return { people, leftOut, skipped: skipped.toProblems(), refused: refused.toProblems() };
};
