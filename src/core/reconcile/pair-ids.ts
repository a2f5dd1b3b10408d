import type { Side } from '../contact/side.ts';
import type { Pair } from './decision.ts';

/** A contact by the ids that it has on both sides. */
export type PairIds = { readonly leftId: string | null; readonly rightId: string | null };

/** The ids of a pair's halves; null where a half is missing. */
export const idsOf = ({ left, right }: Pair): PairIds => ({ leftId: left?.id ?? null, rightId: right?.id ?? null });

/** The ids where just one side's is known. */
export const idsOn = (side: Side, id: string | null): PairIds => {
  return side === 'left' ? { leftId: id, rightId: null } : { leftId: null, rightId: id };
};
