import type { Side } from '../../contact/side.ts';
import { applyChanges } from '../changes.ts';
import { knownAfter, NOTHING_KNOWN, type Known } from '../known.ts';
import type { HalfQuery, JournalQuery, RunQuery, Store, StoreChange } from '../store.ts';
import type { Told } from '../told.ts';
import { readBudget, writeBudget } from './budgets.ts';
import { rowWriter } from './changes.ts';
import { readConflicts } from './conflicts.ts';
import { readShown } from './cursors.ts';
import { openDatabase, rewrite, shrink, type Db } from './database.ts';
import { findKnown, readCounts, readIndex } from './half-index.ts';
import { readHalves, readMembers } from './halves.ts';
import { readJournal, readWriteCounts } from './journal.ts';
import { checkToken, dropLease, readOwner, takeLease } from './lease.ts';
import { openLink, readLinks, setPausedByHand, swapTold } from './links.ts';
import { readPairs } from './pairs.ts';
import { readRuns } from './runs.ts';
import { explainTrouble } from './trouble.ts';

/** The store on SQLite. Each method is one transaction of the database's own process, so none waits for anything. */
class SqliteStore implements Store {
  readonly #db: Db;
  readonly #path: string;
  /** The links that this process has the lease of, by name: who has it, and what is known of the link. */
  readonly #held = new Map<string, { readonly owner: string; readonly token: number; known: Known }>();

  constructor(db: Db, path: string) {
    this.#db = db;
    this.#path = path;
  }

  /** What the database itself cannot do is said with the file, the cause and the remedy. */
  readonly #explain = (error: unknown): never => {
    throw explainTrouble(error, this.#path);
  };

  #atomic<T>(step: (db: Db) => T): Promise<T> {
    return Promise.try(() => this.#db.atomic(() => step(this.#db))).catch(this.#explain);
  }

  #read<T>(step: (db: Db) => T): Promise<T> {
    return Promise.try(() => step(this.#db)).catch(this.#explain);
  }

  #knownOf(link: string): Known {
    return this.#held.get(link)?.known ?? NOTHING_KNOWN;
  }

  /** Keeps what was read of a link as long as this process has its lease and changes nothing of it. */
  #keep<Part>(link: string, name: keyof Known, value: Part): Part {
    const held = this.#held.get(link);
    if (held !== undefined) held.known = { ...held.known, [name]: value };
    return value;
  }

  readonly #readLink = (name: string) => this.#atomic((db) => this.#keep(name, 'link', openLink(db, name)));

  sharedId = () => Promise.resolve(null);
  links = () => this.#atomic(readLinks);
  link = async (name: string) => this.#knownOf(name).link ?? (await this.#readLink(name));
  acquireLease = async (link: string, owner: string, nowMs: number, untilMs: number) => {
    const token = await this.#atomic((db) => takeLease(db, { link, owner, nowMs, untilMs }));
    const held = this.#held.get(link);
    // With another token others may have changed the link meanwhile.
    if (held?.owner === owner && held.token !== token) this.#held.delete(link);
    if (token !== null && held?.token !== token) this.#held.set(link, { owner, token, known: NOTHING_KNOWN });
    return token;
  };
  leaseOwner = (link: string) => this.#read((db) => readOwner(db, link));
  releaseLease = (link: string, owner: string) => {
    if (this.#held.get(link)?.owner === owner) this.#held.delete(link);
    return this.#atomic((db) => dropLease(db, link, owner));
  };
  swapTold = (link: string, before: Told, after: Told) => {
    this.#keep(link, 'link', null);
    return this.#atomic((db) => swapTold(db, link, before, after));
  };
  pausedByHandAtMs = async (link: string) => (await this.#readLink(link)).pausedByHandAtMs;
  setPausedByHand = (link: string, atMs: number | null) => {
    this.#keep(link, 'link', null);
    return this.#atomic((db) => setPausedByHand(db, link, atMs));
  };

  halves = (link: string, query: HalfQuery) => this.#read((db) => readHalves(db, link, query));
  pairs = (link: string, ids: readonly number[]) => this.#read((db) => readPairs(db, link, ids));
  index = (link: string, side: Side) => this.#read((db) => readIndex(db, { link, side }));
  members = (link: string, groupIds: readonly string[]) => this.#read((db) => readMembers(db, link, groupIds));
  shown = (link: string, side: Side) => this.#read((db) => readShown(db, { link, side }));
  known = (link: string, side: Side, rows: readonly { readonly id: string; readonly digest: string }[]) =>
    this.#read((db) => findKnown(db, { link, side }, rows));
  counts = async (link: string) =>
    this.#knownOf(link).counts ?? (await this.#read((db) => this.#keep(link, 'counts', readCounts(db, link))));

  commit = async (link: string, token: number, changes: readonly StoreChange[]) => {
    const ids = await this.#read((db) => {
      const made = db.atomic(() => {
        checkToken(db, link, token);
        return applyChanges(rowWriter(db, link), changes);
      });
      const held = this.#held.get(link);
      if (held !== undefined) held.known = changes.reduce(knownAfter, held.known);
      return made;
    });
    if (changes.some(({ kind }) => kind === 'prune')) await this.#read(shrink);
    return ids;
  };

  journal = (link: string, query: JournalQuery) => this.#read((db) => readJournal(db, link, query));
  writeCounts = (link: string, run: string) => this.#read((db) => readWriteCounts(db, link, run));
  runs = (link: string, query: RunQuery) => this.#read((db) => readRuns(db, link, query));
  conflicts = (link: string, options: { readonly all: boolean }) =>
    this.#read((db) => readConflicts(db, link, options.all));
  budget = (key: string) => this.#read((db) => readBudget(db, key));
  saveBudget = (key: string, stateJson: string) => this.#atomic((db) => writeBudget(db, key, stateJson));

  compact = () => this.#read(rewrite);
  close = () => Promise.try(() => void this.#db.client.close()).catch(this.#explain);
}

/**
 * Opens the store in a file, made and migrated where needed.
 *
 * @throws {StoreError} where the file is corrupt, of a newer version or cannot be opened; it is left untouched.
 */
export const openStore = (path: string): Store => new SqliteStore(openDatabase(path), path);
