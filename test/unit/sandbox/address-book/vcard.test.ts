import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { EMPTY_PERSON } from '../../../../src/sandbox/people/person.ts';
import { readVCards } from '../../../../src/sandbox/address-book/vcard.ts';
import { readWith } from './read.ts';

const readBook = (name: string): string =>
  readFileSync(new URL(`../../../support/address-books/${name}`, import.meta.url), 'utf8');

const parse = (text: string) => readWith(readVCards, Buffer.from(text));
const parseCard = (...lines: readonly string[]) =>
  parse(['BEGIN:VCARD', 'VERSION:3.0', 'FN:Some One', ...lines, 'END:VCARD'].join('\n'));

const NONE = { count: 0, first: [] };
const CLEAN = { leftOut: 0, skipped: NONE, refused: NONE };

describe('readVCards', () => {
  it('reads vCard 2.1 with quoted-printable text in its charset, bare types and a photo', () => {
    expect(parse(readBook('android-2.1.vcf'))).toEqual({
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
      ...CLEAN,
    });
  });

  it('reads vCard 3.0 with folded lines, grouped items and their labels, escapes and companies', () => {
    expect(parse(readBook('apple-3.0.vcf'))).toEqual({
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
      ...CLEAN,
      refused: { count: 1, first: [{ line: 32, lines: 1, reason: 'the card is a group, not a person' }] },
    });
  });

  it('reads vCard 4.0 with URI numbers, quoted types and no N', () => {
    expect(parse(readBook('standard-4.0.vcf'))).toEqual({
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
      ...CLEAN,
    });
  });

  it('loses only the lines without content, and reports them without their content', () => {
    const { people, skipped, refused } = parse(readBook('one-bad-card.vcf'));
    expect(people.map(({ givenName, emails, notes }) => [givenName, emails.length, notes])).toEqual([
      ['First', 1, ''],
      ['Secret', 0, ''],
      ['', 1, ''],
      ['', 0, 'nobody'],
      ['Cut', 0, ''],
      ['Last', 0, ''],
    ]);
    expect(skipped).toEqual({ count: 1, first: [{ line: 9, lines: 1, reason: 'it is not a vCard property' }] });
    expect(refused).toEqual(NONE);
  });

  it.each(['android-2.1.vcf', 'apple-3.0.vcf', 'standard-4.0.vcf'])(
    'reads %s the same with a byte order mark and CRLF',
    (name) => {
      const text = readBook(name);
      expect(parse(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(parse(text));
    },
  );

  it('counts every problem and lists the first hundred, adjacent ones as one', () => {
    const { skipped } = parseCard(...Array<string>(150).fill('no property\nTITLE:x'), ...Array<string>(50).fill('x'));
    expect(skipped.count).toBe(200);
    expect(skipped.first).toHaveLength(100);
    expect(parseCard(...Array<string>(50).fill('x')).skipped.first).toMatchObject([{ line: 4, lines: 50 }]);
  });

  it.each([
    ['TEL;TYPE=PAGER:030 1', 'pager'],
    ['TEL;TYPE=HOME,FAX:030 1', 'homeFax'],
    ['TEL;TYPE=FAX:030 1', 'otherFax'],
    ['TEL;TYPE=WORK;TYPE=VOICE,PREF:030 1', 'work'],
    ['TEL;TYPE=PREF;TYPE=CELL,HOME:030 1', 'mobile'],
    ['TEL:030 1', null],
    ['TEL;TYPE=constructor:030 1', 'constructor'],
    ['TEL;TYPE=HOME,Summer:030 1', 'home'],
  ])('labels %s as %s', (line, label) => {
    expect(parseCard(line).people[0]?.phones).toEqual([{ value: '030 1', label }]);
  });

  it.each([
    { line: 'BDAY:1990-04-12T00:00:00Z', birthday: '1990-04-12' },
    { line: 'BDAY:19800517T000000Z', birthday: '1980-05-17' },
    { line: 'BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-17', birthday: '--05-17' },
    { line: 'BDAY:0000-05-17', birthday: '--05-17' },
    { line: 'BDAY:--0229', birthday: '--02-29' },
    { line: 'BDAY:1980-05', birthday: null },
    { line: 'BDAY:20010229', birthday: null },
    { line: 'BDAY:circa 1800', birthday: null },
  ])('reads $line, or reports a failure', ({ line, birthday }) => {
    const { people, skipped } = parseCard(line);
    expect(people[0]?.birthday).toBe(birthday ?? '');
    expect(skipped.count).toBe(birthday === null ? 1 : 0);
  });

  it.each([
    { card: 'a kind', lines: ['KIND:org', 'FN:Acme', 'N:Acme;;;;', 'ORG:Acme'] },
    { card: 'a kind without ORG', lines: ['KIND:org', 'FN:Acme'] },
    { card: "Apple's mark", lines: ['X-ABShowAs:COMPANY', 'FN:Acme', 'N:;;;;', 'ORG:Acme;'] },
    { card: 'FN equal to ORG', lines: ['FN:Acme', 'N:Acme;;;;', 'ORG:Acme;'] },
  ])('reads the card of an organisation by $card as a company without a name', ({ lines }) => {
    const { people } = parse(['BEGIN:VCARD', 'VERSION:4.0', ...lines, 'TEL:123', 'END:VCARD'].join('\n'));
    expect(people).toMatchObject([{ company: 'Acme', givenName: '', familyName: '' }]);
  });

  it("keeps the name of a contact that Apple's mark shows as a company", () => {
    const lines = ['X-ABShowAs:COMPANY', 'FN:Acme', 'N:Lind;Ada;;;', 'ORG:Acme;'];
    const { people } = parse(['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD'].join('\n'));
    expect(people).toMatchObject([{ company: 'Acme', givenName: 'Ada', familyName: 'Lind' }]);
  });

  it.each([30, 45, 60, 75])('reads a quoted parameter with colons that is folded after %i characters', (width) => {
    const line =
      'ADR;GEO="geo:12.3457,78.910";LABEL="Mr. John Q. Public, Esq.\\nMail Drop: TNE QB\\n123 Main Street\\nAny Town, ' +
      'CA  91921-1234\\nU.S.A.":;;123 Main Street;Any Town;CA;91921-1234;U.S.A.';
    const folded = line.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [];
    const { people, skipped } = parseCard(folded.join('\n '));
    const address = {
      street: '123 Main Street',
      city: 'Any Town',
      region: 'CA',
      postalCode: '91921-1234',
      country: 'U.S.A.',
    };
    expect(people[0]?.addresses).toEqual([{ ...address, label: null }]);
    expect(skipped).toEqual(NONE);
  });

  it("leaves Google's system groups out", () => {
    const { people } = parseCard('CATEGORIES:My Contacts,myContacts,starred,Friends');
    expect(people[0]?.groups).toEqual(['Friends']);
  });

  it('keeps every note, and a nickname with a comma', () => {
    const { people } = parseCard('NOTE:one', 'NOTE:two', 'NICKNAME:Jim,Jimmie');
    expect(people).toMatchObject([{ notes: 'one\ntwo', nickname: 'Jim,Jimmie' }]);
  });

  it('returns no contact for a text without cards', () => {
    const { people, skipped } = parse('hello\nworld');
    expect(people).toEqual([]);
    expect(skipped.first).toEqual([{ line: 1, lines: 2, reason: 'it is outside a card' }]);
  });
});
