import { describe, expect, test } from 'vitest';
import { namesAgree } from '../../../../src/core/contact/name-agreement.ts';
import { foldText } from '../../../../src/core/contact/names.ts';
import { rankBy } from '../../../../src/core/contact/search.ts';
import { personNameOf } from '../../../../src/core/contact/person-name.ts';
import { contactOf } from '../../../../src/core/contact/record.ts';

/** A contact by its name: the text after the bar is the last name. */
const named = (name: string) => {
  const [firstName = '', lastName = ''] = name.split('|');
  return contactOf({ firstName, lastName });
};

const agree = (one: string, other: string, ...emails: readonly string[]): readonly boolean[] => [
  namesAgree(named(one), named(other), emails),
  namesAgree(named(other), named(one), emails),
];

const GENDERED =
  'Martin Martina, Paul Paula, Karl Karla, Stefan Stefanie, Simon Simone, Daniel Daniela, Ann Anna, ' +
  'Michael Michaela, Franz Franziska, Julian Juliane, Joe Jo, Michal Michael, Andrea Andreas';

const AGREEING = `
José|Soto = jose|soto; Anne-Marie|Roth = Annemarie|Roth; Søren|Weiß = Soren|Weiss; Jörg|Müller = Joerg|Mueller
İpek|Yılmaz = Ipek|Yilmaz; J.|Gray = Jane|Gray; Jane|G. = Jane|Gray; Ben|Gray = Benjamin|Gray
Bob|O’Neil = Robert|O'Neil; Bob|Gray = Rob|Gray; Саша|Иванов = Александр|Иванов; Mary Ann|Lee = Mary|Lee
John F.|Gray = John Fitzgerald|Gray; Ana|García López = Ana|García; Jane Gray| = Jane|Gray; |Jane Gray = J.|Gray
Gray|Jane = Jane|Gray; Jane| = Jane|Gray; |Gray = Jane|Gray; | = Jane|Gray; 明|李 = 明|李
Dr. Ann|Lindqvist = Ann|Lindqvist; Prof. Dr. rer. nat. Eva|Kernstein = Eva|Kernstein; Mr|Foxley = Tom|Foxley
Mr Foxley| = Tom|Foxley; Sr. Juan|Soto = Juan|Soto; M. Jean|Dupont = Jean|Dupont; M.|Dupont = Marie|Dupont
Anna|Weber, PhD = Anna|Weber; John|Smith Jr. = John Jr.|Smith; John|Smith Jr. = John|Smith
John Smith III| = John|Smith, III; Smith, John| = John|Smith; 山田太郎| = 太郎|山田; 山田 太郎| = 太郎|山田; |山田太郎 = 山田|太郎
山田太郎様| = 太郎|山田; 김지원| = 지원|김; สมชายใจดี| = สมชาย|ใจดี; Xiao Ming|Zhang = Zhang Xiaoming|
Anna und Ben|Weber = Ben & Anna|Weber; Familie Huber| = Fam.|Huber; 🙂| = 🙂|; Ada|. = Ada|Lindholm
Ada Lindholm|(Acme) = Ada|Lindholm; ada@x.org| = Ada|Lindholm; +49 170|5550330 = Ada|Lindholm
Lady|Gaga = Lady|Gaga`;

const DIFFERING = `
John|Smith ≠ Jane|Smith; Maria|Soto ≠ Maria|Lee; José|Soto ≠ María José|Soto; John F.|Gray ≠ John M.|Gray
Jane|Lee ≠ Jane|Leeds; Alexander|Gray ≠ Alexandra|Gray; Ted|Gray ≠ Bill|Gray; 明|李 ≠ 明华|李; 지|김 ≠ 지원|김
Jane Gray| ≠ John Gray|; Иван|Петров ≠ Ivan|Petrov; Juan|Soto Sr. ≠ Juan|Soto Jr.
Juan|Soto Sr. ≠ Juan|Soto hijo; John Jr.|Smith ≠ John|Smith, Sr.; John Smith II| ≠ John|Smith III
Jean|Dupont père ≠ Jean|Dupont fils; Mr.|Weber ≠ Mrs.|Weber; Herr Andrea|Rossi ≠ Frau Andrea|Rossi
Anna & Ben|Weber ≠ Anna|Weber; Anna und Ben| ≠ Anna|; Anna y Ben|Weber ≠ Anna|Weber
Anna + Ben|Weber ≠ Ben|Weber; Anna/Ben|Weber ≠ Anna|Weber; Anna, Ben|Weber ≠ Anna|Weber
Herr und Frau|Weber ≠ Anna|Weber; the Millerbys| ≠ Ann|Millerbys; Familie|Huber ≠ Anna|Huber
Smith Family| ≠ Ann|Smith; 田中夫妻| ≠ 太郎|田中; 🙂| ≠ 🎉|; 🙂|Lee ≠ Ann|Lee; 太郎|山田 ≠ 花子|山田
Anna Weber|(Mutter) ≠ Anna Weber|(Tochter); Liana| ≠ Ana|Li; Dr. Weber| ≠ Anna|; |Weber ≠ Anna|
Dr. 山田太郎| ≠ 山田花子|`;

