import { type Half, halfKey } from '../contact/half.ts';
import { otherSide, type Side, type Sides } from '../contact/side.ts';
import { fullNames, personReader } from './matchable-person.ts';
import type { Verdict } from './verdict.ts';

/** The parts of an unpaired contact that decide whether it must be compared with others when contacts are first matched (R13). */
export type Sketch = {
  readonly side: Side;
  readonly id: string;
  /** The contact of the other side that it was created for (R9), by its origin or its mark. */
  readonly originId: string | null;
  /** All values of the contact, or a digest of them; empty if it has no values. */
  readonly content: string;
  /** True if the side has a part of its name that the link does not sync: its content alone is no evidence. */
  readonly hasUnsyncedName: boolean;
  /** Two contacts are compared only if they share one of these keys or have the same content. */
  readonly keys: readonly string[];
};

const personOf = personReader([]);

/** Returns the sketch of a contact. `marked` are the ids of the other side's contacts by their marks (R9). Pure. */
export const sketchOf = (half: Half, marked: ReadonlyMap<string, string> = new Map()): Sketch => {
  const person = personOf(half);
  const { content, emails, name, phoneTails, record } = person;
  const named = [...(name === '' ? [] : [name]), ...fullNames(person)].map((key) => `name ${key}`);
  const keys = [...named, ...[...emails].map((key) => `email ${key}`), ...[...phoneTails].map((key) => `phone ${key}`)];
  return {
    side: half.side,
    id: half.id,
    originId: record.originId ?? (record.originMark === undefined ? null : (marked.get(record.originMark) ?? null)),
    content,
    hasUnsyncedName: record.unsyncedName !== undefined,
    keys,
  };
};

/** The state of a pass over the sketches of both sides. */
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
  { side, id, originId, content, hasUnsyncedName }: Sketch,
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

/** Returns the keys that the contacts of a side are compared by. */
export const comparedBy = ({ content, keys }: Sketch): readonly string[] =>
  content === '' ? keys : [...keys, `content ${content}`];

/** Returns whether no contact of the other side can be the same person, by the keys of that side. Pure. */
export const cannotMatch = (sketch: Sketch, others: ReadonlySet<string>, { named }: TwinSearch): boolean =>
  !named.has(halfKey(sketch)) && comparedBy(sketch).every((key) => !others.has(key));
