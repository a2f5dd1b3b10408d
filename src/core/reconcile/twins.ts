import type { Half } from '../contact/half.ts';
import type { Side, Sides } from '../contact/side.ts';
import { fullNames, personReader } from './match-person.ts';

/** As much of a contact of no pair as tells whether it has to be weighed with others at a first meeting (R13). */
export type Sketch = {
  readonly side: Side;
  readonly id: string;
  readonly originId: string | null;
  /** Everything that it says, or a digest of that; the empty string where it says nothing. */
  readonly content: string;
  /** Without one of these in common, and without the same content, two contacts are not compared. */
  readonly keys: readonly string[];
};

const personOf = personReader([]);

/** The sketch of a contact. Pure. */
export const sketchOf = (half: Half): Sketch => {
  const person = personOf(half);
  const { content, emails, name, phones, record } = person;
  const named = [...(name === '' ? [] : [name]), ...fullNames(person)].map((key) => `name ${key}`);
  const keys = [...named, ...[...emails].map((key) => `email ${key}`), ...[...phones].map((key) => `phone ${key}`)];
  return { side: half.side, id: half.id, originId: record.originId, content, keys };
};

/** Two contacts of equal content, by their ids. */
export type Twins = { readonly leftId: string; readonly rightId: string };

/** What a pass over the sketches of both sides gathers. */
export type TwinSearch = {
  /** By content the one contact that says it; null where several do. */
  readonly byContent: Sides<Map<string, string | null>>;
  /** Contacts about which something else than what they say decides, by side and id. */
  readonly named: Set<string>;
};

export const newTwinSearch = (): TwinSearch => ({ byContent: { left: new Map(), right: new Map() }, named: new Set() });

const nameOf = (side: Side, id: string): string => `${side} ${id}`;

/** Takes in a contact; those of the left side come first. */
export const searchTwin = ({ byContent, named }: TwinSearch, { side, id, originId, content }: Sketch): void => {
  const own = byContent[side];
  if (originId !== null) {
    named.add(nameOf(side, id));
    named.add(nameOf(side === 'left' ? 'right' : 'left', originId));
  }
  if (content === '' || (side === 'right' && !byContent.left.has(content))) return;
  own.set(content, own.has(content) ? null : id);
};

/**
 * The contacts of equal content that are the only ones of their sides to say it: whatever else there is, they are paired
 * with each other (R13). Left out are those that carry an origin (R9), that an origin names, or of which a person said
 * something: these are weighed with all others. Pure.
 */
export const twinsIn = ({ byContent, named }: TwinSearch, judged: ReadonlySet<string>): readonly Twins[] => {
  const isFree = (side: Side, id: string): boolean => !named.has(nameOf(side, id)) && !judged.has(nameOf(side, id));
  return [...byContent.right].flatMap(([content, rightId]) => {
    const leftId = byContent.left.get(content) ?? null;
    if (leftId === null || rightId === null) return [];
    return isFree('left', leftId) && isFree('right', rightId) ? [{ leftId, rightId }] : [];
  });
};

/** What the contacts of a side are compared by. */
export const comparedBy = ({ content, keys }: Sketch): readonly string[] =>
  content === '' ? keys : [...keys, `content ${content}`];

/** Whether nobody of the other side can be the same person as this contact, by what that side is compared by. Pure. */
export const isStranger = (sketch: Sketch, others: ReadonlySet<string>, { named }: TwinSearch): boolean =>
  !named.has(nameOf(sketch.side, sketch.id)) && comparedBy(sketch).every((key) => !others.has(key));
