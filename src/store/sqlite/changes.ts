import type { LinkTable, RowWriter } from '../changes.ts';
import { dropConflicts, putConflict, resolveConflicts, reviewConflict } from './conflicts.ts';
import { forgetShown, putCursor, putShown } from './cursors.ts';
import type { Db } from './database.ts';
import { eq } from './drizzle.ts';
import { dropGroupPair, putGroupPair } from './groups.ts';
import { dropHalf, putHalf } from './halves.ts';
import { dropEntry, redactEntry, settleJournal, writeIntent } from './journal.ts';
import { patchLink } from './links.ts';
import { addPair, dropPair, putPair } from './pairs.ts';
import { prune } from './prune.ts';
import { dropRejection, putRejection } from './rejections.ts';
import { addRun, endRun, setReason } from './runs.ts';
import {
  conflicts,
  cursors,
  groupPairs,
  halves,
  journal,
  links,
  pairs,
  rejections,
  runs,
  shownPages,
  verdicts,
} from './schema.ts';
import { dropVerdict, putVerdict } from './verdicts.ts';

export const TABLES = {
  cursors,
  pairs,
  halves,
  shownPages,
  groupPairs,
  journal,
  conflicts,
  rejections,
  verdicts,
  runs,
} satisfies Record<LinkTable, unknown>;

const clear = (db: Db, link: string, names: readonly LinkTable[]): void => {
  for (const name of names) {
    const table = TABLES[name];
    db.orm.delete(table).where(eq(table.link, link)).run();
  }
};

/** Writes each row at once: the ids that it gives are those of the rows. The caller makes a commit of it one step. */
export const rowWriter = (db: Db, link: string): RowWriter => ({
  putHalf: (put) => putHalf(db, link, put),
  dropHalf: (side, id) => dropHalf(db, { link, side }, id),
  addPair: (status) => addPair(db, link, status),
  putPair: (row) => putPair(db, link, row),
  dropPair: (id) => dropPair(db, link, id),
  putCursor: (row) => putCursor(db, link, row),
  addShown: (side, ids) => putShown(db, { link, side }, ids),
  dropShown: (side) => forgetShown(db, { link, side }),
  patchLink: (columns) => patchLink(db, link, columns),
  addEntry: (row) => writeIntent(db, link, row),
  settleEntry: (row) => settleJournal(db, link, row),
  dropEntry: (id) => dropEntry(db, link, id),
  blankEntry: (id, intentJson) => redactEntry(db, link, id, intentJson),
  putGroupPair: (row) => putGroupPair(db, link, row),
  dropGroupPair: (key) => dropGroupPair(db, link, key),
  addConflict: (row) => putConflict(db, link, row),
  resolveConflicts: (leftId, fields, atMs) => resolveConflicts(db, link, leftId, fields, atMs),
  reviewConflict: (row) => reviewConflict(db, link, row),
  dropConflicts: (leftId) => dropConflicts(db, link, leftId),
  putRejection: (row) => putRejection(db, link, row),
  dropRejection: (side, key) => dropRejection(db, { link, side }, key),
  putVerdict: (row) => putVerdict(db, link, row),
  dropVerdict: (leftId, rightId) => dropVerdict(db, link, { leftId, rightId }),
  addRun: (row, reasonOfOthers) => addRun(db, link, row, reasonOfOthers),
  endRun: (row) => endRun(db, link, row),
  setReason: (id, reason) => setReason(db, link, id, reason),
  prune: (beforeMs) => prune(db, link, beforeMs),
  clear: (names) => clear(db, link, names),
  dropLink: () => void db.orm.delete(links).where(eq(links.name, link)).run(),
});
