import type { Person } from '../people/person.ts';

/** An unusable address book file. The message contains the path and the remedy, but nothing of the content. */
export class AddressBookError extends Error {
  override readonly name = 'AddressBookError';
}

/** A part of a file that could not be loaded. The reason contains nothing of the file's content. */
export type Problem = {
  /** The line of the file, counted from 1. */
  readonly line: number;
  /** The number of affected lines from there. */
  readonly lines: number;
  readonly reason: string;
};

/** Problems of one kind: their number, and the first ones. */
export type Problems = { readonly count: number; readonly first: readonly Problem[] };

/** The content of a file, and its problems. */
export type AddressBook = {
  readonly people: readonly Person[];
  /** The number of people beyond the limit. */
  readonly leftOut: number;
  /** Lines that could not be parsed. The rest of their card was loaded. */
  readonly skipped: Problems;
  /** Cards and rows without a person. */
  readonly refused: Problems;
};

/** Further problems are only counted: a file of another kind has one on each line. */
const LISTED_MAX = 100;

/** Collects problems of one kind, in the order of the file. */
export class ProblemList {
  #count = 0;
  #last: Problem | null = null;
  readonly #listed: Problem[] = [];

  /** Adds a problem of one line. Neighbouring lines with the same problem are one entry. */
  add(line: number, reason: string): void {
    this.#count += 1;
    const last = this.#last;
    const isNext = last !== null && last.reason === reason && last.line + last.lines === line;
    if (isNext && this.#listed.at(-1) === last) this.#listed.pop();
    this.#last = isNext ? { ...last, lines: last.lines + 1 } : { line, lines: 1, reason };
    if (this.#listed.length < LISTED_MAX) this.#listed.push(this.#last);
  }

  toProblems(): Problems {
    return { count: this.#count, first: this.#listed };
  }
}

const NONE: readonly never[] = [];

/** Returns a list without unused capacity, which would be large for a hundred thousand people. */
const compact = <Item>(list: readonly Item[]): readonly Item[] => (list.length === 0 ? NONE : list.slice());

/** Collects the people of a file up to a limit. */
export class Gathering {
  readonly people: Person[] = [];
  /** The number of people over the limit. */
  leftOut = 0;
  readonly #most: number;
  readonly #spellings = new Map<string, string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a person. Groups that differ only in case get the spelling of the first one. */
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

/** Receives the result of a reader, in the order of the file. */
type Taker = {
  readonly add: (person: Person) => void;
  readonly skipped: ProblemList;
  readonly refused: ProblemList;
};

/** The content of a file from its beginning. */
type FileBytes = {
  /** True if the file was UTF-16. Its chunks are then UTF-8, whatever charset it declares. */
  readonly isTranscoded: boolean;
  /** At least one chunk, without a byte order mark. */
  readonly chunks: AsyncIterable<Buffer>;
};

/** Reads a file of one kind. Rejects with an AddressBookError, without the file name, if it is of another kind. */
export type ReadFile = (file: FileBytes, taker: Taker) => Promise<void>;
