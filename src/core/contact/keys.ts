import type { LabelledValue, PostalAddress } from './elements.ts';
import { numberingPlans } from './numbering-plans.ts';
import { hostKey, textKey, visibleText } from './text.ts';

/** Spellings of one word, each a word of folded text; the first one is what the others are compared as. */
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

/** A folded word of a street, as its abbreviations are compared: `st` and `street`, `hauptstr` and `hauptstrasse`. */
const streetWord = (word: string): string => STREET_WORDS.get(word) ?? word.replace(GERMAN_STREET, 'strasse');

/** A folded country without spaces, as its names are compared: `usa` and `unitedstates`. */
const countryWord = (country: string): string => COUNTRIES.get(country) ?? country;

/** Printable ASCII has nothing to normalise, and most texts are that. */
const PLAIN = /^[ -~]*$/u;

/** Equal for the spellings of one email address; an international domain has two. */
export const emailKey = (value: string): string => {
  const at = PLAIN.test(value) ? -1 : value.lastIndexOf('@');
  if (at < 0) return textKey(value);
  return `${visibleText(value.slice(0, at)).trimStart().toLowerCase()}@${hostKey(value.slice(at + 1))}`;
};

/** An extension is dialled after the connection: behind its word, a `#`, or the comma or semicolon of a pause. */
const EXTENSION = /(?:;ext=|(?<!\p{L})(?:ext(?:ension)?\.?|x)|#|[,;]+)\s*(\d{1,7})\s*$/iu;
const DIGIT_ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

const asciiDigit = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const zero = DIGIT_ZEROS.find((start) => code >= start && code <= start + 9);
  return zero === undefined ? character : String(code - zero);
};

/**
 * The same key for all spellings of one phone number: E.164 with its extension where the number is international,
 * else what is dialled, letters included. A text without digits is its own key, and no value has an empty one.
 */
