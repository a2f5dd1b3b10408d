import { card, hex, latin1, utf16be, utf16le, utf8, vcf } from './bytes.ts';
import type { Fixture } from './fixtures.ts';

const MARK = '\uFEFF';

export const ENCODING_FIXTURES: readonly Fixture[] = [
  vcf('UTF-8', card('3.0', 'N:Müller;Jürgen;;;', 'FN:Jürgen Müller', 'EMAIL;TYPE=HOME:jm@example.com'), [
    { name: 'Jürgen|Müller', emails: ['jm@example.com [home]'] },
  ]),
  vcf(
    'UTF-8 with a byte order mark',
    card('3.0', 'N:Ångström;Åsa;;;', 'TEL;TYPE=WORK:+46 8 465 004 01').with(0, `${MARK}BEGIN:VCARD`),
    [{ name: 'Åsa|Ångström', phones: ['+46 8 465 004 01 [work]'] }],
  ),
  vcf(
    'UTF-16, little-endian, with a byte order mark',
    utf16le(...card('3.0', 'N:佐藤;さくら;;;', 'ORG:株式会社さくら').with(0, `${MARK}BEGIN:VCARD`)),
    [{ name: 'さくら|佐藤', company: '株式会社さくら' }],
  ),
  vcf(
    'UTF-16, little-endian, without a byte order mark',
    utf16le(...card('3.0', 'N:Παπαδοπούλου;Ελένη;;;', 'TITLE:Γιατρός')),
    [{ name: 'Ελένη|Παπαδοπούλου', title: 'Γιατρός' }],
  ),
  vcf(
    'UTF-16, big-endian, with a byte order mark',
    utf16be(...card('3.0', 'N:כהן;דוד;;;', 'EMAIL:david@example.com').with(0, `${MARK}BEGIN:VCARD`)),
    [{ name: 'דוד|כהן', emails: ['david@example.com'] }],
  ),
  vcf(
    'UTF-16, big-endian, without a byte order mark',
    utf16be(...card('3.0', 'N:김;민준;;;', 'TEL;TYPE=CELL:010-0000-0001')),
    [{ name: '민준|김', phones: ['010-0000-0001 [mobile]'] }],
  ),
  vcf(
    'a card in Latin-1 between two in UTF-8',
    Buffer.concat([
      utf8(...card('3.0', 'N:Größe;Eins;;;')),
      latin1(...card('3.0', 'N:Größe;Zwei;;;', 'ADR;TYPE=HOME:;;Hauptstraße 1;Köln;;50667;')),
      utf8(...card('3.0', 'N:Größe;Drei;;;')),
    ]),
    [
      { name: 'Eins|Größe' },
      { name: 'Zwei|Größe', addresses: ['Hauptstraße 1|Köln||50667| [home]'] },
      { name: 'Drei|Größe' },
    ],
  ),
  vcf(
    'one value in Latin-1 within a card in UTF-8',
    Buffer.concat([
      utf8('BEGIN:VCARD', 'VERSION:3.0', 'N:Schröder;Björn;;;'),
      latin1('ORG:Bäckerei Schröder'),
      utf8('TITLE:Bäcker', 'END:VCARD'),
    ]),
    [{ name: 'Björn|Schröder', company: 'Bäckerei Schröder', title: 'Bäcker' }],
  ),
  vcf(
    'Windows-1252 with a euro sign and quotation marks',
    Buffer.concat([
      utf8('BEGIN:VCARD', 'VERSION:3.0', 'N:Euro;Anne;;;'),
      hex('4f52473a 93 426f6e64 94 20 80 0d0a'),
      utf8('END:VCARD'),
    ]),
    [{ name: 'Anne|Euro', company: '“Bond” €' }],
  ),
  vcf(
    'vCard 2.1 that names ISO-8859-1 for raw bytes',
    latin1(...card('2.1', 'N;CHARSET=ISO-8859-1:Núñez;Íñigo', 'ORG;CHARSET=ISO-8859-1:Peñón')),
    [{ name: 'Íñigo|Núñez', company: 'Peñón' }],
  ),
  vcf(
    'vCard 2.1 that names Windows-1251 for quoted-printable text',
    card('2.1', 'N;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=C8=E2=E0=ED=EE=E2;=C8=E2=E0=ED'),
    [{ name: 'Иван|Иванов' }],
  ),
  vcf(
    'vCard 2.1 that names Shift_JIS for raw bytes, one of them a backslash',
    Buffer.concat([
      utf8('BEGIN:VCARD', 'VERSION:2.1'),
      Buffer.from('N;CHARSET=SHIFT_JIS:'),
      hex('83 5c 83 6a 81 5b 3b 8c 92 0d0a'),
      utf8('END:VCARD'),
    ]),
    [{ name: '健|ソニー' }],
  ),
  vcf('quoted-printable Latin-1 that names no charset', card('2.1', 'N;ENCODING=QUOTED-PRINTABLE:Fran=E7ois;Ren=E9'), [
    { name: 'René|François' },
  ]),
  vcf(
    'quoted-printable UTF-8 that names no charset, with its encoding as a bare word',
    card('2.1', 'N;QUOTED-PRINTABLE:L=C3=B3pez;Jos=C3=A9'),
    [{ name: 'José|López' }],
  ),
  vcf(
    'a soft line break within a character of quoted-printable text',
    card('2.1', 'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Dvo=C5=', '=99=C3=A1k;Anton=C3=ADn'),
    [{ name: 'Antonín|Dvořák' }],
  ),
  vcf(
    'quoted-printable text over many lines',
    card('2.1', 'N;ENCODING=QUOTED-PRINTABLE:J=C3=', '=A1n=', 'o=C5=', '=A1=C3=ADk;=', 'V=C3=ADt'),
    [{ name: 'Vít|Jánošík' }],
  ),
  vcf(
    'two charsets in one card',
    card(
      '2.1',
      'N;CHARSET=windows-1251;ENCODING=QUOTED-PRINTABLE:=CF=E5=F2=F0;=CE=EB=FF',
      'ORG;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Caf=E9 =C3=A9',
    ),
    [{ name: 'Оля|Петр', company: 'Café Ã©' }],
  ),
  vcf(
    'a fold within a character of UTF-8',
    Buffer.concat([
      utf8('BEGIN:VCARD', 'VERSION:3.0'),
      Buffer.from('N:Bj'),
      hex('c3 0d0a 20 b6'),
      utf8('rk;Gu\u00F0r\u00FAn;;;', 'END:VCARD'),
    ]),
    [{ name: 'Guðrún|Björk' }],
  ),
  vcf('an unknown charset', card('2.1', 'N;CHARSET=KLINGON;ENCODING=QUOTED-PRINTABLE:Worf=C3=A9;Son'), [
    { name: 'Son|Worfé' },
  ]),
  vcf('bytes that are not in the charset named', latin1(...card('2.1', 'N;CHARSET=UTF-8:Lefèvre;Zoé')), [
    { name: 'Zoé|Lefèvre' },
  ]),
  vcf(
    'files put one behind the other, each with a byte order mark',
    Buffer.concat([
      utf8(...card('3.0', 'N:Première;Élise;;;').with(0, `${MARK}BEGIN:VCARD`)),
      utf8(...card('3.0', 'N:Deuxième;Élise;;;').with(0, `${MARK}BEGIN:VCARD`)),
    ]),
    [{ name: 'Élise|Première' }, { name: 'Élise|Deuxième' }],
  ),
];
