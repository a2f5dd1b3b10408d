/**
 * Letters that a terminal obeys instead of showing them: controls (but for a line break and a tab), and those that turn
 * the direction of text or break lines unseen.
 */
const OBEYED = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;

const escape = (letter: string): string => String.raw`\u` + letter.charCodeAt(0).toString(16).padStart(4, '0');

/**
 * The text with everything that a terminal would obey written out, such as `\u001b`: words of a remote or of a file move
 * no cursor and forge no line. Within a JSON document that is the same text as before.
 */
export const printable = (text: string): string => text.replaceAll(OBEYED, escape);

/** A text in single quotes of a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A text as one word of a shell's command, in quotes where it needs them. */
export const shellWord = (text: string): string => (/^[\w./@:=+-]+$/u.test(text) ? text : shellQuoted(text));
