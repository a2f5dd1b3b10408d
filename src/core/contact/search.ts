import { isEmptyContact, type Contact } from './contact.ts';
import { emailKey, phoneDigits, phoneKey } from './keys.ts';
import { wordsOf } from './names.ts';

/** Returns the folded words of the name by which a contact is searched: that of its company if it has no other. */
const searchWords = ({ firstName, lastName, company }: Contact): readonly string[] => {
  const words = wordsOf(firstName, lastName);
  return words.length > 0 ? words : wordsOf(company);
};

/** Returns the line with the number of words of a name, after an empty line. */
const countLine = (words: readonly string[]): string => `\n\n${words.length}\n`;

/** Returns the words of a name in their order, and their number, as lines. */
const nameLines = (words: readonly string[]): string => ['', ...words].join('\n') + countLine(words);

/** The search text of a contact without a name, an address or a number. */
const EMPTY_SEARCH_TEXT = nameLines([]);

/**
 * Returns the text that a database search for a contact uses, and that contacts are ordered by: the words of its name or company, an
 * empty line, their number, then `=` and each email address, and `#` and the digits of each phone number, one per line. Empty for an
 * empty contact.
 */
export const searchText = (contact: Contact): string => {
  const emails = contact.emailAddresses.map(({ value }) => `=${emailKey(value)}\n`);
  const phones = contact.phoneNumbers.map(({ value }) => `#${phoneDigits(value)}\n`);
  const text = [nameLines(searchWords(contact)), ...emails, ...phones].join('');
  return text === EMPTY_SEARCH_TEXT && isEmptyContact(contact) ? '' : text;
};

/** Parts of a {@link searchText} that indicate a match with the contact; null for a part that the text does not contain. */
type Needles = {
  readonly email: string;
  /** Two spellings of one number may share only their closing digits. */
  readonly phone: string | null;
  /** The number of words of the name. A contact of this whole name has it, and each of the words. */
  readonly count: string;
  /** The beginning of the line of the longest word. If it is missing, the text does not match the contact's name. */
  readonly word: string | null;
  readonly words: readonly string[];
};

/** The number of closing digits that are equal however a number is dialled. */
const SAME_DIGITS = 7;

export const needlesOf = (text: string): Needles => {
  const words = wordsOf(text);
  const longest = words.toSorted((one, other) => other.length - one.length)[0];
  const digits = phoneDigits(text);
  const end = digits.length < SAME_DIGITS ? `\n#${digits}` : digits.slice(-SAME_DIGITS);
  return {
    email: `\n=${emailKey(text)}\n`,
    phone: digits === '' ? null : `${end}\n`,
    count: countLine(words),
    word: longest === undefined ? null : `\n${longest}`,
    words,
  };
};

/**
 * Returns a function that ranks how well a text identifies a contact, the best first: 0 by its email address or phone number, 1 by
 * its whole name, 2 by words of its name, 3 by the beginnings of words; null if it does not match.
 */
export const rankBy = (text: string): ((contact: Contact) => 0 | 1 | 2 | 3 | null) => {
  const [email, phone, words] = [emailKey(text), phoneKey(text), wordsOf(text)];
  const name = words.toSorted().join(' ');
  return (contact) => {
    if (contact.emailAddresses.some(({ value }) => emailKey(value) === email)) return 0;
    if (phone !== '' && contact.phoneNumbers.some(({ value }) => phoneKey(value) === phone)) return 0;
    if (words.length === 0) return null;
    const own = searchWords(contact);
    if (own.toSorted().join(' ') === name) return 1;
    if (words.every((word) => own.includes(word))) return 2;
    return words.every((word) => own.some((each) => each.startsWith(word))) ? 3 : null;
  };
};
