import type { Half } from '../contact/half.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { Snapshot } from '../contact/snapshot.ts';
import { mayWrite, type Policy } from './policy.ts';

/** A bucket and a label that are one group in this plan; an id is null if the plan creates that half. */
export type GroupLink = Sides<string | null> & {
  readonly key: string;
  /** True if the memberships were united before. Until then there is no base to compare with. */
  readonly isUnited: boolean;
};

/** The group pairs that each side's contact joins and leaves; `isLocal`: a change of that side is not written to the other side. */
type MembershipMerge = Sides<MembershipDelta> & { readonly isLocal: Sides<boolean> };

type MembershipDelta = {
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
  /** Group ids of the side in which both contacts are members, or neither, although the base differs, or the side declined it before. */
  readonly agreed: readonly string[];
};

type State = 'in' | 'out';
type MembershipChange = 'joined' | 'quit' | 'none';

const stateOf = (ids: ReadonlySet<string>, id: string | null): State => (id !== null && ids.has(id) ? 'in' : 'out');

const changeOf = (now: State, before: State): MembershipChange => {
  if (now === before) return 'none';
  return now === 'in' ? 'joined' : 'quit';
};

/**
 * Returns the change of `to` that follows from a change of `from`. Joining wins over leaving, so that nothing is lost (R5), unless
 * the source of a one-way link left the group.
 */
const propagated = (
  from: MembershipChange,
  to: MembershipChange,
  toNow: State,
  isSource: boolean,
): 'join' | 'leave' | null => {
  if (from === 'joined' && toNow === 'out') return 'join';
  return from === 'quit' && toNow === 'in' && (isSource || to !== 'joined') ? 'leave' : null;
};

/**
 * Prepares the halves for groups whose members are united in this run. A group that only one side is in is removed from the bases,
 * as if the side had just joined it. A membership that cannot be written yet is found by this later, when the group counts as
 * united. Returns the same halves if there is no such group.
 */
export const unitingHalves = (halves: Sides<Half>, links: readonly GroupLink[]): Sides<Half> => {
  const isIn = (side: Side, link: GroupLink): boolean => halves[side].record.groupIds.some((id) => id === link[side]);
  const open = links.filter((link) => !link.isUnited && isIn('left', link) !== isIn('right', link));
  return bySide((side) => {
    const { base } = halves[side];
    const ids = new Set<string | null>(open.map((link) => link[side]));
    const groupIds = base?.groupIds.filter((id) => !ids.has(id));
    if (base === null || groupIds === undefined || groupIds.length === base.groupIds.length) return halves[side];
    return { ...halves[side], base: { ...base, groupIds } };
  });
};

/** Returns the id of a group in which both contacts have this state, unless the base has it too. */
const newlyAgreed = (base: Snapshot | null, id: string | null, state: State): readonly string[] => {
  if (id === null) return [];
  const hasDeclined = base?.declined?.buckets?.includes(id) === true;
  return hasDeclined || stateOf(new Set(base?.groupIds), id) !== state ? [id] : [];
};

/** Merges the memberships of one contact, bucket by bucket, each side against its own base (R2, R3, R11). Pure. */
export const mergeMembership = (halves: Sides<Half>, links: readonly GroupLink[], policy: Policy): MembershipMerge => {
  const now = bySide((side) => new Set(halves[side].record.groupIds));
  const base = bySide((side) => new Set(halves[side].base?.groupIds));
  const isKnownPair = SIDES.every((side) => halves[side].base !== null);
  const delta = bySide((): Record<'joins' | 'leaves' | 'agreed', string[]> => ({ joins: [], leaves: [], agreed: [] }));
  const isLocal: Record<Side, boolean> = { left: false, right: false };
  for (const link of links) {
    const state = { left: stateOf(now.left, link.left), right: stateOf(now.right, link.right) };
    if (state.left === state.right) {
      for (const side of SIDES) delta[side].agreed.push(...newlyAgreed(halves[side].base, link[side], state[side]));
      continue;
    }
    const before = (side: Side): State => (isKnownPair && link.isUnited ? stateOf(base[side], link[side]) : 'out');
    for (const to of SIDES) {
      const from = otherSide(to);
      const changeAt = (side: Side): MembershipChange => changeOf(state[side], before(side));
      const action = propagated(changeAt(from), changeAt(to), state[to], !mayWrite(policy, from));
      if (action === null) continue;
      if (!mayWrite(policy, to)) isLocal[from] = true;
      else if (action === 'join') delta[to].joins.push(link.key);
      else delta[to].leaves.push(link.key);
    }
  }
  return { ...delta, isLocal };
};