export const phoneKey = (value: string): string => {
  const text = visibleText(value.normalize('NFKC'))
    .replace(/\p{Nd}/gu, asciiDigit)
    .trim();
  const international = text.replace(/^00(?=\d)/u, '+');
  if (/^\(?\+/u.test(international)) {
    const parsed = numberingPlans().parsePhoneNumberFromString(international);
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

/** The digits of a phone number, in ASCII: less than {@link phoneKey}, and cheap. */
export const phoneDigits = (value: string): string => {
  const text = PLAIN.test(value) ? value : value.normalize('NFKC').replace(/\p{Nd}/gu, asciiDigit);
  return text.replace(/\D+/gu, '');
};

/** Where a text ends without its closing slashes. A regular expression would try again at each slash of a long row. */
const endWithoutSlashes = (text: string): number => {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return end;
};

/** The host in one spelling; a port stays. */
const siteHost = (authority: string): string => {
  const [, host = authority, port = ''] = /^([^:@]+)(:\d+)?$/u.exec(authority) ?? [];
  return hostKey(host) + port;
};

/** Equal for the spellings of one website: no scheme, no `www.`, no closing slash of its path; only the host ignores case. */
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

/** Spaces and the punctuation of addresses, without signs that carry meaning. */
const PUNCTUATION = /[[\p{Z}\p{Cc}\p{P}]--[&*@%]]+/gv;

/**
 * The words of a part of an address in one case, with their signs. Upper case first: it brings together what lower case leaves
 * apart, such as ß and ss, or ı and i.
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

/** The separator between two numbers: a slash, a dash, or anything else. */
const partition = (signs: string): string => {
  if (/[/\u2044\u2215]/u.test(signs)) return '/';
  return /\p{Pd}/u.test(signs) ? '-' : ` ${addressPart(signs)}`;
};

/** House and flat numbers stay apart: `1/2 High Street` is neither `12` nor `1-2 High Street`, nor `1½` there `112`. */
const streetKey = (street: string): string =>
  street
    .replace(SIGN, spelt)
    .split(BETWEEN_NUMBERS)
    .map((text, index) => (index % 2 === 0 ? addressWords(text).map(streetWord).join('') : partition(text)))
    .join('');

const POSTAL_PARTS = ['street', 'city', 'region', 'postalCode', 'country'] as const;

const partKey = (address: PostalAddress, part: (typeof POSTAL_PARTS)[number]): string => {
  if (part === 'street') return streetKey(address.street);
  const key = addressPart(address[part]);
  return part === 'country' ? countryWord(key) : key;
};

/** Equal for the spellings of one postal address, whatever its label; the empty string for a blank one. */
export const addressKey = (address: PostalAddress): string => {
  const parts = POSTAL_PARTS.map((part) => partKey(address, part));
  return parts.some((part) => part !== '') ? parts.join('\n') : '';
};

/** Whether an address has neither a letter, a digit nor a sign; its label does not count. */
export const isBlankAddress = (address: PostalAddress): boolean => addressKey(address) === '';

/**
 * The address that two addresses of one street are, where each lacks only parts that the other has; spelling and label are
 * those of `own`. Null where they are two.
 */
export const unitedAddress = (own: PostalAddress, other: PostalAddress): PostalAddress | null => {
  const keys = POSTAL_PARTS.map((part) => [partKey(own, part), partKey(other, part)] as const);
  const [street] = keys;
  const agrees = keys.every(([one, another]) => one === '' || another === '' || one === another);
  if (!agrees || street === undefined || street[0] === '' || street[1] === '') return null;
  const missing = POSTAL_PARTS.filter((_, index) => keys[index]?.[0] === '');
  return { ...own, ...Object.fromEntries(missing.map((part) => [part, other[part]])) };
};

/** Equal for the spellings of one network or relation: `googleTalk` and `Google Talk`; empty for an empty text. */
const typeKey = (label: string | null): string => (label === null ? '' : textKey(label).replaceAll(' ', ''));

/** Equal for the same text of the same type: a user name at a network, a person in a relation. */
export const typedKey = ({ value, label }: LabelledValue): string => `${textKey(value)}\n${typeKey(label)}`;

/** The element that two of one text are, where one of them has no type. Null where they are two. */
export const unitedTyped = (own: LabelledValue, other: LabelledValue): LabelledValue | null => {
  const hasBothTypes = typeKey(own.label) !== '' && typeKey(other.label) !== '';
  if (hasBothTypes || textKey(own.value) !== textKey(other.value)) return null;
  return typeKey(own.label) === '' ? { ...own, label: other.label } : own;
};

/** The label of a profile at a network that is not named. */
const NO_NETWORK = 'profile';

const withNetwork = ({ value, label }: LabelledValue): LabelledValue => ({
  value,
  label: typeKey(label) === NO_NETWORK ? null : label,
});

/** Equal for the spellings of one profile: an address names its network, a mere user name does not. */
export const profileKey = (element: LabelledValue): string =>
  element.value.includes('/') ? websiteKey(element.value) : typedKey(withNetwork(element));

/** The profile that two of one user name are, where one of them has no network. Null where they are two. */
export const unitedProfile = (own: LabelledValue, other: LabelledValue): LabelledValue | null =>
  unitedTyped(withNetwork(own), withNetwork(other));

/** An element of any list field. */
export type ListElement = LabelledValue | PostalAddress;

const MINIMUM_NATIONAL_DIGITS = 7;

/**
 * Whether a national phone key names the same number as an international one: `0666 12 34 90` and `+34666123490` may be
 * one, `12345` and anything never are.
 */
export const isNationalFormOf = (national: string, international: string): boolean => {
  const digits = national.replace(/^0+/u, '');
  return digits.length >= MINIMUM_NATIONAL_DIGITS && international.endsWith(digits);
};

/**
 * Maps national phone keys to the one international key that each matches in any version of a list,
 * each keyed. Where one version holds two spellings of a number, all keys stay separate, so that no spelling is lost.
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
  const isSpeltTwice = (number: string): boolean => {
    return versions.some(
      (version) => [...version.keys()].filter((key) => (forms.get(key) ?? key) === number).length > 1,
    );
  };
  return new Map([...forms].filter(([, number]) => !isSpeltTwice(number)));
};
