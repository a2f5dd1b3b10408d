import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import type { ReadFile } from './address-book.ts';
import { appleLabel, labelOfTypes, readBirthday, severalLines, singleLine, splitEscaped, unescape } from './values.ts';
import {
  isFilled,
  isFilledAddress,
  type LabelledText,
  type Person,
  type PersonAddress,
  splitFullName,
  userGroups,
} from '../people/person.ts';

/** One property of a card. Its value is decoded but still escaped. */
type Property = {
  /** Upper case, without the group. */
  readonly name: string;
  /** The group that connects `item1.EMAIL` with `item1.X-ABLabel`; null if ungrouped. */
  readonly group: string | null;
  /** The label of its types. In every version, `TEL;CELL` equals `TEL;TYPE=CELL`. */
  readonly label: string | null;
  readonly value: string;
};

/** The properties of RFC 2425, 2426 and 6350 and of vCard 2.1. A line with another name is reported, except with `X-`. */
const NAMES: ReadonlySet<string> = new Set(
  (
    'VERSION FN N NICKNAME ORG TITLE EMAIL TEL ADR URL CATEGORIES BDAY NOTE KIND AGENT ANNIVERSARY CALADRURI CALURI ' +
    'CAPURI CLASS CLIENTPIDMAP CONTACT-URI DEATHDATE DEATHPLACE BIRTHPLACE EXPERTISE FBURL GENDER GEO HOBBY IMPP ' +
    'INTEREST KEY LABEL LANG LOGO MAILER MEMBER NAME ORG-DIRECTORY PHOTO PRODID PROFILE RELATED REV ROLE SORT-STRING ' +
    'SOUND SOURCE TZ UID XML PRONOUNS GRAMGENDER LANGUAGE CREATED SOCIALPROFILE JSPROP'
  ).split(' '),
);

const HEAD = /^(?:(?<group>[\w-]+)\.)?(?<name>[\w-]+)[ \t]*(?<parameters>(?:;(?:"[^"]*"|[^":])*)?):/u;
/** A head with an unclosed quotation mark: the first colon ends the parameters. */
const OPEN_HEAD = /^(?:(?<group>[\w-]+)\.)?(?<name>[\w-]+)[ \t]*(?<parameters>(?:;[^:]*)?):/u;
const PARAMETER = /(?:"[^"]*"|[^;"])+/gu;

/**
 * Decodes a text of one character for each byte. Uses UTF-8 if the bytes are valid, else the declared charset if it matches,
 * else Windows-1252. Each value is decoded separately, because the cards of a file may have different charsets.
 */
const decode = (bytes: string, charset: string | null): string => {
  if (!/[\u0080-\u00FF]/u.test(bytes)) return bytes;
  const buffer = Buffer.from(bytes, 'latin1');
  if (isUtf8(buffer)) return buffer.toString('utf8');
  try {
    return new TextDecoder(charset ?? 'windows-1252', { fatal: true }).decode(buffer);
  } catch {
    return new TextDecoder('windows-1252').decode(buffer);
  }
};

const decodeQuotedPrintable = (text: string): string =>
  text.replace(/=([0-9A-F]{2})/giu, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));

const QUOTED_PRINTABLE = 'QUOTED-PRINTABLE';
const ENCODINGS: ReadonlySet<string> = new Set([QUOTED_PRINTABLE, '8BIT', '7BIT', 'BASE64']);

type Parameters = { readonly types: readonly string[]; readonly charset: string | null; readonly isQuoted: boolean };

const readParameters = (text: string): Parameters => {
  const types: string[] = [];
  let [charset, isQuoted]: [string | null, boolean] = [null, false];
  for (const parameter of text.match(PARAMETER) ?? []) {
    const equals = parameter.indexOf('=');
    const key = parameter.slice(0, Math.max(equals, 0)).trim().toUpperCase();
    const value = parameter
      .slice(equals + 1)
      .replaceAll('"', '')
      .trim();
    if (key === 'ENCODING' || (key === '' && ENCODINGS.has(value.toUpperCase()))) {
      isQuoted = value.toUpperCase() === QUOTED_PRINTABLE;
    } else if (key === 'CHARSET') charset = value;
    else if (key === '' || key === 'TYPE') types.push(...value.split(',').map((type) => decode(type.trim(), null)));
  }
  return { types: types.filter(Boolean), charset, isQuoted };
};

