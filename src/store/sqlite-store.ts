import { eq } from 'drizzle-orm';
import type { Side } from '../contact/contact.ts';
import { applyChange } from './changes.ts';
import { copyToMemory, openDatabase, type OpenDatabase, type Orm } from './database.ts';
import { closeListing, dropListing, listMissing, putPage, readFeed, startListing } from './feed.ts';
import { forgetMapping } from './forget.ts';
import { readConflicts, readIntended, readRejections, writeIntents } from './history.ts';
import { dropLease, openLink, patchLink, readLinks, takeLease } from './links.ts';
import { budgets, runs } from './schema.ts';
import type {
  ContactScope,
  JournalEntry,
  LinkRow,
  RunOutcome,
  StagedPage,
  Store,
  StoreChange,
  StoredRunKind,
} from './store.ts';
import { findRuns, readJournal, readKnownContacts, readLastRun, readLastWritingRun, readPairsWith } from './story.ts';
import { readCounts, readGroupPairs, readPairedIds, readWorkload } from './workload.ts';

/** The store on SQLite. Each method is one transaction of the database's own process, so none waits for anything. */
class SqliteStore implements Store {
  readonly #database: OpenDatabase;

  constructor(database: OpenDatabase) {
    this.#database = database;
  }

  get database(): OpenDatabase {
    return this.#database;
  }

  #atomic<T>(step: (orm: Orm) => T): Promise<T> {
    return Promise.try(() => this.#database.orm.transaction(step, { behavior: 'immediate' }));
  }

  #read<T>(step: (orm: Orm) => T): Promise<T> {
    return Promise.try(() => step(this.#database.orm));
  }

  link = (name: string) => this.#atomic((orm) => openLink(orm, name));
  links = () => this.#read(readLinks);
  updateLink = (name: string, patch: Partial<Omit<LinkRow, 'name'>>) =>
    this.#atomic((orm) => patchLink(orm, name, patch));
  acquireLease = (name: string, owner: string, nowMs: number, untilMs: number) =>
    this.#atomic((orm) => takeLease(orm, name, owner, nowMs, untilMs));
  releaseLease = (name: string, owner: string) => this.#atomic((orm) => dropLease(orm, name, owner));
  replaceAccount = (name: string, side: Side, account: string) =>
    this.#atomic((orm) => forgetMapping(orm, name, side, account));

  feed = (link: string, side: Side) => this.#read((orm) => readFeed(orm, { link, side }));
  beginListing = (link: string, side: Side, nowMs: number) =>
    this.#atomic((orm) => startListing(orm, { link, side }, nowMs));
  stagePage = (link: string, side: Side, page: StagedPage) => this.#atomic((orm) => putPage(orm, { link, side }, page));
  finishListing = (link: string, side: Side) => this.#atomic((orm) => closeListing(orm, { link, side }));
  discardListing = (link: string, side: Side) => this.#atomic((orm) => dropListing(orm, { link, side }));
  missing = (link: string, side: Side) => this.#read((orm) => listMissing(orm, { link, side }));

  workload = (link: string, groupIds: readonly string[]) => this.#read((orm) => readWorkload(orm, link, groupIds));
  counts = (link: string) => this.#read((orm) => readCounts(orm, link));
  pairedIds = (link: string, side: Side, among: readonly string[] | 'all') =>
    this.#read((orm) => readPairedIds(orm, link, side, among));
  groupPairs = (link: string) => this.#read((orm) => readGroupPairs(orm, link));
  rejections = (link: string) => this.#read((orm) => readRejections(orm, link));

  intend = (link: string, run: string, entries: readonly JournalEntry[], nowMs: number) =>
    this.#atomic((orm) => writeIntents(orm, { link, run, nowMs }, entries));
  intended = (link: string) => this.#read((orm) => readIntended(orm, link));
  commit = (link: string, changes: readonly StoreChange[]) =>
    this.#atomic((orm) => {
      for (const change of changes) applyChange(orm, link, change);
    });

  startRun = (run: { id: string; link: string; kind: StoredRunKind; undoes: string | null; startedAtMs: number }) =>
    this.#atomic((orm) => {
      const { undoes, ...rest } = run;
      const summaryJson = undoes === null ? null : JSON.stringify({ undoes });
      orm
        .insert(runs)
        .values({ ...rest, outcome: 'running', summaryJson })
        .run();
    });
  endRun = (id: string, end: { outcome: RunOutcome; reason: string | null; summary: object; endedAtMs: number }) =>
    this.#atomic((orm) => {
      const { summary, ...rest } = end;
      orm
        .update(runs)
        .set({ ...rest, summaryJson: JSON.stringify(summary) })
        .where(eq(runs.id, id))
        .run();
    });
  lastRun = (link: string, outcome?: RunOutcome) => this.#read((orm) => readLastRun(orm, link, outcome));
  lastWritingRun = (link: string) => this.#read((orm) => readLastWritingRun(orm, link));
  findRuns = (link: string, idPrefix: string) => this.#read((orm) => findRuns(orm, link, idPrefix));
  journalOf = (link: string, of: { readonly run: string } | ContactScope) =>
    this.#read((orm) => readJournal(orm, link, of));
  pairsWith = (link: string, of: ContactScope) => this.#read((orm) => readPairsWith(orm, link, of));
  knownContacts = (link: string) => this.#read((orm) => readKnownContacts(orm, link));
  conflicts = (link: string, options: { all: boolean }) => this.#read((orm) => readConflicts(orm, link, options.all));

  loadBudget = (key: string) =>
    this.#read((orm) => orm.select().from(budgets).where(eq(budgets.key, key)).get()?.stateJson ?? null);
  saveBudget = (key: string, stateJson: string) =>
    this.#atomic((orm) => {
      orm
        .insert(budgets)
        .values({ key, stateJson })
        .onConflictDoUpdate({ target: budgets.key, set: { stateJson } })
        .run();
    });

  close(): Promise<void> {
    return Promise.try(() => void this.#database.client.close());
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
  return Object.assign(store, { copy: (): Store => new SqliteStore(copyToMemory(store.database)) });
};
