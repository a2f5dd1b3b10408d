import type { LinkState } from '../../core/state/rows.ts';
import { operationsOf } from './operations.ts';
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
  linksOf,
  readBudget,
  readOwner,
  readPausedByHand,
  readShown,
  selectLinks,
  setPausedByHand,
  swapNotificationState,
  takeLease,
  writeBudget,
} from './read-links.ts';
import { openingOf, selectOpening } from './read-opening.ts';
import { all } from './step.ts';
import { tokenTable } from './token-table.ts';
import type { StoreWithTokens } from '../vault.ts';

/** Reads a link, which is made on first use. */
const readLink = async (db: SqlDatabase, name: string): Promise<LinkState> => {
  const read = async () => linksOf(await db.together(selectLinks(name)))[0];
  const known = await read();
  if (known !== undefined) return known;
  await db.run(() => all(insertLink(name)));
  const made = await read();
  if (made === undefined) throw new Error(`The row of the link ${name} is missing right after it was made.`);
  return made;
};

/** The store on a database of either dialect. `openScratch` opens an empty database that ends with its connection. */
export const createStore = (db: SqlDatabase, openScratch: () => ScratchDatabase): StoreWithTokens => {
  const { dialect } = db;
  return {
    tokens: tokenTable(db),
    sharedId: () => db.sharedId(),
    links: async () => {
      const links = linksOf(await db.together(selectLinks(null)));
      return links.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    },
    link: (name) => readLink(db, name),
    opening: async (link) => {
      const opening = openingOf(await db.together(selectOpening(dialect, link)));
      if (opening === null) throw new Error(`The link ${link} has no row, although its lease was taken.`);
      return opening;
    },
    acquireLease: (...of) => db.run(() => takeLease(dialect, ...of)),
    leaseOwner: (link) => db.run(() => readOwner(link)),
    releaseLease: async (link, owner) => {
      db.released(link);
      await db.run(() => all(dropLease(link, owner)));
    },
    swapNotificationState: (...of) => db.run((attempt) => swapNotificationState(...of, attempt)),
    pausedByHandAtMs: (link) => db.run(() => readPausedByHand(link)),
    setPausedByHand: (link, atMs) => db.run(() => setPausedByHand(link, atMs)),
    halves: (link, query) => db.run(() => readHalves(dialect, link, query)),
    wholePairs: (link, asked) => db.run(() => readWholePairs(dialect, link, asked)),
    pairs: (link, ids) => db.run(() => readPairs(dialect, link, ids)),
    index: (link, side) => db.run(() => readIndex(link, side)),
    members: (link, groupIds) => db.run(() => readMembers(dialect, link, groupIds)),
    shown: (link, side) => db.run(() => readShown(link, side)),
    known: (link, side, rows) => db.run(() => findKnown(dialect, link, side, rows)),
    anyPresent: (link) => db.run(() => readPresence(link)),
    counts: (link) => db.run(() => readCounts(link)),
    commit: async (link, token, changes) => {
      const ids = await db.commit({ link, token }, operationsOf(dialect, { link, token }, changes));
      if (changes.some(({ kind }) => kind === 'prune')) await db.shrink();
      return ids;
    },
    journal: (link, query) => db.run(() => readJournal(dialect, link, query)),
    writeCounts: (link, run) => db.run(() => readWriteCounts(link, run)),
    runs: (link, query) => db.run(() => readRuns(dialect, link, query)),
    conflicts: (link, options) => db.run(() => readConflicts(link, options.all)),
    budget: (key) => db.run(() => readBudget(key)),
    saveBudget: async (key, stateJson) => void (await db.run(() => all(writeBudget(key, stateJson)))),
    scratch: async (link) => {
      const scratch = openScratch();
      await copyLink(db, scratch, link);
      return createStore(scratch, openScratch);
    },
    compact: () => db.compact(),
    close: () => db.close(),
  };
};
