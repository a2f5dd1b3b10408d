import type { StoreChange } from '../../core/state/rows.ts';
import { isDeepStrictEqual } from 'node:util';
import type { GroupIds } from '../../core/apply/task.ts';
import { otherSide, type Side, type Sides, SIDES } from '../../core/contact/side.ts';
import type { GroupRecord } from '../../core/contact/record.ts';
import { formerKey, type GroupPair, type GroupPlan, isFormer, renamedKey } from '../../core/reconcile/groups.ts';
import type { GroupAction } from '../../core/reconcile/group-order.ts';
import {
  InvalidError,
  isFault,
  isUnreadable,
  NameTakenError,
  NotFoundError,
  RedirectedError,
  type RemoteError,
  StaleError,
} from '../../providers/errors.ts';
import type { DeletedGroup } from '../../core/reconcile/operation.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import type { Session } from '../session.ts';
import { changesToClose } from '../../core/apply/outcome.ts';
import { loadMembers } from '../workload.ts';
import { chunks } from '../../util/batches.ts';
import { withGroupId } from '../../core/state/half-transitions.ts';
import { foldGroupName, forField, mayWrite } from '../../core/reconcile/policy.ts';

/** Whether a failure concerns this group alone. After a fault of the side, the write may have been applied. */
const isRefusal = (error: unknown): error is RemoteError => {
  const kinds = [InvalidError, NameTakenError, NotFoundError, RedirectedError, StaleError];
  return kinds.some((kind) => error instanceof kind) || isFault(error) || isUnreadable(error);
};

/** The result of a group write, or its refusal. */
type Answer<T> = { readonly value: T } | { readonly refusal: RemoteError };

/** Runs one group write. A refusal is returned, so that the run continues (R15). */
const attempt = async <T>({ signal, stop }: Session, write: () => Promise<T>): Promise<Answer<T>> => {
  signal.throwIfAborted();
  stop?.throwIfAborted();
  try {
    return { value: await write() };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { refusal: error };
  }
};

const reportRefused = ({ emit }: Session, side: Side, name: string, { message }: RemoteError): void =>
  emit({ kind: 'group', side, action: 'refused', name, reason: message });

/** Reports and counts the answer to an action. Returns its result; null for a refusal. */
const reported = <T>(
  session: Session,
  { side, name }: GroupAction,
  done: 'created' | 'renamed' | 'deleted',
  answer: Answer<T>,
): T | null => {
  if ('refusal' in answer) {
    reportRefused(session, side, name, answer.refusal);
    return null;
  }
  session.emit({ kind: 'group', side, action: done, name, reason: null });
  session.tally[side][done === 'deleted' ? 'groupsDeleted' : 'groupsChanged'] += 1;
  return answer.value;
};

const COMMIT_CHUNK = 500;

const half = (group: GroupRecord) => ({ id: group.id, name: group.name });

const save = (session: Session, changes: readonly StoreChange[]): Promise<void> =>
  session.writer.apply({}, (set) => set.add(...changes));

const takenByLinked = (route: string): NameTakenError =>
  new NameTakenError('another linked group has this name now', { status: null, route, applied: 'no' });

/** Creates a group. Returns both ids of its pair; null if the side refuses it. */
const createGroup = async (
  session: Session,
  groupIds: GroupIds,
  action: Extract<GroupAction, { kind: 'create-group' }>,
  plan: GroupPlan,
  pair: GroupPair,
): Promise<Sides<string | null> | null> => {
  const { side, name, details } = action;
  const ending = plan.actions.flatMap((each) =>
    each.kind === 'delete-group' && each.side === side ? each.group.id : [],
  );
  const known = [...plan.pairs.map((each) => each[side]?.id), ...groupIds.values().map((ids) => ids[side])];
  const linked = new Set([...known, ...ending]);
  const answer = await attempt(session, async () => {
    const made = await session.remotes[side].createGroup(name, session.signal, details);
    // A side may answer with an existing group of that name. A group may be linked to one group of the other side only, and this plan
    // may delete it.
    if (linked.has(made.id)) throw takenByLinked('create a group');
    return made;
  });
  const group = reported(session, action, 'created', answer);
  if (group === null) return null;
  // Not united until the members are written: if the process stops in between, the next run unites the members again.
  await save(session, [{ kind: 'put', table: 'groupPairs', row: { ...pair, [side]: half(group), isUnited: false } }]);
  return { left: pair.left?.id ?? null, right: pair.right?.id ?? null, [side]: group.id };
};

