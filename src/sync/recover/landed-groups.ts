import { otherSide, type Side, type Sides } from '../../contact/side.ts';

/** The memberships that a write asked for, by the side's own group ids. */
export type Moves = { readonly join: readonly string[]; readonly leave: readonly string[] };

/** The halves of a group pair; null where it has none. */
export type GroupHalves = Sides<{ readonly id: string } | null>;

/** What of a change of membership whose answer was lost shows in the membership as it is now. */
export const landedMoves = ({ join, leave }: Moves, now: readonly string[]): Moves => ({
  join: join.filter((id) => now.includes(id)),
  leave: leave.filter((id) => !now.includes(id)),
});

/** The same moves by the other side's ids of the groups; groups without a half there are left out. */
export const movesAcross = (side: Side, { join, leave }: Moves, pairs: readonly GroupHalves[]): Moves => {
  const across = (ids: readonly string[]): readonly string[] =>
    pairs.flatMap((pair) => (ids.includes(pair[side]?.id ?? '') ? (pair[otherSide(side)]?.id ?? []) : []));
  return { join: across(join), leave: across(leave) };
};

/** A base's membership after moves that both sides now agree on. */
export const withMoves = (groupIds: readonly string[], { join, leave }: Moves): readonly string[] => {
  return [...new Set([...groupIds, ...join])].filter((id) => !leave.includes(id)).toSorted();
};
