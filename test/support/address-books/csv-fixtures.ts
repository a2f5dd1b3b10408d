import { latin1, text, utf16be, utf16le, utf8 } from './bytes.ts';
import type { Fixture } from './fixtures.ts';

export const CSV_FIXTURES: readonly Fixture[] = [
  {
    about: "Google's columns since 2024",
    extension: 'csv',
    bytes: utf8(
      'First Name,Last Name,Organization Name,Organization Title,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Street,Address 1 - City,Address 1 - Postal Code,Address 1 - Country,Website 1 - Label,Website 1 - Value',
      'Nina,Newer,Newer Ltd,CEO,Rowing ::: * myContacts,* Home,nina@example.com,Work Fax,030 23125 051,School,Campus 1,Bonn,53111,Germany,Blog,http://nina.example.com',
    ),
    arrives: [
      {
        name: 'Nina|Newer',
        company: 'Newer Ltd',
        title: 'CEO',
        emails: ['nina@example.com [home]'],
        phones: ['030 23125 051 [workFax]'],
        addresses: ['Campus 1|Bonn||53111|Germany [School]'],
        websites: ['http://nina.example.com [Blog]'],
        groups: ['Rowing'],
      },
    ],
  },
  {
    about: "Google's columns before 2024, with several values in a cell",
    extension: 'csv',
    bytes: utf8(
      'Name,Given Name,Family Name,Group Membership,E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Organization 1 - Name,Website 1 - Type,Website 1 - Value',
      'Olga Older,Olga,Older,Chess ::: * starred,*,olga@example.com ::: o@example.org,Mobile,0171 1000051,Older & Co,PROFILE,http://olga.example.com',
    ),
    arrives: [
      {
        name: 'Olga|Older',
        company: 'Older & Co',
        emails: ['olga@example.com', 'o@example.org'],
        phones: ['0171 1000051 [mobile]'],
        websites: ['http://olga.example.com [PROFILE]'],
        groups: ['Chess'],
      },
    ],
  },
  {
    about: 'semicolons between the cells',
    extension: 'csv',
    bytes: utf8('First Name;Last Name;Labels;E-mail 1 - Value', 'Sissi;"Semi; Kolon";;sissi@example.com'),
    arrives: [{ name: 'Sissi|Semi; Kolon', emails: ['sissi@example.com'] }],
  },
  {
    about: 'tabs between the cells',
    extension: 'csv',
    bytes: utf8('First Name\tLast Name\tLabels\tPhone 1 - Value', 'Tabea\tTab, von\t\t030 23125 052'),
    arrives: [{ name: 'Tabea|Tab, von', phones: ['030 23125 052'] }],
  },
  {
    about: 'a line that names the separator',
    extension: 'csv',
    bytes: utf8('sep=;', 'First Name;Last Name;Labels', 'Sepp;Separator;', ';;'),
    arrives: [{ name: 'Sepp|Separator' }],
    refused: [4],
  },
  {
    about: 'columns in capitals and small letters, with blanks around them',
    extension: 'csv',
    bytes: utf8('FIRST NAME, last name ,LABELS,e-MAIL 1 - value', 'Cap,Ital,,cap@example.com'),
    arrives: [{ name: 'Cap|Ital', emails: ['cap@example.com'] }],
  },
  {
    about: 'UTF-8 with a byte order mark and quoted columns',
    extension: 'csv',
    bytes: utf8('\uFEFF"First Name","Last Name","Labels"', '"Zoë","Märk",""'),
    arrives: [{ name: 'Zoë|Märk' }],
  },
  {
    about: 'UTF-16 with tabs, as Excel writes "Unicode text"',
    extension: 'txt',
    bytes: utf16le('\uFEFFFirst Name\tLast Name\tLabels', 'Łukasz\tŻuk\tGórale'),
    arrives: [{ name: 'Łukasz|Żuk', groups: ['Górale'] }],
  },
  {
    about: 'UTF-16, big-endian, without a byte order mark',
    extension: 'csv',
    bytes: utf16be('First Name,Last Name,Labels', 'Ömer,Çelik,'),
    arrives: [{ name: 'Ömer|Çelik' }],
  },
  {
    about: 'Windows-1252 with semicolons, as Excel saves it',
    extension: 'csv',
    bytes: latin1('First Name;Last Name;Labels;Organization Name', 'Käthe;Weiß;;Bürobedarf'),
    arrives: [{ name: 'Käthe|Weiß', company: 'Bürobedarf' }],
  },
  {
    about: 'a row in Latin-1 among rows in UTF-8',
    extension: 'csv',
    bytes: Buffer.concat([
      utf8('First Name,Last Name,Labels', 'Jörn,Reihe Eins,'),
      latin1('Jörn,Reihe Zwei,'),
      utf8('Jörn,Reihe Drei,'),
    ]),
    arrives: [{ name: 'Jörn|Reihe Eins' }, { name: 'Jörn|Reihe Zwei' }, { name: 'Jörn|Reihe Drei' }],
  },
  {
    about: 'lines that end with CR, as on old Macs',
    extension: 'csv',
    bytes: Buffer.from(text('First Name,Last Name,Labels', 'Cerise,Return,').replaceAll('\r\n', '\r')),
    arrives: [{ name: 'Cerise|Return' }],
  },
  {
    about: "Outlook's columns",
    extension: 'csv',
    bytes: utf8(
      'Title,First Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home Street 2,Home City,Business Fax,Business Phone,Home Phone,Mobile Phone,Car Phone,Categories,E-mail Address,E-mail 2 Address,Web Page',
      'Dr.,Otis,Outlook,Jr.,Contoso,Sales,Manager,1 Main St,Springfield,IL,62701,USA,2 Side St,Flat 3,Shelbyville,030 23125 061,030 23125 062,030 23125 063,0171 1000061,0171 1000062,Golf;VIPs,otis@example.com,otis@example.org,http://otis.example.com',
    ),
    arrives: [
      {
        name: 'Otis|Outlook',
        company: 'Contoso',
        title: 'Manager',
        emails: ['otis@example.com', 'otis@example.org'],
        phones: [
          '0171 1000061 [mobile]',
          '030 23125 063 [home]',
          '030 23125 062 [work]',
          '0171 1000062 [Car]',
          '030 23125 061 [workFax]',
        ],
        addresses: ['2 Side St\nFlat 3|Shelbyville||| [home]', '1 Main St|Springfield|IL|62701|USA [work]'],
        websites: ['http://otis.example.com'],
        groups: ['Golf', 'VIPs'],
      },
    ],
  },
  {
    about: 'a few columns of Outlook, with tabs, in small letters',
    extension: 'csv',
    bytes: latin1('first name\tlast name\te-mail address', 'Fenja\tFünf\tfenja@example.com'),
    arrives: [{ name: 'Fenja|Fünf', emails: ['fenja@example.com'] }],
  },
  {
    about: 'line breaks within cells, and rows that are too short or too long',
    extension: 'csv',
    bytes: utf8(
      'First Name,Last Name,Labels,Address 1 - Street,Address 1 - City,Notes',
      'Brea,Breaks,,"Court 1',
      'Door 2",Leeds,"one',
      'two"',
      'Shorty,Short',
      'Longo,Long,,,,,more,and more',
      ',,,,,',
    ),
    arrives: [
      { name: 'Brea|Breaks', addresses: ['Court 1\nDoor 2|Leeds|||'] },
      { name: 'Shorty|Short' },
      { name: 'Longo|Long' },
    ],
    refused: [7],
  },
  {
    about: 'a quoted cell that is left open in the last row',
    extension: 'csv',
    bytes: utf8('First Name,Last Name,Labels', 'Fine,Before,', '"Open,Row,'),
    arrives: [{ name: 'Fine|Before' }],
    refused: [3],
  },
];
