import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { GroupRecord } from '../contact/record.ts';
import type { GroupLink } from './membership.ts';
import { conflictWinner, foldGroupName, groupFilter, mayWrite, type Policy } from './policy.ts';

/** A bucket and a label that belong together, as the store keeps them. */
export type GroupPair = {
  readonly key: string;
  readonly left: GroupHalf | null;
  readonly right: GroupHalf | null;
  /** `kept`: one half was deleted and the other stays for itself. */
  readonly status: 'linked' | 'kept';
  readonly settled: boolean;
};

/** The group's id and its base: the name that the side itself last gave back. */
type GroupHalf = { readonly id: string; readonly name: string };

export type GroupAction =
  | {
      readonly kind: 'create-group';
      readonly side: Side;
      readonly key: string;
      readonly name: string;
      /** The details of the deleted group that comes back (`GroupRecord.details`). */
      readonly details?: string;
    }
  | {
      readonly kind: 'rename-group';
      readonly side: Side;
      readonly key: string;
      readonly group: GroupRecord;
      readonly name: string;
    }
  | {
      readonly kind: 'delete-group';
      readonly side: Side;
      readonly key: string;
      readonly id: string;
      readonly name: string;
      readonly details?: string;
    };

export type GroupPlan = {
  readonly actions: readonly GroupAction[];
  /** Group pairs as they stand when the actions are done; a half to be created is null until then. */
  readonly pairs: readonly GroupPair[];
  /** Keys of stored pairs that end, once a `delete-group` of that key is done. */
  readonly ended: readonly string[];
  /** The pairs through which memberships travel in this run. */
  readonly links: readonly GroupLink[];
  /** Names that a side holds more than once, of which only one can be paired. */
  readonly duplicates: readonly { readonly side: Side; readonly name: string }[];
};

/** What each side's groups are called when the actions of a plan are done, by id; one that is yet to be created, by its key. */
export type GroupNames = Sides<ReadonlyMap<string, string>>;

export type GroupInput = {
  /** Every group that a side holds now. */
  readonly left: readonly GroupRecord[];
  readonly right: readonly GroupRecord[];
  /** Groups of which nobody knows whether they stand, by id: nothing is decided of their pairs. */
  readonly unread?: Sides<ReadonlySet<string>>;
  readonly pairs: readonly GroupPair[];
};

type Draft = {
  readonly policy: Policy;
  readonly takesPart: (name: string) => boolean;
  readonly groups: Readonly<Record<Side, Map<string, GroupRecord>>>;
  readonly actions: GroupAction[];
  readonly pairs: GroupPair[];
  readonly ended: string[];
  readonly links: GroupLink[];
  readonly duplicates: { side: Side; name: string }[];
};

const half = (group: GroupRecord): GroupHalf => ({ id: group.id, name: group.name });

const linkOf = (pair: GroupPair): GroupLink => ({
  key: pair.key,
  left: pair.left?.id ?? null,
  right: pair.right?.id ?? null,
  settled: pair.settled,
});

/** The side whose name stands for both: the one that was renamed; where both were, the one that wins conflicts. */
const namingSide = (draft: Draft, pair: GroupPair, left: GroupRecord, right: GroupRecord): Side | null => {
  if (left.name === right.name) return null;
  const renamed = { left: left.name !== pair.left?.name, right: right.name !== pair.right?.name };
  if (!renamed.left && !renamed.right) return null;
  if (renamed.left !== renamed.right) return renamed.left ? 'left' : 'right';
  const winner = conflictWinner(draft.policy, draft.policy.conflicts, {
    values: { left: left.name, right: right.name },
    changedAtMs: { left: null, right: null },
  });
  return winner ?? 'left';
};

const planLinked = (draft: Draft, pair: GroupPair, left: GroupRecord, right: GroupRecord): void => {
  if (!draft.takesPart(left.name) && !draft.takesPart(right.name)) {
    draft.pairs.push({ ...pair, settled: false });
    return;
  }
  const from = namingSide(draft, pair, left, right);
  const records = { left, right };
  if (from !== null && mayWrite(draft.policy, otherSide(from))) {
    const to = otherSide(from);
    const name = records[from].name;
    draft.actions.push({ kind: 'rename-group', side: to, key: pair.key, group: records[to], name });
  }
  const next: GroupPair = { ...pair, left: half(left), right: half(right), status: 'linked' };
  // The bases stay as they were until a rename has arrived on the other side.
  draft.pairs.push(from === null ? { ...next, settled: true } : { ...pair, settled: true });
  draft.links.push(linkOf(next));
};

const planHalfGone = (draft: Draft, pair: GroupPair, side: Side, survivor: GroupRecord): void => {
  const travels = draft.policy.deletes === 'propagate' && mayWrite(draft.policy, side);
  if (travels && draft.takesPart(survivor.name)) {
    const { id, name, details } = survivor;
    const kept = details === undefined ? {} : { details };
    draft.actions.push({ kind: 'delete-group', side, key: pair.key, id, name, ...kept });
    draft.ended.push(pair.key);
  } else {
    draft.pairs.push({ ...pair, [otherSide(side)]: null, [side]: half(survivor), status: 'kept', settled: false });
  }
};

