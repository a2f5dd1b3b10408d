import type { Half } from '../contact/half.ts';
import { wasMadeFor } from '../contact/origin.ts';
import type { ContactRecord } from '../contact/record.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import {
  areDistinguished,
  contradicts,
  haveOtherDetails,
  emailEdges,
  likelyEdges,
  namesakeEdges,
  phoneEdges,
  similarNameEdges,
  type Edge,
} from './match-evidence.ts';
import { indexBy, personReader, type MatchablePerson } from './matchable-person.ts';
import type { GroupLink } from './membership.ts';
import type { Verdict } from './verdict.ts';

/** Two contacts that are the same person; `byHand` if a person decided that. */
export type Match = Sides<Half> & { readonly byHand?: true };

/** The reason why contacts that may be one person were not paired. */
type Ambiguity =
  /** They share an email address, and their names belong to different people. */
  | 'names differ'
  /** Several contacts of the other side match equally well. */
  | 'several candidates'
  /** They share a phone number, and one name is a shorter form of the other, or one contact has no name. */
  | 'same phone number'
  /** They have one full name or two forms of it, and different addresses, numbers or companies. */
  | 'same name';

/** Contacts that may be the same person; a person decides. */
export type AmbiguousMatch = {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly why: Ambiguity;
};

type MatchInput = Sides<readonly Half[]> & {
  /** The groups that both sides have, or will have. */
  readonly links?: readonly GroupLink[];
  /** The ids of each side's account in the origins that this link stores on the other side (R9). */
  readonly scopes?: Sides<string>;
  /** The ids of each side's contacts by the marks of the contacts that were created for them (`ContactRecord.originMark`). */
  readonly marked?: Sides<ReadonlyMap<string, string>>;
  /** Decisions of a person about two contacts. */
  readonly verdicts?: readonly Verdict[];
};

type Progress = {
  readonly left: Set<MatchablePerson>;
  readonly right: Set<MatchablePerson>;
  readonly matches: Match[];
  readonly ambiguous: AmbiguousMatch[];
  /** Returns whether a person decided that the two contacts, given by their ids, are not the same person. */
  readonly isApart: (leftId: string, rightId: string) => boolean;
};

const areApart = ({ isApart }: Progress, left: MatchablePerson, right: MatchablePerson): boolean =>
  isApart(left.record.id, right.record.id);

const take = (
  progress: Progress,
  left: MatchablePerson,
  right: MatchablePerson,
  marks: Pick<Match, 'byHand'> = {},
): void => {
  progress.left.delete(left);
  progress.right.delete(right);
  progress.matches.push({ left: left.half, right: right.half, ...marks });
};

const idsOf = (people: Iterable<MatchablePerson>): readonly string[] => [
  ...new Set([...people].map(({ record }) => record.id)),
];

/** Returns the contacts of undecided edges; competing candidates are in one entry. */
const competingIn = (edges: readonly Edge[], why: Ambiguity): readonly AmbiguousMatch[] => {
  const found: AmbiguousMatch[] = [];
  const byLeft = Map.groupBy(edges, (edge) => edge.left);
  const byRight = Map.groupBy(edges, (edge) => edge.right);
  const reported = new Set<Edge>();
  for (const start of edges) {
    if (reported.has(start)) continue;
    const competing = new Set([start]);
    // The loop also visits the edges that it adds to the set.
    for (const { left, right } of competing) {
      for (const edge of byLeft.get(left) ?? []) competing.add(edge);
      for (const edge of byRight.get(right) ?? []) competing.add(edge);
    }
    for (const edge of competing) reported.add(edge);
    found.push({
      left: idsOf([...competing].map((edge) => edge.left)),
      right: idsOf([...competing].map((edge) => edge.right)),
      why,
    });
  }
  return found;
};

const areDisjoint = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size > 0 && other.size > 0 && one.isDisjointFrom(other);

/**
 * Returns whether two contacts of one side may be copies of one person, so that it makes no difference which of them is paired: no
 * address, number or company distinguishes them.
 */
const areCopies = (one: MatchablePerson, other: MatchablePerson): boolean => {
  if (one === other) return true;
  return one.identity === other.identity && !areDisjoint(one.emails, other.emails) && !haveOtherDetails(one, other);
};

