import type { ReadFile } from './address-book.ts';
import { type CardProperty, CardReader, decodeCard, type RawCard } from './card-reader.ts';
import { Decoder, LineSplitter } from './decoder.ts';
import { PropertyHeads } from './property-heads.ts';
import { appleLabel, readBirthday, severalLines, singleLine, splitEscaped, unescape } from './values.ts';
import {
  isFilled,
  isFilledAddress,
  type LabelledText,
  type Person,
  type PersonAddress,
  splitFullName,
  userGroups,
} from '../people/person.ts';

/** Returns the parts of a structured value. In vCard 3.0 and 4.0 a part may contain several texts (`Philip,Paul`). */
type ReadParts = (value: string, joint: string) => string[];

const readParts: ReadParts = (value, joint) =>
  splitEscaped(value, ';').map((part) => {
    if (!part.includes(',')) return severalLines(unescape(part));
    const texts = splitEscaped(part, ',').map((text) => severalLines(unescape(text)));
    return texts.filter(Boolean).join(joint);
  });

/** vCard 2.1 has no lists, so a comma is part of the text. */
const readParts21: ReadParts = (value) => splitEscaped(value, ';').map((part) => severalLines(unescape(part)));

const textOf = ({ value }: CardProperty): string => singleLine(unescape(value));

const same = (text: string): string => text;
const cleanPhone = (text: string): string =>
  /[:;]/u.test(text) ? text.replace(/^tel:/iu, '').replace(/;ext=/iu, ' ext. ') : text;
const cleanEmail = (text: string): string => text.replace(/^mailto:/iu, '');

const NONE: readonly never[] = [];

/** A card with functions to read its values. */
class Card {
  readonly #properties: readonly CardProperty[];
  readonly #parts: ReadParts;

  constructor(properties: readonly CardProperty[]) {
    this.#properties = properties;
    this.#parts = this.first('VERSION') === '2.1' ? readParts21 : readParts;
  }

  all(name: string): readonly CardProperty[] {
    let found: CardProperty[] | null = null;
    for (const property of this.#properties) {
      if (property.head.name !== name) continue;
      if (found === null) found = [property];
      else found.push(property);
    }
    return found ?? NONE;
  }

  /** Returns the first text with that name that is not blank. */
  first(name: string): string {
    for (const property of this.#properties) {
      const text = property.head.name === name ? textOf(property) : '';
      if (text !== '') return text;
    }
    return '';
  }

  parts(name: string): string[] {
    const value = this.#properties.find(({ head }) => head.name === name)?.value;
    return value === undefined ? [] : this.#parts(value, ' ').map(singleLine);
  }

