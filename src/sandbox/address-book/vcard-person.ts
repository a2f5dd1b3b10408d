import {
  isFilledAddress,
  isFilled,
  type LabelledText,
  type Person,
  type PersonAddress,
  readBirthday,
  splitFullName,
  userGroups,
} from '../people/person.ts';
import { splitEscaped, unescape } from './escapes.ts';
import { appleLabel } from './labels.ts';
import { severalLines, singleLine } from './texts.ts';
import type { CardProperty } from './card-values.ts';

/** The parts of a structured value; in vCard 3.0 and 4.0 a part may hold several texts (`Philip,Paul`). */
type ReadParts = (value: string, joint: string) => string[];

const readParts: ReadParts = (value, joint) =>
  splitEscaped(value, ';').map((part) => {
    if (!part.includes(',')) return severalLines(unescape(part));
    const texts = splitEscaped(part, ',').map((text) => severalLines(unescape(text)));
    return texts.filter(Boolean).join(joint);
  });

/** vCard 2.1 has no lists: a comma is a comma. */
const readParts21: ReadParts = (value) => splitEscaped(value, ';').map((part) => severalLines(unescape(part)));

const textOf = ({ value }: CardProperty): string => singleLine(unescape(value));

const same = (text: string): string => text;
const cleanPhone = (text: string): string =>
  /[:;]/u.test(text) ? text.replace(/^tel:/iu, '').replace(/;ext=/iu, ' ext. ') : text;
const cleanEmail = (text: string): string => text.replace(/^mailto:/iu, '');

const NONE: readonly never[] = [];

/** A card on its way to a person. */
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

  /** The first text of that name that says something. */
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

/** The parts of N; where N is empty, FN with its last word as the family name, unless FN is the company's name. */
const readNames = (card: Card, company: string): Names => {
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

const readCardBirthday = (card: Card): string => {
  const [property] = card.all('BDAY');
  const birthday = property === undefined ? '' : readBirthday(textOf(property));
  return property?.head.unknownYear === birthday.slice(0, 4) ? `-${birthday.slice(4)}` : birthday;
};

const isGroup = (card: Card): boolean =>
  [...card.all('KIND'), ...card.all('X-ADDRESSBOOKSERVER-KIND')].some(
    (property) => textOf(property).toLowerCase() === 'group',
  );

const readNotes = (card: Card): string =>
  card
    .all('NOTE')
    .map(({ value }) => severalLines(unescape(value)))
    .filter(Boolean)
    .join('\n');

const toPerson = (card: Card): Person => {
  const [company = '', ...units] = card.parts('ORG');
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
    birthday: readCardBirthday(card),
    notes: readNotes(card),
  };
};

/** The person of a card, or the reason why there is none. */
export const readPerson = (properties: readonly CardProperty[]): Person | string => {
  const card = new Card(properties);
  if (isGroup(card)) return 'the card is a group, not a person';
  const person = toPerson(card);
  return isFilled(person) ? person : 'no field of a contact can be read in it';
};
