import type { Side } from '../../contact/side.ts';
import { applyChanges } from '../changes.ts';
import type { HalfQuery, JournalQuery, RowDigest, RunQuery, Store, StoreChange } from '../store.ts';
import type { Told } from '../told.ts';
import { readBudget, writeBudget } from './budgets.ts';
import { rowWriter } from './changes.ts';
import { readConflicts } from './conflicts.ts';
import { readShown } from './cursors.ts';
import { openDatabase, rewrite, shrink, type Db } from './database.ts';
import { findKnown, readCounts, readIndex, readPresence } from './half-index.ts';
import { readHalves, readMembers } from './halves.ts';
import { readJournal, readWriteCounts } from './journal.ts';
import { checkToken, dropLease, readOwner, takeLease } from './lease.ts';
import { makeLink, readLink, readLinks, setPausedByHand, swapTold } from './links.ts';
import { readPairs } from './pairs.ts';
import { readRuns } from './runs.ts';
import { explainTrouble } from './trouble.ts';

/** The store on SQLite. Each method is one transaction of the database's own process, so none waits for anything. */
class SqliteStore implements Store {
  readonly #db: Db;
  readonly #path: string;

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

  sharedId = () => Promise.resolve(null);
  links = () => this.#read((db) => db.atOnce(() => readLinks(db)));
  link = async (name: string) =>
    (await this.#read((db) => db.atOnce(() => readLink(db, name)))) ?? this.#atomic((db) => makeLink(db, name));
  acquireLease = (link: string, owner: string, nowMs: number, untilMs: number) =>
    this.#atomic((db) => takeLease(db, { link, owner, nowMs, untilMs }));
  leaseOwner = (link: string) => this.#read((db) => readOwner(db, link));
  releaseLease = (link: string, owner: string) => this.#atomic((db) => dropLease(db, link, owner));
  swapTold = (link: string, before: Told, after: Told) => this.#atomic((db) => swapTold(db, link, before, after));
  pausedByHandAtMs = async (link: string) => (await this.link(link)).pausedByHandAtMs;
  setPausedByHand = (link: string, atMs: number | null) => this.#atomic((db) => setPausedByHand(db, link, atMs));

  halves = (link: string, query: HalfQuery) => this.#read((db) => readHalves(db, link, query));
  pairs = (link: string, ids: readonly number[]) => this.#read((db) => readPairs(db, link, ids));
  index = (link: string, side: Side) => this.#read((db) => readIndex(db, { link, side }));
  members = (link: string, groupIds: readonly string[]) => this.#read((db) => readMembers(db, link, groupIds));
  shown = (link: string, side: Side) => this.#read((db) => readShown(db, { link, side }));
  known = (link: string, side: Side, rows: readonly RowDigest[]) =>
    this.#read((db) => findKnown(db, { link, side }, rows));
  anyPresent = (link: string) => this.#read((db) => readPresence(db, link));
  counts = (link: string) => this.#read((db) => readCounts(db, link));

  commit = async (link: string, token: number, changes: readonly StoreChange[]) => {
    const ids = await this.#atomic((db) => {
      checkToken(db, link, token);
      return applyChanges(rowWriter(db, link), changes);
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
