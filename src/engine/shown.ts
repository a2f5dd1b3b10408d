import type { JournalRow } from '../core/state/rows.ts';
import { extrasIn } from '../core/contact/chosen.ts';
import { isExtraField } from '../core/contact/fields.ts';
import { SIDES, type Side } from '../core/contact/side.ts';
import type { Decision, WholePair } from '../core/reconcile/decision.ts';
import { deferExtras, EXTRAS_REST_MS, extrasFor } from '../core/reconcile/defer.ts';
import { fieldsOf } from '../core/reconcile/operation.ts';
import type { Session } from './context.ts';

/** So many contacts are looked up at once. */
const BATCH = 500;

const namesExtras = (row: JournalRow): boolean =>
  row.kind === 'create' ? Object.keys(extrasIn(row.desired)).length > 0 : fieldsOf(row).some(isExtraField);

/** A contact, as what was written on a side is remembered by: a pair is known by either half, whose id may be a new one. */
const keyOf = (writtenSide: Side, side: Side, id: string): string => `${writtenSide} ${side} ${id}`;

/** The contacts that a write was about. */
const keysOf = ({ side, leftId, rightId, after }: JournalRow): readonly string[] => [
  ...(leftId === null ? [] : [keyOf(side, 'left', leftId)]),
  ...(rightId === null ? [] : [keyOf(side, 'right', rightId)]),
  ...(after === null ? [] : [keyOf(side, side, after.id)]),
];

/** The ids of both halves of those pairs that would be given extras, and that were written within the time of their rest. */
const idsToAsk = (decisions: readonly Decision[], nowMs: number): readonly string[] =>
  decisions.flatMap((decision) => {
    if (decision.kind !== 'merge') return [];
    const { pair } = decision;
    const isRecent = SIDES.some((side) => {
      const { writtenAtMs } = pair[side];
      const wasWritten = writtenAtMs !== null && Math.abs(nowMs - writtenAtMs) < EXTRAS_REST_MS;
      return wasWritten && extrasFor(decision, side).length > 0;
    });
    return isRecent ? SIDES.map((side) => pair[side].id) : [];
  });

/**
 * Leaves the extras out of those decisions whose contact was given some less than a day ago: the journal tells when, so that a
 * process that starts again knows as well. It is asked only of contacts that this link has written since.
 */
export const withoutRestingExtras = async (
  { clock, link, store }: Session,
  decisions: readonly Decision[],
): Promise<readonly Decision[]> => {
  const nowMs = clock.now();
  const ids = idsToAsk(decisions, nowMs);
  if (ids.length === 0) return decisions;
  const shown = new Map<string, number>();
  for (let start = 0; start < ids.length; start += BATCH) {
    const rows = await store.journal(link, { ids: ids.slice(start, start + BATCH), pairIds: [] });
    for (const row of rows.filter((each) => each.state === 'done' && namesExtras(each))) {
      for (const key of keysOf(row)) shown.set(key, row.settledAtMs ?? row.intendedAtMs);
    }
  }
  const shownAtMs = (side: Side, pair: WholePair): number | null =>
    SIDES.map((each) => shown.get(keyOf(side, each, pair[each].id)) ?? null).find((atMs) => atMs !== null) ?? null;
  return deferExtras(decisions, shownAtMs, nowMs);
};
