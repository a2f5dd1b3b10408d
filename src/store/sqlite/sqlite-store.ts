import type { Side } from '../../contact/side.ts';
import { applyChanges } from '../changes.ts';
import type { HalfQuery, JournalQuery, LinkState, RowDigest, RunQuery, Store, StoreChange } from '../store.ts';
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

/** What was read, and the database's version then: no other process has committed anything while it is the same. */
type AsOf<T> = { readonly version: number; readonly value: T };

/** The store on SQLite. Each method is one transaction of the database's own process, so none waits for anything. */
class SqliteStore implements Store {
  readonly #db: Db;
  readonly #path: string;
  /** The links that this process has the lease of, which their runs read again and again; null once it changed them itself. */
  readonly #leased = new Map<string, AsOf<LinkState> | null>();

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

  /** As {@link #atomic}, for what changes the link. */
  #change<T>(link: string, step: (db: Db) => T): Promise<T> {
    if (this.#leased.has(link)) this.#leased.set(link, null);
    return this.#atomic(step);
  }

  #read<T>(step: (db: Db) => T): Promise<T> {
    return Promise.try(() => step(this.#db)).catch(this.#explain);
  }

  /** What is known of the link and still true. */
  #knownLink(name: string): LinkState | null {
    const known = this.#leased.get(name) ?? null;
    return known !== null && known.version === this.#db.pragma('data_version') ? known.value : null;
  }

  /** Null where there is no such link. */
  #readLink(name: string): LinkState | null {
    const [version, value] = this.#db.atOnce(() => [this.#db.pragma('data_version'), readLink(this.#db, name)]);
    if (value !== null && this.#leased.has(name)) this.#leased.set(name, { version, value });
    return value;
  }

  sharedId = () => Promise.resolve(null);
  links = () => this.#read((db) => db.atOnce(() => readLinks(db)));
  link = async (name: string) =>
    (await this.#read(() => this.#knownLink(name) ?? this.#readLink(name))) ?? this.#atomic((db) => makeLink(db, name));
  acquireLease = async (link: string, owner: string, nowMs: number, untilMs: number) => {
    const token = await this.#atomic((db) => takeLease(db, { link, owner, nowMs, untilMs }));
    if (token !== null && !this.#leased.has(link)) this.#leased.set(link, null);
    return token;
  };
  leaseOwner = (link: string) => this.#read((db) => readOwner(db, link));
  releaseLease = (link: string, owner: string) => {
    this.#leased.delete(link);
    return this.#atomic((db) => dropLease(db, link, owner));
  };
  swapTold = (link: string, before: Told, after: Told) => this.#change(link, (db) => swapTold(db, link, before, after));
  pausedByHandAtMs = async (link: string) => (await this.link(link)).pausedByHandAtMs;
  setPausedByHand = (link: string, atMs: number | null) => this.#change(link, (db) => setPausedByHand(db, link, atMs));

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
    const ids = await this.#change(link, (db) => {
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
