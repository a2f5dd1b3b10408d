/**
 * Characters that control a terminal: control characters except the line break and the tab, and those that change the
 * direction of text or break lines.
 */
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

const escape = (letter: string): string => String.raw`\u` + letter.charCodeAt(0).toString(16).padStart(4, '0');

/**
 * The text with these characters escaped, such as `\u001b`, so that a text of a remote or of a file cannot move the cursor or
 * imitate a line. Within a JSON document the escaped text has the same value.
 */
export const printable = (text: string): string => text.replaceAll(CONTROLS, escape);

/** A text in single quotes of a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A text as one word of a shell's command, in quotes where it needs them. */
export const shellWord = (text: string): string => (/^[\w./@:=+-]+$/u.test(text) ? text : shellQuoted(text));
