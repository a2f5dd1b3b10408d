import type { Person } from '../people/person.ts';

/** A place of an address book file that could not be taken over; the reason holds nothing of the file's content. */
export type Problem = {
  /** The line of the file, counted from 1. */
  readonly line: number;
  /** How many lines from there on it concerns. */
  readonly lines: number;
  readonly reason: string;
};

/** Problems of one kind: how many there are, and the first of them. */
export type Problems = { readonly count: number; readonly first: readonly Problem[] };

/** What a file holds, and what of it could not be taken over. */
export type AddressBook = {
  readonly people: readonly Person[];
  /** How many more people the file has than there was room for. */
  readonly leftOut: number;
  /** Lines that say nothing; whatever else their card holds was loaded. */
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
