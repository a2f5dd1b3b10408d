import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AddressBookError } from '../../../../src/sandbox/address-book/address-book.ts';
import { readCsv } from '../../../../src/sandbox/address-book/csv.ts';
import { readVCards } from '../../../../src/sandbox/address-book/vcard.ts';
import { FIXTURES } from '../../../support/address-books/fixtures.ts';
import { readWith } from './read.ts';

/** One of the table's files with some bytes written over by others, or all cut off from some byte on. */
const damaged = fc
  .record({
    file: fc.constantFrom(...FIXTURES),
    at: fc.nat(600),
    bytes: fc.uint8Array({ maxLength: 20 }),
    isCut: fc.boolean(),
  })
  .map(({ file, at, bytes, isCut }) => {
    const from = Math.min(at, file.bytes.length);
    const rest = isCut ? [] : [file.bytes.subarray(from + bytes.length)];
    return { file, bytes: Buffer.concat([file.bytes.subarray(0, from), bytes, ...rest]) };
  });

it('whatever the bytes, a file is read or refused as a whole, and nothing else is thrown', async () => {
  await fc.assert(
    fc.asyncProperty(damaged, fc.integer({ min: 1, max: 4_000 }), async ({ file, bytes }, chunkBytes) => {
      const read = file.extension === 'vcf' ? readVCards : readCsv;
      const book = await readWith(read, bytes, read === readCsv ? undefined : chunkBytes).catch((error: unknown) => {
        expect(error).toBeInstanceOf(AddressBookError);
        return null;
      });
      for (const { line, lines } of [...(book?.skipped.first ?? []), ...(book?.refused.first ?? [])]) {
        expect(line).toBeGreaterThan(0);
        expect(lines).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});