/** Parses an unfolded line. Returns null if it is not a property. */
const parseProperty = (line: string): Property | null => {
  const match = HEAD.exec(line) ?? OPEN_HEAD.exec(line);
  const { group = null, name: spelt = '', parameters = '' } = match?.groups ?? {};
  const name = spelt.toUpperCase();
  if (match === null || (!NAMES.has(name) && !name.startsWith('X-'))) return null;
  const { types, charset, isQuoted } = readParameters(parameters);
  const bytes = line.slice(match[0].length);
  const value = decode(isQuoted ? decodeQuotedPrintable(bytes) : bytes, charset);
  return { name, group, label: labelOfTypes(types), value };
};

/** A card with functions to read its values. */
class Card {
  readonly #properties: readonly Property[];
  readonly #isVersion21: boolean;

  constructor(properties: readonly Property[]) {
    this.#properties = properties;
    this.#isVersion21 = this.first('VERSION') === '2.1';
  }

  all(name: string): readonly Property[] {
    return this.#properties.filter((property) => property.name === name);
  }

  texts(name: string): readonly string[] {
    return this.all(name).map(textOf);
  }

  /** Returns the first text with that name that is not blank. */
  first(name: string): string {
    return this.texts(name).find((text) => text !== '') ?? '';
  }

  parts(name: string): string[] {
    const [property] = this.all(name);
    return property === undefined ? [] : this.#partsOf(property.value, ' ').map(singleLine);
  }

