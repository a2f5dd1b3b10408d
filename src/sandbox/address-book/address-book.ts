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
type Problems = { readonly count: number; readonly first: readonly Problem[] };

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
class ProblemList {
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

/** Receives the people and the problems of a file from its reader, in the order of the file. */
export class AddressBookBuilder {
  readonly skipped = new ProblemList();
  readonly refused = new ProblemList();
  readonly #people: Person[] = [];
  readonly #most: number;
  readonly #spellings = new Map<string, string>();
  #leftOut = 0;

  /** Keeps at most `most` people and counts the others. */
  constructor(most = Infinity) {
    this.#most = most;
  }

  /** Adds a person. Groups that differ only in case get the spelling of the first one. */
  add(person: Person): void {
    if (this.#people.length < this.#most) {
      const groups = new Set(person.groups.map((name) => this.#firstSpelling(name)));
      this.#people.push({ ...person, groups: [...groups] });
    } else this.#leftOut += 1;
  }

  build(): AddressBook {
    const [skipped, refused] = [this.skipped.toProblems(), this.refused.toProblems()];
    return { people: this.#people, leftOut: this.#leftOut, skipped, refused };
  }

  #firstSpelling(name: string): string {
    const key = name.normalize('NFC').toLowerCase();
    const known = this.#spellings.get(key) ?? name;
    this.#spellings.set(key, known);
    return known;
  }
}

/** Reads a file of one kind. Throws an AddressBookError, without the file name, if it is of another kind. */
export type ReadFile = (bytes: Buffer, book: AddressBookBuilder) => void;
