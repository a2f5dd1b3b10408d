import type { RowDigest } from '../../core/contact/requests.ts';
import type { LinkState, StoreChange, NotificationState } from '../../core/state/rows.ts';
import type { Side } from '../../core/contact/side.ts';
import { FenceError } from '../errors.ts';
import { LeaseCache, selectFirstReads } from './lease-cache.ts';
import { operationsOf, type Operations, type RowOperation } from './operations.ts';
import { toLink, type LinkRows } from '../rows.ts';
import type { SqlDatabase } from './dialect.ts';
import { copyLink } from './copy-rows.ts';
import { pruneOperations } from './prune.ts';
import {
  findKnown,
  readCounts,
  readHalves,
  readIndex,
  readMembers,
  readPairs,
  readPresence,
  readWholePairs,
} from './read-halves.ts';
import { readConflicts, readJournal, readRuns, readWriteCounts } from './read-history.ts';
import {
  dropLease,
  insertLink,
  linkRowsOf,
  readBudget,
  readOwner,
  readPausedByHand,
  readShown,
  selectLinks,
  setPausedByHand,
  swapNotificationState,
  takeLeaseRow,
  writeBudget,
} from './read-links.ts';
import { all } from './step.ts';
import type { HalfQuery, JournalQuery, RunQuery, Store } from '../store.ts';

type StoreOptions = {
  /** Names a commit. */
  readonly newId: () => string;
  /** Opens an empty database that ends with its connection. */
  readonly openScratch: () => SqlDatabase;
};

/** The store on a database of either dialect. */
class SqlStore implements Store {
  readonly #db: SqlDatabase;
  readonly #options: StoreOptions;
  /** The links that this process holds the lease of, by name. */
  readonly #leased = new Map<string, LeaseCache>();

  constructor(db: SqlDatabase, options: StoreOptions) {
    this.#db = db;
    this.#options = options;
  }

