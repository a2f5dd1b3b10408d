import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import { writeVCards } from '../../../../src/sandbox/address-book/vcard-write.ts';
import { readVCards } from '../../../../src/sandbox/address-book/vcard.ts';
import { samplePeople } from '../../../../src/sandbox/people/sample.ts';
import { EMPTY_PERSON, type Person } from '../../../../src/sandbox/people/person.ts';
import { readWith } from './read.ts';

const written = (...people: readonly Person[]): string => [...writeVCards(people)].join('');
const again = (...people: readonly Person[]): readonly Person[] =>
  readWith(readVCards, Buffer.from(written(...people))).people;

const ODD: readonly Person[] = [
  {
    prefix: 'Dr.; Prof.',
    givenName: 'Zoé, Anna',
    middleName: String.raw`back\slash`,
    familyName: 'Lefèvre\\;n',
    suffix: 'PhD',
    nickname: 'Zo, Zozo',
    company: 'Atelier; Bézier, Söhne',
    title: 'Gérante\\',
    department: 'Ventes, Achats',
    emails: [
      { value: 'zoe@example.com', label: 'home' },
      { value: 'zoe@example.org', label: 'HOME' },
      { value: 'z@example.net', label: null },
    ],
    phones: [
      'mobile',
      'workMobile',
      'homeFax',
      'workFax',
      'otherFax',
      'pager',
      'main',
      'other',
      'cell',
      'constructor',
    ].map((label, index) => ({ value: `06 39 98 00 ${index + 10}`, label })),
    websites: [{ value: 'http://zoe.example.com/a;b,c', label: 'homePage' }],
    addresses: [
      {
        street: '5 rue A, 3e\nBât. C',
        city: 'Paris',
        region: '',
        postalCode: '75002',
        country: 'France',
        label: 'Été; mer',
      },
      { street: '', city: 'Lyon', region: '', postalCode: '', country: '', label: null },
    ],
    groups: ['Wine, Cheese', 'Café ☕'],
    birthday: '--03-04',
    notes: 'Line one\nLine two; with "all", of \\it',
  },
  { ...EMPTY_PERSON, company: 'Bakery', birthday: '1990-04-12' },
  { ...EMPTY_PERSON, emails: [{ value: 'nameless@example.com', label: null }] },
  { ...EMPTY_PERSON, department: 'Sales', nickname: 'Nick', prefix: 'Dr.' },
  { ...EMPTY_PERSON, givenName: '日'.repeat(60), notes: `${'é'.repeat(200)} ${'👩‍👩‍👧'.repeat(30)}` },
];

describe('writeVCards', () => {
  it('writes unusual people so that reading returns them unchanged', () => {
    expect(again(...ODD)).toEqual(ODD);
  });

  it('writes a whole book so that reading returns it unchanged', () => {
    const people = samplePeople(120);
    expect(again(...people)).toEqual(people);
  });

  it('writes cards that a strict reader reads, in lines of 75 bytes at most', () => {
    const text = written(...ODD);
    expect(text.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    const cards = ICAL.parse(text) as unknown as [string, [string, unknown, string, ...unknown[]][]][];
    const valuesOf = (index: number, name: string): unknown[] =>
      (cards[index]?.[1] ?? []).filter(([key]) => key === name).map(([, , , value]) => value);
    expect(cards).toHaveLength(ODD.length);
    expect(valuesOf(0, 'version')).toEqual(['3.0']);
    expect(valuesOf(0, 'email')).toEqual(['zoe@example.com', 'zoe@example.org', 'z@example.net']);
    expect(valuesOf(0, 'n')).toEqual([['Lefèvre\\;n', 'Zoé, Anna', 'back\\slash', 'Dr.; Prof.', 'PhD']]);
    expect(valuesOf(1, 'fn')).toEqual(['Bakery']);
    expect(valuesOf(4, 'note')).toEqual([ODD[4]?.notes]);
  });

  it('leaves out a blank contact', () => {
    expect(written({ ...EMPTY_PERSON, groups: ['VIP'] })).toBe('');
  });
});
