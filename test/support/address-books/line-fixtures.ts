import { card, text, vcf } from './bytes.ts';
import type { Fixture } from './fixtures.ts';

const PHOTO_LINE = '/9j/4AAQSkZJRgABAQAAAQABAAD2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAo';

export const LINE_FIXTURES: readonly Fixture[] = [
  vcf(
    'a property whose name has a blank',
    card('3.0', 'N:Blank;Nadia;;;', 'X-GOOGLE TALK;TYPE=HOME:nadia', 'TEL;TYPE=CELL:0171 1000001'),
    [{ name: 'Nadia|Blank', phones: ['0171 1000001 [mobile]'] }],
    { skipped: { 4: 1 } },
  ),
  vcf('comments', card('3.0', '# exported by hand', 'N:Comment;Carl;;;', '// the end'), [{ name: 'Carl|Comment' }], {
    skipped: { 3: 1, 5: 1 },
  }),
  vcf(
    'a note that goes on without a fold',
    card('3.0', 'N:Notes;Nora;;;', 'NOTE:first line', 'second line', 'see http://example.com', 'TITLE:Clerk'),
    [{ name: 'Nora|Notes', title: 'Clerk' }],
    { skipped: { 5: 2 } },
  ),
  vcf(
    'a photo that goes on without a fold',
    card('3.0', 'N:Photo;Pia;;;', `PHOTO;ENCODING=b:${PHOTO_LINE}`, PHOTO_LINE, PHOTO_LINE, PHOTO_LINE, 'TITLE:Model'),
    [{ name: 'Pia|Photo', title: 'Model' }],
    { skipped: { 5: 3 } },
  ),
  vcf(
    'a folded photo of 100 KB',
    card('3.0', 'N:Large;Lars;;;', 'PHOTO;ENCODING=b:', ...Array<string>(1400).fill(` ${PHOTO_LINE}`), 'TITLE:Model 2'),
    [{ name: 'Lars|Large', title: 'Model 2' }],
  ),
  vcf(
    'a lone CR in a value',
    card('3.0', 'N:Return;Rita;;;', 'ADR;TYPE=WORK:;;Long Lane 5\rBack yard;Hull;;HU1;', 'ORG:Two\rLines'),
    [{ name: 'Rita|Return', company: 'Two Lines', addresses: ['Long Lane 5\nBack yard|Hull||HU1| [work]'] }],
  ),
  vcf(
    'a name without a colon',
    card('3.0', 'FN Colin Nocolon', 'N:Nocolon;Colin;;;', 'TEL;TYPE=HOME', 'FNs', 'Ns'),
    [{ name: 'Colin|Nocolon' }],
    { skipped: { 3: 1, 5: 3 } },
  ),
  vcf(
    'bare types in vCard 3.0',
    card('3.0', 'N:Bare;Bill;;;', 'TEL;HOME:030 23125 011', 'EMAIL;INTERNET;WORK:bill@example.com'),
    [{ name: 'Bill|Bare', phones: ['030 23125 011 [home]'], emails: ['bill@example.com [work]'] }],
  ),
  vcf('bare types in vCard 4.0', card('4.0', 'FN:Bea Bare', 'TEL;WORK;FAX:030 23125 012'), [
    { name: 'Bea|Bare', phones: ['030 23125 012 [workFax]'] },
  ]),
  vcf(
    'bare types without a VERSION',
    ['BEGIN:VCARD', 'N:Bare;Bob', 'TEL;CELL:0171 1000002', 'END:VCARD'],
    [{ name: 'Bob|Bare', phones: ['0171 1000002 [mobile]'] }],
  ),
  vcf(
    'blanks around parameters',
    card('2.1', 'N:Spaces;Sam', 'TEL; WORK; VOICE:030 23125 013', 'EMAIL; TYPE = HOME:sam@example.com'),
    [{ name: 'Sam|Spaces', phones: ['030 23125 013 [work]'], emails: ['sam@example.com [home]'] }],
  ),
  vcf(
    'blanks in BEGIN and END, in small letters',
    ['  begin : vcard  ', 'version:3.0', 'n:Small;Sue;;;', 'tel;type=cell:0171 1000003', 'end:vcard '],
    [{ name: 'Sue|Small', phones: ['0171 1000003 [mobile]'] }],
  ),
  vcf(
    "an agent's card as an escaped text",
    card('3.0', 'N:Chief;Cleo;;;', String.raw`AGENT:BEGIN:VCARD\nFN:Fred\nTEL:030 1\nEND:VCARD\n`, 'TITLE:Chief'),
    [{ name: 'Cleo|Chief', title: 'Chief' }],
  ),
  vcf(
    'escaped semicolons in texts',
    card(
      '3.0',
      'N:Texts;Tess;;;',
      String.raw`TITLE:Cook\; Waiter\, \\ Host`,
      String.raw`URL:http\://tess.example.com/a\;b`,
    ),
    [{ name: 'Tess|Texts', title: String.raw`Cook; Waiter, \ Host`, websites: ['http://tess.example.com/a;b'] }],
  ),
  vcf(
    'escaped semicolons in texts of vCard 2.1',
    card('2.1', String.raw`N:Old\; Older;Otto`, String.raw`ORG:Bed\; Breakfast;Kitchen`),
    [{ name: 'Otto|Old; Older', company: 'Bed; Breakfast' }],
  ),
  vcf(
    'escaped semicolons and commas in names and addresses',
    card(
      '3.0',
      String.raw`N:Semi\;colon;Sara\, Sofia;;;`,
      String.raw`ADR;TYPE=WORK:;;Yard 1\; Gate 2\, left;Ulm\;Donau;;89073;DE`,
    ),
    [{ name: 'Sara, Sofia|Semi;colon', addresses: ['Yard 1; Gate 2, left|Ulm;Donau||89073|DE [work]'] }],
  ),
  vcf('commas in vCard 2.1', card('2.1', 'N:Comma, Jr.;Cora', 'ADR;HOME:;;1,rue A,B;Lyon;;69001;France'), [
    { name: 'Cora|Comma, Jr.', addresses: ['1,rue A,B|Lyon||69001|France [home]'] },
  ]),
  vcf(
    'lines that end with CR, as on old Macs',
    Buffer.from(text(...card('3.0', 'N:Macintosh;Mia;;;', 'ORG:Apple', '  Tree')).replaceAll('\r\n', '\r')),
    [{ name: 'Mia|Macintosh', company: 'Apple Tree' }],
  ),
  vcf(
    'lines that end with CR CR LF',
    Buffer.from(text(...card('3.0', 'N:Twice;Tom;;;', 'TEL:030 23125 016')).replaceAll('\r\n', '\r\r\n')),
    [{ name: 'Tom|Twice', phones: ['030 23125 016'] }],
  ),
  vcf(
    'a quote that is left open',
    card('3.0', 'N:Quote;Quinn;;;', 'EMAIL;TYPE="home:quinn@example.com', 'TITLE:Poet'),
    [{ name: 'Quinn|Quote', emails: ['quinn@example.com [home]'], title: 'Poet' }],
  ),
  vcf(
    'a colon and a semicolon within quotes',
    card('4.0', 'FN:Kim Colon', 'ADR;LABEL="Yard: 1; back";TYPE=home:;;Yard 1;Hull;;;'),
    [{ name: 'Kim|Colon', addresses: ['Yard 1|Hull||| [home]'] }],
  ),
  vcf(
    'parameters that are folded',
    card(
      '3.0',
      'N:Params;Paul;;;',
      'EMAIL;TYPE=INTERNET;TYPE=WO',
      ' RK:paul@example.com',
      'TEL;TYPE=',
      ' CELL',
      'TITLE:x',
    ),
    [{ name: 'Paul|Params', emails: ['paul@example.com [work]'], title: 'x' }],
    { skipped: { 6: 1 } },
  ),
  vcf(
    'a card whose END is missing',
    ['BEGIN:VCARD', 'VERSION:3.0', 'N:Endless;Emil;;;', ...card('3.0', 'N:Endless;Emma;;;')],
    [{ name: 'Emil|Endless' }, { name: 'Emma|Endless' }],
  ),
  vcf(
    'a file that is cut off',
    Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\nN:Cutoff;Cleo;;;\r\nTEL;TYPE=HOME:030 23125 017'),
    [{ name: 'Cleo|Cutoff', phones: ['030 23125 017 [home]'] }],
    { skipped: { 4: 1 } },
  ),
  vcf(
    'text between the cards, and cards without a person',
    [
      'Here are my contacts:',
      '',
      ...card('3.0', 'N:Between;Ben;;;'),
      ...card('3.0', 'N:Choir;;;;', 'X-ADDRESSBOOKSERVER-KIND:group'),
      ...card('3.0', 'PRODID:-//Example//EN', 'BDAY:1990-01-01'),
      ...card('4.0', 'FN:Team', 'KIND:group'),
    ],
    [{ name: 'Ben|Between' }],
    { skipped: { 1: 1 }, refused: [7, 12, 17] },
  ),
  vcf(
    'a soft line break before what looks like a property',
    card('2.1', 'N:Soft;Sofie', 'X-MEMO;ENCODING=QUOTED-PRINTABLE:call=', 'TEL:030 1', 'TEL:030 23125 018'),
    [{ name: 'Sofie|Soft', phones: ['030 23125 018'] }],
  ),
  vcf(
    'nothing but an address and a website',
    card('3.0', 'ADR:;;Lonely Road 1;Nowhere;;;', 'URL:http://lonely.example.com'),
    [{ name: '|', addresses: ['Lonely Road 1|Nowhere|||'], websites: ['http://lonely.example.com'] }],
  ),
  vcf(
    'names that stand in FN alone, and a company',
    [
      ...card('3.0', 'FN:Ludwig van der Example'),
      ...card('3.0', 'N:;;;;', 'FN:Sjöström Bygg AB', 'ORG:Sjöström Bygg AB;', 'TEL;TYPE=WORK,MAIN:08-465 004 00'),
    ],
    [{ name: 'Ludwig van der|Example' }, { name: '|', company: 'Sjöström Bygg AB', phones: ['08-465 004 00 [main]'] }],
  ),
];
