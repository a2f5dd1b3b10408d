import { bySide, otherSide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { GroupRecord } from '../contact/record.ts';
import { type GroupAction, isTemporary, orderGroupActions, temporaryName, withoutBlocked } from './group-order.ts';
import type { GroupLink } from './membership.ts';
import { conflictWinner } from './conflict-policy.ts';
import { foldGroupName, groupFilter, mayWrite, type Policy } from './policy.ts';

/** The stored link between a bucket and a label. */
export type GroupPair = {
  readonly key: string;
  readonly left: GroupHalf | null;
  readonly right: GroupHalf | null;
  /** `kept`: one half was deleted and the other remains without a counterpart. */
  readonly status: 'linked' | 'kept';
  /** True if the members of both groups were united (R13). A difference in membership is an edit only since then. */
  readonly isUnited: boolean;
};

/** A group of a pair on one side. */
export type GroupHalf = {
  readonly id: string;
  /** The base: the name that the side itself last returned. */
  readonly name: string;
  /** The name that a rename gives to the group, from before its request until its answer is stored; otherwise left out. */
  readonly nextName?: string;
};

export type GroupPlan = {
  readonly actions: readonly GroupAction[];
  /** Group pairs after the actions; a half that is to be created is null until then. */
  readonly pairs: readonly GroupPair[];
  /** Keys of stored pairs that end after the `delete-group` action of that key. */
  readonly ended: readonly string[];
  /** The pairs through which memberships are synced in this run. */
  readonly links: readonly GroupLink[];
  /** Names that several groups of one side have; only one of the groups can be paired. */
  readonly duplicates: readonly { readonly side: Side; readonly name: string }[];
};

/** The names of one side's groups after the actions of a plan, by id; by key for a group that is yet to be created. */
export type GroupNames = ReadonlyMap<string, string>;

type GroupInput = {
  /** All current groups of a side. */
  readonly left: readonly GroupRecord[];
  readonly right: readonly GroupRecord[];
  /** Ids of groups that could not be read and may be deleted. No decision is made about their pairs. */
  readonly unread?: Sides<ReadonlySet<string>>;
  readonly pairs: readonly GroupPair[];
};

type Draft = {
  readonly policy: Policy;
  readonly takesPart: (name: string) => boolean;
  readonly groups: Sides<Map<string, GroupRecord>>;
  readonly stored: readonly GroupPair[];
  readonly actions: GroupAction[];
  readonly pairs: GroupPair[];
  readonly ended: string[];
  readonly links: GroupLink[];
  readonly duplicates: { side: Side; name: string }[];
};

const half = (group: GroupRecord): GroupHalf => ({ id: group.id, name: group.name });

/** Returns the name that the user gave to a group. A temporary name was set by an interrupted run. */
const nameIn = (pair: GroupPair, side: Side, { name }: GroupRecord): string =>
  name === temporaryName(pair.key) ? (pair[side]?.name ?? name) : name;

const linkOf = (pair: GroupPair): GroupLink => ({
  key: pair.key,
  left: pair.left?.id ?? null,
  right: pair.right?.id ?? null,
  isUnited: pair.isUnited,
});

/**
 * Returns the side whose name both groups get: the renamed side, or if both were renamed the side that wins conflicts. Returns
 * null if the names may stay.
 */
const namingSide = (draft: Draft, pair: GroupPair, groups: Sides<GroupRecord>): Side | null => {
  const names = bySide((side) => groups[side].name);
  if (names.left === names.right) return null;
  // A name that an interrupted run has given to a group is no rename by a user.
  const interrupted = SIDES.find((side) => [temporaryName(pair.key), pair[side]?.nextName].includes(names[side]));
  if (interrupted !== undefined) return otherSide(interrupted);
  const renamed = bySide((side) => names[side] !== pair[side]?.name);
  if (!renamed.left && !renamed.right) return null;
  if (renamed.left !== renamed.right) return renamed.left ? 'left' : 'right';
  return conflictWinner(draft.policy, draft.policy.conflicts, { left: null, right: null }) ?? 'left';
};

const planLinked = (draft: Draft, pair: GroupPair, left: GroupRecord, right: GroupRecord): void => {
  const records = { left, right };
  if (SIDES.every((side) => !draft.takesPart(nameIn(pair, side, records[side])))) {
    draft.pairs.push({ ...pair, isUnited: false });
    return;
  }
  const from = namingSide(draft, pair, records);
  if (from !== null && mayWrite(draft.policy, otherSide(from))) {
    const to = otherSide(from);
    const name = nameIn(pair, from, records[from]);
    draft.actions.push({ kind: 'rename-group', side: to, key: pair.key, group: records[to], name });
  }
  const next: GroupPair = { ...pair, left: half(left), right: half(right), status: 'linked' };
  // The bases do not change until a rename is done on the other side.
  draft.pairs.push(from === null ? { ...next, isUnited: true } : { ...pair, isUnited: true });
  draft.links.push(linkOf(next));
};

const planHalfGone = (draft: Draft, pair: GroupPair, side: Side, survivor: GroupRecord): void => {
  const travels = draft.policy.deletes === 'propagate' && mayWrite(draft.policy, side);
  const name = nameIn(pair, side, survivor);
  if (travels && draft.takesPart(name)) {
    draft.actions.push({ kind: 'delete-group', side, key: pair.key, group: survivor, name });
    draft.ended.push(pair.key);
  } else {
    const kept = { id: survivor.id, name };
    draft.pairs.push({ ...pair, [otherSide(side)]: null, [side]: kept, status: 'kept', isUnited: false });
    if (name !== survivor.name) {
      draft.actions.push({ kind: 'rename-group', side, key: pair.key, group: survivor, name });
    }
  }
};

const FORMER = 'former ';

/**
 * Returns the key of a group that stays after the rename of its pair, on a side whose groups are words on their members, until it is
 * removed.
 */
export const formerKey = (renamed: string, side: Side, id: string): string =>
  `${FORMER}${JSON.stringify([renamed, side, id])}`;

/** Returns the key of the pair that was renamed. `key` is of {@link formerKey}. */
export const renamedKey = (key: string): string => {
  const [renamed] = JSON.parse(key.slice(FORMER.length)) as readonly [string, Side, string];
  return renamed;
};

export const isFormer = ({ key }: Pick<GroupPair, 'key'>): boolean => key.startsWith(FORMER);

/** A kept group stays unpaired until the other side has a group of its name again. */
const planKept = (draft: Draft, pair: GroupPair, survivor: GroupRecord): void => {
  const missing = pair.left === null ? 'left' : 'right';
  const names = [...draft.groups[missing].values()].map((group) => foldGroupName(group.name));
  if (names.includes(foldGroupName(survivor.name)) && !isFormer(pair)) draft.ended.push(pair.key);
  else draft.pairs.push(pair);
};

/** Returns a pair with the group that an interrupted run created for it. That group has the name that its origin had then. */
const withCreated = ({ groups, stored }: Draft, pair: GroupPair): GroupPair => {
  const side = SIDES.find((each) => pair[each] === null);
  const origin = side === undefined ? null : pair[otherSide(side)];
  if (side === undefined || origin === null || pair.status !== 'linked') return pair;
  const linked = new Set(stored.map((each) => each[side]?.id));
  const created = groups[side]
    .values()
    .find(({ id, name }) => !linked.has(id) && foldGroupName(name) === foldGroupName(origin.name));
  return created === undefined ? pair : { ...pair, [side]: half(created), isUnited: false };
};

const planStored = (draft: Draft, given: GroupPair): void => {
  const pair = withCreated(draft, given);
  const now = (side: Side): GroupRecord | undefined => draft.groups[side].get(pair[side]?.id ?? '');
  const [left, right] = [now('left'), now('right')];
  if (left !== undefined && right !== undefined) {
    planLinked(draft, pair, left, right);
    return;
  }
  const survivor = left ?? right;
  // A half that was never created is not a deletion: the other half is planned like any unpaired group.
  const isHalfMade = pair.status === 'linked' && (pair.left === null || pair.right === null);
  if (survivor === undefined || isHalfMade) draft.ended.push(pair.key);
  else if (pair.status === 'kept') planKept(draft, pair, survivor);
  else planHalfGone(draft, pair, left === undefined ? 'right' : 'left', survivor);
};

const unpaired = (draft: Draft, side: Side): GroupRecord[] => {
  const taken = new Set(draft.pairs.map((pair) => pair[side]?.id));
  const deleted = new Set(
    draft.actions.flatMap((a) => (a.kind === 'delete-group' && a.side === side ? [a.group.id] : [])),
  );
  const begun = new Set(draft.stored.flatMap((pair) => pair[side]?.nextName ?? []).map(foldGroupName));
  // A rename that was refused or interrupted may have left a group with its temporary or its new name.
  const isLeft = (group: GroupRecord): boolean => isTemporary(group) || begun.has(foldGroupName(group.name));
  const isFree = (group: GroupRecord): boolean => !taken.has(group.id) && !deleted.has(group.id) && !isLeft(group);
  const free = [...draft.groups[side].values()].filter(isFree);
  return free.toSorted((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
};

/** Returns a key for the pair of a new group. A side whose groups are words on their members may use an id again. */
export const newGroupKey = (side: Side, id: string, pairs: readonly Pick<GroupPair, 'key'>[]): string => {
  const key = `${side}:${id}`;
  return pairs.some((pair) => pair.key === key) ? newGroupKey(side, `${id}+`, pairs) : key;
};

const pairByName = (draft: Draft): void => {
  const right = Map.groupBy(unpaired(draft, 'right'), (group) => foldGroupName(group.name));
  for (const group of unpaired(draft, 'left')) {
    const twin = right.get(foldGroupName(group.name))?.shift();
    if (twin === undefined || !draft.takesPart(group.name)) continue;
    const pair: GroupPair = {
      key: newGroupKey('left', group.id, [...draft.pairs, ...draft.actions]),
      left: half(group),
      right: half(twin),
      status: 'linked',
      isUnited: false,
    };
    draft.pairs.push({ ...pair, isUnited: true });
    draft.links.push(linkOf(pair));
  }
};

/** Returns the action with the group without a pair that has the new name of a rename already. */
const withNamesake = (action: GroupAction, groups: readonly GroupRecord[]): GroupAction => {
  if (action.kind !== 'rename-group') return action;
  const namesake = groups.find(({ name }) => foldGroupName(name) === foldGroupName(action.name))?.id;
  return namesake === undefined ? action : { ...action, namesake };
};

const actionsOn = ({ actions }: Draft, side: Side): readonly GroupAction[] =>
  actions.filter((action) => action.side === side);

/** Returns the names of a side's groups after the actions on that side. */
const namesAfter = (groups: Iterable<GroupRecord>, actions: readonly GroupAction[]): ReadonlyMap<string, string> => {
  const names = new Map([...groups].map(({ id, name }) => [id, name]));
  for (const action of actions) {
    if (action.kind === 'create-group') names.set(action.key, action.name);
    else if (action.kind === 'delete-group') names.delete(action.group.id);
    else names.set(action.group.id, action.name);
  }
  return names;
};

const createMissing = (draft: Draft, side: Side): void => {
  const to = otherSide(side);
  if (!mayWrite(draft.policy, to)) return;
  const existing = [...draft.groups[to].values()];
  const after = namesAfter(existing, withoutBlocked(actionsOn(draft, to), existing));
  const names = new Set([...after.values()].map(foldGroupName));
  for (const group of unpaired(draft, side)) {
    if (!draft.takesPart(group.name)) continue;
    const name = foldGroupName(group.name);
    if (names.has(name)) {
      draft.duplicates.push({ side, name: group.name });
      continue;
    }
    names.add(name);
    const key = newGroupKey(side, group.id, [...draft.pairs, ...draft.actions]);
    const halves = side === 'left' ? { left: half(group), right: null } : { left: null, right: half(group) };
    const pair: GroupPair = { key, ...halves, status: 'linked', isUnited: false };
    draft.actions.push({ kind: 'create-group', side: to, key, name: group.name });
    draft.pairs.push({ ...pair, isUnited: true });
    draft.links.push(linkOf(pair));
  }
};

/**
 * Plans the sync of buckets and labels: they are paired by name, created where missing, renamed when either is renamed, and deleted
 * when either is deleted. A group that is absent from the input counts as deleted: the caller checks that (R7). Pure.
 */
export const planGroups = (input: GroupInput, policy: Policy): GroupPlan & { readonly names: Sides<GroupNames> } => {
  const byId = (groups: readonly GroupRecord[]) => new Map(groups.map((group) => [group.id, group]));
  const draft: Draft = {
    policy,
    takesPart: groupFilter(policy.buckets),
    groups: { left: byId(input.left), right: byId(input.right) },
    stored: input.pairs,
    actions: [],
    pairs: [],
    ended: [],
    links: [],
    duplicates: [],
  };
  const isUnread = (pair: GroupPair): boolean => SIDES.some((side) => input.unread?.[side].has(pair[side]?.id ?? ''));
  for (const pair of input.pairs) {
    // Its members are united when the group is found to exist.
    if (isUnread(pair)) draft.pairs.push({ ...pair, isUnited: false });
    else planStored(draft, pair);
  }
  pairByName(draft);
  for (const side of SIDES) createMissing(draft, side);
  const names = bySide((side) => namesAfter(draft.groups[side].values(), actionsOn(draft, side)));
  const actions = SIDES.flatMap((side) => {
    const free = unpaired(draft, side);
    const own = actionsOn(draft, side).map((action) => withNamesake(action, free));
    return orderGroupActions(own, input[side]);
  });
  return { ...draft, actions, names };
};
