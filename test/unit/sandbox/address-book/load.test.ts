import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AddressBookError } from '../../../../src/sandbox/address-book/address-book.ts';
import { readCsv } from '../../../../src/sandbox/address-book/csv.ts';
import { loadAddressBook } from '../../../../src/sandbox/address-book/load.ts';
import { readVCards } from '../../../../src/sandbox/address-book/vcard.ts';
import { FIXTURES } from '../../../support/address-books/fixtures.ts';
import { readWith } from './read.ts';

const bookPath = (name: string): string =>
  fileURLToPath(new URL(`../../../support/address-books/${name}`, import.meta.url));

const CSV = 'First Name,Last Name,Labels\nZoé,Groß,Friends\n';

describe('loadAddressBook', () => {
  let folder = '';
  const write = async (name: string, content: string | Uint8Array): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'address-book-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([
    ['google.csv', 2],
    ['apple-3.0.vcf', 2],
  ])('reads %s by its extension', async (name, count) => {
    expect((await loadAddressBook(bookPath(name))).people).toHaveLength(count);
  });

  it('accepts an extension in capitals', async () => {
    const path = await write('CONTACTS.VCF', 'BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nEND:VCARD\n');
    expect((await loadAddressBook(path)).people).toMatchObject([{ givenName: 'Anna' }]);
  });

  it.each<[string, Uint8Array]>([
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${CSV}`, 'utf8')],
    ['UTF-16', Buffer.from(`\uFEFF${CSV}`, 'utf16le')],
    ['UTF-16 without a byte order mark', Buffer.from(CSV, 'utf16le')],
    ['Windows-1252', Buffer.from(CSV, 'latin1')],
  ])('reads a file in %s', async (_title, bytes) => {
    const path = await write('encoded.csv', bytes);
    expect((await loadAddressBook(path)).people).toMatchObject([{ givenName: 'Zoé', familyName: 'Groß' }]);
  });

  it('reports that a file is missing', async () => {
    await expect(loadAddressBook('/nowhere/contacts.vcf')).rejects.toThrow(
      /^\/nowhere\/contacts\.vcf: There is no such file/u,
    );
  });

  it('reports that a path cannot be read', async () => {
    await mkdir(join(folder, 'folder.vcf'));
    await expect(loadAddressBook(join(folder, 'folder.vcf'))).rejects.toThrow('folder.vcf: The file cannot be read');
  });

  it('reports the kinds of files that it accepts', async () => {
    await expect(loadAddressBook('contacts.xlsx')).rejects.toThrow('Use a .vcf file, or a .csv export of Google');
  });

  it('reports the file whose content is of another kind', async () => {
    const path = await write('bills.csv', 'Kunde,Umsatz\n1,2\n');
    await expect(loadAddressBook(path)).rejects.toThrow(/bills\.csv: It is not a "Google CSV"/);
  });

  it('keeps as many people as the account has room for, and counts the others', async () => {
    const cards = ['Anna', 'Berta', 'Cara'].map((name) => `BEGIN:VCARD\nFN:${name}\nEND:VCARD\n`);
    const book = await loadAddressBook(await write('many.vcf', cards.join('')), 2);
    expect(book.people.map(({ givenName }) => givenName)).toEqual(['Anna', 'Berta']);
    expect(book.leftOut).toBe(1);
  });

  it.each([
    ['empty.vcf', '', 'it is empty'],
    ['empty.csv', '', 'it is empty'],
    ['nobody.vcf', 'BEGIN:VCARD\nUID:x\nEND:VCARD\n', 'line 1: no field of a contact'],
  ])('reports that %s contains no contact', async (name, content, hint) => {
    const path = await write(name, content);
    await expect(loadAddressBook(path)).rejects.toThrow(`No person was found in the file (${hint}`);
  });
});

/** One of the table's files with some bytes overwritten by others, or cut off at some byte. */
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

it('for any bytes, a file is read or refused as a whole, and nothing else is thrown', () => {
  fc.assert(
    fc.property(damaged, ({ file, bytes }) => {
      try {
        const { skipped, refused } = readWith(file.extension === 'vcf' ? readVCards : readCsv, bytes);
        for (const { line, lines } of [...skipped.first, ...refused.first]) {
          expect(line).toBeGreaterThan(0);
          expect(lines).toBeGreaterThan(0);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(AddressBookError);
      }
    }),
    { numRuns: 500 },
  );
});