  sharedId = () => this.#db.sharedId();
  links = async (): Promise<readonly LinkState[]> => {
    const links = linkRowsOf(await this.#db.together(selectLinks(null))).map(toLink);
    return links.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  };

  async #linkRows(name: string): Promise<LinkRows | null> {
    return linkRowsOf(await this.#db.together(selectLinks(name)))[0] ?? null;
  }

  link = async (name: string): Promise<LinkState> => {
    const known = this.#leased.get(name)?.link ?? null;
    if (known !== null) return known;
    let rows = await this.#linkRows(name);
    if (rows === null) {
      await this.#db.run(() => all(insertLink(name)));
      rows = await this.#linkRows(name);
    }
    if (rows === null) throw new Error(`The row of the link ${name} is missing right after it was made.`);
    this.#leased.get(name)?.keepLink(rows);
    return toLink(rows);
  };

  acquireLease = async (link: string, owner: string, nowMs: number, untilMs: number): Promise<number | null> => {
    const { dialect } = this.#db;
    const taking = takeLeaseRow(dialect, { link, owner, nowMs, untilMs });
    const held = this.#leased.get(link);
    if (held?.owner === owner) {
      const [renewed] = await this.#db.run(() => all<{ token: number }>(taking));
      if (renewed?.token !== held.token) this.#leased.delete(link);
      return renewed?.token ?? null;
    }
    const taken = await this.#db.lease(link, taking, selectFirstReads(dialect, link));
    if (taken === null) return null;
    // Replaces the cache of another owner in this process.
    this.#leased.set(link, new LeaseCache(link, owner, taken.token, taken.read));
    return taken.token;
  };

  leaseOwner = (link: string) => this.#db.run(() => readOwner(link));
  releaseLease = async (link: string, owner: string): Promise<void> => {
    if (this.#leased.get(link)?.owner === owner) {
      try {
        await this.#settle(link);
      } finally {
        // From now on others may change the link, even if the uncommitted operations could not be stored.
        this.#db.released(link);
        this.#leased.delete(link);
      }
    }
    await this.#db.run(() => all(dropLease(link, owner)));
  };

  swapNotificationState = (link: string, before: NotificationState, after: NotificationState) => {
    this.#leased.get(link)?.dropLink();
    return this.#db.run((attempt) => swapNotificationState(link, before, after, attempt));
  };
  pausedByHandAtMs = (link: string) => this.#db.run(() => readPausedByHand(link));
  setPausedByHand = (link: string, atMs: number | null) => {
    this.#leased.get(link)?.dropLink();
    return this.#db.run(() => setPausedByHand(link, atMs));
  };

  halves = async (link: string, query: HalfQuery) =>
    this.#leased.get(link)?.halves(query) ?? (await this.#db.run(() => readHalves(this.#db.dialect, link, query)));
  wholePairs = (link: string, asked: Parameters<Store['wholePairs']>[1]) =>
    this.#db.run(() => readWholePairs(this.#db.dialect, link, asked));
  pairs = (link: string, ids: readonly number[]) => this.#db.run(() => readPairs(this.#db.dialect, link, ids));
  index = (link: string, side: Side) => this.#db.run(() => readIndex(link, side));
  members = (link: string, groupIds: readonly string[]) =>
    this.#db.run(() => readMembers(this.#db.dialect, link, groupIds));
  shown = (link: string, side: Side) => this.#db.run(() => readShown(link, side));
  known = (link: string, side: Side, rows: readonly RowDigest[]) =>
    this.#db.run(() => findKnown(this.#db.dialect, link, side, rows));
  anyPresent = async (link: string) =>
    this.#leased.get(link)?.presence ?? (await this.#db.run(() => readPresence(link)));
  counts = (link: string) => this.#db.run(() => readCounts(link));

  commit = async (link: string, token: number, changes: readonly StoreChange[]): Promise<readonly number[]> => {
    const operations = operationsOf(link, changes, pruneOperations(this.#db.dialect));
    const held = this.#leased.get(link);
    if (held?.token !== token) return this.#send(link, token, operations);
    // That a run has started is stored with its first other commit.
    if (changes.length > 0 && changes.every(({ kind }) => kind === 'run-started')) {
      held.uncommitted = [...held.uncommitted, ...operations.operations];
      return [];
    }
    const ids = await this.#sendHeld(link, held, operations);
    if (changes.some(({ kind }) => kind === 'prune')) await this.#db.shrink();
    return ids;
  };

  async #sendHeld(link: string, held: LeaseCache, { operations, returned }: Operations): Promise<readonly number[]> {
    const { uncommitted } = held;
    held.uncommitted = [];
    const ofLink: RowOperation[] = [];
    const sent = { operations: held.beforeCommit([uncommitted, operations], ofLink), returned };
    try {
      const ids = await this.#send(link, held.token, sent);
      held.afterCommit(ofLink);
      return ids;
    } catch (error) {
      held.uncommitted = [...uncommitted, ...held.uncommitted];
      held.dropAll();
      throw error;
    }
  }

  #send(link: string, token: number, operations: Operations): Promise<readonly number[]> {
    return this.#db.commit({ link, token, key: this.#options.newId() }, operations);
  }

  /** Stores the operations that wait for the next commit. */
  async #settle(link: string): Promise<void> {
    const held = this.#leased.get(link);
    if (held === undefined || held.uncommitted.length === 0) return;
    await this.#sendHeld(link, held, { operations: [], returned: [] }).catch((error: unknown) => {
      // Another process holds the lease: there is nothing left to store.
      if (!(error instanceof FenceError)) throw error;
      held.uncommitted = [];
    });
  }

  journal = async (link: string, query: JournalQuery) =>
    this.#leased.get(link)?.journal(query) ?? (await this.#db.run(() => readJournal(this.#db.dialect, link, query)));
  writeCounts = (link: string, run: string) => this.#db.run(() => readWriteCounts(link, run));
  runs = async (link: string, query: RunQuery) => {
    const known = this.#leased.get(link)?.runs(query);
    if (known) return known;
    await this.#settle(link);
    return this.#db.run(() => readRuns(this.#db.dialect, link, query));
  };
  conflicts = async (link: string, { all: isAll }: { readonly all: boolean }) =>
    this.#leased.get(link)?.conflicts(isAll) ?? (await this.#db.run(() => readConflicts(link, isAll)));
  budget = (key: string) => this.#db.run(() => readBudget(key));
  saveBudget = async (key: string, stateJson: string): Promise<void> => {
    await this.#db.run(() => all(writeBudget(key, stateJson)));
  };

  scratch = async (link: string): Promise<Store> => {
    const scratch = this.#options.openScratch();
    await copyLink(this.#db, scratch, link);
    return new SqlStore(scratch, this.#options);
  };
  compact = () => this.#db.compact();
  close = () => this.#db.close();
}

export const createStore = (db: SqlDatabase, options: StoreOptions): Store => new SqlStore(db, options);
