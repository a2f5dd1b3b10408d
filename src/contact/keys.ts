import type { LabelledValue, PostalAddress } from './elements.ts';
import { numberingPlans } from './numbering-plans.ts';

/** Direction marks, zero-width spaces and their like, which come along when a text is copied. */
const INVISIBLE = /\p{Cf}/gu;
/** Printable ASCII has nothing to normalise, and most texts are that. */
const PLAIN = /^[ -~]*$/u;
const NOT_WORDS = /[^\p{L}\p{N}\p{M}]+/gu;

/** What two spellings of one email address have in common. */
export const emailKey = (value: string): string => {
  const visible = (PLAIN.test(value) ? value : value.replace(INVISIBLE, '').normalize('NFC')).trim();
  return (visible || value).toLowerCase();
};

const EXTENSION = /(?:;ext=|(?<!\p{L})(?:ext(?:ension)?\.?|x)|#)\s*(\d{1,7})\s*$/iu;
const DIGIT_ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];

const asciiDigit = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  const zero = DIGIT_ZEROS.find((start) => code >= start && code <= start + 9);
  return zero === undefined ? character : String(code - zero);
};

/**
 * What two spellings of one phone number have in common: E.164 with its extension where the number is international,
 * else what is dialled, letters included. A text without digits is its own key, and no value has an empty one.
 */
export const phoneKey = (value: string): string => {
  const text = value
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(/\p{Nd}/gu, asciiDigit)
    .trim();
  const international = text.replace(/^00(?=\d)/u, '+');
  if (/^\(?\+/u.test(international)) {
    const parsed = numberingPlans().parsePhoneNumberFromString(international);
    if (parsed !== undefined) return parsed.ext === undefined ? parsed.number : `${parsed.number}x${parsed.ext}`;
  }
  const extension = EXTENSION.exec(text)?.[1];
  const dialled = text
    .replace(EXTENSION, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}*#]+/gu, '');
  if (!/\d/u.test(dialled)) return text.toLowerCase() || value;
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

/** What two spellings of one website have in common: no scheme, no `www.`, no closing slash, host in lower case. */
export const websiteKey = (value: string): string => {
  const spelt = value
    .normalize('NFC')
    .trim()
    .replace(/^https?:\/\//iu, '')
    .replace(/^www\./iu, '');
  const bare = spelt.slice(0, endWithoutSlashes(spelt));
  const hostEnd = bare.search(/[/?#]/u);
  const key = hostEnd < 0 ? bare.toLowerCase() : bare.slice(0, hostEnd).toLowerCase() + bare.slice(hostEnd);
  return key || value;
};

/**
 * What stays of a text without case, spaces and signs. Upper case first: it brings together what lower case leaves apart,
 * such as ß and ss, or ı and i.
 */
export const wordKey = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().replace(NOT_WORDS, '');

const BETWEEN_NUMBERS = /(?<=\p{Nd})[^\p{L}\p{N}\p{M}]+(?=\p{Nd})/u;

const SIGN = /[^ -~\p{L}\p{M}\p{Nd}]/gu;

/** A sign that stands for a number spelt in digits, such as `½`; any other sign as it is. */
const spelt = (sign: string): string => {
  const text = sign.normalize('NFKC');
  return /\p{Nd}/u.test(text) ? ` ${text} ` : sign;
};

/** House and flat numbers stay apart: `1/2 High Street` is not `12 High Street`, nor `1½` there `112`. */
const streetWords = (street: string): string =>
  street.replace(SIGN, spelt).split(BETWEEN_NUMBERS).map(wordKey).join(' ');

/** Whether an address has neither a letter nor a digit; its label does not count. */
export const isBlankAddress = ({ street, city, region, postalCode, country }: PostalAddress): boolean => {
  return [street, city, region, postalCode, country].every((part) => wordKey(part) === '');
};

/** What two spellings of one postal address have in common; the empty string for a blank one. */
export const addressKey = (address: PostalAddress): string => {
  const others = [address.city, address.region, address.postalCode, address.country].map(wordKey);
  const parts = [streetWords(address.street), ...others];
  return parts.some((part) => part !== '') ? parts.join('|') : '';
};

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
 * National phone keys and the international one that each stands for: the only one that it fits in any version of a list,
 * each keyed. Where one version holds two spellings of a number, all stay apart, lest one of them is lost.
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
