const CONTROL_CHARACTERS = /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]/gu;
const WHITESPACE = /[\s\u0085]+/gu;

/** Words of visible ASCII with one space between them: nothing to normalise. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/u;

/** A text that was cut within a character ends with a lone surrogate, which is not valid Unicode. */
const withoutControls = (text: string): string => text.replace(CONTROL_CHARACTERS, '').toWellFormed();

/**
 * Unicode NFC, no control characters, no half of a character, white space collapsed and trimmed; the empty string for an
 * absent text.
 */
export const normaliseText = (text: string | null | undefined): string => {
  if (!text || PLAIN.test(text)) return text ?? '';
  return withoutControls(text).replace(WHITESPACE, ' ').trim().normalize('NFC');
};

const LINE_BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/u;

/** A text of several lines: each as {@link normaliseText} gives it, one `\n` between them, no empty ones. */
export const normaliseLines = (text: string | null | undefined): string => {
  if (!text || !LINE_BREAK.test(text)) return normaliseText(text);
  return text
    .split(LINE_BREAK)
    .map(normaliseText)
    .filter((line) => line !== '')
    .join('\n');
};

/** A label as {@link normaliseText} gives it; null where nothing is left. */
export const normaliseLabel = (label: string | null | undefined): string | null => normaliseText(label) || null;

/** The letters and digits of a text in lower case. */
export const wordsOnly = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** A text as its user laid it out, blank lines between others included: each line without the spaces at its end. */
export const normaliseNotes = (text: string | null | undefined): string => {
  if (!text || !LINE_BREAK.test(text)) return normaliseText(text);
  const lines = text.split(LINE_BREAK).map((line) => withoutControls(line).trimEnd().normalize('NFC'));
  const kept = lines.join('\n').trim();
  // Without the empty lines around it, it may be a single one.
  return LINE_BREAK.test(kept) ? kept : normaliseText(kept);
};

/** Printable ASCII has no invisible characters and one spelling, and most texts are that. */
const PRINTABLE_ASCII = /^[ -~]*$/u;

/**
 * Characters that print nothing: direction marks, soft hyphens, zero-width spaces, variation selectors. Not the joiner
 * between two emoji and the letters of a flag, which make another emoji of them.
 */
const INVISIBLE =
  /(?!(?<=[\p{ExtPict}\p{EMod}\uFE0F])\u200D(?=\p{ExtPict}))(?!(?<=\u{1F3F4}[\u{E0020}-\u{E007F}]*)[\u{E0020}-\u{E007F}])\p{DI}/gu;

const WHITE_SPACE = /[\s\u0085]+/gu;

/** The text in Unicode NFC, without the characters that print nothing. */
export const visibleText = (text: string): string =>
  PRINTABLE_ASCII.test(text) ? text : text.replace(INVISIBLE, '').normalize('NFC');

/**
 * Returns the same key for two texts that look the same to a reader: case, repeated spaces and invisible characters are
 * ignored. Every
 * letter, digit and sign counts. A text that shows nothing is its own key.
 */
export const textKey = (text: string): string =>
  (visibleText(text).replace(WHITE_SPACE, ' ').trim() || text).toLowerCase();

const HOST_NAME = /^[\p{L}\p{M}\p{N}\p{DI}.\u3002\uFF0E\uFF61-]+$/u;

const asciiHost = (host: string): string | null =>
  HOST_NAME.test(host) ? (URL.parse(`http://${host}`)?.hostname ?? null) : null;

/**
 * Equal for the spellings of one host name: an international name has its ASCII form (`xn--`, UTS 46). Any other text in
 * lower case.
 */
export const hostKey = (host: string): string => {
  const visible = visibleText(host).trim();
  if (PRINTABLE_ASCII.test(visible)) return visible.toLowerCase();
  // A joiner may be part of an international name.
  return asciiHost(host) ?? asciiHost(visible) ?? visible.toLowerCase();
};
