import { isEmptyContact, type Contact } from './contact.ts';
import { emailKey, phoneDigits, phoneKey } from './keys.ts';
import { fullNameKey, wordsOf } from './names.ts';

/** The words of a name as lines, in the order of {@link fullNameKey}, with the empty line that ends them. */
const nameLines = (words: readonly string[]): string =>
  `\n${words
    .toSorted()
    .map((word) => `${word}\n`)
    .join('')}\n`;

/** The search text of a contact without a name, an address and a number. */
const EMPTY_SEARCH_TEXT = nameLines([]);

/**
 * A contact as a database looks through it for a person: the words of its name, an empty line, then `=` and each email
 * address, `#` and the digits of each phone number, one per line. Empty for an empty contact.
 */
export const searchText = (contact: Contact): string => {
  const emails = contact.emailAddresses.map(({ value }) => `=${emailKey(value)}\n`);
  const phones = contact.phoneNumbers.map(({ value }) => `#${phoneDigits(value)}\n`);
  const text = [nameLines(wordsOf(contact.firstName, contact.lastName)), ...emails, ...phones].join('');
  return text === EMPTY_SEARCH_TEXT && isEmptyContact(contact) ? '' : text;
};

/** Parts of a {@link searchText} that show that a text may name the contact; null for a part that the text does not contain. */
export type Needles = {
  readonly email: string;
  /** Two spellings of one number may have no more than its end in common. */
  readonly phone: string | null;
  /** The beginning of the whole search text. */
  readonly name: string | null;
  /** The beginning of the line of the longest word. If it is missing, the text does not match the contact's name. */
  readonly word: string | null;
  readonly words: readonly string[];
};

/** So many digits at the end are the same however a number is dialled. */
const SAME_DIGITS = 7;

export const needlesOf = (text: string): Needles => {
  const words = wordsOf(text);
  const longest = words.toSorted((one, other) => other.length - one.length)[0];
  const digits = phoneDigits(text);
  const end = digits.length < SAME_DIGITS ? `\n#${digits}` : digits.slice(-SAME_DIGITS);
  return {
    email: `\n=${emailKey(text)}\n`,
    phone: digits === '' ? null : `${end}\n`,
    name: longest === undefined ? null : nameLines(words),
    word: longest === undefined ? null : `\n${longest}`,
    words,
  };
};

/**
 * How well a text names a contact, the best first: 0 by its email address or phone number, 1 by its whole name, 2 by words of
 * its name, 3 by their beginnings; null where it does not.
 */
export const rankBy = (text: string): ((contact: Contact) => 0 | 1 | 2 | 3 | null) => {
  const [email, phone, words] = [emailKey(text), phoneKey(text), wordsOf(text)];
  const name = words.toSorted().join(' ');
  return (contact) => {
    if (contact.emailAddresses.some(({ value }) => emailKey(value) === email)) return 0;
    if (phone !== '' && contact.phoneNumbers.some(({ value }) => phoneKey(value) === phone)) return 0;
    if (words.length === 0) return null;
    if (fullNameKey(contact) === name) return 1;
    const own = wordsOf(contact.firstName, contact.lastName);
    if (words.every((word) => own.includes(word))) return 2;
    return words.every((word) => own.some((each) => each.startsWith(word))) ? 3 : null;
  };
};
