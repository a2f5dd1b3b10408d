const CONTROL_CHARACTERS = /[\u0000-\u0008\u000E-\u001F\u007F-\u0084\u0086-\u009F]/gu;
const WHITESPACE = /[\s\u0085]+/gu;

/** Words of visible ASCII with one space between them: nothing to normalise. */
const PLAIN = /^(?:[!-~]+(?: [!-~]+)*)?$/u;

/** What was cut off in the middle of a character ends with a half of it, which is no Unicode. */
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
