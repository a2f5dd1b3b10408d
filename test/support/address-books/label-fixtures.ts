import { card, vcf } from './bytes.ts';
import type { Fixture } from './fixtures.ts';

export const LABEL_FIXTURES: readonly Fixture[] = [
  vcf(
    'types that are not common',
    card(
      '3.0',
      'N:Types;Tara;;;',
      'URL;TYPE=Blog:http://blog.example.com/tara',
      'URL;TYPE=PROFILE:http://profile.example.com/tara',
      'EMAIL;TYPE=INTERNET,School:tara@school.example',
      'TEL;TYPE=whatsapp;TYPE=pref:+49 30 23125 021',
      'TEL;X-Büro:+49 30 23125 022',
    ),
    [
      {
        name: 'Tara|Types',
        websites: ['http://blog.example.com/tara [Blog]', 'http://profile.example.com/tara [PROFILE]'],
        emails: ['tara@school.example [School]'],
        phones: ['+49 30 23125 021 [whatsapp]', '+49 30 23125 022 [Büro]'],
      },
    ],
  ),
  vcf(
    'common types',
    card(
      '3.0',
      'N:Common;Cass;;;',
      'TEL;TYPE=WORK,FAX:030 23125 031',
      'TEL;TYPE=FAX:030 23125 032',
      'TEL;TYPE=CELL;TYPE=WORK:0171 1000031',
      'TEL;TYPE=iPhone:0171 1000032',
      'TEL;TYPE=PAGER:030 23125 033',
      'TEL;TYPE=VOICE,PREF:030 23125 034',
      'ADR;TYPE=dom,home,postal,parcel:;;Way 1;York;;YO1;UK',
    ),
    [
      {
        name: 'Cass|Common',
        phones: [
          '030 23125 031 [workFax]',
          '030 23125 032 [otherFax]',
          '0171 1000031 [workMobile]',
          '0171 1000032 [mobile]',
          '030 23125 033 [pager]',
          '030 23125 034',
        ],
        addresses: ['Way 1|York||YO1|UK [home]'],
      },
    ],
  ),
  vcf(
    "Apple's labels, its own and typed ones",
    card(
      '3.0',
      'N:Apple;Ann;;;',
      'item1.EMAIL;type=INTERNET:ann@atelier.example',
      'item1.X-ABLabel:Atelier',
      'item2.URL;type=pref:http://ann.example.com',
      'item2.X-ABLabel:_$!<HomePage>!$_',
      'item3.URL:http://profiles.example.com/ann',
      'item3.X-ABLabel:PROFILE',
      'item4.TEL:030 23125 041',
      'item4.X-ABLabel:_$!<HomeFAX>!$_',
    ),
    [
      {
        name: 'Ann|Apple',
        emails: ['ann@atelier.example [Atelier]'],
        websites: ['http://ann.example.com [homePage]', 'http://profiles.example.com/ann [PROFILE]'],
        phones: ['030 23125 041 [homeFax]'],
      },
    ],
  ),
  vcf(
    'URIs and quoted types of vCard 4.0',
    card(
      '4.0',
      'FN:Suharti Uri',
      'TEL;VALUE=uri;TYPE="cell,work";PREF=1:tel:+62-812-0000-0001;ext=5',
      'EMAIL;TYPE=work:mailto:suharti@example.net',
    ),
    [
      {
        name: 'Suharti|Uri',
        phones: ['+62-812-0000-0001 ext. 5 [workMobile]'],
        emails: ['suharti@example.net [work]'],
      },
    ],
  ),
  vcf(
    'categories that differ by case',
    [
      ...card('3.0', 'N:Member;Max;;;', 'CATEGORIES:Book Club,book club,myContacts'),
      ...card('3.0', 'N:Member;Moritz;;;', String.raw`CATEGORIES:BOOK CLUB,Wine\, Cheese`),
    ],
    [
      { name: 'Max|Member', groups: ['Book Club'] },
      { name: 'Moritz|Member', groups: ['Book Club', 'Wine, Cheese'] },
    ],
  ),
];
