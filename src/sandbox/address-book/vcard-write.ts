import { escape, typesOfLabel } from './values.ts';
import { isFilled, type LabelledText, type Person, type PersonAddress } from '../people/person.ts';

const LINE_BYTES = 75;

/** A line within 75 bytes, continued on further ones (RFC 2426, 2.6); no character is divided. */
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

/** Common labels are types; any other label is written in a separate line, like in exports of Apple and Google. */
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

/** Apple's form of a birthday without a year, which 3.0 has none for. */
const birthdayLines = (birthday: string): string[] => {
  if (birthday === '') return [];
  return [birthday.startsWith('-') ? `BDAY;X-APPLE-OMIT-YEAR=1604:1604${birthday.slice(1)}` : `BDAY:${birthday}`];
};

/** A person without a name is shown by the company's name. It marks the empty N as intended. */
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

/** The people as vCards 3.0, which every address book reads, one card at a time; read again, they are the same people. */
export function* writeVCards(people: Iterable<Person>): Generator<string> {
  for (const person of people) if (isFilled(person)) yield cardOf(person);
}
