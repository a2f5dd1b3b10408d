import type { Contact } from './contact.ts';
import { foldText, wordsOf } from './names.ts';
import { areNicknames } from './nicknames.ts';

/** A name in folded words. A name that stands in one field ends in the family name. */
type NameParts = { readonly given: readonly string[]; readonly family: readonly string[] };

const namePartsOf = ({ firstName, lastName }: Pick<Contact, 'firstName' | 'lastName'>): NameParts => {
  const [given, family] = [wordsOf(firstName), wordsOf(lastName)];
  if (given.length > 0 && family.length > 0) return { given, family };
  const words = [...given, ...family];
  if (words.length < 2) return { given, family };
  return { given: words.slice(0, -1), family: words.slice(-1) };
};

/** German and Nordic vowels in either spelling: `mueller` and `muller`. */
const withoutDigraphs = (text: string): string => text.replace(/([aou])e/gu, '$1');

const areEqual = (a: string, b: string): boolean => a === b || withoutDigraphs(a) === withoutDigraphs(b);

/** Scripts in which the beginning of a name is another name, and no short form of it. */
const WHOLE_WORDS = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Whether one text is an initial or another beginning of the other. */
const isShortForm = (a: string, b: string): boolean =>
  (a.startsWith(b) || b.startsWith(a)) && !WHOLE_WORDS.test(a) && !WHOLE_WORDS.test(b);

const isInitial = (a: string, b: string): boolean => (a.length === 1 || b.length === 1) && isShortForm(a, b);

const firstNamesAgree = (a: string, b: string): boolean => areEqual(a, b) || isShortForm(a, b) || areNicknames(a, b);

/** Whether each word of the shorter list has a word of its own in the longer one. */
const isWithin = (
  a: readonly string[],
  b: readonly string[],
  agree: (one: string, other: string) => boolean,
): boolean => {
  const [short, long] = a.length <= b.length ? [a, [...b]] : [b, [...a]];
  return short.every((word) => {
    const at = long.findIndex((other) => agree(word, other));
    if (at >= 0) long.splice(at, 1);
    return at >= 0;
  });
};

const givenAgree = (a: readonly string[], b: readonly string[]): boolean => {
  const [first, second] = [a[0], b[0]];
  if (first === undefined || second === undefined) return true;
  if (areEqual(a.join(''), b.join(''))) return true;
  return (
    firstNamesAgree(first, second) && isWithin(a.slice(1), b.slice(1), (x, y) => areEqual(x, y) || isShortForm(x, y))
  );
};

const familyAgree = (a: readonly string[], b: readonly string[]): boolean =>
  areEqual(a.join(''), b.join('')) || isWithin(a, b, (x, y) => areEqual(x, y) || isInitial(x, y));

const isSameInAnyOrder = (a: NameParts, b: NameParts): boolean => {
  const sorted = ({ given, family }: NameParts) => [...given, ...family].toSorted().join(' ');
  return sorted(a) === sorted(b);
};

/** The words of an email address before the `@`. */
const localWords = (email: string): readonly string[] => {
  return foldText(email.split('@')[0] ?? '')
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');
};

/** Whether an email address is that of a person of these first names: it says the first one, alone or with a family name. */
const isOwn = (email: string, given: string, families: readonly string[]): boolean => {
  const own = families.flatMap((family) => [given + family, given.slice(0, 1) + family]);
  return localWords(email).some((word) => word === given || own.includes(word));
};

/**
 * Whether two people of one first name and two family names are one who took another: an address that they share names
 * the first name.
 */
const hasChangedFamily = (a: NameParts, b: NameParts, emails: Iterable<string>): boolean => {
  const [first, second] = [a.given[0], b.given[0]];
  if (first === undefined || second === undefined || first.length < 2 || !areEqual(first, second)) return false;
  return [...emails].some((email) => isOwn(email, first, [a.family.join(''), b.family.join('')]));
};

/**
 * Whether two contacts with the same address may be one person by their names (R13): one has none, or first names and
 * family names agree. First names agree that are equal but for spelling, of which one is an initial or a short form of
 * the other, or that are nicknames. `sharedEmails` are the email addresses that both have.
 */
export const namesAgree = (a: Contact, b: Contact, sharedEmails: Iterable<string>): boolean => {
  const [first, second] = [namePartsOf(a), namePartsOf(b)];
  if (isSameInAnyOrder(first, second)) return true;
  if (!givenAgree(first.given, second.given)) return false;
  return familyAgree(first.family, second.family) || hasChangedFamily(first, second, sharedEmails);
};
