import type { Half } from '../contact/half.ts';
import { wasMadeFor } from '../contact/origin.ts';
import { otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import {
  contradicts,
  emailEdges,
  likelyEdges,
  namesakeEdges,
  phoneEdges,
  similarNameEdges,
  type Edge,
} from './match-edges.ts';
import { indexBy, personReader, type MatchablePerson } from './match-person.ts';
import type { GroupLink } from './membership.ts';
import type { Verdict } from './verdict.ts';

/** `byHand` where a person said that they are one. */
export type Match = Sides<Half> & { readonly byHand?: true };

/** Why contacts that may be one person were not paired. */
export type Ambiguity =
  /** They share an email address, and their names are those of several people. */
  | 'names differ'
  /** Several contacts of the other side fit equally well. */
  | 'several candidates'
  /** They share a phone number, and one name is a shorter form of the other, or one has none. */
  | 'same phone number'
  /** They have one full name or two forms of one, and other addresses, numbers or companies. */
  | 'same name';

/** Contacts that may be one person, for a person to decide. */
export type AmbiguousMatch = {
  readonly left: readonly string[];
  readonly right: readonly string[];
  readonly why: Ambiguity;
};

export type MatchResult = {
  readonly matches: readonly Match[];
  readonly ambiguous: readonly AmbiguousMatch[];
};

export type MatchInput = Sides<readonly Half[]> & {
  /** The groups that both sides have, or will have. */
  readonly links?: readonly GroupLink[];
  /** What names each side's account in the origins that this link leaves at the other side (R9). */
  readonly scopes?: Sides<string>;
  /** What a person said of two of the contacts. */
  readonly verdicts?: readonly Verdict[];
};

type Progress = {
  readonly left: Set<MatchablePerson>;
  readonly right: Set<MatchablePerson>;
  readonly matches: Match[];
  readonly ambiguous: AmbiguousMatch[];
  /** Whether a person keeps the two apart, by their ids at the left and at the right side. */
  readonly isApart: (leftId: string, rightId: string) => boolean;
};

const areApart = ({ isApart }: Progress, left: MatchablePerson, right: MatchablePerson): boolean =>
  isApart(left.record.id, right.record.id);

const take = (progress: Progress, left: MatchablePerson, right: MatchablePerson): void => {
  progress.left.delete(left);
  progress.right.delete(right);
  progress.matches.push({ left: left.half, right: right.half });
};

const idsOf = (people: Iterable<MatchablePerson>): readonly string[] => [
  ...new Set([...people].map(({ record }) => record.id)),
];

/** The contacts of undecided edges; those that compete with each other together. */
const rivalsOf = (edges: readonly Edge[], why: Ambiguity): readonly AmbiguousMatch[] => {
  const found: AmbiguousMatch[] = [];
  const byLeft = Map.groupBy(edges, (edge) => edge.left);
  const byRight = Map.groupBy(edges, (edge) => edge.right);
  const reported = new Set<Edge>();
  for (const start of edges) {
    if (reported.has(start)) continue;
    const rivals = new Set([start]);
    // The walk goes on over what is added meanwhile.
    for (const { left, right } of rivals) {
      for (const rival of byLeft.get(left) ?? []) rivals.add(rival);
      for (const rival of byRight.get(right) ?? []) rivals.add(rival);
    }
    for (const rival of rivals) reported.add(rival);
    found.push({
      left: idsOf([...rivals].map((edge) => edge.left)),
      right: idsOf([...rivals].map((edge) => edge.right)),
      why,
    });
  }
  return found;
};

/** Settles edges of one score: unique ones and copies of one person are paired, the rest is ambiguous. */
const takeEqualEdges = (progress: Progress, edges: readonly Edge[]): void => {
  const isOpen = (edge: Edge) => progress.left.has(edge.left) && progress.right.has(edge.right);
  const byLeft = Map.groupBy(edges, (edge) => edge.left);
  const byRight = Map.groupBy(edges, (edge) => edge.right);
  const unsure: Edge[] = [];
  for (const edge of edges) {
    if (!isOpen(edge)) continue;
    const rivals = [...(byLeft.get(edge.left) ?? []), ...(byRight.get(edge.right) ?? [])].filter(isOpen);
    const copies = rivals.every((rival) => {
      return rival.left.identity === edge.left.identity && rival.right.identity === edge.right.identity;
    });
    if (copies && !areApart(progress, edge.left, edge.right)) take(progress, edge.left, edge.right);
    else unsure.push(edge);
  }
  progress.ambiguous.push(...rivalsOf(unsure.filter(isOpen), 'several candidates'));
};

const takeBest = (progress: Progress, edges: readonly Edge[]): void => {
  const byScore = Map.groupBy(edges, (edge) => edge.score);
  for (const score of [...byScore.keys()].toSorted((a, b) => b - a)) takeEqualEdges(progress, byScore.get(score) ?? []);
};

const saysNothing = ({ content }: MatchablePerson): boolean => content === '';

const matchByOrigin = (progress: Progress, scopes: Sides<string> | undefined): void => {
  for (const side of SIDES) {
    const other = otherSide(side);
    const others = new Map([...progress[other]].map((person) => [person.record.id, person]));
    for (const person of progress[side]) {
      const { originId } = person.record;
      const origin = originId === null ? undefined : others.get(originId);
      if (origin === undefined || !progress[other].has(origin)) continue;
      const { id, contact } = origin.record;
      if (!wasMadeFor(person.record, { id, scope: scopes?.[other], contact })) continue;
      const [left, right] = side === 'left' ? [person, origin] : [origin, person];
      if (!areApart(progress, left, right)) take(progress, left, right);
    }
  }
};

/** Pairs contacts that say the very same: which of several copies is paired with which makes no difference. */
const takeCopies = (progress: Progress, keyOf: (person: MatchablePerson) => string): void => {
  const keys = (person: MatchablePerson) => (saysNothing(person) ? [] : [keyOf(person)]);
  const rights = indexBy(progress.right, keys);
  for (const [key, lefts] of indexBy(progress.left, keys)) {
    const copies = (rights.get(key) ?? []).toReversed();
    for (const left of lefts) {
      const at = copies.findLastIndex((copy) => !areApart(progress, left, copy));
      const [right] = at < 0 ? [] : copies.splice(at, 1);
      if (right !== undefined) take(progress, left, right);
    }
  }
};

/**
 * Pairs contacts of one name: those with more in common first, then the only ones of the name on both sides. A name alone
 * decides nothing about a contact that shares a phone number with another contact of a similar name.
 */
const matchByName = (progress: Progress): void => {
  takeBest(progress, namesakeEdges(progress));
  const likely = likelyEdges(progress);
  const byLeft = Map.groupBy(likely, ({ left }) => left);
  const byRight = Map.groupBy(likely, ({ right }) => right);
  const hasRival = (one: MatchablePerson, other: MatchablePerson): boolean =>
    byLeft.get(one)?.some(({ right }) => right !== other) === true ||
    byRight.get(other)?.some(({ left }) => left !== one) === true;
  const names = ({ name }: MatchablePerson) => (name === '' ? [] : [name]);
  const rights = indexBy(progress.right, names);
  for (const [name, left] of indexBy(progress.left, names)) {
    const right = rights.get(name) ?? [];
    const [first, second] = [left[0], right[0]];
    if (first === undefined || second === undefined) continue;
    if (left.length > 1 || right.length > 1) {
      progress.ambiguous.push({ left: idsOf(left), right: idsOf(right), why: 'several candidates' });
    } else if (!contradicts(first, second) && !hasRival(first, second) && !areApart(progress, first, second)) {
      take(progress, first, second);
    }
  }
};

/** Returns the match without contacts that a person keeps apart from all others of it. */
const withoutSettled = ({ isApart }: Progress, { left, right, why }: AmbiguousMatch): AmbiguousMatch => {
  const open = left.filter((leftId) => right.some((rightId) => !isApart(leftId, rightId)));
  return { left: open, right: right.filter((rightId) => open.some((leftId) => !isApart(leftId, rightId))), why };
};

const isUnsettled = ({ left, right }: AmbiguousMatch): boolean => left.length > 0 && right.length > 0;

/** Returns the ambiguous matches whose contacts are still unpaired. */
const stillAmbiguous = ({ left, right, ambiguous }: Progress): readonly AmbiguousMatch[] => {
  const open = { left: new Set(idsOf(left)), right: new Set(idsOf(right)) };
  const isOpen = (side: Side) => (id: string) => open[side].has(id);
  return ambiguous
    .map((rivals) => ({
      ...rivals,
      left: rivals.left.filter(isOpen('left')),
      right: rivals.right.filter(isOpen('right')),
    }))
    .filter(isUnsettled);
};

/** Returns a test whether two contacts are in one ambiguous match. */
const togetherIn = (ambiguous: readonly AmbiguousMatch[]): ((edge: Pick<Edge, 'left' | 'right'>) => boolean) => {
  const rivals = ambiguous.flatMap(({ left, right }) => {
    const rights = new Set(right);
    return left.map((id) => ({ id, rights }));
  });
  const byLeft = Map.groupBy(rivals, ({ id }) => id);
  return ({ left, right }) => byLeft.get(left.record.id)?.some(({ rights }) => rights.has(right.record.id)) ?? false;
};

/** Contacts that share an email address and were not paired because of their names, by address. */
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

/** Contacts that were not paired, although a reader may take them for one person (R13). */
const lookalikes = (progress: Progress, ambiguous: readonly AmbiguousMatch[]): readonly AmbiguousMatch[] => {
  const isKnown = togetherIn(ambiguous);
  const byPhone = rivalsOf(
    likelyEdges(progress).filter((edge) => !isKnown(edge)),
    'same phone number',
  );
  const isKnownToo = togetherIn(byPhone);
  const namesakes = similarNameEdges(progress).filter((edge) => !isKnown(edge) && !isKnownToo(edge));
  return [...byPhone, ...rivalsOf(namesakes, 'same name')];
};

/** Pairs those who are one person because somebody said so, whatever else speaks for or against it. */
const matchByHand = (progress: Progress, verdicts: readonly Verdict[]): void => {
  const together = verdicts.filter(({ says }) => says === 'together');
  if (together.length === 0) return;
  const lefts = new Map([...progress.left].map((person) => [person.record.id, person]));
  const rights = new Map([...progress.right].map((person) => [person.record.id, person]));
  for (const { leftId, rightId } of together) {
    const [left, right] = [lefts.get(leftId), rights.get(rightId)];
    if (left === undefined || right === undefined) continue;
    if (!progress.left.has(left) || !progress.right.has(right)) continue;
    progress.left.delete(left);
    progress.right.delete(right);
    progress.matches.push({ left: left.half, right: right.half, byHand: true });
  }
};

/** The people of a side; whom a person keeps apart from others chooses first among copies, as not all of them will do. */
const peopleOf = (
  halves: readonly Half[],
  personOf: (half: Half) => MatchablePerson,
  choosy: ReadonlySet<string>,
): readonly MatchablePerson[] => {
  const people = halves.map(personOf);
  if (choosy.size === 0) return people;
  const isChoosy = ({ record }: MatchablePerson): boolean => choosy.has(record.id);
  return [...people.filter(isChoosy), ...people.filter((person) => !isChoosy(person))];
};

const isApartBy = (apart: readonly Verdict[]): Progress['isApart'] => {
  const pairs = Map.groupBy(apart, ({ leftId }) => leftId);
  return (leftId, rightId) => pairs.get(leftId)?.some((verdict) => verdict.rightId === rightId) ?? false;
};

/**
 * Finds the contacts that are the same person on both sides (R13): by what a person said of them, else by the origin that a create left behind (R9), else by
 * the very same content, else by an email address where the names agree, else by phone and name, else by a full name that
 * is unique or has more in common, and that nothing contradicts. Pure; what it cannot decide is in `ambiguous`.
 */
export const matchContacts = ({ left, right, links = [], scopes, verdicts = [] }: MatchInput): MatchResult => {
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
  matchByOrigin(progress, scopes);
  takeCopies(progress, ({ content, groups }) =>
    groups.size === 0 ? content : `${content}\n${[...groups].toSorted().join('\n')}`,
  );
  takeCopies(progress, ({ content }) => content);
  takeBest(progress, emailEdges(progress));
  takeBest(progress, phoneEdges(progress));
  matchByName(progress);
  const open = stillAmbiguous(progress);
  const undecided = [...open, ...keptApart(progress, open)];
  const ambiguous = [...undecided, ...lookalikes(progress, undecided)].map((rivals) =>
    withoutSettled(progress, rivals),
  );
  return { matches: progress.matches, ambiguous: ambiguous.filter(isUnsettled) };
};
