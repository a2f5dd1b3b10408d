import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AddressBookError } from '../../../../src/sandbox/address-book/address-book-error.ts';
import { readCsv } from '../../../../src/sandbox/address-book/csv.ts';
import { EMPTY_PERSON } from '../../../../src/sandbox/people/person.ts';
import { readWith } from './read.ts';

const readBook = (name: string): string =>
  readFileSync(new URL(`../../../support/address-books/${name}`, import.meta.url), 'utf8');

const parse = (text: string) => readWith(readCsv, Buffer.from(text));

const NONE = { count: 0, first: [] };
const CLEAN = { leftOut: 0, skipped: NONE, refused: NONE };

describe('readCsv', () => {
  it('reads an export with the columns before 2024', async () => {
    expect(await parse(readBook('google-before-2024.csv'))).toEqual({
      people: [
        {
          prefix: 'Dr.',
          givenName: 'Jürgen',
          middleName: 'M.',
          familyName: 'Groß',
          suffix: 'Jr.',
          nickname: 'Jo',
          company: 'Groß & Söhne GmbH',
          title: 'Geschäftsführer',
          department: 'Einkauf',
          emails: [
            { value: 'jurgen@example.com', label: 'home' },
            { value: 'jg@example.org', label: 'home' },
            { value: 'gross@office.test', label: 'Steuerbüro' },
          ],
          phones: [
            { value: '030 23125 004', label: 'workFax' },
            { value: '030/23125 005', label: 'workFax' },
          ],
          websites: [{ value: 'http://gross.test', label: 'homePage' }],
          addresses: [
            {
              street: 'Goethestraße 5\nPostfach 12',
              city: 'Berlin',
              region: '',
              postalCode: '10115',
              country: 'Deutschland',
              label: 'work',
            },
          ],
          groups: ['Clients', 'Café ☕'],
          birthday: '--04-12',
          notes: 'Said "hello",\ntwice',
        },
        { ...EMPTY_PERSON, givenName: 'Single', emails: [{ value: 'single@example.net', label: null }] },
        { ...EMPTY_PERSON, notes: 'nobody at all' },
        {
          ...EMPTY_PERSON,
          phones: [{ value: '0171-39 200 01', label: 'mobile' }],
          addresses: [{ street: 'Only formatted 7', city: '', region: '', postalCode: '', country: '', label: 'home' }],
        },
      ],
      ...CLEAN,
    });
  });

  it('reads an export with the columns since 2024', async () => {
    expect(await parse(readBook('google-since-2024.csv'))).toEqual({
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
    });
  });

  it('reads an export with CRLF the same', async () => {
    const text = readBook('google-since-2024.csv');
    expect(await parse(text.replaceAll('\n', '\r\n'))).toEqual(await parse(text));
  });

  it('finds nobody under a header alone', async () => {
    expect(await parse('First Name,Labels\n')).toEqual({ people: [], ...CLEAN });
  });

  it('says of a file that it cannot use what it found and what it expected', async () => {
    const text = 'Kunde,Umsatz,Filiale,Datum,Betrag,Notiz\n1,2,3,4,5,6\n';
    await expect(parse(text)).rejects.toThrow(AddressBookError);
    await expect(parse(text)).rejects.toThrow(/Expected are .*"E-mail 1 - Value".*"E-mail Address"/u);
    await expect(parse(text)).rejects.toThrow(
      'the first line has "Kunde", "Umsatz", "Filiale", "Datum", "Betrag" and 1 more',
    );
  });

  it('keeps the rows ahead of a quote that is left open, and tells the line', async () => {
    const { people, refused } = await parse('First Name,Labels\nAnna,\n"Secret,x\n');
    expect(people).toMatchObject([{ givenName: 'Anna' }]);
    expect(refused.first).toMatchObject([{ line: 3, reason: expect.not.stringContaining('Secret') }]);
  });

  it('reads rows with either line ending below a header with the other', async () => {
    const { people } = await parse('First Name,Labels\r\nAnna,\nBerta,\r\nCara,\n');
    expect(people.map(({ givenName }) => givenName)).toEqual(['Anna', 'Berta', 'Cara']);
  });
});
