import { type Contact, type ContactField, type SyncedField, valueIn } from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { bySide, type Side, type Sides, SIDES } from '../contact/side.ts';
import { type Decision, type Merge, setsApart } from './decision.ts';
import type { GroupLink } from './membership.ts';
import type { Plan } from './plan.ts';
import { membershipOn, updateOn } from './planned.ts';

/**
 * What the guard counts (R8): contacts that are deleted, members of groups that are deleted, and for each field the contacts
 * that lose every value of it. Pairs that are set apart lose nothing and are counted all the same, once, as of the left side.
 */
export type Loss = 'contacts' | 'members' | 'setApart' | SyncedField;

/** How much of each is lost on one side; what is absent is nothing. */
export type Losses = Readonly<Partial<Record<Loss, number>>>;

/** The fields of the contact itself that hold something before a write and nothing after it; no user gave what a side computes. */
export const emptiedFields = (
  before: Contact,
  desired: Contact,
  fields: readonly ContactField[],
): readonly ContactField[] =>
  fields.filter(
    (field) => !isExtraField(field) && valueIn(before, field).length > 0 && valueIn(desired, field).length === 0,
  );

/** Whether a contact is in no group any more once it has joined and left these. */
export const leavesEveryGroup = (
  before: readonly string[],
  joined: readonly string[],
  left: readonly string[],
): boolean => joined.length === 0 && left.length > 0 && before.every((id) => left.includes(id));

const emptiedBy = ({ pair, writes }: Merge, side: Side, links: readonly GroupLink[]): readonly SyncedField[] => {
  const { record } = pair[side];
  const [update, moves] = [updateOn(writes, side), membershipOn(writes, side)];
  // What a merge brought is no loss when its survivor is given back what it held.
  const written = update?.fields.filter((field) => !update.given?.includes(field)) ?? [];
  const emptied = update === null ? [] : emptiedFields(record.contact, update.desired, written);
  if (moves === null) return emptied;
  const left = links.flatMap((link) => (moves.leaves.includes(link.key) ? (link[side] ?? []) : []));
  return leavesEveryGroup(record.groupIds, moves.joins, left) ? [...emptied, 'buckets'] : emptied;
};

/** The losses that a decision brings to each side, each counted once. */
const lossesBy = (decision: Decision, links: readonly GroupLink[]): Sides<readonly Loss[]> => {
  switch (decision.kind) {
    case 'delete':
      return { left: [], right: [], [decision.side]: ['contacts'] };
    case 'merge':
      return bySide((side) => {
        const emptied = emptiedBy(decision, side, links);
        return side === 'left' && setsApart(decision) ? [...emptied, 'setApart'] : emptied;
      });
    case 'unlink':
      return { left: setsApart(decision) ? ['setApart'] : [], right: [] };
    case 'create':
      return { left: [], right: [] };
  }
};

/** Whether a decision deletes a contact, empties a field of one, or sets one apart. */
export const causesLosses = (decision: Decision, links: readonly GroupLink[]): boolean => {
  const losses = lossesBy(decision, links);
  return SIDES.some((side) => losses[side].length > 0);
};

/** Adds up losses; each name counts one. */
export const countLosses = (losses: readonly Loss[]): Losses => {
  const counted: Partial<Record<Loss, number>> = {};
  for (const loss of losses) counted[loss] = (counted[loss] ?? 0) + 1;
  return counted;
};

/** Whether nothing at all is lost. */
export const isLossless = (losses: Sides<Losses>): boolean => {
  return SIDES.every((side) => Object.values(losses[side]).every((count) => count === 0));
};

/** What a plan causesLosses on each side; `membersOf` says how many contacts a group has. Pure. */
export const lossesOf = (
  { decisions, groups }: Pick<Plan, 'decisions' | 'groups'>,
  membersOf: (side: Side, groupId: string) => number,
): Sides<Losses> => {
  const each = decisions.map((decision) => lossesBy(decision, groups.links));
  const deleted = groups.actions.filter((action) => action.kind === 'delete-group');
  return bySide((side) => {
    const own = deleted.filter((action) => action.side === side);
    const members = own.reduce((sum, { group }) => sum + membersOf(side, group.id), 0);
    return { ...countLosses(each.flatMap((losses) => losses[side])), members };
  });
};
