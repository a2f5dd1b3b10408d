import type { Half } from '../contact/half.ts';
import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import { mayWrite, type Policy } from './policy.ts';

/** A bucket and a label that are one group in this plan; an id is null where the plan creates that half. */
export type GroupLink = {
  readonly key: string;
  readonly left: string | null;
  readonly right: string | null;
  /** Whether the memberships have been united before; until then there is no base to compare with. */
  readonly settled: boolean;
};

/** The group pairs that each side's contact joins and leaves, and whether a side's change stays there. */
export type MembershipMerge = Sides<MembershipDelta> & { readonly held: Sides<boolean> };

type MembershipDelta = {
  readonly joins: readonly string[];
  readonly leaves: readonly string[];
  /** Group ids of the side in which both contacts are members, or neither, although the base says otherwise. */
  readonly agreed: readonly string[];
};

type State = 'in' | 'out';
type Change = 'joined' | 'quit' | 'none';

const stateOf = (ids: ReadonlySet<string>, id: string | null): State => (id !== null && ids.has(id) ? 'in' : 'out');

const changeOf = (now: State, before: State): Change => {
  if (now === before) return 'none';
  return now === 'in' ? 'joined' : 'quit';
};

/**
 * What `from`'s change asks of `to`; joining beats leaving, so that nothing is lost (R5), but for what the source of a one-way
 * link left.
 */
const propagated = (from: Change, to: Change, toNow: State, isSource: boolean): 'join' | 'leave' | null => {
  if (from === 'joined' && toNow === 'out') return 'join';
  return from === 'quit' && toNow === 'in' && (isSource || to !== 'joined') ? 'leave' : null;
};

/**
 * The halves as groups find them that unite their members now: their bases say nothing of a group that one side alone is in,
 * as of one that it joined just now. What cannot be written yet is found by that later, when the group counts as united. The
 * same halves where there is no such group.
 */
export const unitingHalves = (halves: Sides<Half>, links: readonly GroupLink[]): Sides<Half> => {
  const isIn = (side: Side, link: GroupLink): boolean => halves[side].record.groupIds.some((id) => id === link[side]);
  const open = links.filter((link) => !link.settled && isIn('left', link) !== isIn('right', link));
  return bySide((side) => {
    const { base } = halves[side];
    const ids = new Set<string | null>(open.map((link) => link[side]));
    const groupIds = base?.groupIds.filter((id) => !ids.has(id));
    if (base === null || groupIds === undefined || groupIds.length === base.groupIds.length) return halves[side];
    return { ...halves[side], base: { ...base, groupIds } };
  });
};

/** Merges one contact's membership, bucket by bucket, each side against its own base (R2, R3, R11). Pure. */
export const mergeMembership = (halves: Sides<Half>, links: readonly GroupLink[], policy: Policy): MembershipMerge => {
  const now = bySide((side) => new Set(halves[side].record.groupIds));
  const base = bySide((side) => new Set(halves[side].base?.groupIds));
  const isKnownPair = SIDES.every((side) => halves[side].base !== null);
  const delta: Record<Side, { joins: string[]; leaves: string[]; agreed: string[] }> = {
    left: { joins: [], leaves: [], agreed: [] },
    right: { joins: [], leaves: [], agreed: [] },
  };
  const held: Record<Side, boolean> = { left: false, right: false };
  for (const link of links) {
    const state = { left: stateOf(now.left, link.left), right: stateOf(now.right, link.right) };
    if (state.left === state.right) {
      for (const side of SIDES) {
        const id = link[side];
        if (id !== null && stateOf(base[side], id) !== state[side]) delta[side].agreed.push(id);
      }
      continue;
    }
    const before = (side: Side): State => (isKnownPair && link.settled ? stateOf(base[side], link[side]) : 'out');
    for (const to of SIDES) {
      const from = otherSide(to);
      const changeAt = (side: Side): Change => changeOf(state[side], before(side));
      const action = propagated(changeAt(from), changeAt(to), state[to], !mayWrite(policy, from));
      if (action === null) continue;
      if (!mayWrite(policy, to)) held[from] = true;
      else if (action === 'join') delta[to].joins.push(link.key);
      else delta[to].leaves.push(link.key);
    }
  }
  return { ...delta, held };
};
