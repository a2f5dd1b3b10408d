import { isExtraField } from '../core/contact/fields.ts';
import type { Half } from '../core/contact/half.ts';
import { fieldsOf } from '../core/reconcile/operation.ts';
import type { JournalRow } from '../core/state/rows.ts';
import { type Session, keptSinceMs } from './context.ts';

/** Whether each field of a write is new in the link's choice, or computed by the other side: no user edited it (R6). */
const followsFromNoEdit = (row: JournalRow): boolean =>
  (row.kind === 'update' || row.kind === 'membership') &&
  fieldsOf(row).every((field) => isExtraField(field) || row.joining?.includes(field) === true);

/** Whether a write was made to the contact: under its id, under a former id, or by a merge of the side itself. */
const wentTo = (row: JournalRow, { side, id, pair }: Half): boolean => {
  if (row.side !== side || row.state !== 'done') return false;
  if (row.kind === 'delete') return row.survivor?.id === id;
  return row[`${side}Id`] === id || row.after?.id === id || (pair !== null && row.pairId === pair);
};

/**
 * Returns the ids of contacts of which no write since their last listing follows from an edit of a user. Excludes contacts of
 * which writes may have been pruned from the journal. Reads the journal only for contacts that were written since.
 */
export const writesCarriedNoEdit = async (
  { clock, link, retentionMs, store }: Pick<Session, 'clock' | 'link' | 'retentionMs' | 'store'>,
  halves: readonly Half[],
): Promise<ReadonlySet<string>> => {
  const keptMs = keptSinceMs(retentionMs, clock.now()) ?? 0;
  const due = halves.flatMap((half) => {
    const { lastListedAtMs: sinceMs, writtenAtMs } = half;
    const isKnown = sinceMs !== null && writtenAtMs !== null && writtenAtMs >= sinceMs && sinceMs >= keptMs;
    return isKnown ? [{ half, sinceMs }] : [];
  });
  if (due.length === 0) return new Set();
  const ids = due.map(({ half }) => half.id);
  const named = await store.journal(link, { ids, pairIds: due.flatMap(({ half }) => half.pair ?? []) });
  const destroyedSinceMs = due.reduce((earliest, { sinceMs }) => Math.min(earliest, sinceMs), Infinity);
  // A merge by the side itself is journaled as the deletion of the other contact.
  const rows = [...named, ...(await store.journal(link, { destroyedSinceMs }))];
  const isUnedited = ({ half, sinceMs }: (typeof due)[number]): boolean => {
    const writes = rows.filter((row) => wentTo(row, half) && (row.settledAtMs ?? 0) >= sinceMs);
    return writes.length > 0 && writes.every(followsFromNoEdit);
  };
  return new Set(due.filter(isUnedited).map(({ half }) => half.id));
};
