import { type Half, halfKey } from '../contact/half.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';
import { fullNames, personReader } from './matchable-person.ts';
import type { Verdict } from './verdict.ts';

/** The parts of an unpaired contact that decide whether it is paired by its content alone (R13). */
type TwinKey = {
  readonly side: Side;
  readonly id: string;
  /** The contact of the other side that it was created for (R9), by its origin or its mark. */
  readonly originId: string | null;
  /** The digest of all values of the contact; empty if it has no values. */
  readonly content: string;
  /** True if the side has a part of its name that the link does not sync: its content alone is no evidence. */
  readonly hasUnsyncedName: boolean;
};

/** Returns a short text for the values of a contact: equal for equal values. */
type Digest = (content: string) => string;

const personOf = personReader([]);

const digested = (content: string, digest: Digest): string => (content === '' ? '' : digest(content));

/** Returns the key of a contact. `marked` are the ids of the other side's contacts by their marks (R9). Pure. */
export const twinKeyOf = (half: Half, marked: ReadonlyMap<string, string>, digest: Digest): TwinKey => {
  const { content, record } = personOf(half);
  return {
    side: half.side,
    id: half.id,
    originId: record.originId ?? (record.originMark === undefined ? null : (marked.get(record.originMark) ?? null)),
    content: digested(content, digest),
    hasUnsyncedName: record.unsyncedName !== undefined,
  };
};

/** The state of a pass over the keys of both sides. */
export type TwinSearch = {
  /** For each content, the id of the only contact with it; null if several contacts have it. */
  readonly byContent: Sides<Map<string, string | null>>;
  /**
   * Contacts, by side and id, that are not matched by their content alone: contacts with an origin (R9), contacts that an origin
   * refers to, and contacts that a person decided about.
   */
  readonly named: Set<string>;
};

/** Starts a search; `judged` are the contacts, by side and id, that a person decided about. */
export const newTwinSearch = (judged: Iterable<string>): TwinSearch => ({
  byContent: { left: new Map(), right: new Map() },
  named: new Set(judged),
});

/** Adds a contact to the search. Contacts of the left side must come first. */
export const searchTwin = (
  { byContent, named }: TwinSearch,
  { side, id, originId, content, hasUnsyncedName }: TwinKey,
): void => {
  const own = byContent[side];
  if (originId !== null) {
    named.add(halfKey({ side, id }));
    named.add(halfKey({ side: otherSide(side), id: originId }));
  }
  if (content === '' || (side === 'right' && !byContent.left.has(content))) return;
  own.set(content, hasUnsyncedName || own.has(content) ? null : id);
};

/**
 * Returns the contacts with equal content that are the only ones on their sides with it. They are paired with each other regardless
 * of other contacts (R13). Contacts in `named` are left out: they are compared with all others. Pure.
 */
export const twinsIn = ({ byContent, named }: TwinSearch): readonly Pick<Verdict, 'leftId' | 'rightId'>[] => {
  const isFree = (side: Side, id: string): boolean => !named.has(halfKey({ side, id }));
  return [...byContent.right].flatMap(([content, rightId]) => {
    const leftId = byContent.left.get(content) ?? null;
    if (leftId === null || rightId === null) return [];
    return isFree('left', leftId) && isFree('right', rightId) ? [{ leftId, rightId }] : [];
  });
};

/** Returns the keys that a contact is compared by: two contacts are compared only if they share one. Pure. */
export const comparedBy = (half: Half, digest: Digest): readonly string[] => {
  const person = personOf(half);
  const { content, emails, naming, numbers } = person;
  const names = naming.name === '' ? fullNames(person) : [naming.name, ...fullNames(person)];
  return [
    ...names.map((key) => `name ${key}`),
    ...[...emails].map((key) => `email ${key}`),
    ...[...numbers.phoneTails].map((key) => `phone ${key}`),
    ...(content === '' ? [] : [`content ${digest(content)}`]),
  ];
};

/** Returns whether no contact of the other side can be the same person, by the keys of that side. Pure. */
export const cannotMatch = (half: Half, others: ReadonlySet<string>, digest: Digest, { named }: TwinSearch): boolean =>
  !named.has(halfKey(half)) && comparedBy(half, digest).every((key) => !others.has(key));
