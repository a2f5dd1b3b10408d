import type { Contact } from './contact.ts';
import { foldText, isSpaceless, withoutDigraphs, type Word } from './names.ts';
import { areNicknames } from './nicknames.ts';
import { hasName, type PersonName, personNameOf } from './person-name.ts';

/**
 * How two names relate: `same` but for spelling, order and division; `compatible` where an initial, a short form or a missing
 * part explains the difference; `different`; `unknown` where one is missing.
 */
export type NameVerdict = 'same' | 'compatible' | 'different' | 'unknown';

const textOf = (words: readonly Word[]): Word => [
  words.map(([plain]) => plain).join(''),
  words.map(([, spelt]) => spelt).join(''),
];

/** Equal in one of their spellings: Müller is Muller and Mueller. */
const areEqual = ([a, spelt]: Word, [b, other]: Word): boolean => a === b || spelt === other;

/** Family names also agree where one lost its accent and the other spells it: Muller and Mueller. */
const familiesEqual = (a: Word, b: Word): boolean => areEqual(a, b) || withoutDigraphs(a[0]) === withoutDigraphs(b[0]);

const isInitial = (a: Word, b: Word): boolean => {
  const [short, long] = a[0].length <= b[0].length ? [a, b] : [b, a];
  return short[0].length === 1 && long[0].startsWith(short[0]) && !isSpaceless(short);
};

const firstNamesAgree = (a: Word, b: Word): boolean => areEqual(a, b) || isInitial(a, b) || areNicknames(a[0], b[0]);

/** Whether each word of the shorter list matches a different word of the longer one. */
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

/** The name as one text, given name first and family name first. */
const wholeTexts = ({ given, family }: PersonName): readonly Word[] => [
  textOf([...given, ...family]),
  textOf([...family, ...given]),
];

/** Scripts without spaces write a whole name as one word; in others one word is no whole name. */
const mayBeWhole = (name: PersonName): boolean => {
  const words = wordsOf(name);
  return words.length > 1 || words.every(isSpaceless);
};

/** Whether both are one name in any order and division. */
const areSameWords = (a: PersonName, b: PersonName): boolean => {
  const [own, others] = [wordsOf(a), wordsOf(b)];
  if (own.length === others.length && isWithin(own, others, areEqual)) return true;
  if (!mayBeWhole(a) || !mayBeWhole(b)) return false;
  return wholeTexts(a).some((one) => wholeTexts(b).some((other) => areEqual(one, other)));
};

const bothDiffer = (one: string | null, other: string | null): boolean =>
  (one ?? '') !== '' && (other ?? '') !== '' && one !== other;

/** The words of an email address before the `@`. */
const localWords = (email: string): readonly string[] => {
  return foldText(email.split('@')[0] ?? '')
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== '');
};

/**
 * Whether an email address is that of a person of these first names: it contains the first one, alone or with a family name.
 */
const isOwn = (email: string, given: string, families: readonly string[]): boolean => {
  const own = families.flatMap((family) => [given + family, given.slice(0, 1) + family]);
  return localWords(email).some((word) => word === given || own.includes(word));
};

/**
 * Whether two people of one first name and two family names are one who took another: an address that they share contains
 * the first name.
 */
const hasChangedFamily = (a: PersonName, b: PersonName, emails: Iterable<string>): boolean => {
  const [first, second] = [a.given[0], b.given[0]];
  if (first === undefined || second === undefined || first[0].length < 2 || !areEqual(first, second)) return false;
  const families = [textOf(a.family)[0], textOf(b.family)[0]];
  return [...emails].some((email) => isOwn(email, first[0], families));
};

/** Whether something other than the words distinguishes two people of one name. */
const areToldApart = (a: PersonName, b: PersonName): boolean =>
  a.isSeveral !== b.isSeveral ||
  bothDiffer(a.suffix, b.suffix) ||
  bothDiffer(a.gender, b.gender) ||
  bothDiffer(a.remark, b.remark);

/** Whether both have a first name, or both a family name: `Dr. Weber` and `Anna` have nothing that can agree. */
const haveCommonPart = (a: PersonName, b: PersonName): boolean =>
  (a.given.length > 0 && b.given.length > 0) || (a.family.length > 0 && b.family.length > 0);

const partsAgree = (a: PersonName, b: PersonName): boolean =>
  haveCommonPart(a, b) && givenAgree(a.given, b.given) && familyAgree(a.family, b.family);

/** Compares two names (R13). `sharedEmails` are the email addresses that both contacts have. Pure. */
export const compareNames = (a: PersonName, b: PersonName, sharedEmails: Iterable<string> = []): NameVerdict => {
  if (!hasName(a) || !hasName(b)) return 'unknown';
  if (areToldApart(a, b)) return 'different';
  if (areSameWords(a, b)) return a.suffix === b.suffix && a.remark === b.remark ? 'same' : 'compatible';
  if (a.isSeveral) return 'different';
  if (partsAgree(a, b)) return 'compatible';
  return hasChangedFamily(a, b, sharedEmails) ? 'compatible' : 'different';
};

/** Whether two contacts with the same address may be one person by their names (R13): one has none, or they agree. */
export const namesAgree = (a: Contact, b: Contact, sharedEmails: Iterable<string>): boolean =>
  compareNames(personNameOf(a), personNameOf(b), sharedEmails) !== 'different';

const isLatin = ([plain]: Word): boolean => /^\p{Script=Latin}/u.test(plain);

/** Whether one name is written in Latin letters and the other is not: the same name may look different. */
export const haveOtherScripts = (a: PersonName, b: PersonName): boolean => {
  const [first, second] = [wordsOf(a)[0], wordsOf(b)[0]];
  return first !== undefined && second !== undefined && isLatin(first) !== isLatin(second);
};
