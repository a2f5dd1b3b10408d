import { type LabelledValue, type PostalAddress, streetLines } from './elements.ts';
import { loadLibphonenumber } from './load-libphonenumber.ts';
import { hostKey, PRINTABLE_ASCII, textKey, visibleText } from './text.ts';

// Keys decide when two values are equal: the values of two contacts are the same if their keys are equal, whatever their spelling.

/** Parses a table of spellings, each line for one word of folded text. The first spelling of a line is the canonical one. */
const tableOf = (spellings: string): ReadonlyMap<string, string> =>
  new Map(
    spellings
      .trim()
      .split('\n')
      .flatMap((line) => {
        const words = line.trim().split(' ');
        return words.map((word) => [word, words[0] ?? word] as const);
      }),
  );

/** Words of streets and flats that people abbreviate. */
const STREET_WORDS = tableOf(`
  street st
  avenue ave av
  road rd
  boulevard blvd bd
  drive dr
  lane ln
  court ct
  place pl
  square sq
  highway hwy
  parkway pkwy
  terrace ter
  apartment apt
  suite ste
  floor fl
  strasse str
`);

/** Names of countries in English and their own languages, and their codes, without spaces. */
const COUNTRIES = tableOf(`
  us usa unitedstates unitedstatesofamerica theunitedstates vereinigtestaaten
  gb uk unitedkingdom greatbritain theunitedkingdom
  de deutschland germany brd allemagne
  at österreich austria oesterreich autriche
  ch schweiz switzerland suisse svizzera
  fr france frankreich
  it italia italy italien
  es españa spain spanien espagne
  pt portugal
  nl nederland netherlands thenetherlands holland niederlande
  be belgië belgium belgique belgien
  lu luxembourg luxemburg
  dk danmark denmark dänemark
  se sverige sweden schweden
  no norge norway norwegen
  fi suomi finland finnland
  pl polska poland polen
  cz česko czechia czechrepublic tschechien
  hu magyarország hungary ungarn
  ie ireland éire irland
  ca canada kanada
  mx méxico mexico
  br brasil brazil brasilien
  jp 日本 japan
  cn 中国 china
  in भारत india indien
  au australia australien
  nz newzealand neuseeland
`);

const GERMAN_STREET = /(?<=\p{L}{2})str$/u;

/** Returns the canonical form of a folded word of a street: `st` and `street`, `hauptstr` and `hauptstrasse` are equal. */
const streetWord = (word: string): string => STREET_WORDS.get(word) ?? word.replace(GERMAN_STREET, 'strasse');

/** Returns the canonical form of a folded country name without spaces: `usa` and `unitedstates` are equal. */
const countryWord = (country: string): string => COUNTRIES.get(country) ?? country;

/** Returns a key that is equal for the spellings of one email address; an international domain has two spellings. */
export const emailKey = (value: string): string => {
  const at = PRINTABLE_ASCII.test(value) ? -1 : value.lastIndexOf('@');
  if (at < 0) return textKey(value);
  return `${visibleText(value.slice(0, at)).trimStart().toLowerCase()}@${hostKey(value.slice(at + 1))}`;
};

/** An extension is dialled after the connection. It follows its word, a `#`, or the comma or semicolon of a pause. */
const EXTENSION = /(?:;ext=|(?<!\p{L})(?:ext(?:ension)?\.?|x)|#|[,;]+)\s*(\d{1,7})\s*$/iu;
const DIGIT_ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

const asciiDigit = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const zero = DIGIT_ZEROS.find((start) => code >= start && code <= start + 9);
  return zero === undefined ? character : String(code - zero);
};

/**
 * Returns a key that is equal for all spellings of one phone number: E.164 with the extension if the number is
 * international, otherwise the dialled characters, including letters. The key of a text without digits is the folded text.
 * No value has an empty key.
 */
