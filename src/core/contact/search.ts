import { isEmptyContact, type Contact } from './contact.ts';
import { emailKey, phoneDigits, phoneKey } from './keys.ts';
import { wordsOf } from './names.ts';

/** Returns the folded words of the name by which a contact is searched: that of its company if it has no other. */
const searchWords = ({ firstName, lastName, company }: Contact): readonly string[] => {
  const words = wordsOf(firstName, lastName);
  return words.length > 0 ? words : wordsOf(company);
};

/**
 * Returns the text that a database search for a contact uses, and that contacts are ordered by: the words of its name or company, `=`
 * and each email address, `#` and the digits of each phone number, one per line after an empty line. Empty for an empty contact.
 */
export const searchText = (contact: Contact): string => {
  const lines = [
    ...searchWords(contact),
    ...contact.emailAddresses.map(({ value }) => `=${emailKey(value)}`),
    ...contact.phoneNumbers.map(({ value }) => `#${phoneDigits(value)}`),
  ];
  return lines.length === 0 && isEmptyContact(contact) ? '' : ['', ...lines, ''].join('\n');
};

/** The number of closing digits that are equal however a number is dialled. */
const SAME_DIGITS = 7;

/**
 * Returns the parts of a {@link searchText} of which a contact has all in one list if the text may name it: by its email address, its
 * phone number or its name.
 */
export const needlesOf = (text: string): readonly (readonly string[])[] => {
  const words = wordsOf(text).map((word) => `\n${word}`);
  const digits = phoneDigits(text);
  // Two spellings of one number may share only their closing digits.
  const end = digits.length < SAME_DIGITS ? `\n#${digits}` : digits.slice(-SAME_DIGITS);
  return [[`\n=${emailKey(text)}\n`], digits === '' ? [] : [`${end}\n`], words].filter(({ length }) => length > 0);
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
