const HAS_CONTROL = /[\u0000-\u001F\u007F]/u;
const CONTROLS = /[\u0000-\u001F\u007F]+/gu;
const LINE_BREAKS = /\r\n|\r/gu;

/** A text that stands on one line: line breaks and other control characters are blanks. */
export const singleLine = (text: string): string =>
  (HAS_CONTROL.test(text) ? text.replaceAll(CONTROLS, ' ') : text).trim();

/** A text of several lines, with `\n` between them. */
export const severalLines = (text: string): string =>
  (text.includes('\r') ? text.replaceAll(LINE_BREAKS, '\n') : text).trim();
