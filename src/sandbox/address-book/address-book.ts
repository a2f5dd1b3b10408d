import type { FileBytes } from './load.ts';
import type { Person } from '../people/person.ts';

/** An address book file that cannot be used. The message contains the path and the remedy, and nothing of the content. */
export class AddressBookError extends Error {
  override readonly name = 'AddressBookError';
}

/** A part of an address book file that could not be loaded. The reason contains nothing of the file's content. */
export type Problem = {
  /** The line of the file, counted from 1. */
  readonly line: number;
  /** How many lines from there on it concerns. */
  readonly lines: number;
  readonly reason: string;
};

/** Problems of one kind: how many there are, and the first of them. */
export type Problems = { readonly count: number; readonly first: readonly Problem[] };

/** The content of a file, and its problems. */
export type AddressBook = {
  readonly people: readonly Person[];
  /** How many more people the file has than there was room for. */
  readonly leftOut: number;
  /** Lines that could not be parsed; the rest of their card was loaded. */
  readonly skipped: Problems;
  /** Cards and rows of which no person could be made. */
  readonly refused: Problems;
};

/** More are counted, not listed: a file of another kind has one on each line. */
const LISTED_MAX = 100;

/** Gathers problems of one kind, in the order of the file. */
export class ProblemList {
  #count = 0;
  #last: Problem | null = null;
  readonly #listed: Problem[] = [];

  /** A problem with one line; neighbouring lines with the same problem are one entry. */
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

/** A list without the room to spare that building it has left: a hundred thousand people multiply it. */
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

/** Reads a file of one kind. Rejects with an AddressBookError, which does not name the file, where it is of another. */
export type ReadFile = (file: Pick<FileBytes, 'isTranscoded' | 'chunks'>, taker: Taker) => Promise<void>;
