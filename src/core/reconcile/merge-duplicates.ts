import type { Half } from '../contact/half.ts';
import type { Side } from '../contact/side.ts';
import type { Deletion, Merge, OpenConflict, Pair, WholePair } from './decision.ts';
import type { GroupLink } from './membership.ts';
import { giveToSurvivor } from './merged-away.ts';
import { decideMerge } from './plan.ts';
import { membershipOn, withPlanned } from './planned.ts';
import type { Policy } from './policy.ts';

/** Contacts of one side that a person merges into one of them. */
type MergeByHand = {
  readonly side: Side;
  /** The pair of the contact that stays. */
  readonly survivor: WholePair;
  /** The other contacts, each with its pair; null if a contact has no counterpart. */
  readonly others: readonly { readonly half: Half; readonly pair: Pair | null }[];
  readonly links: readonly GroupLink[];
  /** Open conflicts of the survivor. */
  readonly open: readonly OpenConflict[];
  readonly policy: Policy;
};

const NO_PAIR: Pair = { id: null, status: 'linked', left: null, right: null };

/** Adds the groups of the other contacts on this side to the survivor's decision. */
const joinGroups = (merge: Merge, { side, others, links }: MergeByHand): Merge => {
  const own = new Set(merge.pair[side].record.groupIds);
  const planned = membershipOn(merge.writes, side);
  const known = new Set(planned?.joins);
  const held = new Set(others.flatMap(({ half }) => half.record.groupIds)).difference(own);
  const joins = links.flatMap(({ key, [side]: id }) => (id !== null && held.has(id) && !known.has(key) ? [key] : []));
  if (joins.length === 0) return merge;
  const writes = withPlanned(merge.writes, {
    kind: 'membership',
    side,
    joins: [...(planned?.joins ?? []), ...joins],
    leaves: planned?.leaves ?? [],
    given: ['buckets'],
  });
  return { ...merge, writes };
};

/**
 * Returns the writes of a merge by hand. The survivor gets, on this side, the values that only the other contacts have. A text
 * that the survivor already has stays, and the other value is a conflict that the survivor wins. Then the other contacts are
 * deleted. The survivor's other half and the counterparts of the others are left to the next plan, as after a merge by a user
 * on that side (R12). Pure.
 */
export const planMergeByHand = (given: MergeByHand): readonly (Merge | Deletion)[] => {
  const { side, survivor, others, links, open, policy } = given;
  // Values that the owner merges stay on this side, even in a field that the link only syncs the other way.
  const byHand = { ...policy, directions: {} };
  let merge = joinGroups(decideMerge(survivor, survivor, links, policy, open), given);
  const deletions: Deletion[] = [];
  for (const { half, pair } of others) {
    const deletion: Deletion = { kind: 'delete', side, record: half.record, pair: pair ?? NO_PAIR, byHand: true };
    const next = giveToSurvivor(merge, deletion, byHand);
    merge = next.survivor;
    deletions.push(next.deletion);
  }
  return [merge, ...deletions];
};