export const phoneKey = (value: string): string => {
  const text = visibleText(value.normalize('NFKC'))
    .replace(/\p{Nd}/gu, asciiDigit)
    .trim();
  const international = text.replace(/^00(?=\d)/u, '+');
  if (/^\(?\+/u.test(international)) {
    const parsed = loadLibphonenumber().parsePhoneNumberFromString(international);
    if (parsed !== undefined) return parsed.ext === undefined ? parsed.number : `${parsed.number}x${parsed.ext}`;
  }
  const extension = EXTENSION.exec(text)?.[1];
  const digits = international
    .replace(EXTENSION, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}*#]+/gu, '');
  if (!/\d/u.test(digits)) return textKey(value);
  const dialled = /^\(?\+/u.test(international) ? `+${digits}` : digits;
  return extension === undefined ? dialled : `${dialled}x${extension}`;
};

/** Returns the digits of a phone number, in ASCII: less exact than {@link phoneKey}, but fast. */
export const phoneDigits = (value: string): string => {
  const text = PRINTABLE_ASCII.test(value) ? value : value.normalize('NFKC').replace(/\p{Nd}/gu, asciiDigit);
  return text.replace(/\D+/gu, '');
};

/**
 * Returns the index after the last character that is not a closing slash. A regular expression would backtrack at
 * each slash of a long row.
 */
const endWithoutSlashes = (text: string): number => {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return end;
};

/** Returns the canonical spelling of the host; a port is kept. */
const siteHost = (authority: string): string => {
  const [, host = authority, port = ''] = /^([^:@]+)(:\d+)?$/u.exec(authority) ?? [];
  return hostKey(host) + port;
};

/**
 * Returns a key that is equal for the spellings of one website: without scheme, `www.` and closing slashes of its path;
 * only the host ignores case.
 */
export const websiteKey = (value: string): string => {
  const spelt = visibleText(value)
    .trim()
    .replace(/^https?:\/\//iu, '')
    .replace(/^www\./iu, '');
  const bare = /[?#]/u.test(spelt) ? spelt : spelt.slice(0, endWithoutSlashes(spelt));
  const hostEnd = bare.search(/[/?#]/u);
  const key = hostEnd < 0 ? siteHost(bare) : siteHost(bare.slice(0, hostEnd)) + bare.slice(hostEnd);
  return key || value;
};

/** Spaces and the punctuation of addresses, except signs that have a meaning. */
const PUNCTUATION = /[[\p{Z}\p{Cc}\p{P}]--[&*@%]]+/gv;

/**
 * Returns the words of a part of an address in lower case, with their signs. Converting to upper case first unifies letters that
 * lower case keeps different, such as ß and ss, or ı and i.
 */
const addressWords = (text: string): readonly string[] =>
  visibleText(text).normalize('NFKC').toUpperCase().toLowerCase().split(PUNCTUATION);

const addressPart = (text: string): string => addressWords(text).join('');

const BETWEEN_NUMBERS = /(?<=\p{Nd})([^\p{L}\p{N}\p{M}]+)(?=\p{Nd})/u;

const SIGN = /[^ -~\p{L}\p{M}\p{Nd}]/gu;

/** Returns a number sign, such as `½`, in digits; any other sign unchanged. */
const spelt = (sign: string): string => {
  const text = sign.normalize('NFKC');
  return /\p{Nd}/u.test(text) ? ` ${text} ` : sign;
};

/** Returns the separator between two numbers: a slash, a dash, or anything else. */
const partition = (signs: string): string => {
  if (/[/\u2044\u2215]/u.test(signs)) return '/';
  return /\p{Pd}/u.test(signs) ? '-' : ` ${addressPart(signs)}`;
};

/**
 * Returns the key of a street. House and flat numbers stay separate: `1/2 High Street` is neither `12` nor `1-2 High
 * Street`, and `1½` is not `112`.
 */
const streetKey = (street: string): string =>
  street
    .replace(SIGN, spelt)
    .split(BETWEEN_NUMBERS)
    .map((text, index) => (index % 2 === 0 ? addressWords(text).map(streetWord).join('') : partition(text)))
    .join('');

/** The parts of a postal address that identify it. The street stands for all {@link streetLines}. */
const POSTAL_PARTS = ['street', 'city', 'region', 'postalCode', 'country'] as const;

const partKey = (address: PostalAddress, part: (typeof POSTAL_PARTS)[number]): string => {
  if (part === 'street') return streetKey(streetLines(address));
  const key = addressPart(address[part]);
  return part === 'country' ? countryWord(key) : key;
};

/**
 * Returns a key that is equal for the spellings of one postal address, ignoring its label; the empty string for a blank address.
 */
export const addressKey = (address: PostalAddress): string => {
  const parts = POSTAL_PARTS.map((part) => partKey(address, part));
  return parts.some((part) => part !== '') ? parts.join('\n') : '';
};

/** Returns whether an address has no letter, digit or sign; its label is ignored. */
export const isBlankAddress = (address: PostalAddress): boolean =>
  !POSTAL_PARTS.some((part) => /[\dA-Za-z]/u.test(address[part])) && addressKey(address) === '';

/** Returns whether two addresses have the same parts in the same spelling, wherever a side stores the lines of the street. */
export const haveSameParts = (a: PostalAddress, b: PostalAddress): boolean =>
  POSTAL_PARTS.every((part) => (part === 'street' ? streetLines(a) === streetLines(b) : a[part] === b[part]));

const lineKeys = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(streetKey)
    .filter((key) => key !== '');

/** Returns a key that is equal for the same lines of a street in any order, such as flat and house. */
export const linesKey = (address: PostalAddress): string => lineKeys(streetLines(address)).toSorted().join('\n');

/** Returns the lines of one street: those of `own`, or of `other` if `own` lacks its flat. Null for two streets. */
const unitedLines = (own: PostalAddress, other: PostalAddress): PostalAddress | null => {
  if (partKey(own, 'street') === partKey(other, 'street') || linesKey(own) === linesKey(other)) return own;
  if (streetKey(own.street) === '' || streetKey(own.street) !== streetKey(other.street)) return null;
  const hasMore = ({ extended, poBox }: PostalAddress): boolean => (extended ?? poBox) !== undefined;
  if (hasMore(own)) return hasMore(other) ? null : own;
  const { extended, poBox } = other;
  return { ...own, ...(extended !== undefined && { extended }), ...(poBox !== undefined && { poBox }) };
};

/**
 * Unites two addresses of one street, if each lacks only parts that the other has. Spelling and label are those of `own`. Returns
 * null if they are different addresses.
 */
export const unitedAddress = (own: PostalAddress, other: PostalAddress): PostalAddress | null => {
  const lines = unitedLines(own, other);
  if (lines === null || linesKey(lines) === '') return null;
  const parts = POSTAL_PARTS.filter((part) => part !== 'street');
  const keys = parts.map((part) => [partKey(own, part), partKey(other, part)] as const);
  if (!keys.every(([one, another]) => one === '' || another === '' || one === another)) return null;
  const missing = parts.filter((_, index) => keys[index]?.[0] === '');
  return { ...lines, ...Object.fromEntries(missing.map((part) => [part, other[part]])) };
};

/** Returns the lines without those of a part, by their keys; null if they do not contain the part. */
const withoutLines = (lines: readonly string[], part: string): readonly string[] | null => {
  const keys = lineKeys(part);
  const start = lines.findIndex((_, index) =>
    keys.every((key, place) => streetKey(lines[index + place] ?? '') === key),
  );
  if (keys.length === 0 || start < 0) return null;
  return [...lines.slice(0, start), ...lines.slice(start + keys.length)];
};

/**
 * Returns an address that replaces `former`, with its lines in the places where `former` has them. A side without these places
 * returns all lines as the street. Lines of a flat or a post box that changed take its place if the street stays.
 */
export const inPlacesOf = (former: PostalAddress, address: PostalAddress): PostalAddress => {
  if (address.extended !== undefined || address.poBox !== undefined) return address;
  let lines: readonly string[] = address.street.split('\n');
  const kept: Partial<Record<'extended' | 'poBox', string>> = {};
  for (const part of ['extended', 'poBox'] as const) {
    const rest = withoutLines(lines, former[part] ?? '');
    if (rest === null) continue;
    kept[part] = former[part] ?? '';
    lines = rest;
  }
  const changed = (['extended', 'poBox'] as const).find(
    (part) => former[part] !== undefined && kept[part] === undefined,
  );
  const others = former.street === '' ? lines : withoutLines(lines, former.street);
  if (changed === undefined || others === null || others.length === 0) {
    return { ...address, ...kept, street: lines.join('\n') };
  }
  const street = former.street === '' ? '' : former.street;
  return { ...address, ...kept, street, [changed]: others.join('\n') };
};

/**
 * Returns a key that is equal for the spellings of one network or relation: `googleTalk` and `Google
 * Talk`; empty for an empty text.
 */
const typeKey = (label: string | null): string => (label === null ? '' : textKey(label).replaceAll(' ', ''));

/** Returns a key that is equal for the same text of the same type: a user name at a network, a person in a relation. */
export const typedKey = ({ value, label }: LabelledValue): string => `${textKey(value)}\n${typeKey(label)}`;

/** Unites two elements with the same text, if at least one of them has no type. Otherwise returns null. */
export const unitedTyped = (own: LabelledValue, other: LabelledValue): LabelledValue | null => {
  const hasBothTypes = typeKey(own.label) !== '' && typeKey(other.label) !== '';
  if (hasBothTypes || textKey(own.value) !== textKey(other.value)) return null;
  return typeKey(own.label) === '' ? { ...own, label: other.label } : own;
};

/** The label of a profile without a named network. */
const NO_NETWORK = 'profile';

const withNetwork = ({ value, label }: LabelledValue): LabelledValue => ({
  value,
  label: typeKey(label) === NO_NETWORK ? null : label,
});

/** Returns a key that is equal for the spellings of one profile. An address contains its network, a user name alone does not. */
export const profileKey = (element: LabelledValue): string =>
  element.value.includes('/') ? websiteKey(element.value) : typedKey(withNetwork(element));

/** Unites two profiles with the same user name, if at least one of them has no network. Returns null if they are different. */
export const unitedProfile = (own: LabelledValue, other: LabelledValue): LabelledValue | null =>
  unitedTyped(withNetwork(own), withNetwork(other));

/** An element of any list field. */
export type ListElement = LabelledValue | PostalAddress;

const withoutExtension = (key: string): string => key.replace(/x\d+$/u, '');

const digitsOf = (key: string): string => key.replace(/\D+/gu, '');

/**
 * Returns whether two phone keys are of one number: their national numbers are equal in full, or one has the country code and the
 * other has not. Extensions are ignored.
 */
export const phonesAgree = (one: string, other: string): boolean => {
  const [a, b] = [withoutExtension(one), withoutExtension(other)];
  if (a === b) return true;
  if (a.startsWith('+') === b.startsWith('+')) {
    return !a.startsWith('+') && digitsOf(a).replace(/^0+/u, '') === digitsOf(b).replace(/^0+/u, '');
  }
  const [international, national] = a.startsWith('+') ? [a, digitsOf(b)] : [b, digitsOf(a)];
  if (digitsOf(international) === national.replace(/^0+/u, '')) return true;
  const { parsePhoneNumberFromString: parse } = loadLibphonenumber();
  const known = parse(international);
  if (known === undefined) return false;
  const bare = national.replace(/^0+/u, '');
  const { countryCallingCode: defaultCallingCode, nationalNumber, number } = known;
  return bare === nationalNumber || parse(national, { defaultCallingCode })?.number === number;
};

const MINIMUM_NATIONAL_DIGITS = 7;

/**
 * Returns whether a national phone key may be the same number as an international one: `0666 12 34 90` and `+34666123490` may be
 * the same; a short number such as `12345` never matches.
 */
export const isNationalFormOf = (national: string, international: string): boolean => {
  const digits = national.replace(/^0+/u, '');
  return digits.length >= MINIMUM_NATIONAL_DIGITS && international.endsWith(digits);
};

/**
 * Maps national phone keys to the one international key that each matches in any version of a list, each version keyed. If one
 * version contains two spellings of a number, all keys stay separate, so that no spelling is lost.
 */
export const nationalForms = (versions: readonly ReadonlyMap<string, unknown>[]): ReadonlyMap<string, string> => {
  const keys = [...new Set(versions.flatMap((version) => [...version.keys()]))];
  const international = keys.filter((key) => /^\+\d/u.test(key));
  if (international.length === 0 || international.length === keys.length) return new Map();
  const forms = new Map<string, string>();
  for (const national of keys.filter((key) => !key.startsWith('+'))) {
    const [candidate, ...others] = international.filter((key) => isNationalFormOf(national, key));
    if (candidate !== undefined && others.length === 0) forms.set(national, candidate);
  }
  const isSpeltTwice = (number: string): boolean =>
    versions.some((version) => [...version.keys()].filter((key) => (forms.get(key) ?? key) === number).length > 1);
  return new Map([...forms].filter(([, number]) => !isSpeltTwice(number)));
};
