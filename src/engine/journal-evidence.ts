import { extrasIn } from '../core/contact/chosen.ts';
import { isExtraField } from '../core/contact/fields.ts';
import { type Half, isPresent } from '../core/contact/half.ts';
import { SIDES, type Side } from '../core/contact/side.ts';
import type { Decision, WholePair, Pair } from '../core/reconcile/decision.ts';
import { deferExtras, EXTRAS_REST_MS, extrasFor } from '../core/reconcile/defer.ts';
import { fieldsOf } from '../core/reconcile/operation.ts';
import { ownFields, type PastMerge } from '../core/reconcile/side-merge.ts';
import type { JournalRow } from '../core/state/rows.ts';
import { chunks } from '../util/batches.ts';
import { type Session, keptSinceMs } from './context.ts';

/** The number of contacts in one query of the journal. */
const BATCH = 500;

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

const namesExtras = (row: JournalRow): boolean =>
  row.kind === 'create' ? Object.keys(extrasIn(row.desired)).length > 0 : fieldsOf(row).some(isExtraField);

/** The key of a write by one of its contacts. A pair has a key for each half, because an id may have changed. */
const keyOf = (writtenSide: Side, side: Side, id: string): string => `${writtenSide} ${side} ${id}`;

/** The keys of the contacts of a write. */
const keysOf = ({ side, leftId, rightId, after }: JournalRow): readonly string[] => [
  ...(leftId === null ? [] : [keyOf(side, 'left', leftId)]),
  ...(rightId === null ? [] : [keyOf(side, 'right', rightId)]),
  ...(after === null ? [] : [keyOf(side, side, after.id)]),
];

/** Returns both halves of pairs that would get extras and were written within the resting time. */
const halvesToAsk = (decisions: readonly Decision[], nowMs: number): readonly Half[] =>
  decisions.flatMap((decision) => {
    if (decision.kind !== 'merge') return [];
    const { pair } = decision;
    const isRecent = SIDES.some((side) => {
      const { writtenAtMs } = pair[side];
      const wasWritten = writtenAtMs !== null && Math.abs(nowMs - writtenAtMs) < EXTRAS_REST_MS;
      return wasWritten && extrasFor(decision, side).length > 0;
    });
    return isRecent ? SIDES.map((side) => pair[side]) : [];
  });

/**
 * Removes the extras from decisions whose contact got extras less than a day ago. The time is read from the journal, so it
 * survives a restart. Reads the journal only for contacts that this link has written since. Both ids of a pair may have changed
 * since, so their former ids count too (R12).
 */
export const withoutRestingExtras = async (
  { clock, link, store }: Session,
  decisions: readonly Decision[],
): Promise<readonly Decision[]> => {
  const nowMs = clock.now();
  const asked = halvesToAsk(decisions, nowMs);
  if (asked.length === 0) return decisions;
  const deleted = await store.halves(link, { by: 'state', states: ['gone', 'doubted'] });
  const former = Map.groupBy(
    deleted.filter(({ pair }) => pair === null),
    ({ side, mergedInto }) => `${side} ${mergedInto}`,
  );
  const idsOf = ({ side, id }: Half): readonly string[] => [
    id,
    ...(former.get(`${side} ${id}`) ?? []).map((half) => half.id),
  ];
  const ids = asked.flatMap(idsOf);
  const shown = new Map<string, JournalRow>();
  for (const some of chunks(ids, BATCH)) {
    const rows = await store.journal(link, { ids: some, pairIds: [] });
    for (const row of rows.filter((each) => each.state === 'done' && namesExtras(each))) {
      for (const key of keysOf(row)) shown.set(key, row);
    }
  }
  const shownAtMs = (side: Side, pair: WholePair): number | null => {
    const keys = SIDES.flatMap((each) => idsOf(pair[each]).map((id) => keyOf(side, each, id)));
    const last = keys.flatMap((key) => shown.get(key) ?? []).toSorted((a, b) => b.id - a.id)[0];
    return last === undefined ? null : (last.settledAtMs ?? last.intendedAtMs);
  };
  return deferExtras(decisions, shownAtMs, nowMs);
};

/**
 * Returns the merges by a side itself that concern pairs which are about to end, with the contact that survived. Reads the journal
 * only for a side with fields of its own, which only the journal can restore (R12).
 */
export const pastMerges = async (
  { link, policy, remotes, store }: Session,
  pairs: readonly Pair[],
): Promise<readonly PastMerge[]> => {
  const ending = pairs.filter(({ left, right }) => !isPresent(left) || !isPresent(right));
  const newest = new Map<string, PastMerge>();
  for (const side of SIDES) {
    if (remotes[side].merge === undefined || ownFields(policy, side).length === 0) continue;
    const ids = ending.flatMap((pair) => pair[side]?.id ?? []);
    for (const some of chunks(ids, BATCH)) {
      const rows = await store.journal(link, { ids: some, pairIds: [] });
      for (const row of rows) {
        if (row.kind !== 'delete' || row.side !== side || row.survivor === null) continue;
        const { before: mergedAway, survivor } = row;
        newest.set(`${side} ${mergedAway.id}`, { side, survivor, mergedAway });
      }
    }
  }
  return [...newest.values()];
};
