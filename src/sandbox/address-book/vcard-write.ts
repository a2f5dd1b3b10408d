import { escape, typesOfLabel } from './values.ts';
import { isFilled, type LabelledText, type Person, type PersonAddress } from '../people/person.ts';

const LINE_BYTES = 75;

/** Folds a line to at most 75 bytes a line (RFC 2426, 2.6). Characters are not divided. */
const folded = (line: string): string => {
  if (Buffer.byteLength(line) <= LINE_BYTES) return line;
  const parts = [''];
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > LINE_BYTES) {
      parts.push('');
      bytes = 1;
    }
    parts[parts.length - 1] += character;
    bytes += size;
  }
  return parts.join('\r\n ');
};

const joined = (...parts: readonly string[]): string => parts.map(escape).join(';');

const filled = (name: string, value: string): string[] => (value === '' ? [] : [`${name}:${escape(value)}`]);

type Labelled = { readonly name: string; readonly value: string; readonly label: string | null };

/** Common labels are written as types. Any other label is a separate line, as in exports of Apple and Google. */
const labelledLines = ({ name, value, label }: Labelled, index: number): string[] => {
  if (label === null) return [`${name}:${value}`];
  const types = typesOfLabel(label);
  if (types !== null) return [`${[name, ...types.map((type) => `TYPE=${type}`)].join(';')}:${value}`];
  return [`item${index + 1}.${name}:${value}`, `item${index + 1}.X-ABLabel:${escape(label)}`];
};

const ofValue =
  (name: string) =>
  ({ value, label }: LabelledText): Labelled => ({ name, value: escape(value), label });

const ofAddress = ({ street, city, region, postalCode, country, label }: PersonAddress): Labelled => ({
  name: 'ADR',
  value: joined('', '', street, city, region, postalCode, country),
  label,
});

/** Returns a birthday. Version 3.0 has no birthday without a year, so Apple's format is used for one. */
const birthdayLines = (birthday: string): string[] => {
  if (birthday === '') return [];
  return [birthday.startsWith('-') ? `BDAY;X-APPLE-OMIT-YEAR=1604:1604${birthday.slice(1)}` : `BDAY:${birthday}`];
};

/** Returns the name of a person, or the company's name if there is none, which marks the empty N as intended. */
const formattedName = ({ prefix, givenName, middleName, familyName, suffix, company }: Person): string => {
  const isNamed = [givenName, middleName, familyName].some(Boolean);
  return isNamed ? [prefix, givenName, middleName, familyName, suffix].filter(Boolean).join(' ') : company;
};

const cardOf = (person: Person): string => {
  const labelled = [
    ...person.emails.map(ofValue('EMAIL')),
    ...person.phones.map(ofValue('TEL')),
    ...person.addresses.map(ofAddress),
    ...person.websites.map(ofValue('URL')),
  ];
  const lines = [
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${joined(person.familyName, person.givenName, person.middleName, person.prefix, person.suffix)}`,
    `FN:${escape(formattedName(person))}`,
    ...filled('NICKNAME', person.nickname),
    ...(person.company || person.department ? [`ORG:${joined(person.company, person.department)}`] : []),
    ...filled('TITLE', person.title),
    ...labelled.flatMap(labelledLines),
    ...(person.groups.length > 0 ? [`CATEGORIES:${person.groups.map(escape).join(',')}`] : []),
    ...birthdayLines(person.birthday),
    ...filled('NOTE', person.notes),
    'END:VCARD',
  ];
  return `${lines.map(folded).join('\r\n')}\r\n`;
};

/** Yields the people as vCards 3.0, which every address book can read, one card each. Reading them gives the same people. */
export function* writeVCards(people: Iterable<Person>): Generator<string> {
  for (const person of people) if (isFilled(person)) yield cardOf(person);
}
