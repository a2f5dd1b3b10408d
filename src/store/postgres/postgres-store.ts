import type { Side } from '../../contact/side.ts';
import {
  FenceError,
  type HalfQuery,
  type JournalQuery,
  type RowDigest,
  type RunQuery,
  type Store,
  type StoreChange,
} from '../store.ts';
import type { HostedRows } from '../hosted.ts';
import type { Told } from '../told.ts';
import { commit, RowIds } from './commit.ts';
import { openDatabase, type DatabaseOptions, type Db } from './database.ts';
import type { Held } from './held.ts';
import { hostedRows } from './hosted-rows.ts';
import {
  dropLease,
  readOwner,
  readPausedByHand,
  renewLease,
  setPausedByHand,
  swapTold,
  takeLease,
  type LeaseClock,
} from './lease.ts';
import {
  findKnown,
  readCounts,
  readHalves,
  readIndex,
  readMembers,
  readPairs,
  readPresence,
  readWithPairs,
} from './read-halves.ts';
import { readConflicts, readJournal, readRuns, readWriteCounts } from './read-history.ts';
import { openLink, readBudget, readLinks, readSharedId, readShown, writeBudget } from './read-links.ts';

export type PostgresOptions = DatabaseOptions & {
  /** Names a commit. */
  readonly newId: () => string;
  /** The database's own unless a test moves time itself. */
  readonly leaseClock?: LeaseClock;
};

/** A store with what the hosts that work on it share beside it. */
export type HostedStore = Store & { readonly hosted: HostedRows };

/** The store on PostgreSQL, for daemons on many hosts. Each method is one statement, or one transaction. */
class PostgresStore implements HostedStore {
  readonly #db: Db;
  readonly #newId: () => string;
  readonly #leaseClock: LeaseClock;
  readonly #rowIds = new RowIds();
  /** The links that this process has the lease of, by name. */
  readonly #held = new Map<string, Held>();
  readonly hosted: HostedRows;

  constructor(options: PostgresOptions) {
    this.#db = openDatabase(options);
    this.#newId = options.newId;
    this.#leaseClock = options.leaseClock ?? 'database';
    this.hosted = hostedRows(this.#db);
  }

  sharedId = () => readSharedId(this.#db);
  links = () => readLinks(this.#db);
  link = async (name: string) => this.#held.get(name)?.link ?? (await openLink(this.#db, name));

  acquireLease = async (link: string, owner: string, nowMs: number, untilMs: number): Promise<number | null> => {
    const asked = { link, owner, nowMs, untilMs };
    const held = this.#held.get(link);
    if (held?.owner === owner) {
      const token = await renewLease(this.#db, this.#leaseClock, asked);
      if (token !== held.token) this.#held.delete(link);
      return token;
    }
    const taken = await takeLease(this.#db, this.#leaseClock, asked);
    // Another owner in this process may have it; what that one knows is not asked for any more.
    if (taken !== null) this.#held.set(link, taken);
    return taken?.token ?? null;
  };

  leaseOwner = (link: string) => readOwner(this.#db, link);
  releaseLease = async (link: string, owner: string): Promise<void> => {
    if (this.#held.get(link)?.owner === owner) {
      try {
        await this.#settle(link);
      } finally {
        // From now on others may change the link, whatever became of the last words.
        this.#rowIds.forget(link);
        this.#held.delete(link);
      }
    }
    await dropLease(this.#db, link, owner);
  };
  swapTold = (link: string, before: Told, after: Told) => {
    this.#held.get(link)?.forgetLink();
    return swapTold(this.#db, link, before, after);
  };

  pausedByHandAtMs = (link: string) => readPausedByHand(this.#db, link);
  setPausedByHand = (link: string, atMs: number | null) => {
    this.#held.get(link)?.forgetLink();
    return setPausedByHand(this.#db, link, atMs);
  };

  halves = async (link: string, query: HalfQuery) => {
    const held = this.#held.get(link);
    const known = held?.halves(query);
    if (known) return known;
    if (held === undefined || query.by !== 'id') return readHalves(this.#db, link, query);
    const { version } = held;
    const read = await readWithPairs(this.#db, link, query.side, query.ids);
    held.keep(read, version);
    return read.asked;
  };
  pairs = async (link: string, ids: readonly number[]) =>
    this.#held.get(link)?.pairs(ids) ?? (await readPairs(this.#db, link, ids));
  index = (link: string, side: Side) => readIndex(this.#db, link, side);
  members = (link: string, groupIds: readonly string[]) => readMembers(this.#db, link, groupIds);
  shown = (link: string, side: Side) => readShown(this.#db, link, side);
  known = (link: string, side: Side, rows: readonly RowDigest[]) => findKnown(this.#db, link, side, rows);
  anyPresent = async (link: string) => this.#held.get(link)?.anyPresent ?? (await readPresence(this.#db, link));
  counts = (link: string) => readCounts(this.#db, link);

  commit = async (link: string, token: number, changes: readonly StoreChange[]): Promise<readonly number[]> => {
    const held = this.#held.get(link);
    if (held?.token !== token) return this.#send(link, token, changes);
    // That a run begins is stored with the first thing that it finds out.
    if (changes.length > 0 && changes.every(({ kind }) => kind === 'run-started')) {
      held.waiting = [...held.waiting, ...changes];
      return [];
    }
    return this.#sendHeld(link, held, changes);
  };

  async #sendHeld(link: string, held: Held, changes: readonly StoreChange[]): Promise<readonly number[]> {
    const { waiting } = held;
    held.waiting = [];
    held.change();
    try {
      const ids = await this.#send(link, held.token, [...waiting, ...changes]);
      held.follow(changes);
      return ids;
    } catch (error) {
      held.waiting = [...waiting, ...held.waiting];
      held.forget();
      throw error;
    }
  }

  #send(link: string, token: number, changes: readonly StoreChange[]): Promise<readonly number[]> {
    return commit(this.#db, this.#rowIds, { link, token, key: this.#newId() }, changes);
  }

  /** Stores what waits for the next commit. */
  async #settle(link: string): Promise<void> {
    const held = this.#held.get(link);
    if (held === undefined || held.waiting.length === 0) return;
    await this.#sendHeld(link, held, []).catch((error: unknown) => {
      // The link is another process's: there is nothing left to store.
      if (!(error instanceof FenceError)) throw error;
      held.waiting = [];
    });
  }

  journal = async (link: string, query: JournalQuery) =>
    this.#held.get(link)?.journal(query) ?? (await readJournal(this.#db, link, query));
  writeCounts = (link: string, run: string) => readWriteCounts(this.#db, link, run);
  runs = async (link: string, query: RunQuery) => {
    const known = this.#held.get(link)?.runs(query);
    if (known) return known;
    await this.#settle(link);
    return readRuns(this.#db, link, query);
  };
  conflicts = async (link: string, { all }: { readonly all: boolean }) =>
    this.#held.get(link)?.conflicts(all) ?? (await readConflicts(this.#db, link, all));
  budget = (key: string) => readBudget(this.#db, key);
  saveBudget = (key: string, stateJson: string) => writeBudget(this.#db, key, stateJson);

  /** What was dropped is gone with the next vacuum, which the server does by itself. */
  compact = () => Promise.resolve();
  close = () => this.#db.close();
}

/** The store on PostgreSQL; connects, and migrates the database where needed, when it is first used. */
export const openPostgres = (options: PostgresOptions): HostedStore => new PostgresStore(options);
