import type { ListField, ScalarField, SyncedField } from '../../src/core/contact/contact.ts';
import { listsIn, scalarsIn, textIn } from '../../src/core/contact/contact.ts';
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
import { contactsOf, type Snapshot } from '../../src/core/contact/snapshot.ts';
import { type GroupLink, mergeMembership } from '../../src/core/reconcile/membership.ts';
import { mergeList, mergeScalar } from '../../src/core/reconcile/merge.ts';
import { forField, type Policy } from '../../src/core/reconcile/policy.ts';
import { aliasLeftovers, resembles } from '../../src/core/reconcile/similar.ts';

// A pair with different halves counts as in sync only if a rule explains each difference.

/** The halves of a pair with a base each. */
type Settled = Sides<Half & { readonly base: Snapshot }>;

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

/** Returns whether only one list contains some element without a reason. */
const isUnexplainedList = (field: ListField, halves: Settled): boolean => {
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
  if (differing.length === 0) return false;
  const merged = mergeList(field, halves);
  const changed = new Set(SIDES.flatMap((side) => [...merged[side].add, ...merged[side].remove]));
  return differing.some((each) => !changed.has(each) && !isDeclined(halves, field, elementKey(field, each)));
};

/** Returns whether only one half is a member of some group pair without a reason. */
const hasUnexplainedGroups = (links: readonly GroupLink[], halves: Settled, policy: Policy): boolean => {
  const isIn = (link: GroupLink) => bySide((side) => halves[side].record.groupIds.some((id) => id === link[side]));
  const differing = links.filter((link) => {
    const { left, right } = isIn(link);
    return link.isUnited && link.left !== null && link.right !== null && left !== right;
  });
  if (differing.length === 0) return false;
  const moves = mergeMembership(halves, differing, policy);
  const changed = new Set(SIDES.flatMap((side) => [...moves[side].joins, ...moves[side].leaves]));
  return differing.some(
    (link) => !changed.has(link.key) && !SIDES.some((side) => isDeclined(halves, 'buckets', link[side] ?? '')),
  );
};

const isSettled = (halves: Sides<Half>): halves is Settled => SIDES.every((side) => halves[side].base !== null);

/**
 * Returns the fields in which the two halves of a linked pair differ although no rule explains it (R5): neither side changed them
 * since the bases, no side declined or rewrote them, and the field is synced both ways.
 */
export const unexplainedFields = (
  halves: Sides<Half>,
  links: readonly GroupLink[],
  policy: Policy,
): readonly SyncedField[] => {
  if (!isSettled(halves)) return [];
  const contacts = contactsOf(halves.left.record, halves.right.record);
  const unsyncable = unsyncableFields(halves.left.record, halves.right.record);
  const isSynced = (field: SyncedField): boolean => goesBothWays(policy, field) && !unsyncable.has(field);
  const isInGroups = goesBothWays(policy, 'buckets') && hasUnexplainedGroups(links, halves, policy);
  return [
    ...scalarsIn(...contacts).filter((field) => isSynced(field) && isUnexplainedText(field, halves)),
    ...listsIn(...contacts).filter((field) => isSynced(field) && isUnexplainedList(field, halves)),
    ...(isInGroups ? ['buckets' as const] : []),
  ];
};

/** A linked pair, and its fields that differ although no rule explains it. */
type Differing = { readonly pair: WholePair; readonly fields: readonly SyncedField[] };

const isWhole = (pair: Pair): pair is WholePair =>
  pair.status === 'linked' && SIDES.every((side) => isPresent(pair[side]) && !isAway(pair[side]));

/** Finds the linked pairs whose halves differ although no rule explains it (R5). Omits pairs with a write of unknown outcome. */
export const findDiffering = async (
  { store, link, policy }: { readonly store: Store; readonly link: string; readonly policy: Policy },
  links: GroupPlan['links'],
): Promise<readonly Differing[]> => {
  const open = await store.journal(link, { open: true });
  const unsettled = new Set(open.flatMap(({ leftId, rightId }) => [`left ${leftId}`, `right ${rightId}`]));
  const pairIds = (await store.index(link, 'left')).flatMap(({ pair }) => pair ?? []);
  const pairs = (await loadPairsOf(store, link, { ids: { left: [], right: [] }, pairIds })).filter(isWhole);
  return pairs
    .filter((pair) => !SIDES.some((side) => unsettled.has(`${side} ${pair[side].id}`)))
    .map((pair) => ({ pair, fields: unexplainedFields(pair, links, policy) }))
    .filter(({ fields }) => fields.length > 0);
};
