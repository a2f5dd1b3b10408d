import { type Half, halfKey } from '../contact/half.ts';
import { otherSide, type Side } from '../contact/side.ts';
import { fullNames, personReader } from './matchable-person.ts';
import type { Verdict } from './verdict.ts';

/** An unpaired contact. */
export type ContactId = { readonly side: Side; readonly id: string };

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
  return hash >>> 0;
};

const personOf = personReader([]);

/** Returns what an unpaired contact is compared by (R13): two contacts are compared only if they share a value or a number. */
const comparedBy = (half: Half, { marked, verdicts }: Evidence) => {
  const { side, id, record } = half;
  const person = personOf(half);
  const { emails, naming, numbers } = person;
  const originId = record.originId ?? marked.get(record.originMark ?? '') ?? null;
  const joined = verdicts.filter(({ leftId, rightId, says }) => says === 'together' && [leftId, rightId].includes(id));
  const names = [naming.name, ...fullNames(person)].filter((name) => name !== '').map((name) => `name ${name}`);
  const own = [...names, ...[...emails].map((email) => `email ${email}`)];
  const values = [
    ...own,
    `contact ${halfKey(half)}`,
    ...(originId === null ? [] : [`contact ${halfKey({ side: otherSide(side), id: originId })}`]),
    ...joined.map(({ leftId, rightId }) => `verdict ${leftId} ${rightId}`),
    // Contacts of one content share each other value as well.
    ...(own.length === 0 && person.content !== '' ? [`content ${person.content}`] : []),
  ];
  return { values, numbers: [...numbers.phoneTails] };
};

/** Above this many contacts with a phone number, such as that of a company, only contacts of one name are compared by it. */
const CROWD = 1_000;

/** More than the number of contacts of an account. */
const MOST_CONTACTS = 2 ** 20;

/** A text and the index of a contact that has it, in one number: a collision of texts only compares more contacts. */
const entryOf = (text: string, index: number): number => hashOf(text) * MOST_CONTACTS + index;

/** Calls `take` with the contacts that share a text, by their indexes in order, for each text. */
const eachShared = (entries: readonly number[], take: (indexes: Float64Array) => void): void => {
  const sorted = Float64Array.from(entries).sort();
  const hashAt = (at: number): number => Math.floor((sorted[at] ?? -1) / MOST_CONTACTS);
  for (let from = 0, to = 1; from < sorted.length; from = to, to += 1) {
    while (hashAt(to) === hashAt(from)) to += 1;
    if (to - from > 1) take(sorted.subarray(from, to).map((entry) => entry % MOST_CONTACTS));
  }
};

/**
 * Divides unpaired contacts into sets. A contact is compared only with contacts of its set, so each set can be matched apart from
 * the others with the same result. Of each contact, only numbers are kept in memory.
 */
export class IndependentSets {
  readonly #contacts: ContactId[] = [];
  readonly #values: number[] = [];
  readonly #numbers: number[] = [];

  add(half: Half, evidence: Evidence): void {
    const index = this.#contacts.push({ side: half.side, id: half.id }) - 1;
    const { values, numbers } = comparedBy(half, evidence);
    for (const value of values) this.#values.push(entryOf(value, index));
    for (const number of numbers) this.#numbers.push(entryOf(number, index));
  }

  /** Returns the sets. Contacts are in the order in which they were added, and sets in that of their first contact. */
  sets(): readonly (readonly ContactId[])[] {
    // Union-find: each contact refers to an earlier one of its set, the first one to itself.
    const earlier = this.#contacts.map((_, index) => index);
    const firstOf = (index: number): number => {
      let at = index;
      for (let next = earlier[at] ?? at; next !== at; next = earlier[at] ?? at) {
        earlier[at] = earlier[next] ?? next;
        at = next;
      }
      return at;
    };
    const unite = ([first = 0, ...others]: Float64Array): void => {
      for (const other of others) {
        const [one, another] = [firstOf(first), firstOf(other)];
        earlier[Math.max(one, another)] = Math.min(one, another);
      }
    };
    eachShared(this.#values, unite);
    eachShared(this.#numbers, (indexes) => {
      if (indexes.length <= CROWD) unite(indexes);
    });
    const sets = Map.groupBy(this.#contacts.keys(), firstOf).values();
    return [...sets].map((set) => set.flatMap((index) => this.#contacts[index] ?? []));
  }
}
