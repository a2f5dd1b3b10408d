// Texts that every engine can store. PostgreSQL stores no text with a zero character, and reads no JSON with a zero character or a
// lone surrogate. An answer of a remote may have either.

/** The text with a replacement character for each zero character. */
export const asText = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** An escaped zero character or lone surrogate in JSON, after any escaped backslashes. */
const UNREADABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gu;

/** JSON that every engine can read, with a replacement character for each zero character and lone surrogate. */
export const asJson = (json: string | null): string | null => json && json.replaceAll(UNREADABLE, String.raw`$1\ufffd`);
