import type { Person } from '../people/person.ts';

const NONE: readonly never[] = [];

/** A list without the room to spare that building it has left: a hundred thousand people multiply it. */
const compact = <Item>(list: readonly Item[]): readonly Item[] => (list.length === 0 ? NONE : list.slice());

/** The people of a file as far as there is room for them. */
export class Gathering {
  readonly people: Person[] = [];
  /** How many more the file has. */
  leftOut = 0;
  readonly #most: number;
  readonly #spellings = new Map<string, string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds somebody, each group spelt as it was first: groups that differ by case are one. */
  add(person: Person): void {
    if (this.people.length === this.#most) {
      this.leftOut += 1;
      return;
    }
    this.people.push({
      ...person,
      emails: compact(person.emails),
      phones: compact(person.phones),
      websites: compact(person.websites),
      addresses: compact(person.addresses),
      groups: compact([...new Set(person.groups.map((name) => this.#spelt(name)))]),
    });
  }

  #spelt(name: string): string {
    const key = name.normalize('NFC').toLowerCase();
    const known = this.#spellings.get(key);
    if (known === undefined) this.#spellings.set(key, name);
    return known ?? name;
  }
}
