import { otherSide, SIDES, type Side } from '../contact/contact.ts';
import { mayWrite, type Policy } from './policy.ts';

/** A bucket and a label that are one group in this plan; an id is null where the plan creates that half. */
export type GroupLink = {
  readonly key: string;
  readonly google: string | null;
  readonly service: string | null;
  /** Whether the memberships have been united before; until then there is no base to compare with. */
  readonly settled: boolean;
};

export type MembershipSide = {
  readonly groupIds: readonly string[];
  readonly base: readonly string[] | null;
};

/** The group pairs that each side's contact joins and leaves, and whether a side's change stays there. */
export type MembershipMerge = {
  readonly google: MembershipDelta;
  readonly service: MembershipDelta;
  readonly held: { readonly google: boolean; readonly service: boolean };
};

type MembershipDelta = { readonly joins: readonly string[]; readonly leaves: readonly string[] };

type State = 'in' | 'out';
type Change = 'joined' | 'left' | 'none';

const stateOf = (ids: ReadonlySet<string>, id: string | null): State => (id !== null && ids.has(id) ? 'in' : 'out');

const changeOf = (now: State, before: State): Change => {
  if (now === before) return 'none';
  return now === 'in' ? 'joined' : 'left';
};

/** What `from`'s change asks of `to`; joining beats leaving, so that nothing is lost (R5). */
const travels = (from: Change, to: Change, toNow: State): 'join' | 'leave' | null => {
  if (from === 'joined' && toNow === 'out') return 'join';
  return from === 'left' && toNow === 'in' && to !== 'joined' ? 'leave' : null;
};

/** Merges one contact's membership, bucket by bucket, each side against its own base (R2, R3, R11). Pure. */
export const mergeMembership = (
  google: MembershipSide,
  service: MembershipSide,
  links: readonly GroupLink[],
  policy: Policy,
): MembershipMerge => {
  const now = { google: new Set(google.groupIds), service: new Set(service.groupIds) };
  const base = { google: new Set(google.base ?? []), service: new Set(service.base ?? []) };
  const met = google.base !== null && service.base !== null;
  const delta: Record<Side, { joins: string[]; leaves: string[] }> = {
    google: { joins: [], leaves: [] },
    service: { joins: [], leaves: [] },
  };
  const held: Record<Side, boolean> = { google: false, service: false };
  for (const link of links) {
    const state = { google: stateOf(now.google, link.google), service: stateOf(now.service, link.service) };
    if (state.google === state.service) continue;
    const before = (side: Side): State => (met && link.settled ? stateOf(base[side], link[side]) : 'out');
    for (const to of SIDES) {
      const from = otherSide(to);
      const changeAt = (side: Side): Change => changeOf(state[side], before(side));
      const action = travels(changeAt(from), changeAt(to), state[to]);
      if (action === null) continue;
      if (!mayWrite(policy, to)) held[from] = true;
      else if (action === 'join') delta[to].joins.push(link.key);
      else delta[to].leaves.push(link.key);
    }
  }
  return { ...delta, held };
};
