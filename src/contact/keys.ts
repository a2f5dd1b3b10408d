import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import type { LabelledValue, ListField, PostalAddress } from './contact.ts';

/** What two spellings of one email address have in common. */
export const emailKey = (value: string): string => value.normalize('NFC').trim().toLowerCase();

const EXTENSION = /(?:;ext=|\bext\.?|\bx|#)\s*(\d{1,7})\s*$/iu;

const phoneDigits = (value: string): string => {
  return [...value.normalize('NFKC')]
    .filter((character) => /\p{Nd}/u.test(character))
    .map(asciiDigit)
    .join('');
};

const DIGIT_ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

const asciiDigit = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const zero = DIGIT_ZEROS.find((start) => code >= start && code <= start + 9);
  return zero === undefined ? character : String(code - zero);
};

/**
 * What two spellings of one phone number have in common: E.164 with its extension where the number is international,
 * else its bare digits. A text without digits is its own key.
 */
export const phoneKey = (value: string): string => {
  const text = value.normalize('NFKC').trim();
  const international = /^\s*00\d/u.test(text) ? text.replace(/^\s*00/u, '+') : text;
  if (international.startsWith('+') || /^\(?\+/u.test(international)) {
    const parsed = parsePhoneNumberFromString(international);
    if (parsed !== undefined) return parsed.ext === undefined ? parsed.number : `${parsed.number}x${parsed.ext}`;
  }
  const extension = EXTENSION.exec(text)?.[1];
  const digits = phoneDigits(extension === undefined ? text : text.replace(EXTENSION, ''));
  if (digits === '') return text.toLowerCase();
  return extension === undefined ? digits : `${digits}x${extension}`;
};

/** What two spellings of one website have in common: no scheme, no `www.`, no closing slash, host in lower case. */
export const websiteKey = (value: string): string => {
  const bare = value
    .normalize('NFC')
    .trim()
    .replace(/^https?:\/\//iu, '')
    .replace(/^www\./iu, '')
    .replace(/\/+$/u, '');
  const slash = bare.indexOf('/');
  return slash < 0 ? bare.toLowerCase() : bare.slice(0, slash).toLowerCase() + bare.slice(slash);
};

const letters = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** What two spellings of one postal address have in common; the empty string for an address that says nothing. */
export const addressKey = (address: PostalAddress): string => {
  const parts = [address.street, address.city, address.region, address.postalCode, address.country].map(letters);
  return parts.some((part) => part !== '') ? parts.join('|') : '';
};

/** An element of any list field. */
export type ListElement = LabelledValue | PostalAddress;

const MINIMUM_NATIONAL_DIGITS = 7;

/**
 * Whether a national spelling names the same number as an E.164 one: `0666 12 34 90` and `+34666123490` may be one,
 * `12345` and anything never are.
 */
const isNationalFormOf = (national: string, international: string): boolean => {
  const digits = national.replace(/^0+/u, '');
  return digits.length >= MINIMUM_NATIONAL_DIGITS && international.endsWith(digits);
};

const phoneKeyer = (elements: readonly LabelledValue[]): ((element: LabelledValue) => string) => {
  const international = new Set(
    elements.map((element) => phoneKey(element.value)).filter((key) => key.startsWith('+')),
  );
  return (element) => {
    const key = phoneKey(element.value);
    if (key.startsWith('+')) return key;
    const candidates = [...international].filter((candidate) => isNationalFormOf(key, candidate));
    return candidates.length === 1 ? (candidates[0] ?? key) : key;
  };
};

/**
 * How the elements of one list field are told apart. `pool` holds every element that will be compared (of both sides
 * and both bases), so that a phone number spelt nationally on one side and internationally on the other is one element.
 */
export const elementKeyer = (field: ListField, pool: readonly ListElement[]): ((element: ListElement) => string) => {
  switch (field) {
    case 'emailAddresses':
      return (element) => emailKey(valueOf(element));
    case 'websites':
      return (element) => websiteKey(valueOf(element));
    case 'addresses':
      return (element) => ('street' in element ? addressKey(element) : element.value);
    case 'phoneNumbers': {
      const keyOf = phoneKeyer(pool.filter((element): element is LabelledValue => 'value' in element));
      return (element) => ('value' in element ? keyOf(element) : addressKey(element));
    }
  }
};

const valueOf = (element: ListElement): string => ('value' in element ? element.value : addressKey(element));