  labelled(name: string, clean: (text: string) => string = same): readonly LabelledText[] {
    const properties = this.all(name);
    if (properties.length === 0) return NONE;
    return properties
      .map((property) => ({ value: clean(textOf(property)), label: this.#labelOf(property) }))
      .filter(({ value }) => value !== '');
  }

  addresses(): readonly PersonAddress[] {
    const properties = this.all('ADR');
    if (properties.length === 0) return NONE;
    return properties.map((property) => this.#addressOf(property)).filter(isFilledAddress);
  }

  #addressOf(property: CardProperty): PersonAddress {
    const [poBox = '', extended = '', street = '', ...others] = this.#parts(property.value, ', ');
    const [city = '', region = '', postalCode = '', country = ''] = others.map(singleLine);
    return {
      street: [street, extended, poBox].filter(Boolean).join('\n'),
      city,
      region,
      postalCode,
      country,
      label: this.#labelOf(property),
    };
  }

  #labelOf({ head: { group, label } }: CardProperty): string | null {
    if (group === null) return label;
    const spelt = this.all('X-ABLABEL').find((other) => other.head.group === group);
    return (spelt === undefined ? '' : appleLabel(textOf(spelt))) || label;
  }
}

type Names = Pick<Person, 'prefix' | 'givenName' | 'middleName' | 'familyName' | 'suffix'>;

const NO_NAMES: Names = { prefix: '', givenName: '', middleName: '', familyName: '', suffix: '' };

const says = (card: Card, name: string, value: string): boolean =>
  card.all(name).some((property) => textOf(property).toLowerCase() === value);

/** Returns whether the card is of an organisation: it is marked as one, and N contains no name but the company's. */
const isOrganisation = (card: Card, company: string): boolean => {
  if (says(card, 'KIND', 'org') || says(card, 'X-ADDRESSBOOKSERVER-KIND', 'org')) return true;
  const name = card.parts('N').filter(Boolean).join(' ');
  const isCompany = says(card, 'X-ABSHOWAS', 'company') || card.first('FN') === company;
  return company !== '' && isCompany && (name === '' || name === company);
};

/** Returns the parts of N. If N is empty, divides FN, with its last word as family name, unless FN is the company's name. */
const readNames = (card: Card, company: string): Names => {
  if (isOrganisation(card, company)) return NO_NAMES;
  const [familyName = '', givenName = '', middleName = '', prefix = '', suffix = ''] = card.parts('N');
  const names = { prefix, givenName, middleName, familyName, suffix };
  if (familyName !== '' || givenName !== '' || middleName !== '') return names;
  const formatted = card.first('FN');
  return formatted === company ? names : { ...names, ...splitFullName(formatted) };
};

const readGroups = (card: Card): readonly string[] => {
  const properties = card.all('CATEGORIES');
  if (properties.length === 0) return NONE;
  return userGroups(
    properties.flatMap(({ value }) => splitEscaped(value, ',').map((name) => singleLine(unescape(name)))),
  );
};

const readCardBirthday = (card: Card): ReturnType<typeof readBirthday> => {
  const [property] = card.all('BDAY');
  const read = readBirthday(property === undefined ? '' : textOf(property));
  const { day } = read;
  return day !== null && property?.head.unknownYear === day.slice(0, 4) ? { ...read, day: `-${day.slice(4)}` } : read;
};

const isGroup = (card: Card): boolean => says(card, 'KIND', 'group') || says(card, 'X-ADDRESSBOOKSERVER-KIND', 'group');

const readNotes = (card: Card): string =>
  card
    .all('NOTE')
    .map(({ value }) => severalLines(unescape(value)))
    .filter(Boolean)
    .join('\n');

const toPerson = (card: Card, birthday: string): Person => {
  const [organisation = '', ...units] = card.parts('ORG');
  const company = organisation === '' && isOrganisation(card, '') ? card.first('FN') : organisation;
  const { prefix, givenName, middleName, familyName, suffix } = readNames(card, company);
  return {
    prefix,
    givenName,
    middleName,
    familyName,
    suffix,
    nickname: card.first('NICKNAME'),
    company,
    title: card.first('TITLE'),
    department: units.filter(Boolean).join(', '),
    emails: card.labelled('EMAIL', cleanEmail),
    phones: card.labelled('TEL', cleanPhone),
    websites: card.labelled('URL'),
    addresses: card.addresses(),
    groups: readGroups(card),
    birthday,
    notes: readNotes(card),
  };
};

/** Returns the person of a card, or the reason without one. `skip` is called with the reason for each skipped value. */
const readPerson = (properties: readonly CardProperty[], skip: (reason: string) => void): Person | string => {
  const card = new Card(properties);
  if (isGroup(card)) return 'the card is a group, not a person';
  const { day, reason } = readCardBirthday(card);
  if (reason !== null) skip(reason);
  const person = toPerson(card, day ?? '');
  return isFilled(person) ? person : 'no field of a contact can be read in it';
};

/**
 * Reads the people of a vCard file (2.1, 3.0 and 4.0 in any mixture) of Google, Apple, Android, Outlook and other programs.
 */
export const readVCards: ReadFile = async ({ chunks, isTranscoded }, { add, skipped, refused }) => {
  const decoder = new Decoder();
  const take = ({ line, properties }: RawCard): void => {
    const read = readPerson(decodeCard(properties, decoder, isTranscoded), (reason) => skipped.add(line, reason));
    if (typeof read === 'string') refused.add(line, read);
    else add(read);
  };
  const cards = new CardReader(new PropertyHeads(decoder), skipped, take);
  const lines = new LineSplitter();
  for await (const chunk of chunks) for (const line of lines.split(chunk)) cards.read(line);
  for (const line of lines.rest()) cards.read(line);
  cards.finish();
};
