import { type Contact, type ContactField, type SyncedField, valueIn } from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import { bySide, type Side, type Sides, SIDES } from '../contact/side.ts';
import type { Decision, Merge } from './decision.ts';
import type { GroupLink } from './membership.ts';
import type { Plan } from './plan.ts';

/**
 * The losses that the guard counts (R8): deleted contacts, members of deleted groups, and for each field the contacts that lose
 * every value of it.
 */
export type Loss = 'contacts' | 'members' | SyncedField;

/** The number of losses of each kind on one side; an absent kind is 0. */
export type Losses = Readonly<Partial<Record<Loss, number>>>;

/**
 * Returns the contact fields that have a value before a write and none after it. Fields that a side computes are left out:
 * they contain no user data.
 */
export const emptiedFields = (
  before: Contact,
  desired: Contact,
  fields: readonly ContactField[],
): readonly ContactField[] =>
  fields.filter(
    (field) => !isExtraField(field) && valueIn(before, field).length > 0 && valueIn(desired, field).length === 0,
  );

/** Returns whether a contact is in no group after it joined and left these groups. */
export const leavesEveryGroup = (
  before: readonly string[],
  join: readonly string[],
  leave: readonly string[],
): boolean => join.length === 0 && leave.length > 0 && before.every((id) => leave.includes(id));

const emptiedBy = ({ pair, writes }: Merge, side: Side, links: readonly GroupLink[]): readonly SyncedField[] => {
  const { record } = pair[side];
  const { update, joins, leaves } = writes[side];
  const emptied = update === null ? [] : emptiedFields(record.contact, update.desired, update.fields);
  const leave = links.flatMap((link) => (leaves.includes(link.key) ? (link[side] ?? []) : []));
  return leavesEveryGroup(record.groupIds, joins, leave) ? [...emptied, 'buckets'] : emptied;
};

/** Returns the losses that a decision causes on each side, each counted once. */
export const lossesBy = (decision: Decision, links: readonly GroupLink[]): Sides<readonly Loss[]> => {
  switch (decision.kind) {
    case 'delete':
      return { left: [], right: [], [decision.side]: ['contacts'] };
    case 'merge':
      return bySide((side) => emptiedBy(decision, side, links));
    case 'unlink':
    case 'create':
      return { left: [], right: [] };
  }
};

/** Returns whether a decision deletes a contact or empties a field of a contact. */
export const causesLosses = (decision: Decision, links: readonly GroupLink[]): boolean => {
  const losses = lossesBy(decision, links);
  return SIDES.some((side) => losses[side].length > 0);
};

/** Counts losses by kind. */
export const countLosses = (losses: readonly Loss[]): Losses => {
  const counted: Partial<Record<Loss, number>> = {};
  for (const loss of losses) counted[loss] = (counted[loss] ?? 0) + 1;
  return counted;
};

/** Returns whether the losses of both sides are zero. */
export const isLossless = (losses: Sides<Losses>): boolean =>
  SIDES.every((side) => Object.values(losses[side]).every((count) => count === 0));

/** Returns the losses that a plan causes on each side; `membersOf` returns the number of members of a group. Pure. */
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

/** Returns the id of the contact that a decision changes on a side. */
const idOf = (decision: Decision, side: Side): string =>
  decision.kind === 'delete' ? decision.record.id : (decision.pair?.[side]?.id ?? '');

/** Identifies the loss of a contact or of the members of a group, by its id. */
export const lossKey = (loss: Loss, side: Side, id: string): string => `${loss} ${side} ${id}`;

/** Returns a text for each loss of a plan that identifies it: an acceptance refers to these losses and no others (R8). */
export const lossKeys = ({ decisions, groups }: Pick<Plan, 'decisions' | 'groups'>): readonly string[] => [
  ...decisions.flatMap((decision) => {
    const losses = lossesBy(decision, groups.links);
    return SIDES.flatMap((side) => losses[side].map((loss) => lossKey(loss, side, idOf(decision, side))));
  }),
  ...groups.actions.flatMap((action) =>
    action.kind === 'delete-group' ? [lossKey('members', action.side, action.group.id)] : [],
  ),
];

/** Returns the ids of the contacts and groups among the losses of {@link lossKeys} that would be deleted, by side. */
export const deletionsIn = (
  keys: readonly string[],
): Sides<{ readonly contacts: readonly string[]; readonly groups: readonly string[] }> => {
  const idsOf = (loss: Loss, side: Side): readonly string[] => {
    const start = lossKey(loss, side, '');
    return keys.flatMap((key) => (key.startsWith(start) ? [key.slice(start.length)] : []));
  };
  return bySide((side) => ({ contacts: idsOf('contacts', side), groups: idsOf('members', side) }));
};
