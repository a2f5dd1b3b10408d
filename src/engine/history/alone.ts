import { stands, type Half } from '../../core/contact/half.ts';
import { idsOn, type PairIds } from '../../core/reconcile/pair-ids.ts';
import type { Side } from '../../core/contact/side.ts';
import type { Store } from '../../store/store.ts';
import { nameOf } from '../../core/view/values.ts';

/** A contact whose other half is gone while it stays, and is not created again on the other side. */
export type Alone = PairIds & {
  readonly side: Side;
  readonly name: string | null;
  /** The undo that deleted its other half; null where it was deleted otherwise (`DELETE_POLICY`). */
  readonly undoRun: string | null;
};

/** The contacts of a link that stand alone, by side and id. */
export const listAlone = async (store: Store, link: string): Promise<readonly Alone[]> => {
  const halves = await store.halves(link, { by: 'alone' });
  const pairs = await store.pairs(
    link,
    halves.flatMap(({ pair }) => pair ?? []),
  );
  const kept = new Set<number | null>(pairs.filter(({ status }) => status === 'kept').map(({ id }) => id));
  const standing = halves.filter((half): half is Half => stands(half) && kept.has(half.pair));
  if (standing.length === 0) return [];
  const undos = new Map<number | null, string>();
  for (const { cause, pairId, run } of await store.journal(link, { deletions: true })) {
    if (cause === 'undo') undos.set(pairId, run);
  }
  return standing.map(({ side, id, pair, record }) => {
    return { side, ...idsOn(side, id), name: nameOf(record.contact), undoRun: undos.get(pair) ?? null };
  });
};