/** A kept group stays alone until the other side has a group of its name again. */
const planKept = (draft: Draft, pair: GroupPair, survivor: GroupRecord): void => {
  const missing = pair.left === null ? 'left' : 'right';
  const names = [...draft.groups[missing].values()].map((group) => foldGroupName(group.name));
  if (names.includes(foldGroupName(survivor.name))) draft.ended.push(pair.key);
  else draft.pairs.push(pair);
};

const planStored = (draft: Draft, pair: GroupPair): void => {
  const now = (side: Side): GroupRecord | undefined => draft.groups[side].get(pair[side]?.id ?? '');
  const [left, right] = [now('left'), now('right')];
  if (left !== undefined && right !== undefined) {
    planLinked(draft, pair, left, right);
    return;
  }
  const survivor = left ?? right;
  // A half that was never made is no deletion: the other one is planned like any unpaired group.
  const isHalfMade = pair.status === 'linked' && (pair.left === null || pair.right === null);
  if (survivor === undefined || isHalfMade) draft.ended.push(pair.key);
  else if (pair.status === 'kept') planKept(draft, pair, survivor);
  else planHalfGone(draft, pair, left === undefined ? 'right' : 'left', survivor);
};

const unpaired = (draft: Draft, side: Side): GroupRecord[] => {
  const taken = new Set(draft.pairs.map((pair) => pair[side]?.id));
  const deleted = new Set(draft.actions.flatMap((a) => (a.kind === 'delete-group' && a.side === side ? [a.id] : [])));
  const free = [...draft.groups[side].values()].filter((group) => !taken.has(group.id) && !deleted.has(group.id));
  return free.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
};

const pairByName = (draft: Draft): void => {
  const right = Map.groupBy(unpaired(draft, 'right'), (group) => foldGroupName(group.name));
  for (const group of unpaired(draft, 'left')) {
    const twin = right.get(foldGroupName(group.name))?.shift();
    if (twin === undefined || !draft.takesPart(group.name)) continue;
    const pair: GroupPair = {
      key: `left:${group.id}`,
      left: half(group),
      right: half(twin),
      status: 'linked',
      settled: false,
    };
    draft.pairs.push({ ...pair, settled: true });
    draft.links.push(linkOf(pair));
  }
};

const createMissing = (draft: Draft, side: Side): void => {
  const to = otherSide(side);
  if (!mayWrite(draft.policy, to)) return;
  const names = new Set([...draft.groups[to].values()].map((group) => foldGroupName(group.name)));
  for (const group of unpaired(draft, side)) {
    if (!draft.takesPart(group.name)) continue;
    const name = foldGroupName(group.name);
    if (names.has(name)) {
      draft.duplicates.push({ side, name: group.name });
      continue;
    }
    names.add(name);
    const key = `${side}:${group.id}`;
    const halves = side === 'left' ? { left: half(group), right: null } : { left: null, right: half(group) };
    const pair: GroupPair = { key, ...halves, status: 'linked', settled: false };
    draft.actions.push({ kind: 'create-group', side: to, key, name: group.name });
    draft.pairs.push({ ...pair, settled: true });
    draft.links.push(linkOf(pair));
  }
};

/** What a side's groups are called once the actions on it are done. */
const namesAfter = (groups: Iterable<GroupRecord>, actions: readonly GroupAction[]): ReadonlyMap<string, string> => {
  const names = new Map([...groups].map(({ id, name }) => [id, name]));
  for (const action of actions) {
    if (action.kind === 'create-group') names.set(action.key, action.name);
    else if (action.kind === 'delete-group') names.delete(action.id);
    else names.set(action.group.id, action.name);
  }
  return names;
};

/**
 * Decides what becomes of buckets and labels: paired by name, created where missing, renamed when either is renamed,
 * deleted when either is deleted. A group absent from the input is gone: the caller has the evidence (R7). Pure.
 */
export const planGroups = (input: GroupInput, policy: Policy): GroupPlan & { readonly names: GroupNames } => {
  const byId = (groups: readonly GroupRecord[]) => new Map(groups.map((group) => [group.id, group]));
  const draft: Draft = {
    policy,
    takesPart: groupFilter(policy.buckets),
    groups: { left: byId(input.left), right: byId(input.right) },
    actions: [],
    pairs: [],
    ended: [],
    links: [],
    duplicates: [],
  };
  const isUnread = (pair: GroupPair): boolean => SIDES.some((side) => input.unread?.[side].has(pair[side]?.id ?? ''));
  for (const pair of input.pairs) {
    // Its members unite once it is known to stand.
    if (isUnread(pair)) draft.pairs.push({ ...pair, settled: false });
    else planStored(draft, pair);
  }
  pairByName(draft);
  for (const side of SIDES) createMissing(draft, side);
  const { actions, groups } = draft;
  const names = bySide((side) =>
    namesAfter(
      groups[side].values(),
      actions.filter((action) => action.side === side),
    ),
  );
  return { ...draft, names };
};
