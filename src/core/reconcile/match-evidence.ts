import { compareNames, haveOtherScripts } from '../contact/name-agreement.ts';
import { foldText } from '../contact/names.ts';
import { hasName } from '../contact/person-name.ts';
import { soundDifferent } from '../contact/unsynced-name.ts';
import { fullNames, indexBy, isCompanyCard, shared, sharedPhones, type MatchablePerson } from './matchable-person.ts';

/** Two contacts that may be one person, and the strength of the evidence. */
export type Edge = { readonly left: MatchablePerson; readonly right: MatchablePerson; readonly score: number };

/** Returns points for equal texts, negative points for different texts, and 0 if a text is empty. */
const compareTexts = (a: string, b: string, points: number): number => {
  if (a === '' || b === '') return 0;
  const [first, second] = [foldText(a), foldText(b)];
  if (first === '' || second === '') return 0;
  return first === second ? points : -points;
};

/** Returns the score of the details other than name, email addresses and long phone numbers. */
const detailScore = (left: MatchablePerson, right: MatchablePerson): number => {
  const [first, second] = [left.record.contact, right.record.contact];
  return (
    compareTexts(first.company, second.company, 5) +
    compareTexts(first.title, second.title, 4) +
    shared(left.addresses, right.addresses) * 8 +
    shared(left.numbers.shortPhones, right.numbers.shortPhones) * 7 +
    shared(left.websites, right.websites) * 6 +
    shared(left.groups, right.groups) * 3
  );
};

const nameScore = ({ naming: left }: MatchablePerson, { naming: right }: MatchablePerson): number => {
  if (left.name === '' || right.name === '') return 40;
  const unsynced = left.wholeNames.key === right.wholeNames.key && left.phonetic === right.phonetic ? 1 : 0;
  return (left.name === right.name ? 150 : 60) + unsynced;
};

const scoreOf = (left: MatchablePerson, right: MatchablePerson): number =>
  shared(left.emails, right.emails) * 100 +
  (left.emails.symmetricDifference(right.emails).size === 0 ? 10 : 0) +
  nameScore(left, right) +
  sharedPhones(left, right) * 30 +
  detailScore(left, right);

/** Above this many combinations under one key, only contacts of the same name are compared. */
const MANY = 400;

/**
 * Yields the combinations to compare among contacts that share a key: all of them if they are few; namesakes if they are many; and
 * for very many namesakes only the first with the first, the second with the second, and so on.
 */
function* combinations(
  left: readonly MatchablePerson[],
  right: readonly MatchablePerson[],
): Generator<readonly [MatchablePerson, MatchablePerson]> {
  if (left.length * right.length <= MANY) {
    for (const a of left) for (const b of right) yield [a, b];
    return;
  }
  const namesakes = Map.groupBy(right, ({ naming }) => naming.name);
  for (const [name, first] of Map.groupBy(left, ({ naming }) => naming.name)) {
    const second = namesakes.get(name) ?? [];
    const isCrowd = first.length * second.length > MANY;
    for (const [index, a] of first.entries()) {
      for (const b of isCrowd ? second.slice(index, index + 1) : second) yield [a, b];
    }
  }
}

type Sets = { readonly left: ReadonlySet<MatchablePerson>; readonly right: ReadonlySet<MatchablePerson> };

const edgesBy = (
  { left, right }: Sets,
  keysOf: (person: MatchablePerson) => Iterable<string>,
  fits: (left: MatchablePerson, right: MatchablePerson) => boolean,
): readonly Edge[] => {
  const rightIndex = indexBy(right, keysOf);
  const edges = new Map<string, Edge>();
  for (const [key, first] of indexBy(left, keysOf)) {
    for (const [a, b] of combinations(first, rightIndex.get(key) ?? [])) {
      const id = `${a.record.id}\n${b.record.id}`;
      if (!edges.has(id) && fits(a, b)) edges.set(id, { left: a, right: b, score: scoreOf(a, b) });
    }
  }
  return [...edges.values()];
};

type Compared = ReturnType<typeof compareNames>;

/** Returns whether parts of the names that the link does not sync distinguish two people. A missing part agrees with any. */
export const areDistinguished = (
  a: MatchablePerson,
  b: MatchablePerson,
  sharedEmails: Iterable<string> = [],
): boolean => {
  if (a.record.unsyncedName === undefined && b.record.unsyncedName === undefined) return false;
  const [own, other] = [a.naming, b.naming];
  if (soundDifferent(own.phonetic, other.phonetic)) return true;
  return compareNames(own.wholeNames, other.wholeNames, sharedEmails) === 'different';
};

