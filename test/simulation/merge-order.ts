import { SIDES, type Side } from '../../src/core/contact/side.ts';
import type { MergeOrder } from '../../src/engine/history/merge-duplicates.ts';
import { liveRows, type World } from './world.ts';

/** Two contacts of a side that a person has the link merge, picked by number among those that stand in a pair. */
export type MergeRequest = { readonly side: Side; readonly who: number; readonly into: number };

/**
 * What a person asks the link to merge, the two being one person from now on; null where there are no two. An order that was
 * cut short is given again.
 */
export const orderOf = (world: World, { side, who, into }: MergeRequest): MergeOrder | null => {
  const linked = new Set(world.pairs.map((ids) => ids[side]));
  const rows = liveRows(world.books[side]).filter(({ id }) => linked.has(id));
  const survivor = rows[into % Math.max(1, rows.length)];
  const others = rows.filter((row) => row !== survivor);
  const other = others[who % Math.max(1, others.length)];
  if (survivor === undefined || other === undefined) return null;
  const [from, to] = [other.entity, survivor.entity];
  for (const row of SIDES.flatMap((each) => world.books[each].rows)) if (row.entity === from) row.entity = to;
  world.ledger.united(from, to);
  return { side, survivorId: survivor.id, otherIds: [other.id] };
};
