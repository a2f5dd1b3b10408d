import { card, text, utf8 } from './bytes.ts';
import type { Fixture } from './fixtures.ts';

const PHOTO_LINE = '/9j/4AAQSkZJRgABAQAAAQABAAD2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAo';

export const LINE_FIXTURES: readonly Fixture[] = [
  {
    about: 'a property whose name has a blank',
    extension: 'vcf',
    bytes: utf8(...card('3.0', 'N:Blank;Nadia;;;', 'X-GOOGLE TALK;TYPE=HOME:nadia', 'TEL;TYPE=CELL:0171 1000001')),
    arrives: [{ name: 'Nadia|Blank', phones: ['0171 1000001 [mobile]'] }],
    skipped: [[4, 1]],
  },
  {
    about: 'comments',
    extension: 'vcf',
    bytes: utf8(...card('3.0', '# exported by hand', 'N:Comment;Carl;;;', '// the end')),
    arrives: [{ name: 'Carl|Comment' }],
    skipped: [
      [3, 1],
      [5, 1],
    ],
  },
  {
    about: 'a note that goes on without a fold',
    extension: 'vcf',
    bytes: utf8(
      ...card('3.0', 'N:Notes;Nora;;;', 'NOTE:first line', 'second line', 'see http://example.com', 'TITLE:Clerk'),
    ),
    arrives: [{ name: 'Nora|Notes', title: 'Clerk' }],
    skipped: [[5, 2]],
  },
  {
    about: 'a photo that goes on without a fold',
    extension: 'vcf',
    bytes: utf8(
      ...card(
        '3.0',
        'N:Photo;Pia;;;',
        `PHOTO;ENCODING=b:${PHOTO_LINE}`,
        PHOTO_LINE,
        PHOTO_LINE,
        PHOTO_LINE,
        'TITLE:Model',
      ),
    ),
    arrives: [{ name: 'Pia|Photo', title: 'Model' }],
    skipped: [[5, 3]],
  },
  {
    about: 'a folded photo of 100 KB',
    extension: 'vcf',
    bytes: utf8(
      ...card(
        '3.0',
        'N:Large;Lars;;;',
        'PHOTO;ENCODING=b:',
        ...Array<string>(1400).fill(` ${PHOTO_LINE}`),
        'TITLE:Model 2',
      ),
    ),
    arrives: [{ name: 'Lars|Large', title: 'Model 2' }],
  },
  {
    about: 'a lone CR in a value',
    extension: 'vcf',
    bytes: utf8(
      ...card('3.0', 'N:Return;Rita;;;', 'ADR;TYPE=WORK:;;Long Lane 5\rBack yard;Hull;;HU1;', 'ORG:Two\rLines'),
    ),
    arrives: [{ name: 'Rita|Return', company: 'Two Lines', addresses: ['Long Lane 5\nBack yard|Hull||HU1| [work]'] }],
  },
  {
    about: 'a name without a colon',
    extension: 'vcf',
    bytes: utf8(...card('3.0', 'FN Colin Nocolon', 'N:Nocolon;Colin;;;', 'TEL;TYPE=HOME', 'FNs', 'Ns')),
    arrives: [{ name: 'Colin|Nocolon' }],
    skipped: [
      [3, 1],
      [5, 3],
    ],
  },
  {
    about: 'bare types in vCard 3.0',
    extension: 'vcf',
    bytes: utf8(...card('3.0', 'N:Bare;Bill;;;', 'TEL;HOME:030 23125 011', 'EMAIL;INTERNET;WORK:bill@example.com')),
    arrives: [{ name: 'Bill|Bare', phones: ['030 23125 011 [home]'], emails: ['bill@example.com [work]'] }],
  },
  {
    about: 'bare types in vCard 4.0',
    extension: 'vcf',
    bytes: utf8(...card('4.0', 'FN:Bea Bare', 'TEL;WORK;FAX:030 23125 012')),
    arrives: [{ name: 'Bea|Bare', phones: ['030 23125 012 [workFax]'] }],
  },
  {
    about: 'bare types without a VERSION',
    extension: 'vcf',
    bytes: utf8('BEGIN:VCARD', 'N:Bare;Bob', 'TEL;CELL:0171 1000002', 'END:VCARD'),
    arrives: [{ name: 'Bob|Bare', phones: ['0171 1000002 [mobile]'] }],
  },
  {
    about: 'blanks around parameters',
    extension: 'vcf',
    bytes: utf8(...card('2.1', 'N:Spaces;Sam', 'TEL; WORK; VOICE:030 23125 013', 'EMAIL; TYPE = HOME:sam@example.com')),
    arrives: [{ name: 'Sam|Spaces', phones: ['030 23125 013 [work]'], emails: ['sam@example.com [home]'] }],
  },
  {
    about: 'blanks in BEGIN and END, in small letters',
    extension: 'vcf',
    bytes: utf8('  begin : vcard  ', 'version:3.0', 'n:Small;Sue;;;', 'tel;type=cell:0171 1000003', 'end:vcard '),
    arrives: [{ name: 'Sue|Small', phones: ['0171 1000003 [mobile]'] }],
  },
  {
    about: "an agent's card as an escaped text",
    extension: 'vcf',
    bytes: utf8(
      ...card('3.0', 'N:Chief;Cleo;;;', String.raw`AGENT:BEGIN:VCARD\nFN:Fred\nTEL:030 1\nEND:VCARD\n`, 'TITLE:Chief'),
    ),
    arrives: [{ name: 'Cleo|Chief', title: 'Chief' }],
  },
  {
    about: 'escaped semicolons in texts',
    extension: 'vcf',
    bytes: utf8(
      ...card(
        '3.0',
        'N:Texts;Tess;;;',
        String.raw`TITLE:Cook\; Waiter\, \\ Host`,
        String.raw`URL:http\://tess.example.com/a\;b`,
      ),
    ),
    arrives: [
      { name: 'Tess|Texts', title: String.raw`Cook; Waiter, \ Host`, websites: ['http://tess.example.com/a;b'] },
    ],
  },
  {
    about: 'escaped semicolons in texts of vCard 2.1',
    extension: 'vcf',
    bytes: utf8(...card('2.1', String.raw`N:Old\; Older;Otto`, String.raw`ORG:Bed\; Breakfast;Kitchen`)),
    arrives: [{ name: 'Otto|Old; Older', company: 'Bed; Breakfast' }],
  },
  {
    about: 'escaped semicolons and commas in names and addresses',
    extension: 'vcf',
    bytes: utf8(
      ...card(
        '3.0',
        String.raw`N:Semi\;colon;Sara\, Sofia;;;`,
        String.raw`ADR;TYPE=WORK:;;Yard 1\; Gate 2\, left;Ulm\;Donau;;89073;DE`,
      ),
    ),
    arrives: [{ name: 'Sara, Sofia|Semi;colon', addresses: ['Yard 1; Gate 2, left|Ulm;Donau||89073|DE [work]'] }],
  },
  {
    about: 'commas in vCard 2.1',
    extension: 'vcf',
    bytes: utf8(...card('2.1', 'N:Comma, Jr.;Cora', 'ADR;HOME:;;1,rue A,B;Lyon;;69001;France')),
    arrives: [{ name: 'Cora|Comma, Jr.', addresses: ['1,rue A,B|Lyon||69001|France [home]'] }],
  },
  {
    about: 'lines that end with CR, as on old Macs',
    extension: 'vcf',
    bytes: Buffer.from(text(...card('3.0', 'N:Macintosh;Mia;;;', 'ORG:Apple', '  Tree')).replaceAll('\r\n', '\r')),
    arrives: [{ name: 'Mia|Macintosh', company: 'Apple Tree' }],
  },
  {
    about: 'lines that end with CR CR LF',
    extension: 'vcf',
    bytes: Buffer.from(text(...card('3.0', 'N:Twice;Tom;;;', 'TEL:030 23125 016')).replaceAll('\r\n', '\r\r\n')),
    arrives: [{ name: 'Tom|Twice', phones: ['030 23125 016'] }],
  },
  {
    about: 'a quote that is left open',
    extension: 'vcf',
    bytes: utf8(...card('3.0', 'N:Quote;Quinn;;;', 'EMAIL;TYPE="home:quinn@example.com', 'TITLE:Poet')),
    arrives: [{ name: 'Quinn|Quote', emails: ['quinn@example.com [home]'], title: 'Poet' }],
  },
  {
    about: 'a colon and a semicolon within quotes',
    extension: 'vcf',
    bytes: utf8(...card('4.0', 'FN:Kim Colon', 'ADR;LABEL="Yard: 1; back";TYPE=home:;;Yard 1;Hull;;;')),
    arrives: [{ name: 'Kim|Colon', addresses: ['Yard 1|Hull||| [home]'] }],
  },
  {
    about: 'parameters that are folded',
    extension: 'vcf',
    bytes: utf8(
      ...card(
        '3.0',
        'N:Params;Paul;;;',
        'EMAIL;TYPE=INTERNET;TYPE=WO',
        ' RK:paul@example.com',
        'TEL;TYPE=',
        ' CELL',
        'TITLE:x',
      ),
    ),
    arrives: [{ name: 'Paul|Params', emails: ['paul@example.com [work]'], title: 'x' }],
    skipped: [[6, 1]],
  },
  {
    about: 'a card whose END is missing',
    extension: 'vcf',
    bytes: utf8('BEGIN:VCARD', 'VERSION:3.0', 'N:Endless;Emil;;;', ...card('3.0', 'N:Endless;Emma;;;')),
    arrives: [{ name: 'Emil|Endless' }, { name: 'Emma|Endless' }],
  },
  {
    about: 'a file that is cut off',
    extension: 'vcf',
    bytes: Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\nN:Cutoff;Cleo;;;\r\nTEL;TYPE=HOME:030 23125 017'),
    arrives: [{ name: 'Cleo|Cutoff', phones: ['030 23125 017 [home]'] }],
    skipped: [[4, 1]],
  },
  {
    about: 'text between the cards, and cards that hold nobody',
    extension: 'vcf',
    bytes: utf8(
      'Here are my contacts:',
      '',
      ...card('3.0', 'N:Between;Ben;;;'),
      ...card('3.0', 'N:Choir;;;;', 'X-ADDRESSBOOKSERVER-KIND:group'),
      ...card('3.0', 'PRODID:-//Example//EN', 'BDAY:1990-01-01'),
      ...card('4.0', 'FN:Team', 'KIND:group'),
    ),
    arrives: [{ name: 'Ben|Between' }],
    skipped: [[1, 1]],
    refused: [7, 12, 17],
  },
  {
    about: 'a soft line break before what looks like a property',
    extension: 'vcf',
    bytes: utf8(
      ...card('2.1', 'N:Soft;Sofie', 'X-MEMO;ENCODING=QUOTED-PRINTABLE:call=', 'TEL:030 1', 'TEL:030 23125 018'),
    ),
    arrives: [{ name: 'Sofie|Soft', phones: ['030 23125 018'] }],
  },
  {
    about: 'nothing but an address and a website',
    extension: 'vcf',
    bytes: utf8(...card('3.0', 'ADR:;;Lonely Road 1;Nowhere;;;', 'URL:http://lonely.example.com')),
    arrives: [{ name: '|', addresses: ['Lonely Road 1|Nowhere|||'], websites: ['http://lonely.example.com'] }],
  },
  {
    about: 'names that stand in FN alone, and a company',
    extension: 'vcf',
    bytes: utf8(
      ...card('3.0', 'FN:Ludwig van der Example'),
      ...card('3.0', 'N:;;;;', 'FN:Sjöström Bygg AB', 'ORG:Sjöström Bygg AB;', 'TEL;TYPE=WORK,MAIN:08-465 004 00'),
    ),
    arrives: [
      { name: 'Ludwig van der|Example' },
      { name: '|', company: 'Sjöström Bygg AB', phones: ['08-465 004 00 [main]'] },
    ],
  },
];
