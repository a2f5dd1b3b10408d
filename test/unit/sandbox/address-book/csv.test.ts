import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AddressBookError } from '../../../../src/sandbox/address-book/address-book.ts';
import { readCsv } from '../../../../src/sandbox/address-book/csv.ts';
import { EMPTY_PERSON } from '../../../../src/sandbox/people/person.ts';
import { readWith } from './read.ts';

const readBook = (name: string): string =>
  readFileSync(new URL(`../../../support/address-books/${name}`, import.meta.url), 'utf8');

const parse = (text: string) => readWith(readCsv, Buffer.from(text));

const NONE = { count: 0, first: [] };
const CLEAN = { leftOut: 0, skipped: NONE, refused: NONE };

describe('readCsv', () => {
  it('reads an export of Google', () => {
    expect(parse(readBook('google.csv'))).toEqual({
      people: [
        {
          ...EMPTY_PERSON,
          givenName: 'さくら',
          familyName: '佐藤',
          company: '株式会社さくら商事',
          title: '部長',
          emails: [
            { value: 'Sakura@Example.com', label: 'home' },
            { value: 'sato@sakura.test', label: 'work' },
          ],
          phones: [
            { value: '090-0000-0001', label: 'mobile' },
            { value: '03-0000-0002', label: 'Practice' },
          ],
          websites: [{ value: 'blog.example.org/sakura', label: 'Blog' }],
          addresses: [
            {
              street: '丸の内1-2-3\n2F',
              city: '千代田区',
              region: '東京都',
              postalCode: '100-0001',
              country: '日本',
              label: 'home',
            },
          ],
          groups: ['Family', '友達'],
          birthday: '1988-03-03',
          notes: '花見, 毎年',
        },
        { ...EMPTY_PERSON, company: 'PT Wijaya Sentosa', phones: [{ value: '021-0000003', label: 'work' }] },
      ],
      ...CLEAN,
      skipped: {
        count: 2,
        first: ['First', 'Last'].map((part) => ({
          line: 1,
          lines: 1,
          reason: `the column "Phonetic ${part} Name" is ignored (1 filled)`,
        })),
      },
    });
  });

  it('reads an export with CRLF the same', () => {
    const text = readBook('google.csv');
    expect(parse(text.replaceAll('\n', '\r\n'))).toEqual(parse(text));
  });

  it('returns no contact for a file with only a header', () => {
    expect(parse('First Name,Labels\n')).toEqual({ people: [], ...CLEAN });
  });

  it('reports each ignored column that has values, with the number of values', () => {
    const { skipped } = parse('First Name,Labels,Shoe size,Empty\nAda,,38,\nBo,,,\nCy,,41,\n');
    expect(skipped.first.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      '1: the column "Shoe size" is ignored (2 filled)',
    ]);
  });

  it.each([
    { text: '1980-05-17', birthday: '1980-05-17', reasons: [] },
    { text: ' --05-17', birthday: '--05-17', reasons: [] },
    { text: '', birthday: '', reasons: [] },
    { text: '2001-02-29', birthday: '', reasons: ['the birthday is not a day of the calendar'] },
    { text: '17.05.80', birthday: '', reasons: ['the birthday cannot be read'] },
  ])('reads the birthday $text, or reports the reason for a failure', ({ text, birthday, reasons }) => {
    const { people, skipped } = parse(`First Name,Labels,Birthday\nAda,,${text}\n`);
    expect(people[0]?.birthday).toBe(birthday);
    expect(skipped.first.map(({ line, reason }) => ({ line, reason }))).toEqual(
      reasons.map((reason) => ({ line: 2, reason })),
    );
  });

  it('reports the expected and the actual content of a file that it cannot use', () => {
    const text = 'Kunde,Umsatz,Filiale,Datum,Betrag,Notiz\n1,2,3,4,5,6\n';
    expect(() => parse(text)).toThrow(AddressBookError);
    expect(() => parse(text)).toThrow('columns "First Name" and "Labels"');
    expect(() => parse(text)).toThrow('"Kunde", "Umsatz", "Filiale", "Datum", "Betrag" and 1 more');
  });

  it('keeps the rows before an unclosed quote, and reports the line', () => {
    const { people, refused } = parse('First Name,Labels\nAnna,\n"Secret,x\n');
    expect(people).toMatchObject([{ givenName: 'Anna' }]);
    expect(refused.first).toMatchObject([{ line: 3, reason: expect.not.stringContaining('Secret') }]);
  });

  it('reads rows with either line ending below a header with the other', () => {
    const { people } = parse('First Name,Labels\r\nAnna,\nBerta,\r\nCara,\n');
    expect(people.map(({ givenName }) => givenName)).toEqual(['Anna', 'Berta', 'Cara']);
  });
});
