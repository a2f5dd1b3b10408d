import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EMPTY_PERSON } from '../../../../src/sandbox/people/person.ts';
import { parseVCards } from '../../../../src/sandbox/people/vcard.ts';

const readBook = (name: string): string =>
  readFileSync(new URL(`../../../support/address-books/${name}`, import.meta.url), 'utf8');

const parseCard = (...lines: readonly string[]) =>
  parseVCards(['BEGIN:VCARD', 'VERSION:3.0', 'FN:Some One', ...lines, 'END:VCARD'].join('\n'));

describe('parseVCards', () => {
  it('reads vCard 2.1 with quoted-printable text in its charset, bare types and a photo', () => {
    expect(parseVCards(readBook('android-2.1.vcf'))).toEqual({
      people: [
        {
          ...EMPTY_PERSON,
          givenName: 'Анна',
          familyName: 'Ковалёва',
          phones: [
            { value: '+7 (916) 000-11-22', label: 'mobile' },
            { value: '8 495 000-11-33', label: 'workFax' },
          ],
          emails: [{ value: 'Anna.Kovalyova@Example.com', label: 'home' }],
          addresses: [
            { street: 'ул. Ленина, 5', city: 'Москва', region: '', postalCode: '101000', country: '', label: 'home' },
          ],
          notes: 'first line\nsecond, line = end',
        },
        {
          ...EMPTY_PERSON,
          prefix: 'Dr.',
          givenName: 'Jürgen',
          familyName: 'Müller',
          company: 'Example Works, Ltd',
          department: 'Research',
          title: 'Head of Research, Lab 2',
          phones: [{ value: '030 23125 001', label: null }],
          websites: [{ value: 'http://works.example.org/', label: null }],
          birthday: '1970-01-31',
        },
      ],
      problems: [],
    });
  });

  it('reads vCard 3.0 with folded lines, grouped items and their labels, escapes and companies', () => {
    expect(parseVCards(readBook('apple-3.0.vcf'))).toEqual({
      people: [
        {
          prefix: 'Mme',
          givenName: 'Zoé',
          middleName: 'Marie',
          familyName: 'Lefèvre',
          suffix: 'PhD',
          nickname: 'Zozo',
          company: 'Atelier; Bézier',
          department: 'Ventes',
          title: 'Gérante',
          emails: [
            { value: 'zoe@example.com', label: 'home' },
            { value: 'zoe.lefevre@example.org', label: 'Atelier' },
          ],
          phones: [
            { value: '06 39 98 00 01', label: 'mobile' },
            { value: '06 39 98 00 02', label: 'mobile' },
          ],
          websites: [{ value: 'http://atelier.example.com/a;b', label: 'homePage' }],
          addresses: [
            {
              street: '12 rue de la Paix, 3e étage\nBât. C',
              city: 'Paris',
              region: 'Île-de-France',
              postalCode: '75002',
              country: 'France',
              label: 'home',
            },
          ],
          groups: ['Clients', 'Café ☕'],
          birthday: '--03-04',
          notes: 'Line one\nLine two, with a comma',
        },
        { ...EMPTY_PERSON, company: 'Sjöström Bygg AB', phones: [{ value: '08-465 004 00', label: 'main' }] },
      ],
      problems: [{ entry: 3, reason: 'the card is a group, not a person' }],
    });
  });

  it('reads vCard 4.0 with URI numbers, quoted types and no N', () => {
    expect(parseVCards(readBook('standard-4.0.vcf'))).toEqual({
      people: [
        {
          ...EMPTY_PERSON,
          givenName: 'Suharti',
          phones: [{ value: '+62-812-0000-0001 ext. 5', label: 'workMobile' }],
          emails: [{ value: 'suharti@example.net', label: 'work' }],
          birthday: '--04-12',
          groups: ['Book club'],
        },
        {
          ...EMPTY_PERSON,
          givenName: 'Ludwig van der',
          familyName: 'Example',
          phones: [{ value: '030 23125 002', label: 'home' }],
          birthday: '1985-12-24',
          notes: 'A, B and C',
        },
      ],
      problems: [],
    });
  });

  it('loses no other card to a bad one, and says which and why without its content', () => {
    const { people, problems } = parseVCards(readBook('one-bad-card.vcf'));
    expect(people.map((person) => person.givenName)).toEqual(['First', 'Last']);
    expect(problems).toEqual([
      { entry: 2, reason: 'line 3 of the card cannot be read as a vCard property' },
      { entry: 3, reason: 'line 2 of the card cannot be read as a vCard property' },
      { entry: 4, reason: 'the card holds no name, company, email address or phone number' },
      { entry: 5, reason: 'the card does not end with END:VCARD' },
    ]);
  });

  it.each(['android-2.1.vcf', 'apple-3.0.vcf', 'standard-4.0.vcf'])(
    'reads %s the same with a byte order mark and CRLF',
    (name) => {
      const text = readBook(name);
      expect(parseVCards(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(parseVCards(text));
    },
  );

  it('refuses a card in a charset that nobody knows', () => {
    expect(parseCard('NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=KLINGON:=41').problems).toEqual([
      { entry: 1, reason: 'line 3 of the card cannot be read as a vCard property' },
    ]);
  });

  it.each([
    ['TEL;TYPE=PAGER:030 1', 'pager'],
    ['TEL;TYPE=HOME,FAX:030 1', 'homeFax'],
    ['TEL;TYPE=FAX:030 1', 'otherFax'],
    ['TEL;TYPE=WORK;TYPE=VOICE,PREF:030 1', 'work'],
    ['TEL;TYPE=PREF;TYPE=CELL,HOME:030 1', 'mobile'],
    ['TEL:030 1', null],
  ])('labels %s as %s', (line, label) => {
    expect(parseCard(line).people[0]?.phones).toEqual([{ value: '030 1', label }]);
  });

  it('drops a birthday that is no date', () => {
    expect(parseCard('BDAY:circa 1800').people[0]?.birthday).toBe('');
    expect(parseCard('BDAY:1990-13-01').people[0]?.birthday).toBe('');
    expect(parseCard('BDAY:1990-04-12T00:00:00Z').people[0]?.birthday).toBe('1990-04-12');
  });

  it('finds nobody in a text without cards', () => {
    expect(parseVCards('hello')).toEqual({ people: [], problems: [] });
  });
});
