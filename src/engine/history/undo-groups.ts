import type { GroupRecord } from '../../core/contact/record.ts';
import { SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import type { GroupPair } from '../../core/reconcile/groups.ts';
import type { GroupAction } from '../../core/reconcile/group-order.ts';
import type { GroupLink } from '../../core/reconcile/membership.ts';
import { foldGroupName, groupFilter, mayWrite, type Policy } from '../../core/reconcile/policy.ts';
import type { DeletedGroup } from '../../core/reconcile/operation.ts';

/** A group that a run deleted on a side. */
export type RemovedGroup = DeletedGroup & { readonly side: Side };

/** The group that replaces a deleted one: the key of its link, and its id if it already exists. */
type Successor = { readonly key: string; readonly id: string | null };

/** The plan to restore deleted groups. */
type GroupReturns = {
  /** The groups that are created. */
  readonly actions: readonly GroupAction[];
  /** Each created group has no counterpart yet: the next sync creates one on the other side, and unites the members. */
  readonly pairs: readonly GroupPair[];
  readonly links: readonly GroupLink[];
  /** By {@link groupKey} of the deleted group. */
  readonly successors: ReadonlyMap<string, Successor>;
  readonly refused: readonly { readonly side: Side; readonly reason: string }[];
};

/** Returns the key of a group of a side in the plan of an undo. */
export const groupKey = (side: Side, id: string): string => `${side} ${id}`;

/** A link of one side only for each synced group: an undo changes memberships on one side only. */
export const linksOf = (groups: Sides<readonly GroupRecord[]>, policy: Policy): readonly GroupLink[] => {
  const takesPart = groupFilter(policy.buckets);
  return SIDES.flatMap((side) =>
    groups[side]
      .filter((group) => takesPart(group.name))
      .map(({ id }) => {
        const half = { left: null, right: null, [side]: id };
        return { key: groupKey(side, id), ...half, isUnited: true };
      }),
  );
};

const refusalOf = ({ side, name }: RemovedGroup, policy: Policy): string | null => {
  if (!mayWrite(policy, side)) return `the group ${name}: the link does not write to this side`;
  return groupFilter(policy.buckets)(name) ? null : `the group ${name} is no longer synced`;
};

/** Plans the return of the groups that a run deleted: an existing group of that name replaces it, else it is created. Pure. */
export const planGroupReturns = (
  removed: readonly RemovedGroup[],
  groups: Sides<readonly GroupRecord[]>,
  policy: Policy,
): GroupReturns => {
  const actions: GroupAction[] = [];
  const pairs: GroupPair[] = [];
  const links: GroupLink[] = [];
  const successors = new Map<string, Successor>();
  const refused: { side: Side; reason: string }[] = [];
  for (const group of removed) {
    const { side, id, name, details } = group;
    const reason = refusalOf(group, policy);
    const existing = groups[side].find((each) => foldGroupName(each.name) === foldGroupName(name));
    if (reason !== null) refused.push({ side, reason });
    else if (existing !== undefined) {
      successors.set(groupKey(side, id), { key: groupKey(side, existing.id), id: existing.id });
    } else {
      const key = `undo ${groupKey(side, id)}`;
      actions.push({ kind: 'create-group', side, key, name, ...(details !== undefined && { details }) });
      pairs.push({ key, left: null, right: null, status: 'linked', isUnited: false });
      links.push({ key, left: null, right: null, isUnited: true });
      successors.set(groupKey(side, id), { key, id: null });
    }
  }
  return { actions, pairs, links, successors, refused };
};
