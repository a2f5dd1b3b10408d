import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AddressBookError } from '../../../../src/sandbox/address-book/address-book-error.ts';
import { parseGoogleCsv } from '../../../../src/sandbox/people/google-csv.ts';
import { EMPTY_PERSON } from '../../../../src/sandbox/people/person.ts';

const readBook = (name: string): string =>
  readFileSync(new URL(`../../../support/address-books/${name}`, import.meta.url), 'utf8');

describe('parseGoogleCsv', () => {
  it('reads an export with the columns before 2024', () => {
    expect(parseGoogleCsv(readBook('google-before-2024.csv'))).toEqual({
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
        {
          ...EMPTY_PERSON,
          phones: [{ value: '0171-39 200 01', label: 'mobile' }],
          addresses: [{ street: 'Only formatted 7', city: '', region: '', postalCode: '', country: '', label: 'home' }],
        },
      ],
      problems: [{ entry: 3, reason: 'the row holds no name, company, email address or phone number' }],
    });
  });

  it('reads an export with the columns since 2024', () => {
    expect(parseGoogleCsv(readBook('google-since-2024.csv'))).toEqual({
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
          websites: [{ value: 'blog.example.org/sakura', label: 'blog' }],
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
      problems: [],
    });
  });

  it('reads an export with a byte order mark and CRLF the same', () => {
    const text = readBook('google-since-2024.csv');
    expect(parseGoogleCsv(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(parseGoogleCsv(text));
  });

  it('finds nobody under a header alone', () => {
    expect(parseGoogleCsv('First Name,Labels\n')).toEqual({ people: [], problems: [] });
  });

  it('refuses a CSV of another program and says what to export', () => {
    expect(() => parseGoogleCsv(readBook('outlook.csv'))).toThrow(AddressBookError);
    expect(() => parseGoogleCsv(readBook('outlook.csv'))).toThrow('Export it as "Google CSV"');
  });

  it('refuses a CSV with a quote left open, without quoting it', () => {
    expect(() => parseGoogleCsv('First Name,Labels\n"Secret,x\n')).toThrow(/^The CSV cannot be read(?!.*Secret)/);
  });
});
