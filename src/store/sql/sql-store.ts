import type { RowDigest } from '../../core/contact/requests.ts';
import type { LinkState, StoreChange, NotificationState } from '../../core/state/rows.ts';
import type { Side } from '../../core/contact/side.ts';
import { operationsOf } from './operations.ts';
import { toLink } from '../rows.ts';
import type { ScratchDatabase, SqlDatabase } from './dialect.ts';
import { copyLink } from './copy-rows.ts';
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
import { openingOf, selectOpening } from './read-opening.ts';
import { all } from './step.ts';
import type { HalfQuery, JournalQuery, Opening, RunQuery, Store } from '../store.ts';

/** The store on a database of either dialect. */
export class SqlStore implements Store {
  readonly #db: SqlDatabase;
  readonly #openScratch: () => ScratchDatabase;

  /** `openScratch` opens an empty database that ends with its connection. */
  constructor(db: SqlDatabase, openScratch: () => ScratchDatabase) {
    this.#db = db;
    this.#openScratch = openScratch;
  }

  sharedId = () => this.#db.sharedId();
  links = async (): Promise<readonly LinkState[]> => {
    const links = linkRowsOf(await this.#db.together(selectLinks(null))).map(toLink);
    return links.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  };

  link = async (name: string): Promise<LinkState> => {
    const read = async () => linkRowsOf(await this.#db.together(selectLinks(name)))[0];
    let rows = await read();
    if (rows === undefined) {
      await this.#db.run(() => all(insertLink(name)));
      rows = await read();
    }
    if (rows === undefined) throw new Error(`The row of the link ${name} is missing right after it was made.`);
    return toLink(rows);
  };

  opening = async (link: string): Promise<Opening> => {
    const opening = openingOf(await this.#db.together(selectOpening(this.#db.dialect, link)));
    if (opening === null) throw new Error(`The link ${link} has no row, although its lease was taken.`);
    return opening;
  };

  acquireLease = async (link: string, owner: string, nowMs: number, untilMs: number): Promise<number | null> => {
    const taking = takeLeaseRow(this.#db.dialect, { link, owner, nowMs, untilMs });
    const [taken] = await this.#db.run(() => all<{ token: number }>(taking));
    return taken?.token ?? null;
  };

  leaseOwner = (link: string) => this.#db.run(() => readOwner(link));
  releaseLease = async (link: string, owner: string): Promise<void> => {
    this.#db.released(link);
    await this.#db.run(() => all(dropLease(link, owner)));
  };

  swapNotificationState = (link: string, before: NotificationState, after: NotificationState) =>
    this.#db.run((attempt) => swapNotificationState(link, before, after, attempt));
  pausedByHandAtMs = (link: string) => this.#db.run(() => readPausedByHand(link));
  setPausedByHand = (link: string, atMs: number | null) => this.#db.run(() => setPausedByHand(link, atMs));

  halves = (link: string, query: HalfQuery) => this.#db.run(() => readHalves(this.#db.dialect, link, query));
  wholePairs = (link: string, asked: Parameters<Store['wholePairs']>[1]) =>
    this.#db.run(() => readWholePairs(this.#db.dialect, link, asked));
  pairs = (link: string, ids: readonly number[]) => this.#db.run(() => readPairs(this.#db.dialect, link, ids));
  index = (link: string, side: Side) => this.#db.run(() => readIndex(link, side));
  members = (link: string, groupIds: readonly string[]) =>
    this.#db.run(() => readMembers(this.#db.dialect, link, groupIds));
  shown = (link: string, side: Side) => this.#db.run(() => readShown(link, side));
  known = (link: string, side: Side, rows: readonly RowDigest[]) =>
    this.#db.run(() => findKnown(this.#db.dialect, link, side, rows));
  anyPresent = (link: string) => this.#db.run(() => readPresence(link));
  counts = (link: string) => this.#db.run(() => readCounts(link));

  commit = async (link: string, token: number, changes: readonly StoreChange[]): Promise<readonly number[]> => {
    const operations = operationsOf(this.#db.dialect, link, changes);
    const ids = await this.#db.commit({ link, token }, operations);
    if (changes.some(({ kind }) => kind === 'prune')) await this.#db.shrink();
    return ids;
  };

  journal = (link: string, query: JournalQuery) => this.#db.run(() => readJournal(this.#db.dialect, link, query));
  writeCounts = (link: string, run: string) => this.#db.run(() => readWriteCounts(link, run));
  runs = (link: string, query: RunQuery) => this.#db.run(() => readRuns(this.#db.dialect, link, query));
  conflicts = (link: string, { all: isAll }: { readonly all: boolean }) =>
    this.#db.run(() => readConflicts(link, isAll));
  budget = (key: string) => this.#db.run(() => readBudget(key));
  saveBudget = async (key: string, stateJson: string): Promise<void> => {
    await this.#db.run(() => all(writeBudget(key, stateJson)));
  };

  scratch = async (link: string): Promise<Store> => {
    const scratch = this.#openScratch();
    await copyLink(this.#db, scratch, link);
    return new SqlStore(scratch, this.#openScratch);
  };
  compact = () => this.#db.compact();
  close = () => this.#db.close();
}
