import {
  type ListField,
  listsIn,
  type ScalarField,
  scalarsIn,
  type SyncedField,
  textIn,
  withValue,
} from '../contact/contact.ts';
import { isExtraField } from '../contact/fields.ts';
import type { Half } from '../contact/half.ts';
import type { ListElement } from '../contact/keys.ts';
import { elementKey, type KeyedList, keyLists, listOf, withKeyed } from '../contact/lists.ts';
import { unsyncableFields } from '../contact/record.ts';
import { bySide, SIDES, type Sides } from '../contact/side.ts';
import { contactsOf, type Snapshot } from '../contact/snapshot.ts';
import { type GroupLink, mergeMembership } from './membership.ts';
import { mergeList, mergeScalar } from './merge.ts';
import { forField, type Policy } from './policy.ts';
import { aliasLeftovers, resembles } from './similar.ts';

// A pair with different halves counts as in sync only if a rule explains each difference.

/** The halves of a pair with a base each. */
type Settled = Sides<Half & { readonly base: Snapshot }>;

/** The differences between the halves of a pair that no rule explains; groups are given by their links. */
type Unexplained = {
  readonly texts: readonly ScalarField[];
  readonly lists: readonly { readonly field: ListField; readonly elements: readonly ListElement[] }[];
  readonly groups: readonly GroupLink[];
};

const goesBothWays = (policy: Policy, field: SyncedField): boolean => forField(policy, field).direction === 'both';

const isDeclined = (halves: Settled, field: SyncedField, key: string): boolean =>
  SIDES.some((side) => halves[side].base.declined?.[field]?.includes(key) === true);

/** Returns whether the two texts differ without a reason: no change, and no value that a side declined or rewrote. */
const isUnexplainedText = (field: ScalarField, halves: Settled): boolean => {
  const [left, right] = [textIn(halves.left.record.contact, field), textIn(halves.right.record.contact, field)];
  if (left === right || isExtraField(field) || mergeScalar(field, halves).kind !== 'quiet') return false;
  const isRewritten = left !== '' && right !== '' && resembles(left, right);
  return !isRewritten && !isDeclined(halves, field, left) && !isDeclined(halves, field, right);
};

/** Returns the elements that only one list contains, if neither a change nor a rule explains the difference. */
const unexplainedElements = (field: ListField, halves: Settled): readonly ListElement[] => {
  const elements = ({ contact }: Snapshot) => listOf(contact, field);
  const lists = {
    left: elements(halves.left.record),
    right: elements(halves.right.record),
    leftBase: elements(halves.left.base),
    rightBase: elements(halves.right.base),
  };
  const { left, right } = aliasLeftovers(keyLists(field, lists));
  const alone = (one: KeyedList, other: KeyedList): readonly ListElement[] =>
    [...one].flatMap(([key, element]) => (other.has(key) ? [] : [element]));
  const differing = [...alone(left, right), ...alone(right, left)];
  if (differing.length === 0) return [];
  const merged = mergeList(field, halves);
  const changed = new Set(SIDES.flatMap((side) => [...merged[side].add, ...merged[side].remove]));
  return differing.filter((each) => !changed.has(each) && !isDeclined(halves, field, elementKey(field, each)));
};

/** Returns the group pairs of which only one half is a member, if neither a change nor a rule explains the difference. */
const unexplainedGroups = (links: readonly GroupLink[], halves: Settled, policy: Policy): readonly GroupLink[] => {
  const isIn = (link: GroupLink) => bySide((side) => halves[side].record.groupIds.some((id) => id === link[side]));
  const differing = links.filter((link) => {
    const { left, right } = isIn(link);
    return link.settled && link.left !== null && link.right !== null && left !== right;
  });
  if (differing.length === 0) return [];
  const moves = mergeMembership(halves, differing, policy);
  const changed = new Set(SIDES.flatMap((side) => [...moves[side].joins, ...moves[side].leaves]));
  return differing.filter(
    (link) => !changed.has(link.key) && !SIDES.some((side) => isDeclined(halves, 'buckets', link[side] ?? '')),
  );
};

const isSettled = (halves: Sides<Half>): halves is Settled => SIDES.every((side) => halves[side].base !== null);

/**
 * Returns the differences between the two halves of a linked pair that no rule explains (R5): neither side changed them since the
 * bases, no side declined or rewrote them, and the field is synced both ways. Returns null if there are none. Pure.
 */
export const unexplainedDifferences = (
  halves: Sides<Half>,
  links: readonly GroupLink[],
  policy: Policy,
): Unexplained | null => {
  if (!isSettled(halves)) return null;
  const contacts = contactsOf(halves.left.record, halves.right.record);
  const unsyncable = unsyncableFields(halves.left.record, halves.right.record);
  const isSynced = (field: SyncedField): boolean => goesBothWays(policy, field) && !unsyncable.has(field);
  const texts = scalarsIn(...contacts).filter((field) => isUnexplainedText(field, halves) && isSynced(field));
  const lists = listsIn(...contacts)
    .filter(isSynced)
    .map((field) => ({ field, elements: unexplainedElements(field, halves) }))
    .filter(({ elements }) => elements.length > 0);
  const groups = goesBothWays(policy, 'buckets') ? unexplainedGroups(links, halves, policy) : [];
  return texts.length + lists.length + groups.length === 0 ? null : { texts, lists, groups };
};

/** Returns the fields of unexplained differences. */
export const fieldsOfDifferences = ({ texts, lists, groups }: Unexplained): readonly SyncedField[] => [
  ...texts,
  ...lists.map(({ field }) => field),
  ...(groups.length > 0 ? ['buckets' as const] : []),
];

/**
 * Returns the halves with the disputed values removed from their bases. The next plan then merges them as if both sides had just
 * added their values, so no value is lost (R5). Pure.
 */
export const disputedHalves = (halves: Sides<Half>, { texts, lists, groups }: Unexplained): Sides<Half> =>
  bySide((side) => {
    const half = halves[side];
    if (half.base === null) return half;
    let { contact } = half.base;
    for (const field of texts) contact = withValue(contact, field, '');
    for (const { field, elements } of lists) {
      const keyed = keyLists(field, { base: listOf(contact, field), disputed: elements });
      const kept = [...keyed.base].filter(([key]) => !keyed.disputed.has(key));
      contact = withKeyed(contact, field, kept);
    }
    const disputed = new Set<string | null>(groups.map((link) => link[side]));
    const groupIds = half.base.groupIds.filter((id) => !disputed.has(id));
    return { ...half, base: { ...half.base, contact, groupIds } };
  });
