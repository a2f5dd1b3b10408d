import { type Half, isPresent } from './half.ts';
import { bySide, type Side, type Sides } from './side.ts';

/**
 * The status of a pair: in sync; reduced to one half, because deletions are not propagated (`kept`); or waiting for a change of the
 * source of a one-way link (`dormant`).
 */
export type PairStatus = 'linked' | 'kept' | 'dormant';

/** The two halves of one person. A pair that is kept or dormant has only one half. */
export type Pair = {
  /** The id of the stored pair; null for contacts that this plan pairs. */
  readonly id: number | null;
  readonly status: PairStatus;
} & Sides<Half | null>;

/** A pair of which both halves exist. */
export type WholePair = Pair & Sides<Half>;

export const isWhole = (pair: Pair): pair is WholePair => isPresent(pair.left) && isPresent(pair.right);

/** Returns whether two halves belonged to one pair until neither side selected them (R18). */
export const wereUnlinked = ({ left, right }: Sides<Half>): boolean =>
  left.formerPair !== null && left.formerPair === right.formerPair;

/** The ids of a contact on both sides. */
export type PairIds = { readonly leftId: string | null; readonly rightId: string | null };

/** Returns the id on a side. */
export const idAt = <Id extends string | null>(
  { leftId, rightId }: { readonly leftId: Id; readonly rightId: Id },
  side: Side,
): Id => (side === 'left' ? leftId : rightId);

/** Returns the ids of contacts, by side. */
export const idsIn = (contacts: readonly PairIds[]): Sides<readonly string[]> =>
  bySide((side) => contacts.flatMap((each) => idAt(each, side) ?? []));

/** Returns the ids of a pair's halves; null if a half is missing. */
export const idsOf = ({ left, right }: Pair): PairIds => ({ leftId: left?.id ?? null, rightId: right?.id ?? null });

/** Returns the ids for a contact of which only one side's id is known. */
export const idsOn = (side: Side, id: string | null): PairIds =>
  side === 'left' ? { leftId: id, rightId: null } : { leftId: null, rightId: id };
