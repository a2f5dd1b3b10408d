import { stands } from '../core/contact/half.ts';
import { SIDES } from '../core/contact/side.ts';
import type { Pair } from '../core/reconcile/decision.ts';
import { ownFields, type PastMerge } from '../core/reconcile/side-merge.ts';
import type { Session } from './context.ts';

/** So many contacts are looked up at once. */
const BATCH = 500;

/**
 * The merges by a side itself of which pairs tell that are about to end: the journal says what their survivors held. Only
 * sides are asked about that have fields of their own, which nothing else brings back (R12).
 */
export const pastMerges = async (
  { link, policy, remotes, store }: Session,
  pairs: readonly Pair[],
): Promise<readonly PastMerge[]> => {
  const ending = pairs.filter(({ left, right }) => !stands(left) || !stands(right));
  const newest = new Map<string, PastMerge>();
  for (const side of SIDES) {
    if (remotes[side].merge === undefined || ownFields(policy, side).length === 0) continue;
    const ids = ending.flatMap((pair) => pair[side]?.id ?? []);
    for (let start = 0; start < ids.length; start += BATCH) {
      const rows = await store.journal(link, { ids: ids.slice(start, start + BATCH), pairIds: [] });
      for (const row of rows) {
        if (row.kind !== 'delete' || row.side !== side || row.survivor === null) continue;
        const { before: mergedAway, survivor } = row;
        newest.set(`${side} ${mergedAway.id}`, { side, survivor, mergedAway });
      }
    }
  }
  return [...newest.values()];
};
