import {
  type ListField,
  listsIn,
  type ScalarField,
  scalarsIn,
  type SyncedField,
  textIn,
} from '../../src/core/contact/contact.ts';
import { isExtraField } from '../../src/core/contact/fields.ts';
import { type Half, isAway, isPresent } from '../../src/core/contact/half.ts';
import type { ListElement } from '../../src/core/contact/keys.ts';
import { elementKey, type KeyedList, keyLists, listOf } from '../../src/core/contact/lists.ts';
import { unsyncableFields } from '../../src/core/contact/record.ts';
import { bySide, SIDES, type Sides } from '../../src/core/contact/side.ts';
import type { Pair, WholePair } from '../../src/core/contact/pair.ts';
import type { GroupPlan } from '../../src/core/reconcile/groups.ts';
import { loadPairsOf } from '../../src/engine/workload.ts';
import type { Store } from '../../src/store/store.ts';
import { chunks } from '../../src/util/batches.ts';
import { contactsOf, type Snapshot } from '../../src/core/contact/snapshot.ts';
import { type GroupLink, mergeMembership } from '../../src/core/reconcile/membership.ts';
import { mergeList, mergeScalar } from '../../src/core/reconcile/merge.ts';
import { forField, type Policy } from '../../src/core/reconcile/policy.ts';
import { aliasLeftovers, resembles } from '../../src/core/reconcile/similar.ts';

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
  if (left === right || isExtraField(field) || mergeScalar(field, halves) !== null) return false;
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
    return link.isUnited && link.left !== null && link.right !== null && left !== right;
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

/** The number of pairs that are loaded at once. */
const BATCH = 500;

/** A linked pair with differences that no rule explains. */
type Differing = { readonly pair: WholePair; readonly differences: Unexplained };

const isWhole = (pair: Pair): pair is WholePair =>
  pair.status === 'linked' && SIDES.every((side) => isPresent(pair[side]) && !isAway(pair[side]));

/** The ids of pairs with two halves. */
const wholePairs = async (store: Store, link: string): Promise<readonly number[]> => {
  const [left, right] = await Promise.all(SIDES.map((side) => store.index(link, side)));
  const others = new Set(right?.map(({ pair }) => pair));
  return (left ?? []).flatMap(({ pair }) => (pair !== null && others.has(pair) ? [pair] : []));
};

/** Finds the linked pairs whose halves differ although no rule explains it (R5). Omits pairs with a write of unknown outcome. */
export async function* findDiffering(
  { store, link, policy }: { readonly store: Store; readonly link: string; readonly policy: Policy },
  links: GroupPlan['links'],
): AsyncGenerator<readonly Differing[]> {
  const open = await store.journal(link, { open: true });
  const unsettled = new Set(open.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]));
  for (const pairIds of chunks(await wholePairs(store, link), BATCH)) {
    const pairs = (await loadPairsOf(store, link, { ids: { left: [], right: [] }, pairIds })).filter(isWhole);
    const settled = pairs.filter((pair) => !SIDES.some((side) => unsettled.has(`${side} ${pair[side].id}`)));
    yield settled.flatMap((pair): Differing[] => {
      const differences = unexplainedDifferences(pair, links, policy);
      return differences === null ? [] : [{ pair, differences }];
    });
  }
}