/** Resolves edges of one score: unique edges and copies of one person are paired, the rest is ambiguous. */
const takeEqualEdges = (progress: Progress, edges: readonly Edge[]): void => {
  const isOpen = (edge: Edge) => progress.left.has(edge.left) && progress.right.has(edge.right);
  const byLeft = Map.groupBy(edges, (edge) => edge.left);
  const byRight = Map.groupBy(edges, (edge) => edge.right);
  const unsure: Edge[] = [];
  for (const edge of edges) {
    if (!isOpen(edge)) continue;
    const competing = [...(byLeft.get(edge.left) ?? []), ...(byRight.get(edge.right) ?? [])].filter(isOpen);
    const copies = competing.every((other) => areCopies(other.left, edge.left) && areCopies(other.right, edge.right));
    if (copies && !areApart(progress, edge.left, edge.right)) take(progress, edge.left, edge.right);
    else unsure.push(edge);
  }
  progress.ambiguous.push(...competingIn(unsure.filter(isOpen), 'several candidates'));
};

const takeBest = (progress: Progress, edges: readonly Edge[]): void => {
  const byScore = Map.groupBy(edges, (edge) => edge.score);
  for (const score of [...byScore.keys()].toSorted((a, b) => b - a)) takeEqualEdges(progress, byScore.get(score) ?? []);
};

/** The values that resolve origins. */
type Origins = {
  readonly marked: MatchInput['marked'] | undefined;
  readonly scopes: Sides<string> | undefined;
};

/** Returns the record with the origin that its mark names. */
const withOrigin = (record: ContactRecord, other: Side, { marked, scopes }: Origins): ContactRecord => {
  const { originId, originMark } = record;
  const id = originMark === undefined ? undefined : marked?.[other].get(originMark);
  if (originId !== null || id === undefined) return record;
  return { ...record, originId: id, ...(scopes !== undefined && { originScope: scopes[other] }) };
};

/** Pairs the contacts of one side with the contacts that they were created for; by their mark alone if `isMarkEnough`. */
const takeOrigins = (progress: Progress, side: Side, origins: Origins, isMarkEnough: boolean): void => {
  const other = otherSide(side);
  const others = new Map([...progress[other]].map((person) => [person.record.id, person]));
  for (const person of progress[side]) {
    const record = withOrigin(person.record, other, origins);
    const origin = record.originId === null ? undefined : others.get(record.originId);
    if (origin === undefined || !progress[other].has(origin)) continue;
    const { id, contact } = origin.record;
    const isMarked = isMarkEnough && record !== person.record;
    if (!isMarked && !wasMadeFor(record, { id, scope: origins.scopes?.[other], contact })) continue;
    const [left, right] = side === 'left' ? [person, origin] : [origin, person];
    if (!areApart(progress, left, right)) take(progress, left, right);
  }
};

/**
 * Pairs contacts with the contacts that they were created for. A mark is evidence alone: only a create for that contact has it.
 * Contacts that also have values in common come first, because several contacts may have one mark.
 */
const matchByOrigin = (progress: Progress, origins: Origins): void => {
  for (const side of SIDES) takeOrigins(progress, side, origins, false);
  for (const side of SIDES) takeOrigins(progress, side, origins, true);
};

const groupText = ({ groups }: MatchablePerson): string => [...groups].toSorted().join('\n');

const nameText = ({ naming: { phonetic, wholeNames } }: MatchablePerson): string => `${wholeNames.key}\n${phonetic}`;

/** The values that distinguish several copies, the most exact first. */
const COPY_KEYS: readonly ((person: MatchablePerson) => string)[] = [
  (person) => `${nameText(person)}\n${groupText(person)}`,
  nameText,
  groupText,
  () => '',
];

/** Pairs contacts that have one key. Which of several copies are paired makes no difference. */
const takeAlike = (
  progress: Progress,
  lefts: readonly MatchablePerson[],
  rights: readonly MatchablePerson[],
  keyOf: (person: MatchablePerson) => string,
): void => {
  const byKey = Map.groupBy(rights, keyOf);
  for (const [key, alike] of Map.groupBy(lefts, keyOf)) {
    const copies = (byKey.get(key) ?? []).toReversed();
    for (const left of alike) {
      const at = copies.findLastIndex((copy) => !areApart(progress, left, copy) && !areDistinguished(left, copy));
      const [right] = at < 0 ? [] : copies.splice(at, 1);
      if (right !== undefined) take(progress, left, right);
    }
  }
};

