import { type Half, halfKey } from '../contact/half.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { fullNames, personReader } from './matchable-person.ts';
import type { Verdict } from './verdict.ts';

/** An unpaired contact and what it is compared by, as hashes: a collision only compares more contacts. */
export type ComparedContact = {
  readonly side: Side;
  readonly id: string;
  /** Two contacts are compared only if they share a key or a number. */
  readonly keys: readonly number[];
  readonly numbers: readonly number[];
};

/** Evidence about unpaired contacts that is not a value of theirs. */
type Evidence = {
  /** By the mark of a contact, the contact of the other side that it was created for (R9). */
  readonly marked: ReadonlyMap<string, string>;
  readonly verdicts: readonly Verdict[];
};

/** Returns the 32-bit FNV-1a hash of a text. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
};

const personOf = personReader([]);

/** Returns what an unpaired contact is compared by (R13). Pure. */
export const comparedContact = (half: Half, { marked, verdicts }: Evidence): ComparedContact => {
  const { side, id, record } = half;
  const person = personOf(half);
  const { content, emails, naming, numbers } = person;
  const originId = record.originId ?? marked.get(record.originMark ?? '') ?? null;
  const joined = verdicts.filter(({ leftId, rightId, says }) => says === 'together' && [leftId, rightId].includes(id));
  const keys = [
    `contact ${halfKey(half)}`,
    ...(originId === null ? [] : [`contact ${halfKey({ side: otherSide(side), id: originId })}`]),
    ...joined.map(({ leftId, rightId }) => `verdict ${leftId} ${rightId}`),
    ...(content === '' ? [] : [`content ${content}`]),
    ...[naming.name, ...fullNames(person)].filter((name) => name !== '').map((name) => `name ${name}`),
    ...[...emails].map((email) => `email ${email}`),
  ];
  const phones = [...numbers.phoneTails].map((tail) => `phone ${tail}`);
  return { side, id, keys: keys.map(hashOf), numbers: phones.map(hashOf) };
};

/** Above this many contacts with a phone number, such as that of a company, only contacts of one name are compared by it. */
const CROWD = 1_000;

/** Returns the numbers that connect contacts: those that no crowd has. */
const connectingNumbers = (contacts: readonly ComparedContact[]): ReadonlySet<number> => {
  const counts = new Map<number, number>();
  for (const { numbers } of contacts) for (const each of numbers) counts.set(each, (counts.get(each) ?? 0) + 1);
  return new Set([...counts].flatMap(([each, count]) => (count > 1 && count <= CROWD ? [each] : [])));
};

/**
 * Divides unpaired contacts into sets. A contact is compared only with contacts of its set, so each set can be matched apart from
 * the others with the same result. Contacts keep their order, and sets that of their first contact. Pure.
 */
export const independentSets = (contacts: readonly ComparedContact[]): readonly (readonly ComparedContact[])[] => {
  // Union-find: each contact refers to an earlier one of its set, the first one to itself.
  const earlier = contacts.map((_, index) => index);
  const firstOf = (index: number): number => {
    let at = index;
    for (let next = earlier[at] ?? at; next !== at; next = earlier[at] ?? at) {
      earlier[at] = earlier[next] ?? next;
      at = next;
    }
    return at;
  };
  const numbers = connectingNumbers(contacts);
  const holders = new Map<number, number>();
  for (const [index, contact] of contacts.entries()) {
    for (const key of [...contact.keys, ...contact.numbers.filter((each) => numbers.has(each))]) {
      const [own, other] = [firstOf(index), firstOf(holders.get(key) ?? index)];
      earlier[Math.max(own, other)] = Math.min(own, other);
      holders.set(key, index);
    }
  }
  return [...Map.groupBy(contacts.keys(), firstOf).values()].map((set) =>
    set.flatMap((index) => contacts[index] ?? []),
  );
};
