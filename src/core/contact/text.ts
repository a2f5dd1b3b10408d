const CONTROL_CHARACTERS = /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]/gu;
const WHITESPACE = /[\s\u0085]+/gu;

/** Words of visible ASCII separated by one space need no normalisation. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/u;

/**
 * Removes control characters. A text that was truncated within a character ends with a lone surrogate, which is not valid Unicode.
 */
const withoutControls = (text: string): string => text.replace(CONTROL_CHARACTERS, '').toWellFormed();

/**
 * Normalises a text: Unicode NFC, no control characters, no lone surrogates, white space collapsed and trimmed. Returns the empty
 * string for an absent text.
 */
export const normaliseText = (text: string | null | undefined): string => {
  if (!text || PLAIN.test(text)) return text ?? '';
  return withoutControls(text).replace(WHITESPACE, ' ').trim().normalize('NFC');
};

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

/** Normalises a text of several lines: each line with {@link normaliseText}, separated by one `\n`, without empty lines. */
export const normaliseLines = (text: string | null | undefined): string => {
  if (!text || !LINE_BREAK.test(text)) return normaliseText(text);
  return text
    .split(LINE_BREAK)
    .map(normaliseText)
    .filter((line) => line !== '')
    .join('\n');
};

/** Normalises a label with {@link normaliseText}; null if the result is empty. */
export const normaliseLabel = (label: string | null | undefined): string | null => normaliseText(label) || null;

/** Returns the letters and digits of a text in lower case. */
export const wordsOnly = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Normalises a text and keeps its layout: blank lines between other lines stay, and spaces at the end of each line are removed. */
export const normaliseNotes = (text: string | null | undefined): string => {
  if (!text || !LINE_BREAK.test(text)) return normaliseText(text);
  const lines = text.split(LINE_BREAK).map((line) => withoutControls(line).trimEnd().normalize('NFC'));
  const kept = lines.join('\n').trim();
  // Without the empty lines before and after it, the text may be a single line.
  return LINE_BREAK.test(kept) ? kept : normaliseText(kept);
};

/** Printable ASCII has no accents, no invisible characters and one spelling; most texts are printable ASCII. */
export const PRINTABLE_ASCII = /^[ -~]*$/u;

/**
 * Invisible characters: direction marks, soft hyphens, zero-width spaces, variation selectors. The joiner between two emoji and the
 * letters of a flag are not included, because without them the emoji is a different one.
 */
const INVISIBLE =
  /(?!(?<=[\p{ExtPict}\p{EMod}\uFE0F])\u200D(?=\p{ExtPict}))(?!(?<=\u{1F3F4}[\u{E0020}-\u{E007F}]*)[\u{E0020}-\u{E007F}])\p{DI}/gu;

/** Returns the text in Unicode NFC, without invisible characters. */
export const visibleText = (text: string): string =>
  PRINTABLE_ASCII.test(text) ? text : text.replace(INVISIBLE, '').normalize('NFC');

/**
 * Returns a key that is equal for two texts that look the same to a reader: case, repeated spaces and invisible characters are
 * ignored. Every letter, digit and sign counts. A text of only invisible characters is its own key.
 */
export const textKey = (text: string): string =>
  (visibleText(text).replace(WHITESPACE, ' ').trim() || text).toLowerCase();

const HOST_NAME = /^[\p{L}\p{M}\p{N}\p{DI}.\u3002\uFF0E\uFF61-]+$/u;

const asciiHost = (host: string): string | null =>
  HOST_NAME.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? null) : null;

/**
 * Returns a key that is equal for the spellings of one host name: the ASCII form (`xn--`, UTS 46) of an international name. Any
 * other text is converted to lower case.
 */
export const hostKey = (host: string): string => {
  const visible = visibleText(host).trim();
  if (PRINTABLE_ASCII.test(visible)) return visible.toLowerCase();
  // A joiner may be part of an international name.
  return asciiHost(host) ?? asciiHost(visible) ?? visible.toLowerCase();
};
