import type { Contact } from './contact.ts';
import { foldText, isSpaceless, withoutDigraphs, type Word } from './names.ts';
import { areNicknames } from './nicknames.ts';
import { hasName, type PersonName, personNameOf } from './person-name.ts';

/**
 * The relation of two names. `same`: equal except for spelling, order and division. `compatible`: an initial, a short form or a
 * missing part explains the difference. `different`: two names. `unknown`: one name is missing.
 */
type NameVerdict = 'same' | 'compatible' | 'different' | 'unknown';

const textOf = (words: readonly Word[]): Word => [
  words.map(([plain]) => plain).join(''),
  words.map(([, spelt]) => spelt).join(''),
];

/** Returns whether two words are equal in one of their spellings: Müller equals Muller and Mueller. */
const areEqual = ([a, spelt]: Word, [b, other]: Word): boolean => a === b || spelt === other;

/**
 * Returns whether two family names are equal, also if one lost its accent and the other has another spelling: Muller and Mueller.
 */
const familiesEqual = (a: Word, b: Word): boolean => areEqual(a, b) || withoutDigraphs(a[0]) === withoutDigraphs(b[0]);

const isInitial = (a: Word, b: Word): boolean => {
  const [short, long] = a[0].length <= b[0].length ? [a, b] : [b, a];
  return short[0].length === 1 && long[0].startsWith(short[0]) && !isSpaceless(short);
};

const firstNamesAgree = (a: Word, b: Word): boolean => areEqual(a, b) || isInitial(a, b) || areNicknames(a[0], b[0]);

/** Returns whether each word of the shorter list matches a different word of the longer one. */
const isWithin = (a: readonly Word[], b: readonly Word[], agree: (one: Word, other: Word) => boolean): boolean => {
  const [short, long] = a.length <= b.length ? [a, [...b]] : [b, [...a]];
  return short.every((word) => {
    const at = long.findIndex((other) => agree(word, other));
    if (at >= 0) long.splice(at, 1);
    return at >= 0;
  });
};

const givenAgree = (a: readonly Word[], b: readonly Word[]): boolean => {
  const [first, second] = [a[0], b[0]];
  if (first === undefined || second === undefined) return true;
  if (areEqual(textOf(a), textOf(b))) return true;
  const others = (one: Word, other: Word): boolean => areEqual(one, other) || isInitial(one, other);
  return firstNamesAgree(first, second) && isWithin(a.slice(1), b.slice(1), others);
};

const familyAgree = (a: readonly Word[], b: readonly Word[]): boolean =>
  familiesEqual(textOf(a), textOf(b)) || isWithin(a, b, (x, y) => familiesEqual(x, y) || isInitial(x, y));

const wordsOf = ({ given, family }: PersonName): readonly Word[] => [...given, ...family];

/** Returns the name as one text in both orders: given name first and family name first. */
const wholeTexts = ({ given, family }: PersonName): readonly Word[] => [
  textOf([...given, ...family]),
  textOf([...family, ...given]),
];

/**
 * Returns whether the words may be a whole name. In scripts without spaces one word may be a whole name;
 * in other scripts it is not.
 */
const mayBeWhole = (name: PersonName): boolean => {
  const words = wordsOf(name);
  return words.length > 1 || words.every(isSpaceless);
};

/** Returns whether both are one name in any order and division. */
const areSameWords = (a: PersonName, b: PersonName): boolean => {
  const [own, others] = [wordsOf(a), wordsOf(b)];
  if (own.length === others.length && isWithin(own, others, areEqual)) return true;
  if (!mayBeWhole(a) || !mayBeWhole(b)) return false;
  return wholeTexts(a).some((one) => wholeTexts(b).some((other) => areEqual(one, other)));
};

const bothDiffer = (one: string | null, other: string | null): boolean =>
  (one ?? '') !== '' && (other ?? '') !== '' && one !== other;

/** Returns the words of an email address before the `@`. */
const localWords = (email: string): readonly string[] =>
  foldText(email.split('@')[0] ?? '')
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');

/**
 * Returns whether an email address belongs to a person with this first name: it contains the first name,
 * alone or with a family name.
 */
const isOwn = (email: string, given: string, families: readonly string[]): boolean => {
  const own = families.flatMap((family) => [given + family, given.slice(0, 1) + family]);
  return localWords(email).some((word) => word === given || own.includes(word));
};

/**
 * Returns whether two contacts with one first name and two family names are a person whose family name changed: an address that
 * they share contains the first name.
 */
const hasChangedFamily = (a: PersonName, b: PersonName, emails: Iterable<string>): boolean => {
  const [first, second] = [a.given[0], b.given[0]];
  if (first === undefined || second === undefined || first[0].length < 2 || !areEqual(first, second)) return false;
  const families = [textOf(a.family)[0], textOf(b.family)[0]];
  return [...emails].some((email) => isOwn(email, first[0], families));
};

/** Returns whether other attributes than the words distinguish two people with one name. */
const areDistinct = (a: PersonName, b: PersonName): boolean =>
  a.isSeveral !== b.isSeveral ||
  bothDiffer(a.suffix, b.suffix) ||
  bothDiffer(a.gender, b.gender) ||
  bothDiffer(a.remark, b.remark);

/** Returns whether both have a first name, or both a family name. `Dr. Weber` and `Anna` have no common part to compare. */
const haveCommonPart = (a: PersonName, b: PersonName): boolean =>
  (a.given.length > 0 && b.given.length > 0) || (a.family.length > 0 && b.family.length > 0);

const partsAgree = (a: PersonName, b: PersonName): boolean =>
  haveCommonPart(a, b) && givenAgree(a.given, b.given) && familyAgree(a.family, b.family);

/** Compares two names (R13). `sharedEmails` are the email addresses that both contacts have. Pure. */
export const compareNames = (a: PersonName, b: PersonName, sharedEmails: Iterable<string> = []): NameVerdict => {
  if (!hasName(a) || !hasName(b)) return 'unknown';
  if (areDistinct(a, b)) return 'different';
  if (areSameWords(a, b)) return a.suffix === b.suffix && a.remark === b.remark ? 'same' : 'compatible';
  if (a.isSeveral) return 'different';
  if (partsAgree(a, b)) return 'compatible';
  return hasChangedFamily(a, b, sharedEmails) ? 'compatible' : 'different';
};

/**
 * Returns whether the names of two contacts with the same address allow that they are one person (R13): a name
 * is missing, or they agree.
 */
export const namesAgree = (a: Contact, b: Contact, sharedEmails: Iterable<string>): boolean =>
  compareNames(personNameOf(a), personNameOf(b), sharedEmails) !== 'different';

const isLatin = ([plain]: Word): boolean => /^\p{Script=Latin}/u.test(plain);

/** Returns whether only one of the names is in Latin letters. Then the same name may look different. */
export const haveOtherScripts = (a: PersonName, b: PersonName): boolean => {
  const [first, second] = [wordsOf(a)[0], wordsOf(b)[0]];
  return first !== undefined && second !== undefined && isLatin(first) !== isLatin(second);
};
