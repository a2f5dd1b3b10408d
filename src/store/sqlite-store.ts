import { eq } from './drizzle.ts';
import type { Side } from '../contact/side.ts';
import { applyChange } from './changes.ts';
import { copyToMemory, openDatabase, type Db } from './database.ts';
import { closeListing, dropListing, findKnownRows, listMissing, putPage, readFeed, startListing } from './feed.ts';
import { forgetMapping } from './forget.ts';
import { createGroupCommit } from './group-commit.ts';
import { readConflicts, readIntended, readRejections, writeIntents } from './history.ts';
import { dropLease, openLink, patchLink, readLinks, takeLease } from './links.ts';
import { writeRunEnd, writeRunStart } from './runs.ts';
import { budgets } from './schema.ts';
import type {
  ContactScope,
  JournalEntry,
  LinkRow,
  RunEnd,
  RunOutcome,
  RunStart,
  StagedPage,
  Store,
  StoreChange,
} from './store.ts';
import { findRuns, readJournal, readKnownContacts, readLastRun, readLastWritingRun, readPairsWith } from './story.ts';
import { readCounts, readGroupPairs, readPairedIds, readWorkload } from './workload.ts';

/** The store on SQLite. Each method is one transaction of the database's own process, so none waits for anything. */
class SqliteStore implements Store {
  readonly #db: Db;
  readonly #together: ReturnType<typeof createGroupCommit>;

  constructor(db: Db) {
    this.#db = db;
    this.#together = createGroupCommit(db);
  }

  get db(): Db {
    return this.#db;
  }

  #atomic<T>(step: (db: Db) => T): Promise<T> {
    return Promise.try(() => this.#db.atomic(() => step(this.#db)));
  }

  #read<T>(step: (db: Db) => T): Promise<T> {
    return Promise.try(() => step(this.#db));
  }

  link = (name: string) => this.#atomic((db) => openLink(db, name));
  links = () => this.#read(readLinks);
  updateLink = (name: string, patch: Partial<Omit<LinkRow, 'name'>>) =>
    this.#atomic((db) => patchLink(db, name, patch));
  acquireLease = (name: string, owner: string, nowMs: number, untilMs: number) =>
    this.#atomic((db) => takeLease(db, name, owner, nowMs, untilMs));
  releaseLease = (name: string, owner: string) => this.#atomic((db) => dropLease(db, name, owner));
  replaceAccount = (name: string, side: Side, account: string) =>
    this.#atomic((db) => forgetMapping(db, name, side, account));

  feed = (link: string, side: Side) => this.#read((db) => readFeed(db, { link, side }));
  beginListing = (link: string, side: Side, nowMs: number) =>
    this.#atomic((db) => startListing(db, { link, side }, nowMs));
  stagePage = (link: string, side: Side, page: StagedPage) => this.#atomic((db) => putPage(db, { link, side }, page));
  knownRows = (link: string, side: Side, rows: readonly { readonly id: string; readonly digest: string }[]) =>
    this.#read((db) => findKnownRows(db, { link, side }, rows));
  finishListing = (link: string, side: Side, nowMs: number) =>
    this.#atomic((db) => closeListing(db, { link, side }, nowMs));
  discardListing = (link: string, side: Side) => this.#atomic((db) => dropListing(db, { link, side }));
  missing = (link: string, side: Side) => this.#read((db) => listMissing(db, { link, side }));

  workload = (link: string, groupIds: readonly string[]) => this.#read((db) => readWorkload(db, link, groupIds));
  counts = (link: string) => this.#read((db) => readCounts(db, link));
  pairedIds = (link: string, side: Side) => this.#read((db) => readPairedIds(db, link, side));
  groupPairs = (link: string) => this.#read((db) => readGroupPairs(db, link));
  rejections = (link: string) => this.#read((db) => readRejections(db, link));

  intend = (link: string, run: string, entries: readonly JournalEntry[], nowMs: number) =>
    this.#together(() => writeIntents(this.#db, { link, run, atMs: nowMs }, entries));
  intended = (link: string) => this.#read((db) => readIntended(db, link));
  commit = (link: string, changes: readonly StoreChange[]) =>
    this.#together(() => {
      for (const change of changes) applyChange(this.#db, link, change);
    });

  startRun = (run: RunStart) => this.#atomic((db) => writeRunStart(db, run));
  endRun = (id: string, end: RunEnd) => this.#atomic((db) => writeRunEnd(db, id, end));
  lastRun = (link: string, outcome?: RunOutcome) => this.#read((db) => readLastRun(db, link, outcome));
  lastWritingRun = (link: string) => this.#read((db) => readLastWritingRun(db, link));
  findRuns = (link: string, idPrefix: string) => this.#read((db) => findRuns(db, link, idPrefix));
  journalOf = (link: string, of: { readonly run: string } | ContactScope) =>
    this.#read((db) => readJournal(db, link, of));
  pairsWith = (link: string, of: ContactScope) => this.#read((db) => readPairsWith(db, link, of));
  knownContacts = (link: string) => this.#read((db) => readKnownContacts(db, link));
  conflicts = (link: string, options: { all: boolean }) => this.#read((db) => readConflicts(db, link, options.all));

  loadBudget = (key: string) =>
    this.#read((db) => db.orm.select().from(budgets).where(eq(budgets.key, key)).get()?.stateJson ?? null);
  saveBudget = (key: string, stateJson: string) =>
    this.#atomic((db) => {
      db.orm
        .insert(budgets)
        .values({ key, stateJson })
        .onConflictDoUpdate({ target: budgets.key, set: { stateJson } })
        .run();
    });

  close(): Promise<void> {
    return Promise.try(() => void this.#db.client.close());
  }
}

/** A store that can be looked at without being changed. */
export type FileStore = Store & {
  /** The same content in memory: what is done to the copy leaves the file as it is. */
  copy(): Store;
};

/**
 * Opens the store in a file, made and migrated where needed.
 *
 * @throws {StoreError} where the file is corrupt, of a newer version or cannot be opened; it is left untouched.
 */
export const openStore = (path: string): FileStore => {
  const store = new SqliteStore(openDatabase(path));
  return Object.assign(store, { copy: (): Store => new SqliteStore(copyToMemory(store.db)) });
};