/** Pairs contacts with identical content. Names and groups decide only between several copies. */
const takeCopies = (progress: Progress): void => {
  const contents = ({ content }: MatchablePerson) => (content === '' ? [] : [content]);
  const rights = indexBy(progress.right, contents);
  for (const [content, left] of indexBy(progress.left, contents)) {
    const right = rights.get(content) ?? [];
    const keys = left.length === 1 && right.length === 1 ? COPY_KEYS.slice(-1) : COPY_KEYS;
    for (const keyOf of keys) {
      const [lefts, others] = [
        left.filter((person) => progress.left.has(person)),
        right.filter((person) => progress.right.has(person)),
      ];
      takeAlike(progress, lefts, others, keyOf);
    }
  }
};

/**
 * Pairs contacts with one name: first those that share more values, then those that are the only contacts of the name on both
 * sides. A name alone is not sufficient for a contact that shares a phone number with another contact of a similar name.
 */
const matchByName = (progress: Progress): void => {
  takeBest(progress, namesakeEdges(progress));
  const likely = likelyEdges(progress);
  const byLeft = Map.groupBy(likely, ({ left }) => left);
  const byRight = Map.groupBy(likely, ({ right }) => right);
  const hasCompetitor = (one: MatchablePerson, other: MatchablePerson): boolean =>
    byLeft.get(one)?.some(({ right }) => right !== other) === true ||
    byRight.get(other)?.some(({ left }) => left !== one) === true;
  const names = ({ naming }: MatchablePerson) => (naming.name === '' ? [] : [naming.name]);
  const rights = indexBy(progress.right, names);
  for (const [name, left] of indexBy(progress.left, names)) {
    const right = rights.get(name) ?? [];
    const [first, second] = [left[0], right[0]];
    if (first === undefined || second === undefined) continue;
    if (left.length > 1 || right.length > 1) {
      progress.ambiguous.push({ left: idsOf(left), right: idsOf(right), why: 'several candidates' });
    } else if (!contradicts(first, second) && !hasCompetitor(first, second) && !areApart(progress, first, second)) {
      take(progress, first, second);
    }
  }
};

/** Returns the match without contacts that a person keeps apart from all other contacts of the match. */
const withoutSettled = ({ isApart }: Progress, { left, right, why }: AmbiguousMatch): AmbiguousMatch => {
  const open = left.filter((leftId) => right.some((rightId) => !isApart(leftId, rightId)));
  return { left: open, right: right.filter((rightId) => open.some((leftId) => !isApart(leftId, rightId))), why };
};

const hasCandidates = ({ left, right }: AmbiguousMatch): boolean => left.length > 0 && right.length > 0;

/** Returns the ambiguous matches without the contacts that are paired: those for which `isOpen` is false. */
export const stillAmbiguous = (
  ambiguous: readonly AmbiguousMatch[],
  isOpen: (side: Side, id: string) => boolean,
): readonly AmbiguousMatch[] =>
  ambiguous
    .map((match) => ({ ...match, ...bySide((side) => match[side].filter((id) => isOpen(side, id))) }))
    .filter(hasCandidates);

/** Returns a predicate: whether the two contacts of an edge are in one ambiguous match. */
const togetherIn = (ambiguous: readonly AmbiguousMatch[]): ((edge: Pick<Edge, 'left' | 'right'>) => boolean) => {
  const candidates = ambiguous.flatMap(({ left, right }) => {
    const rights = new Set(right);
    return left.map((id) => ({ id, rights }));
  });
  const byLeft = Map.groupBy(candidates, ({ id }) => id);
  return ({ left, right }) => byLeft.get(left.record.id)?.some(({ rights }) => rights.has(right.record.id)) ?? false;
};

/** Returns the contacts that share an email address and were not paired because of their names, by address. */
const keptApart = ({ left, right }: Progress, ambiguous: readonly AmbiguousMatch[]): readonly AmbiguousMatch[] => {
  const isKnown = togetherIn(ambiguous);
  const rights = indexBy(right, ({ emails }) => emails);
  const reported = new Set<string>();
  const found: AmbiguousMatch[] = [];
  for (const [email, lefts] of indexBy(left, ({ emails }) => emails)) {
    const others = rights.get(email) ?? [];
    const row = { left: idsOf(lefts), right: idsOf(others), why: 'names differ' } as const;
    const key = JSON.stringify(row);
    const isNew = lefts.some((one) => others.some((other) => !isKnown({ left: one, right: other })));
    if (!isNew || reported.has(key)) continue;
    reported.add(key);
    found.push(row);
  }
  return found;
};

