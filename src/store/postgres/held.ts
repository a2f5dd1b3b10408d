import type { Sides } from '../../contact/side.ts';
import type { Half } from '../../contact/half.ts';
import { inOrder } from '../half-query.ts';
import { knownAfter, knownHalves, NOTHING_KNOWN, type Known, type Opening } from './known.ts';
import type {
  ConflictRow,
  HalfQuery,
  JournalQuery,
  JournalRow,
  LinkState,
  PairRow,
  RunQuery,
  RunRow,
  StoreChange,
} from '../store.ts';
import type { WithPairs } from './read-halves.ts';

/** What this process knows of a link while it has its lease, and what it has not stored yet. */
export class Held {
  readonly owner: string;
  readonly token: number;
  /** Whole pairs that were read since the last commit. */
  #read: WithPairs[] = [];
  #version = 0;
  /** What the next commit takes along. */
  waiting: readonly StoreChange[] = [];
  #known: Known;

  constructor(owner: string, token: number, opening: Opening | null) {
    this.owner = owner;
    this.token = token;
    this.#known = opening ?? NOTHING_KNOWN;
  }

  get link(): LinkState | null {
    return this.#known.link;
  }

  get anyPresent(): Sides<boolean> | null {
    return this.#known.anyPresent;
  }

  journal(query: JournalQuery): readonly JournalRow[] | null {
    return 'open' in query ? this.#known.open : null;
  }

  runs(query: RunQuery): readonly RunRow[] | null {
    return 'latest' in query && query.latest === 'completed' ? this.#known.completed : null;
  }

  conflicts(all: boolean): readonly ConflictRow[] | null {
    return all ? null : this.#known.conflicts;
  }

  /** What was read; null where not all of these pairs were. */
  #readOf(ids: readonly number[]): readonly WithPairs[] | null {
    const found = new Set(this.#read.flatMap(({ pairs }) => pairs.map(({ id }) => id)));
    return ids.every((id) => found.has(id)) ? this.#read : null;
  }

  pairs(ids: readonly number[]): readonly PairRow[] | null {
    const asked = new Set(ids);
    const rows = this.#readOf(ids)?.flatMap(({ pairs }) => pairs.filter(({ id }) => asked.has(id)));
    if (rows === undefined) return null;
    return [...new Map(rows.map((row) => [row.id, row])).values()].toSorted((one, other) => one.id - other.id);
  }

  /** Counts what was sent to be committed, and what was: what was read across either may be old. */
  get version(): number {
    return this.#version;
  }

  /** Keeps what was read since that version, until something is committed; it is asked for by its pairs alone. */
  keep(read: WithPairs, since: number): void {
    if (since === this.#version && read.pairs.length > 0) this.#read.push(read);
  }

  /** Takes in that something is being committed. */
  change(): void {
    this.#version += 1;
    this.#read = [];
  }

  #halvesOf(ids: readonly number[]): readonly Half[] | null {
    const asked = new Set(ids);
    const found = this.#readOf(ids)?.flatMap(({ all }) => all.filter(({ pair }) => pair !== null && asked.has(pair)));
    if (found === undefined) return null;
    return inOrder([...new Map(found.map((half) => [`${half.side} ${half.id}`, half])).values()]);
  }

  halves(query: HalfQuery): readonly Half[] | null {
    if (query.by === 'pair') return this.#halvesOf(query.pairs);
    return knownHalves(this.#known, query);
  }

  /** Forgets everything: it may have been changed from elsewhere, or half of a commit may have been made. */
  forget(): void {
    this.change();
    this.#known = NOTHING_KNOWN;
  }

  forgetLink(): void {
    this.#known = { ...this.#known, link: null };
  }

  /** Takes in that a commit was made. */
  follow(changes: readonly StoreChange[]): void {
    this.change();
    this.#known = changes.reduce(knownAfter, this.#known);
  }
}
