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

  it('reads an export with CRLF the same', async () => {
    const text = readBook('google-since-2024.csv');
    expect(await parse(text.replaceAll('\n', '\r\n'))).toEqual(await parse(text));
  });

  it('returns no contact for a file with only a header', async () => {
    expect(await parse('First Name,Labels\n')).toEqual({ people: [], ...CLEAN });
  });

  it.each([
    { language: 'German', head: 'Vorname;Nachname;Firma;E-Mail-Adresse;Telefon geschäftlich;Geburtstag' },
    { language: 'French', head: 'Prénom;Nom;Société;Adresse de messagerie;Téléphone (bureau);Anniversaire' },
    {
      language: 'Spanish',
      head: 'Nombre;Apellidos;Organización;Dirección de correo electrónico;Teléfono del trabajo;Cumpleaños',
    },
    { language: 'Italian', head: 'Nome;Cognome;Società;Indirizzo posta elettronica;Ufficio;Compleanno' },
    { language: 'Dutch', head: 'Voornaam;Achternaam;Bedrijf;E-mailadres;Telefoon op werk;Verjaardag' },
    {
      language: 'Portuguese',
      head: 'Primeiro nome;Sobrenome;Empresa;Endereço de email;Telefone comercial;Aniversário',
    },
    { language: 'Japanese', head: '名;姓;会社名;電子メール アドレス;会社電話;誕生日' },
  ])('reads the headings of an Outlook export in $language', async ({ head }) => {
    const row = 'Ada;Lind;Acme;ada@example.test;+49 40 5550100;17.05.1980';
    expect(await parse(`${head}\n${row}\n`)).toEqual({
      people: [
        {
          ...EMPTY_PERSON,
          givenName: 'Ada',
          familyName: 'Lind',
          company: 'Acme',
          emails: [{ value: 'ada@example.test', label: null }],
          phones: [{ value: '+49 40 5550100', label: 'work' }],
          birthday: '1980-05-17',
        },
      ],
      ...CLEAN,
    });
  });

  it("reads Google's headings in Spanish", async () => {
    const text =
      'Nombre,Apellidos,Correo electrónico 1 - Valor,Teléfono 1 - Valor,Etiquetas\nInés,Ejemplo,ines@x.test,1234567,* myContacts\n';
    expect((await parse(text)).people).toMatchObject([
      {
        givenName: 'Inés',
        familyName: 'Ejemplo',
        emails: [{ value: 'ines@x.test' }],
        phones: [{ value: '1234567' }],
        groups: [],
      },
    ]);
  });

  it("reads Thunderbird's columns, with the birthday in three of them", async () => {
    const head =
      'First Name,Last Name,Primary Email,Secondary Email,Mobile Number,Organization,Birth Year,Birth Month,Birth Day';
    const { people, skipped } = await parse(
      `${head}\nTess,Trial,a@x.test,b@x.test,1234567,Acme,1980,5,17\nTom,Trial,,,,,,5,7\n`,
    );
    expect(people).toMatchObject([
      { company: 'Acme', birthday: '1980-05-17', emails: [{ value: 'a@x.test' }, { value: 'b@x.test' }] },
      { givenName: 'Tom', birthday: '--05-07' },
    ]);
    expect(skipped).toEqual(NONE);
  });

  it('reports each ignored column that has values, with the number of values', async () => {
    const { skipped } = await parse(
      'First Name,E-mail Address,Shoe size,Empty\nAda,a@x.test,38,\nBo,b@x.test,,\nCy,c@x.test,41,\n',
    );
    expect(skipped.first.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      '1: the column "Shoe size" is ignored (2 filled)',
    ]);
  });

  it('refuses a file with few known columns and no name column', async () => {
    const text = 'ISDN,Pager,Imię,Nazwisko,Telefon komórkowy,Adres,Miasto\n,1234567,Ada,Lind,7654321,X,Y\n';
    await expect(parse(text)).rejects.toThrow(/Too few columns are known/u);
  });

  it.each([
    { text: '5/17/1980', birthday: '1980-05-17', reasons: [] },
    { text: '17.05.1980', birthday: '1980-05-17', reasons: [] },
    { text: '0/0/00', birthday: '', reasons: [] },
    { text: '0.0.00', birthday: '', reasons: [] },
    { text: '1980-05-17T00:00:00Z', birthday: '1980-05-17', reasons: [] },
    { text: '05/06/1980', birthday: '', reasons: ['the birthday has two readings: day and month, or month and day'] },
    { text: '2001-02-29', birthday: '', reasons: ['the birthday is not a day of the calendar'] },
    { text: '17.05.80', birthday: '', reasons: ['the birthday cannot be read'] },
  ])('reads the birthday $text, or reports the reason for a failure', async ({ text, birthday, reasons }) => {
    const { people, skipped } = await parse(`First Name,E-mail Address,Birthday\nAda,a@x.test,${text}\n`);
    expect(people[0]?.birthday).toBe(birthday);
    expect(skipped.first.map(({ line, reason }) => ({ line, reason }))).toEqual(
      reasons.map((reason) => ({ line: 2, reason })),
    );
  });

  it('reports the expected and the actual content of a file that it cannot use', async () => {
    const text = 'Kunde,Umsatz,Filiale,Datum,Betrag,Notiz\n1,2,3,4,5,6\n';
    await expect(parse(text)).rejects.toThrow(AddressBookError);
    await expect(parse(text)).rejects.toThrow(/Expected are .*"E-mail 1 - Value".*"E-mail Address"/u);
    await expect(parse(text)).rejects.toThrow(
      'the first line has "Kunde", "Umsatz", "Filiale", "Datum", "Betrag" and 1 more',
    );
  });

  it('keeps the rows before an unclosed quote, and reports the line', async () => {
    const { people, refused } = await parse('First Name,Labels\nAnna,\n"Secret,x\n');
    expect(people).toMatchObject([{ givenName: 'Anna' }]);
    expect(refused.first).toMatchObject([{ line: 3, reason: expect.not.stringContaining('Secret') }]);
  });

  it('reads rows with either line ending below a header with the other', async () => {
    const { people } = await parse('First Name,Labels\r\nAnna,\nBerta,\r\nCara,\n');
    expect(people.map(({ givenName }) => givenName)).toEqual(['Anna', 'Berta', 'Cara']);
  });
});