/** Returns the ids of the contacts of a side that are, or were when the sides last agreed, members of a group. */
const membersOf = async ({ link, store }: Session, side: Side, groupId: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const some of chunks(await store.index(link, side), COMMIT_CHUNK)) {
    const halves = await store.halves(link, { by: 'id', side, ids: some.map(({ id }) => id) });
    const members = halves.filter(({ record, base }) =>
      [record.groupIds, base?.groupIds, base?.declined?.buckets].some((groupIds) => groupIds?.includes(groupId)),
    );
    ids.push(...members.map(({ id }) => id));
  }
  return ids;
};

/** Replaces the id of a group in the stored contacts of a side. */
const replaceGroupId = (set: WorkingSet, side: Side, members: readonly string[], former: string, id: string): void => {
  for (const member of members) set.change(side, member, (stored) => withGroupId(stored, former, id));
};

/**
 * Adds contacts that joined the former one of a renamed group since the rename to the renamed group. Returns what is to be done with the
 * former one: it is kept like any other group if the renamed one does not exist any more.
 */
const moveLateMembers = async (session: Session, side: Side, former: Pick<GroupRecord, 'id'>, key: string) => {
  const { link, remotes, signal, state, store, writer } = session;
  const members = await loadMembers(store, link, side, former.id);
  if (members.length === 0) return { value: 'remove' } as const;
  const current = state().groupPairs.find((pair) => pair.key === renamedKey(key))?.[side] ?? null;
  const answer = await attempt(session, async () => {
    const from = await remotes[side].readGroup(former.id, signal);
    const to = current && (await remotes[side].readGroup(current.id, signal));
    return from && to && remotes[side].renameGroup(from, to.name, signal);
  });
  if ('refusal' in answer) return answer;
  const renamed = answer.value;
  if (renamed === null) return { value: 'keep' } as const;
  await writer.apply({ ids: { [side]: members } }, (set) => {
    replaceGroupId(set, side, members, former.id, renamed.id);
  });
  return { value: 'remove' } as const;
};

/** Removes the former one of a renamed group. If the side refuses that, or may not be written, a later run tries it again. */
const removeFormer = async (session: Session, pair: GroupPair): Promise<void> => {
  const { key } = pair;
  for (const side of SIDES) {
    const former = pair[side];
    if (former === null) continue;
    if (!mayWrite(forField(session.policy, 'buckets'), side)) return;
    const moved = await moveLateMembers(session, side, former, key);
    if ('value' in moved && moved.value === 'keep') continue;
    const answer =
      'refusal' in moved
        ? moved
        : await attempt(session, () => session.remotes[side].deleteGroup(former.id, session.signal));
    if ('refusal' in answer) {
      reportRefused(session, side, former.name, answer.refusal);
      return;
    }
  }
  await save(session, [{ kind: 'drop', table: 'groupPairs', where: { key } }]);
};

/**
 * Stores a group pair after the rename of its half. On a side whose groups are words on their members, the renamed group is a new one with
 * the same members: its id replaces the former one in the stored contacts. The former group is removed after that.
 */
const storeRenamed = async (
  session: Session,
  side: Side,
  pair: GroupPair,
  former: GroupRecord,
  { id }: GroupRecord,
): Promise<void> => {
  const renamed: StoreChange = { kind: 'put', table: 'groupPairs', row: pair };
  if (id === former.id) return save(session, [renamed]);
  const key = formerKey(pair.key, side, former.id);
  const rest: GroupPair = { key, left: null, right: null, [side]: half(former), status: 'kept', isUnited: false };
  const members = await membersOf(session, side, former.id);
  await session.writer.apply({ ids: { [side]: members } }, (set) => {
    replaceGroupId(set, side, members, former.id, id);
    // A group may get a former name again before that is removed.
    for (const again of session.state().groupPairs.filter((each) => isFormer(each) && each[side]?.id === id)) {
      set.add({ kind: 'drop', table: 'groupPairs', where: { key: again.key } });
    }
    set.add(renamed, { kind: 'put', table: 'groupPairs', row: rest });
  });
  await removeFormer(session, rest);
};