const compare = (a: MatchablePerson, b: MatchablePerson, sharedEmails: Iterable<string> = []): Compared =>
  areDistinguished(a, b, sharedEmails) ? 'different' : compareNames(a.naming.names, b.naming.names, sharedEmails);

/** Legal forms of companies, which one side may leave out. */
const LEGAL_FORMS = new Set(
  'gmbh ag kg ug ohg ev inc corp co ltd llc llp plc sa sarl sas srl spa bv nv oy ab as'.split(' '),
);

/** Returns the company without its legal form, unless it has no other words. */
const companyWords = (company: string): string =>
  company
    .split(' ')
    .filter((word) => !LEGAL_FORMS.has(word))
    .join(' ') || company;

/**
 * Returns whether the names of two contacts that share an address allow that they are the same. A company card is not a person, and
 * the cards of two companies are not the same.
 */
const mayBeOne = (a: MatchablePerson, b: MatchablePerson): boolean => {
  const [card, other] = [isCompanyCard(a), isCompanyCard(b)];
  const [one, another] = [a.naming, b.naming];
  if (card && other) return one.name === another.name || companyWords(one.company) === companyWords(another.company);
  if (card || other) return !hasName(one.names) && !hasName(another.names);
  return compare(a, b, a.emails.intersection(b.emails)) !== 'different';
};

/** Returns edges of contacts that share an email address and whose names agree. */
export const emailEdges = (open: Sets): readonly Edge[] => edgesBy(open, (person) => person.emails, mayBeOne);

/** Returns whether two contacts have one full name, in any order and division. */
const areNamesakes = (a: MatchablePerson, b: MatchablePerson): boolean =>
  a.naming.name !== '' && a.naming.name === b.naming.name && (!hasName(a.naming.names) || compare(a, b) === 'same');

/** Returns edges of contacts that share a phone number and whose names fit. */
const edgesByPhone = (open: Sets, fits: (left: MatchablePerson, right: MatchablePerson) => boolean): readonly Edge[] =>
  edgesBy(
    open,
    ({ numbers }) => numbers.phoneTails,
    (a, b) => fits(a, b) && sharedPhones(a, b) > 0,
  );

/** Returns edges of contacts that share a phone number and the full name. */
export const phoneEdges = (open: Sets): readonly Edge[] => edgesByPhone(open, areNamesakes);

/**
 * Returns whether two contacts that share a phone number have names that agree without being equal, so that they
 * look like one person (R13).
 */
const lookAlike = (a: MatchablePerson, b: MatchablePerson): boolean => {
  if (isCompanyCard(a) || isCompanyCard(b)) return false;
  if (compare(a, b) !== 'different') return true;
  const [own, other] = [a.naming.names, b.naming.names];
  return !own.isSeveral && !other.isSeveral && haveOtherScripts(own, other);
};

/** Returns edges of contacts that share a phone number and whose names, although not equal, may belong to one person. */
export const likelyEdges = (open: Sets): readonly Edge[] => edgesByPhone(open, lookAlike);

/** Returns edges of contacts with one full name, or two forms of it: a short form, an initial or a further given name. */
export const similarNameEdges = (open: Sets): readonly Edge[] =>
  edgesBy(open, fullNames, (a, b) => areNamesakes(a, b) || compare(a, b) === 'compatible');

/** Returns whether two contacts have different phone numbers, or different companies. */
export const haveOtherDetails = (a: MatchablePerson, b: MatchablePerson): boolean =>
  (a.numbers.phones.size > 0 && b.numbers.phones.size > 0 && sharedPhones(a, b) === 0) ||
  (a.naming.company !== '' && b.naming.company !== '' && a.naming.company !== b.naming.company);

/** Returns whether the values of two contacts contradict that they are the same person. */
export const contradicts = (a: MatchablePerson, b: MatchablePerson): boolean =>
  !areNamesakes(a, b) || (a.emails.size > 0 && b.emails.size > 0) || haveOtherDetails(a, b);

/** Returns edges of namesakes that share a title, an address, a website or a short phone number, without a contradiction. */
export const namesakeEdges = (open: Sets): readonly Edge[] => {
  const details = ({ naming, numbers, record, addresses, websites }: MatchablePerson): readonly string[] => {
    const { name } = naming;
    if (name === '') return [];
    const title = foldText(record.contact.title);
    const keys = [...addresses, ...websites, ...numbers.shortPhones, ...(title === '' ? [] : [`title ${title}`])];
    return keys.map((key) => `${name}\n${key}`);
  };
  return edgesBy(open, details, (a, b) => !contradicts(a, b));
};
