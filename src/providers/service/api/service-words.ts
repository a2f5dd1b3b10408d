const LONGEST_WORDS = 200;
/** The rest of a longer message is ignored: searching it would take too long. */
const LONGEST_SEARCHED = 2_000;
const DEEPEST = 20;
const EMAIL_ADDRESS = /[^\s"'<>(),;:]+@[^\s"'<>(),;:]+/gu;
const PHONE_NUMBER = /(?<!\w)\+?\(?\d[\d\s().-]{5,}\d/gu;
const ID = /^[a-z_]+_\d+$/u;
const SHORTEST_REDACTED = 2;

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Returns every text in a value. The key of an object precedes its texts, except the key `message`. */
const textsIn = (value: unknown, depth = 0): string[] => {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (depth === DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((inner) => textsIn(inner, depth + 1));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const texts = textsIn(inner, depth + 1);
    return texts.length === 0 || key === 'message' ? texts : [`${key} ${texts.join(', ')}`];
  });
};

const valuesIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return isObject(value) ? Object.values(value).flatMap(valuesIn) : [];
};

const escapePattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');

const withoutValues = (words: string, sent: unknown): string => {
  const values = valuesIn(sent).filter((value) => value.length >= SHORTEST_REDACTED && !ID.test(value));
  // The longest first, so that no part of a longer value remains.
  const longestFirst = values.toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((text, value) => {
    if (!text.includes(value)) return text;
    return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${escapePattern(value)}(?![\\p{L}\\p{N}])`, 'gu'), '<value>');
  }, words);
};

/** Cuts a text between words: a part of an address would not be recognised as one. */
const cutToWords = (text: string): string => {
  return text.length <= LONGEST_SEARCHED ? text : text.slice(0, text.lastIndexOf(' ', LONGEST_SEARCHED) + 1);
};

/** Returns the texts of the part of an answer's body that contains errors; none if no part is filled. */
const errorTexts = (json: unknown): string[] => {
  if (!isObject(json)) return [];
  const parts = [json['errors'], json['error_description'], json['error']].map((part) => textsIn(part));
  return parts.find((texts) => texts.length > 0) ?? [];
};

/** Returns whether a body contains errors: a filled `errors` or `error`, as list, object or text. */
export const hasErrors = (json: unknown): boolean => errorTexts(json).length > 0;

/**
 * Returns the service's error message, cut to 200 characters, without email addresses, phone numbers and the
 * values of `sent` (the request's body), so that no personal data reaches a message; null without a message.
 */
export const serviceWords = (json: unknown, sent: unknown): string | null => {
  const words = cutToWords(errorTexts(json).join('; ')).replace(/\s+/gu, ' ').trim();
  if (words === '') return null;
  const redacted = withoutValues(words, sent).replace(EMAIL_ADDRESS, '<email>').replace(PHONE_NUMBER, '<number>');
  return redacted.length > LONGEST_WORDS ? `${redacted.slice(0, LONGEST_WORDS - 1)}…` : redacted;
};
