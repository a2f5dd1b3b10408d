import type { StoreChange } from '../store.ts';
import { dropConflicts, putConflict, resolveConflicts, reviewConflict } from './conflicts.ts';
import { forgetShown, putCursor, putShown } from './cursors.ts';
import type { Db } from './database.ts';
import { eq } from './drizzle.ts';
import { dropGroupPair, putGroupPair } from './groups.ts';
import { dropHalf, putHalf } from './halves.ts';
import { dropEntry, redactEntry, settleJournal, writeIntent } from './journal.ts';
import { patchLink } from './links.ts';
import { dropPair, putPair } from './pairs.ts';
import { prune } from './prune.ts';
import { dropRejection, putRejection } from './rejections.ts';
import { setReason, writeRunEnd, writeRunStart } from './runs.ts';
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

const FORGOTTEN = [cursors, pairs, halves, shownPages, groupPairs, journal, conflicts, rejections, verdicts];

const forgetMapping = (db: Db, link: string): void => {
  for (const table of FORGOTTEN) db.orm.delete(table).where(eq(table.link, link)).run();
};

const forgetLink = (db: Db, link: string): void => {
  forgetMapping(db, link);
  db.orm.delete(runs).where(eq(runs.link, link)).run();
  db.orm.delete(links).where(eq(links.name, link)).run();
};

const applyChange = (db: Db, link: string, change: Exclude<StoreChange, { kind: 'intend' | 'put-pair' }>): void => {
  switch (change.kind) {
    case 'put-half':
      return putHalf(db, link, change);
    case 'drop-half':
      return dropHalf(db, { link, side: change.side }, change.id);
    case 'drop-pair':
      return dropPair(db, link, change.id);
    case 'cursor':
      return putCursor(db, { link, side: change.side }, change.cursor);
    case 'shown':
      return putShown(db, { link, side: change.side }, change.ids);
    case 'forget-shown':
      return forgetShown(db, { link, side: change.side });
    case 'link':
      return patchLink(db, link, change.patch);
    case 'journal':
      return settleJournal(db, link, change);
    case 'group-pair':
      return putGroupPair(db, link, change.pair);
    case 'drop-group-pair':
      return dropGroupPair(db, link, change.key);
    case 'conflict':
      return putConflict(db, link, change);
    case 'resolve-conflicts':
      return resolveConflicts(db, link, change);
    case 'review-conflict':
      return reviewConflict(db, link, change);
    case 'drop-conflicts':
      return dropConflicts(db, link, change.leftId);
    case 'reject':
      return putRejection(db, link, change.rejection);
    case 'accept':
      return dropRejection(db, { link, side: change.side }, change.key);
    case 'verdict':
      return putVerdict(db, link, change.verdict);
    case 'drop-verdict':
      return dropVerdict(db, link, change);
    case 'run-started':
      return writeRunStart(db, link, change.run);
    case 'run-ended':
      return writeRunEnd(db, link, change.id, change.end);
    case 'forget-mapping':
      return forgetMapping(db, link);
    case 'prune':
      return prune(db, link, change.beforeMs);
    case 'drop-entry':
      return dropEntry(db, link, change.id);
    case 'redact-entry':
      return redactEntry(db, link, change);
    case 'run-reason':
      return setReason(db, link, change);
    case 'forget-link':
      return forgetLink(db, link);
  }
};

/** Makes the changes in their order; answers the ids of new pairs and of intents. The caller makes them one step. */
export const applyChanges = (db: Db, link: string, changes: readonly StoreChange[]): readonly number[] => {
  const ids: number[] = [];
  for (const change of changes) {
    if (change.kind === 'intend') ids.push(writeIntent(db, link, change));
    else if (change.kind === 'put-pair') {
      const id = putPair(db, link, change);
      if (change.id === null) ids.push(id);
    } else applyChange(db, link, change);
  }
  return ids;
};
