import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import ICAL from 'ical.js';
import { expect, it } from 'vitest';
import type { AddressBook } from '../../../src/sandbox/address-book/address-book.ts';
import { AddressBookBuilder, AddressBookError } from '../../../src/sandbox/address-book/address-book.ts';
import { readCsv } from '../../../src/sandbox/address-book/csv.ts';
import { loadAddressBook, normalizeBytes } from '../../../src/sandbox/address-book/load.ts';
import { writeVCards } from '../../../src/sandbox/address-book/vcard-write.ts';
import { readVCards } from '../../../src/sandbox/address-book/vcard.ts';
import { EMPTY_PERSON, type Person } from '../../../src/sandbox/people/person.ts';
import { samplePeople } from '../../../src/sandbox/people/sample.ts';
import { FIXTURES } from '../../support/address-books/fixtures.ts';
import { createFolder } from '../../support/folder.ts';

const parse = (extension: string, bytes: Uint8Array): AddressBook => {
  const builder = new AddressBookBuilder();
  (extension === 'csv' ? readCsv : readVCards)(normalizeBytes(Buffer.from(bytes)), builder);
  return builder.build();
};
const parseCard = (...lines: readonly string[]): AddressBook =>
  parse('vcf', Buffer.from(['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD'].join('\n')));
const reasonsOf = ({ skipped, refused }: AddressBook): string[] =>
  [...skipped.first, ...refused.first].map(({ line, reason }) => `${line}: ${reason}`);

it.each([
  ['BDAY:1990-04-12T00:00:00Z', '1990-04-12'],
  ['BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-17', '--05-17'],
  ['BDAY:0000-05-17', '--05-17'],
  ['BDAY:20010229', ''],
  ['BDAY:circa 1800', ''],
])('the birthday %s is read as %j, and an invalid one is reported', (line, birthday) => {
  const { people, skipped } = parseCard('FN:Ada', line);
  expect([people[0]?.birthday, skipped.count]).toEqual([birthday, birthday === '' ? 1 : 0]);
});

it.each([
  ['a kind', ['KIND:org', 'FN:Acme', 'N:Acme;;;;', 'ORG:Acme'], ''],
  ['a kind without ORG', ['KIND:org', 'FN:Acme'], ''],
  ["Apple's mark", ['X-ABShowAs:COMPANY', 'FN:Acme', 'N:;;;;', 'ORG:Acme;'], ''],
  ['FN equal to ORG', ['FN:Acme', 'N:Acme;;;;', 'ORG:Acme;'], ''],
  ["Apple's mark, but with the name of a person", ['X-ABShowAs:COMPANY', 'FN:Acme', 'N:Lind;;;;', 'ORG:Acme'], 'Lind'],
])('a card with %s is a company', (_title, lines, familyName) => {
  expect(parseCard(...lines).people).toMatchObject([{ company: 'Acme', givenName: '', familyName }]);
});

it('problems are reported by line, without the content of the file', () => {
  expect(reasonsOf(parseCard('FN:Ada', 'secret'))).toEqual(['4: it is not a vCard property']);
  expect(reasonsOf(parse('vcf', Buffer.from('hello\nworld')))).toEqual(['1: it is outside a card']);
});

/** One of the table's files with some bytes overwritten by others, or cut off at some byte. */
const damaged = fc
  .tuple(fc.constantFrom(...FIXTURES), fc.nat(600), fc.uint8Array({ maxLength: 20 }), fc.boolean())
  .map(([file, at, bytes, isCut]) => {
    const from = Math.min(at, file.bytes.length);
    const rest = isCut ? [] : [file.bytes.subarray(from + bytes.length)];
    return { extension: file.extension, bytes: Buffer.concat([file.bytes.subarray(0, from), bytes, ...rest]) };
  });

it('for any bytes, a file is read or refused as a whole, and nothing else is thrown', () => {
  const isReadOrRefused = ({ extension, bytes }: { extension: string; bytes: Buffer }): boolean => {
    try {
      const { skipped, refused } = parse(extension, bytes);
      return [...skipped.first, ...refused.first].every(({ line, lines }) => line > 0 && lines > 0);
    } catch (error) {
      return error instanceof AddressBookError;
    }
  };
  fc.assert(fc.property(damaged, isReadOrRefused), { numRuns: 500 });
});

it.each([
  ['contacts.xlsx', '', 'Unknown kind of file. Use a .vcf file, or a .csv export of Google'],
  ['bills.csv', 'Kunde,Umsatz\n1,2\n', 'It is not a "Google CSV" with the columns "First Name" and "Labels"'],
  ['empty.vcf', '', 'No person was found in the file (it is empty'],
  ['none.vcf', 'BEGIN:VCARD\nUID:x\nEND:VCARD\n', 'No person was found in the file (line 1: no field of a contact'],
  ['missing.vcf', null, 'There is no such file'],
])('a file that cannot be used is refused with its path and the remedy: %s', async (name, content, message) => {
  await using folder = await createFolder();
  const path = join(folder.path, name);
  if (content !== null) await writeFile(path, content);
  await expect(loadAddressBook(path)).rejects.toThrow(`${path}: ${message}`);
});

const ODD: readonly Person[] = [
  {
    ...EMPTY_PERSON,
    prefix: 'Dr.; Prof.',
    givenName: 'Zoé, Anna',
    middleName: String.raw`back\slash`,
    familyName: 'Lefèvre\\;n',
    suffix: 'PhD',
  },
  { ...EMPTY_PERSON, company: 'Bakery', birthday: '1990-04-12' },
  { ...EMPTY_PERSON, givenName: '日'.repeat(60), notes: `${'é'.repeat(200)} ${'👩‍👩‍👧'.repeat(30)}` },
];

it('written vCards are read by a strict reader, in lines of 75 bytes at most', () => {
  const text = [...writeVCards(ODD)].join('');
  expect(text.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
  const cards = ICAL.parse(text) as unknown as [string, [string, unknown, string, ...unknown[]][]][];
  const valuesOf = (index: number, name: string): unknown[] =>
    (cards[index]?.[1] ?? []).filter(([key]) => key === name).map(([, , , value]) => value);
  expect(cards).toHaveLength(ODD.length);
  expect(valuesOf(0, 'n')).toEqual([['Lefèvre\\;n', 'Zoé, Anna', 'back\\slash', 'Dr.; Prof.', 'PhD']]);
  expect(valuesOf(1, 'fn')).toEqual(['Bakery']);
  expect(valuesOf(2, 'note')).toEqual([ODD[2]?.notes]);
});

it('the sample people have only domains that are reserved for examples', () => {
  const domains = samplePeople(60).flatMap(({ emails, websites }) => [
    ...emails.map(({ value }) => value.replace(/^.*@/u, '')),
    ...websites.map(({ value }) => value.replace(/^https?:\/\//u, '').replace(/\/.*$/u, '')),
  ]);
  expect(domains.length).toBeGreaterThan(55);
  const reserved = /(?:^|\.)(?:example\.(?:com|org|net)|[a-z-]+\.test)$/iu;
  expect(domains.filter((domain) => !reserved.test(domain))).toEqual([]);
});