/** The pairs of names in a text. */
const pairsIn = (text: string) =>
  text
    .trim()
    .split(/;\s|\n/u)
    .map((pair) => pair.split(/ [=≠] /u));

describe('R13: the names of two contacts agree', () => {
  test.each(pairsIn(AGREEING))('%s and %s', (one = '', other = '') => {
    expect(agree(one, other)).toEqual([true, true]);
  });

  test.each([
    ...pairsIn(DIFFERING),
    ...GENDERED.split(', ').map((pair) => pair.split(' ').map((name) => `${name}|Weber`)),
  ])('unless they are %s and %s', (one = '', other = '') => {
    expect(agree(one, other)).toEqual([false, false]);
  });

  test.each([
    ['ada@x.org', true],
    ['Ada.Byron@x.org', true],
    ['abyron@x.org', true],
    ['adalovelace1815@x.org', true],
    ['office@x.org', false],
    ['joada@x.org', false],
    ['byron@x.org', false],
  ])('with another family name if the address %s contains the first name: %s', (email, expected) => {
    expect(agree('Ada|Byron', 'Ada|Lovelace', email)).toEqual([expected, expected]);
  });

  test.each([
    'Santiago|Ramón y Cajal',
    'José Ortega y Gasset|',
    'Karl-Theodor|von und zu Guttenberg',
    'João|Costa e Silva',
    'John E Smith|',
    'Hendrik|de Vries',
  ])('%s is the name of one person', (name) => {
    expect(personNameOf(named(name))).toMatchObject({ isSeveral: false });
  });

  test('a name of thousands of words is compared as one text', () => {
    const long = 'Ann '.repeat(2_000).trim();
    expect(agree(`${long}|Lee`, `${long}|Lee`)).toEqual([true, true]);
    expect(agree(`${long}|Lee`, `${long}|Ray`)).toEqual([false, false]);
  });

  test('but another first name is another person, even if the address fits', () => {
    expect(agree('John|Smith', 'Jane|Smith', 'john.smith@x.org')).toEqual([false, false]);
  });
});

const called = (firstName: string, lastName = '') => contactOf({ firstName, lastName });

describe('a full name', () => {
  test.each([
    ['accents', 'José Núñez', called('Jose', 'Nunez')],
    ['case and punctuation', "ANNE-MARIE O'Neil", called('Anne Marie', 'O neil')],
    ['order', 'Ada Lovelace', called('Lovelace', 'Ada')],
    ['division', 'Mary Ann Lee', called('Mary', 'Ann Lee')],
    ['one field for all', 'Mary Ann Lee', called('Mary Ann Lee')],
    ['Hebrew points', 'שָׁלוֹם', called('שלום')],
    ['Arabic vowel marks', 'مُحَمَّد', called('محمد')],
  ])('does not depend on %s', (_, text, contact) => {
    expect(rankBy(text)(contact)).toBe(1);
  });

  test.each([
    ['Thai', 'สม', 'สิม'],
    ['Devanagari', 'मनु', 'मन'],
    ['Latin', 'Ann', 'Anna'],
  ])('differs in %s if a vowel differs', (_, one, other) => {
    expect(rankBy(one)(called(other))).not.toBe(1);
  });

  test('that is empty is found by no text', () => {
    expect([rankBy('')(called('')), rankBy('🙂 --')(called('🙂', '--'))]).toEqual([null, null]);
  });
});

test('a folded text separates its words with one space', () => {
  expect(foldText('  Müller & Söhne GmbH ')).toBe('muller sohne gmbh');
});
