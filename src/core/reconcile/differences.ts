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
import { elementKey, type KeyedList, keyLists, listOf, withList } from '../contact/lists.ts';
import { unsyncableFields } from '../contact/record.ts';
import { bySide, SIDES, type Sides } from '../contact/side.ts';
import { contactsOf, type Snapshot } from '../contact/snapshot.ts';
import { type GroupLink, mergeMembership } from './membership.ts';
import { mergeList, mergeScalar } from './merge.ts';
import { forField, type Policy } from './policy.ts';
import { aliasLeftovers, resembles } from './similar.ts';

// A pair whose halves differ is quiet only where a rule explains the difference.

/** The halves of a pair as they were when both sides last agreed. */
type Settled = Sides<Half & { readonly base: Snapshot }>;

/** The differences between the halves of a pair that no rule explains; groups by their links. */
export type Unexplained = {
  readonly texts: readonly ScalarField[];
  readonly lists: readonly { readonly field: ListField; readonly elements: readonly ListElement[] }[];
  readonly groups: readonly GroupLink[];
};

const goesBothWays = (policy: Policy, field: SyncedField): boolean => forField(policy, field).direction === 'both';

const isDeclined = (halves: Settled, field: SyncedField, key: string): boolean =>
  SIDES.some((side) => halves[side].base.declined?.[field]?.includes(key) === true);

/** Whether the two texts differ and nothing explains it: no change, no value that a side declined or rewrote. */
const isUnexplainedText = (field: ScalarField, halves: Settled): boolean => {
  const [left, right] = [textIn(halves.left.record.contact, field), textIn(halves.right.record.contact, field)];
  if (left === right || isExtraField(field) || mergeScalar(field, halves).kind !== 'quiet') return false;
  const isRewritten = left !== '' && right !== '' && resembles(left, right);
  return !isRewritten && !isDeclined(halves, field, left) && !isDeclined(halves, field, right);
};

/** The elements that one list holds and the other lacks, without a change and without an explanation. */
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

/** The group pairs in which one half alone is a member, without a change and without an explanation. */
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
 * Returns the differences between the two halves of a linked pair that nothing explains (R5): neither side changed them since
 * the bases, no side declined or rewrote it, and the field goes both ways. Null where everything is explained. Pure.
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

/** The fields of unexplained differences. */
export const fieldsOfDifferences = ({ texts, lists, groups }: Unexplained): readonly SyncedField[] => [
  ...texts,
  ...lists.map(({ field }) => field),
  ...(groups.length > 0 ? ['buckets' as const] : []),
];

/**
 * The halves with bases that hold nothing of what is disputed: the next plan merges them as if both sides had just added
 * their values, so that nothing is lost (R5). Pure.
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
      contact = withList(
        contact,
        field,
        kept.map(([, element]) => element),
      );
    }
    const disputed = new Set<string | null>(groups.map((link) => link[side]));
    const groupIds = half.base.groupIds.filter((id) => !disputed.has(id));
    return { ...half, base: { ...half.base, contact, groupIds } };
  });