/** The groups of actions as they are now, by side and key. A temporary name may be that of an earlier run. */
type Current = ReadonlyMap<string, GroupRecord>;

const actionKey = (side: Side, key: string): string => `${side} ${key}`;

/**
 * Returns whether another linked group of the side, or one that is still to be removed, has a name. On a side whose groups are words on
 * their members, a rename to that name would make both of them one group.
 */
const isTaken = ({ state }: Session, side: Side, key: string, name: string, current: Current): boolean =>
  state().groupPairs.some((pair) => {
    const known = current.get(actionKey(side, pair.key))?.name ?? pair[side]?.name;
    return pair.key !== key && known !== undefined && foldGroupName(known) === foldGroupName(name);
  });

/**
 * Renames a group, and stores its pair with the name on both sides. A side may change the id of the group with the name. The members are
 * not united yet: the pair is united at the end of the run, if it was before. Returns the group after it; null if it is not renamed.
 */
const renameGroup = async (
  session: Session,
  action: Extract<GroupAction, { kind: 'rename-group' }>,
  pair: GroupPair,
  current: Current,
): Promise<GroupRecord | null> => {
  const { key, side, name } = action;
  const group = current.get(actionKey(side, key)) ?? action.group;
  const answer = await attempt(session, async () => {
    if (isTaken(session, side, key, name, current)) throw takenByLinked('rename a group');
    return session.remotes[side].renameGroup(group, name, session.signal);
  });
  const renamed = reported(session, action, 'renamed', answer);
  const origin = pair[otherSide(side)];
  if (renamed === null || origin === null) return renamed;
  const isUnited = session.state().groupPairs.find((each) => each.key === key)?.isUnited ?? false;
  const next = { ...pair, [side]: half(renamed), [otherSide(side)]: { id: origin.id, name }, isUnited };
  await storeRenamed(session, side, next, group, renamed);
  return renamed;
};

/**
 * Gives groups their temporary names, so that other groups can use the former ones. Returns the groups of all actions after that. A
 * group whose rename is refused keeps its name, and is reported when its own action fails.
 */
const moveAside = async (session: Session, { actions }: GroupPlan): Promise<Current> => {
  const current = new Map<string, GroupRecord>();
  for (const action of actions) {
    if (action.kind === 'create-group') continue;
    const { group, key, side, via } = action;
    current.set(actionKey(side, key), group);
    if (via === undefined) continue;
    const answer = await attempt(session, () => session.remotes[side].renameGroup(group, via, session.signal));
    if ('refusal' in answer) continue;
    const renamed = answer.value;
    current.set(actionKey(side, key), renamed);
    const pair = session.state().groupPairs.find((each) => each.key === key);
    const own = pair?.[side] ?? null;
    if (pair === undefined || own === null) continue;
    await storeRenamed(session, side, { ...pair, [side]: { ...own, id: renamed.id } }, group, renamed);
  }
  return current;
};

/**
 * Creates and renames groups before any contact is written. Returns both ids of each group pair of the plan, without those that a side
 * changed with a name.
 */
export const writeGroups = async (session: Session, plan: GroupPlan): Promise<GroupIds> => {
  const groupIds = new Map(plan.links.map(({ key, left, right }) => [key, { left, right }]));
  const byKey = new Map(plan.pairs.map((pair) => [pair.key, pair]));
  for (const former of session.state().groupPairs.filter(isFormer)) await removeFormer(session, former);
  const current = new Map(await moveAside(session, plan));
  for (const action of plan.actions) {
    const { key } = action;
    const pair = byKey.get(key);
    if (pair === undefined || action.kind === 'delete-group') continue;
    if (action.kind === 'create-group') {
      const ids = await createGroup(session, groupIds, action, plan, pair);
      if (ids !== null) groupIds.set(key, ids);
    } else {
      const renamed = await renameGroup(session, action, pair, current);
      if (renamed !== null) current.set(actionKey(action.side, key), renamed);
    }
    session.progress.advance(action.side, 1);
  }
  return groupIds;
};

