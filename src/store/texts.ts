// What every engine can store. PostgreSQL has no text that holds a zero character, and reads no JSON with one in it, nor with
// half of a character; what a remote says may hold either.

/** A text in which a sign stands for each zero character. */
export const asText = (text: string): string => text.replaceAll('\0', '\uFFFD');

/** A zero character or half of a character, as JSON has it, behind backslashes that are meant as such. */
const UNREADABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/gu;

/** JSON that any program can look into: a sign stands for what only a JavaScript text can hold. */
export const asJson = (json: string | null): string | null => json && json.replaceAll(UNREADABLE, String.raw`$1\ufffd`);