  labelled(name: string, clean: (text: string) => string = (text) => text): readonly LabelledText[] {
    return this.all(name)
      .map((property) => ({ value: clean(textOf(property)), label: this.#labelOf(property) }))
      .filter(({ value }) => value !== '');
  }

  addresses(): readonly PersonAddress[] {
    return this.all('ADR')
      .map((property) => this.#addressOf(property))
      .filter(isFilledAddress);
  }

  /** Returns whether a property with that name has the value, in any case. */
  has(name: string, value: string): boolean {
    return this.texts(name).some((text) => text.toLowerCase() === value);
  }

  #addressOf(property: Property): PersonAddress {
    const [poBox = '', extended = '', street = '', ...others] = this.#partsOf(property.value, ', ');
    const [city = '', region = '', postalCode = '', country = ''] = others.map(singleLine);
    const lines = [street, extended, poBox].filter(Boolean).join('\n');
    return { street: lines, city, region, postalCode, country, label: this.#labelOf(property) };
  }

  /** Returns the parts of a structured value. A part of vCard 3.0 and 4.0 may contain several texts (`Philip,Paul`). */
  #partsOf(value: string, joint: string): string[] {
    return splitEscaped(value, ';').map((part) => {
      const texts = this.#isVersion21 ? [part] : splitEscaped(part, ',');
      return texts
        .map((text) => severalLines(unescape(text)))
        .filter(Boolean)
        .join(joint);
    });
  }

  #labelOf({ group, label }: Property): string | null {
    const spelt = group === null ? undefined : this.all('X-ABLABEL').find((other) => other.group === group);
    return (spelt === undefined ? '' : appleLabel(textOf(spelt))) || label;
  }
}

const textOf = ({ value }: Property): string => singleLine(unescape(value));

const cleanPhone = (text: string): string => text.replace(/^tel:/iu, '').replace(/;ext=/iu, ' ext. ');
const cleanEmail = (text: string): string => text.replace(/^mailto:/iu, '');

type Names = Pick<Person, 'prefix' | 'givenName' | 'middleName' | 'familyName' | 'suffix'>;

const isOfKind = (card: Card, kind: string): boolean =>
  card.has('KIND', kind) || card.has('X-ADDRESSBOOKSERVER-KIND', kind);

/** Returns whether the card is of an organisation: it is marked as one, and N contains no name but the company's. */
const isOrganisation = (card: Card, company: string): boolean => {
  if (isOfKind(card, 'org')) return true;
  const name = card.parts('N').filter(Boolean).join(' ');
  const isCompany = card.has('X-ABSHOWAS', 'company') || card.first('FN') === company;
  return company !== '' && isCompany && (name === '' || name === company);
};

/** Returns the parts of N. If N is empty, divides FN, with its last word as family name, unless FN is the company's name. */
const readNames = (card: Card, company: string): Names => {
  const parts = isOrganisation(card, company) ? [] : card.parts('N');
  const [familyName = '', givenName = '', middleName = '', prefix = '', suffix = ''] = parts;
  const names = { prefix, givenName, middleName, familyName, suffix };
  const isNamed = familyName !== '' || givenName !== '' || middleName !== '';
  const formatted = card.first('FN');
  const hasOnlyCompany = formatted === company || isOrganisation(card, company);
  return isNamed || hasOnlyCompany ? names : { ...names, ...splitFullName(formatted) };
};

const readGroups = (card: Card): readonly string[] =>
  userGroups(
    card.all('CATEGORIES').flatMap(({ value }) => splitEscaped(value, ',').map((name) => singleLine(unescape(name)))),
  );

const toPerson = (card: Card, birthday: string): Person => {
  const [organisation = '', ...units] = card.parts('ORG');
  const company = organisation === '' && isOrganisation(card, '') ? card.first('FN') : organisation;
  const notes = card.all('NOTE').map(({ value }) => severalLines(unescape(value)));
  return {
    ...readNames(card, company),
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
    notes: notes.filter(Boolean).join('\n'),
  };
};

/** Returns the person of a card, or the reason without one. `skip` is called with the reason for each skipped value. */
const readPerson = (properties: readonly Property[], skip: (reason: string) => void): Person | string => {
  const card = new Card(properties);
  if (isOfKind(card, 'group')) return 'the card is a group, not a person';
  const { day, reason } = readBirthday(card.first('BDAY'));
  if (reason !== null) skip(reason);
  const person = toPerson(card, day ?? '');
  return isFilled(person) ? person : 'no field of a contact can be read in it';
};

const DELIMITER = /^(?:\u00EF\u00BB\u00BF)?\s*(?<kind>BEGIN|END)\s*:\s*VCARD\s*$/iu;
const QUOTED_HEAD = /^[^:]*;\s*(?:ENCODING\s*=\s*)?QUOTED-PRINTABLE[^:]*:/iu;

/** Divides a file into lines that end with LF, with CR LF, or only with CR. Without LF, a CR ends a line. */
const linesOf = (bytes: Buffer): string[] => {
  const text = bytes.toString('latin1');
  return text.includes('\n') ? text.split('\n').map((line) => line.replace(/\r+$/u, '')) : text.split('\r');
};

/** Returns the unfolded line that begins at `index`, and the index of the next one. */
const unfold = (lines: readonly string[], index: number): { readonly line: string; readonly next: number } => {
  let line = lines[index] ?? '';
  let next = index + 1;
  for (; next < lines.length; next += 1) {
    const following = lines[next] ?? '';
    const isSoft = line.endsWith('=') && QUOTED_HEAD.test(line);
    const isFolded = /^[ \t]/u.test(following);
    if (DELIMITER.test(following) || (!isSoft && !isFolded)) break;
    line = (isSoft ? line.slice(0, -1) : line) + (isFolded ? following.slice(1) : following);
  }
  return { line, next };
};

type RawCard = { readonly line: number; readonly properties: Property[] };

/** Divides a file into cards. `skip` is called with the number of each line that is not part of a card. */
function* cardsOf(lines: readonly string[], skip: (line: number, reason: string) => void): Generator<RawCard> {
  let card: RawCard | null = null;
  for (let index = 0; index < lines.length;) {
    const number = index + 1;
    const { line, next } = unfold(lines, index);
    index = next;
    const kind = DELIMITER.exec(line)?.groups?.['kind'];
    if (kind !== undefined) {
      if (card !== null) yield card;
      card = kind.toUpperCase() === 'BEGIN' ? { line: number, properties: [] } : null;
    } else if (line.trim() !== '') {
      const property = parseProperty(line.trimStart());
      if (card === null) skip(number, 'it is outside a card');
      else if (property === null) skip(number, 'it is not a vCard property');
      else card.properties.push(property);
    }
  }
  if (card === null) return;
  skip(lines.length, 'the file ends before the card does: END:VCARD is missing');
  yield card;
}

/** Reads the people of a vCard file (2.1, 3.0 and 4.0 in any mixture). */
export const readVCards: ReadFile = (bytes, book) => {
  const skip = (line: number, reason: string): void => book.skipped.add(line, reason);
  for (const { line, properties } of cardsOf(linesOf(bytes), skip)) {
    const read = readPerson(properties, (reason) => skip(line, reason));
    if (typeof read === 'string') book.refused.add(line, read);
    else book.add(read);
  }
};
