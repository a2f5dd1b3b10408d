import { csv, utf16be } from './bytes.ts';
import type { Fixture } from './fixtures.ts';

export const CSV_FIXTURES: readonly Fixture[] = [
  csv(
    "Google's columns since 2024",
    [
      'First Name,Last Name,Organization Name,Organization Title,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Street,Address 1 - City,Address 1 - Postal Code,Address 1 - Country,Website 1 - Label,Website 1 - Value',
      'Nina,Newer,Newer Ltd,CEO,Rowing ::: * myContacts,* Home,nina@example.com,Work Fax,030 23125 051,School,Campus 1,Bonn,53111,Germany,Blog,http://nina.example.com',
    ],
    [
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
  ),
  csv(
    'UTF-8 with a byte order mark and quoted columns',
    ['\uFEFF"First Name","Last Name","Labels"', '"Zoë","Märk",""'],
    [{ name: 'Zoë|Märk' }],
  ),
  csv('UTF-16, big-endian, without a byte order mark', utf16be('First Name,Last Name,Labels', 'Ömer,Çelik,'), [
    { name: 'Ömer|Çelik' },
  ]),
  csv(
    'line breaks within cells, and rows that are too short or too long',
    [
      'First Name,Last Name,Labels,Address 1 - Street,Address 1 - City,Notes',
      'Brea,Breaks,,"Court 1',
      'Door 2",Leeds,"one',
      'two"',
      'Shorty,Short',
      'Longo,Long,,,,,more,and more',
      ',,,,,',
    ],
    [
      { name: 'Brea|Breaks', addresses: ['Court 1\nDoor 2|Leeds|||'] },
      { name: 'Shorty|Short' },
      { name: 'Longo|Long' },
    ],
    { refused: [7] },
  ),
  csv(
    'a quoted cell that is left open in the last row',
    ['First Name,Last Name,Labels', 'Fine,Before,', '"Open,Row,'],
    [{ name: 'Fine|Before' }],
    { refused: [3] },
  ),
];