type GroupDeletion = Extract<GroupAction, { kind: 'delete-group' }>;

/** Returns the id of a group that is deleted: a temporary name may have changed it. */
const currentId = ({ state }: Session, { group, key, side }: GroupDeletion): string =>
  state().groupPairs.find((pair) => pair.key === key)?.[side]?.id ?? group.id;

/** Journals the deletion of a group with its members (R8), and deletes it. */
const deleteGroup = async (session: Session, action: GroupDeletion): Promise<void> => {
  const { clock, link, remotes, run, signal, stop, store, undoes, writer } = session;
  const { side, name, key } = action;
  const { details } = action.group;
  const id = currentId(session, action);
  signal.throwIfAborted();
  stop?.throwIfAborted();
  const members = await loadMembers(store, link, side, id);
  const group: DeletedGroup = { id, name, members, ...(details !== undefined && { details }) };
  const cause = undoes === null ? 'sync' : 'undo';
  const operation = { side, cause, kind: 'group-delete', pairId: null, leftId: null, rightId: null, group } as const;
  const [journalId] = await writer.intend(run, [operation], clock.now());
  if (journalId === undefined) throw new Error('The store did not journal the deletion of a group.');
  const answer = await attempt(session, () => remotes[side].deleteGroup(id, signal));
  reported(session, action, 'deleted', answer);
  const refusal = 'refusal' in answer ? answer.refusal : null;
  const state = refusal === null ? 'done' : refusal.applied === 'unknown' ? 'intended' : 'failed';
  const changes = changesToClose(journalId, state, { after: null, error: refusal?.message ?? null }, clock.now());
  // A refused deletion keeps its pair: without it the next run would treat the remaining group as new.
  await save(session, refusal === null ? [...changes, { kind: 'drop', table: 'groupPairs', where: { key } }] : changes);
};

/** Deletes groups after every membership has been written; the contacts stay. */
export const deleteGroups = async (session: Session, plan: GroupPlan): Promise<void> => {
  for (const action of plan.actions) {
    if (action.kind !== 'delete-group') continue;
    await deleteGroup(session, action);
    session.progress.advance(action.side, 1);
  }
};

/** Stores the group pairs that needed no write, after the members are written. */
export const storeGroupPairs = async (session: Session, plan: GroupPlan): Promise<void> => {
  const stored = new Map(session.state().groupPairs.map((pair) => [pair.key, pair]));
  const written = new Set(plan.actions.map((action) => action.key));
  const deleted = new Set(plan.actions.flatMap((action) => (action.kind === 'delete-group' ? [action.key] : [])));
  const kept = new Set(plan.pairs.map((pair) => pair.key));
  const ended = plan.ended.filter((key) => !deleted.has(key) && !kept.has(key));
  const changes: StoreChange[] = ended.map((key) => ({ kind: 'drop', table: 'groupPairs', where: { key } }));
  for (const pair of plan.pairs.filter((each) => !isFormer(each))) {
    const now = stored.get(pair.key);
    const next = !written.has(pair.key) ? pair : now && { ...now, isUnited: pair.isUnited };
    if (next !== undefined && !isDeepStrictEqual(next, now))
      changes.push({ kind: 'put', table: 'groupPairs', row: next });
  }
  await save(session, changes);
};

/** Reports groups that cannot be linked because their side has the name twice. */
export const reportDuplicates = (session: Session, plan: GroupPlan): void => {
  for (const { side, name } of plan.duplicates) {
    const reason = 'another group of that name is linked already';
    session.emit({ kind: 'group', side, action: 'duplicate', name, reason });
  }
};