/** Returns contacts that were not paired although they may look like one person to a reader (R13). */
const lookalikes = (progress: Progress, ambiguous: readonly AmbiguousMatch[]): readonly AmbiguousMatch[] => {
  const isKnown = togetherIn(ambiguous);
  const byPhone = competingIn(
    likelyEdges(progress).filter((edge) => !isKnown(edge)),
    'same phone number',
  );
  const isKnownToo = togetherIn(byPhone);
  const namesakes = similarNameEdges(progress).filter((edge) => !isKnown(edge) && !isKnownToo(edge));
  return [...byPhone, ...competingIn(namesakes, 'same name')];
};

/** Pairs the contacts that a person joined, regardless of all other evidence. */
const matchByHand = (progress: Progress, verdicts: readonly Verdict[]): void => {
  const together = verdicts.filter(({ says }) => says === 'together');
  if (together.length === 0) return;
  const lefts = new Map([...progress.left].map((person) => [person.record.id, person]));
  const rights = new Map([...progress.right].map((person) => [person.record.id, person]));
  for (const { leftId, rightId } of together) {
    const [left, right] = [lefts.get(leftId), rights.get(rightId)];
    if (left === undefined || right === undefined) continue;
    if (!progress.left.has(left) || !progress.right.has(right)) continue;
    take(progress, left, right, { byHand: true });
  }
};

/** Pairs the halves of a pair that was unlinked because neither side selected it, regardless of all other evidence (R18). */
const matchByFormerPair = (progress: Progress): void => {
  const formerOf = ({ half: { formerPair } }: MatchablePerson) => (formerPair === null ? [] : [String(formerPair)]);
  const rights = indexBy(progress.right, formerOf);
  for (const [formerPair, [left]] of indexBy(progress.left, formerOf)) {
    const [right] = rights.get(formerPair) ?? [];
    if (left !== undefined && right !== undefined && !areApart(progress, left, right)) take(progress, left, right);
  }
};

/**
 * Returns the people of a side. Contacts that a person keeps apart from others come first, because they do not match every copy.
 */
const peopleOf = (
  halves: readonly Half[],
  personOf: (half: Half) => MatchablePerson,
  restricted: ReadonlySet<string>,
): readonly MatchablePerson[] => {
  const people = halves.map(personOf);
  if (restricted.size === 0) return people;
  const isRestricted = ({ record }: MatchablePerson): boolean => restricted.has(record.id);
  return [...people.filter(isRestricted), ...people.filter((person) => !isRestricted(person))];
};

const isApartBy = (apart: readonly Verdict[]): Progress['isApart'] => {
  const pairs = Map.groupBy(apart, ({ leftId }) => leftId);
  return (leftId, rightId) => pairs.get(leftId)?.some((verdict) => verdict.rightId === rightId) ?? false;
};

/**
 * Finds the contacts that are the same person on both sides (R13). The evidence, in this order: a decision of a person; a pair that was
 * unlinked while neither side selected it (R18); the origin that a create stored (R9); identical content; an email address, if the
 * names agree; a phone number and the name; a full name that is unique or has more values in common, and is not contradicted. Pure.
 * Contacts that cannot be decided are returned in `ambiguous`.
 */
export const matchContacts = ({
  left,
  right,
  links = [],
  scopes,
  marked,
  verdicts = [],
}: MatchInput): { readonly matches: readonly Match[]; readonly ambiguous: readonly AmbiguousMatch[] } => {
  if (left.length === 0 || right.length === 0) return { matches: [], ambiguous: [] };
  const personOf = personReader(links);
  const apart = verdicts.filter(({ says }) => says === 'apart');
  const progress: Progress = {
    left: new Set(peopleOf(left, personOf, new Set(apart.map(({ leftId }) => leftId)))),
    right: new Set(peopleOf(right, personOf, new Set(apart.map(({ rightId }) => rightId)))),
    matches: [],
    ambiguous: [],
    isApart: isApartBy(apart),
  };
  matchByHand(progress, verdicts);
  matchByFormerPair(progress);
  matchByOrigin(progress, { scopes, marked });
  takeCopies(progress);
  takeBest(progress, emailEdges(progress));
  takeBest(progress, phoneEdges(progress));
  matchByName(progress);
  const openIds = bySide((side) => new Set(idsOf(progress[side])));
  const open = stillAmbiguous(progress.ambiguous, (side, id) => openIds[side].has(id));
  const undecided = [...open, ...keptApart(progress, open)];
  const ambiguous = [...undecided, ...lookalikes(progress, undecided)].map((match) => withoutSettled(progress, match));
  return { matches: progress.matches, ambiguous: ambiguous.filter(hasCandidates) };
};
