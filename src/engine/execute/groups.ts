import type { StoreChange } from '../../core/state/rows.ts';
import { isDeepStrictEqual } from 'node:util';
import type { GroupIds } from '../../core/apply/task.ts';
import { otherSide, type Side, SIDES, type Sides } from '../../core/contact/side.ts';
import type { GroupRecord } from '../../core/contact/record.ts';
import { type GroupPair, type GroupPlan, isFormer } from '../../core/reconcile/groups.ts';
import type { GroupAction } from '../../core/reconcile/group-order.ts';
import { NameTakenError } from '../../providers/errors.ts';
import type { DeletedGroup } from '../../core/reconcile/operation.ts';
import type { Session } from '../session.ts';
import { changesToClose } from '../../core/apply/outcome.ts';
import { loadMembers } from '../workload.ts';
import { foldGroupName } from '../../core/reconcile/policy.ts';
import { attempt, groupHalf, reportRefused, storeRows, type Answer } from './group-write.ts';
import {
  actionKey,
  completeRenames,
  type Current,
  removeFormer,
  requestRename,
  storeRenamed,
  withHalf,
} from './rename-groups.ts';

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

const taken = (route: string): NameTakenError =>
  new NameTakenError('another group has this name now', { status: null, route, applied: 'no' });

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
  const planned = [...plan.pairs.map((each) => each[side]?.id), ...groupIds.values().map((ids) => ids[side])];
  const stored = session.state().groupPairs.filter((each) => each.key !== action.key && !isFormer(each));
  const linked = new Set([...planned, ...ending, ...stored.map((each) => each[side]?.id)]);
  const begun: GroupPair = { ...pair, [side]: null, isUnited: false };
  // A group that an undo restores has no pair: a later run pairs it by its name.
  const isPaired = pair[otherSide(side)] !== null;
  // If the run stops before the answer is stored, the next run finds the group by this, whatever its origin is named then.
  if (isPaired) await storeRows(session, [{ kind: 'put', table: 'groupPairs', row: begun }]);
  const answer = await attempt(session, async () => {
    const made = await session.remotes[side].createGroup(name, session.signal, details);
    // A side may answer with an existing group of that name. A group may be linked to one group of the other side only, and this plan
    // may delete it.
    if (linked.has(made.id)) throw taken('create a group');
    return made;
  });
  const group = reported(session, action, 'created', answer);
  if ('refusal' in answer && answer.refusal.applied === 'no')
    await storeRows(session, [{ kind: 'drop', table: 'groupPairs', where: { key: action.key } }]);
  if (group === null) return null;
  // Not united until the members are written: if the process stops in between, the next run unites the members again.
  const row = { ...begun, [side]: groupHalf(group) };
  if (isPaired) await storeRows(session, [{ kind: 'put', table: 'groupPairs', row }]);
  return { left: pair.left?.id ?? null, right: pair.right?.id ?? null, [side]: group.id };
};

/**
 * Returns whether another linked group of the side, or one that is still to be removed, has a name. On a side whose groups are words on
 * their members, a rename to that name would make both of them one group.
 */
const isTaken = ({ state }: Session, side: Side, key: string, name: string, current: Current): boolean =>
  state().groupPairs.some((pair) => {
    const known = current.get(actionKey(side, pair.key))?.name ?? pair[side]?.name;
    const names = [known, pair[side]?.nextName].filter((each) => each !== undefined);
    return pair.key !== key && names.some((each) => foldGroupName(each) === foldGroupName(name));
  });

/**
 * Returns whether the group without a pair that has the new name of a group has other members. On a side whose groups are words on their
 * members, a rename would mix them. A group that has no members any more may have been renamed there by its user.
 */
const wouldMix = async ({ link, store }: Session, side: Side, id: string, namesake: string | undefined) => {
  if (namesake === undefined) return false;
  const members = await loadMembers(store, link, side, id);
  const others = await loadMembers(store, link, side, namesake);
  return members.length > 0 && others.some((other) => !members.includes(other));
};

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
  const { key, side, name, namesake } = action;
  const group = current.get(actionKey(side, key)) ?? action.group;
  const isRefused = isTaken(session, side, key, name, current) || (await wouldMix(session, side, group.id, namesake));
  const answer = isRefused
    ? { refusal: taken('rename a group') }
    : await requestRename(session, side, key, group, name);
  const renamed = reported(session, action, 'renamed', answer);
  if (renamed === null) return null;
  const origin = pair[otherSide(side)];
  const isUnited = session.state().groupPairs.find((each) => each.key === key)?.isUnited ?? false;
  const next = origin === null ? {} : { [otherSide(side)]: { id: origin.id, name }, isUnited };
  await storeRenamed(session, side, { ...pair, [side]: groupHalf(renamed), ...next }, group, renamed);
  return renamed;
};

/**
 * Gives groups their temporary names, so that other groups can use the former ones. Returns the groups of all actions after that. A
 * group whose rename is refused keeps its name, and is reported when its own action fails.
 */
const moveAside = async (session: Session, { actions }: GroupPlan, completed: Current): Promise<Current> => {
  const current = new Map(completed);
  for (const action of actions) {
    if (action.kind === 'create-group') continue;
    const { key, side, via } = action;
    const group = completed.get(actionKey(side, key)) ?? action.group;
    current.set(actionKey(side, key), group);
    if (via === undefined) continue;
    const answer = await requestRename(session, side, key, group, via);
    if ('refusal' in answer) continue;
    const renamed = answer.value;
    current.set(actionKey(side, key), renamed);
    const pair = withHalf(session, key, side, { id: renamed.id });
    if (pair !== null) await storeRenamed(session, side, pair, group, renamed);
  }
  return current;
};

/** Stores the groups that an interrupted run created, as the plan has found them. */
const storeCreated = async (session: Session, { actions }: GroupPlan): Promise<void> => {
  const stored = new Map(session.state().groupPairs.map((pair) => [pair.key, pair]));
  const changes = actions.flatMap((action): StoreChange[] => {
    const pair = stored.get(action.key);
    if (action.kind === 'create-group' || pair === undefined || pair[action.side] !== null) return [];
    return [{ kind: 'put', table: 'groupPairs', row: { ...pair, [action.side]: groupHalf(action.group) } }];
  });
  await storeRows(session, changes);
};

/**
 * Creates and renames groups before any contact is written. Returns both ids of each group pair of the plan, without those that a side
 * changed with a name.
 */
export const writeGroups = async (session: Session, plan: GroupPlan): Promise<GroupIds> => {
  const groupIds = new Map(plan.links.map(({ key, left, right }) => [key, { left, right }]));
  const byKey = new Map(plan.pairs.map((pair) => [pair.key, pair]));
  for (const former of session.state().groupPairs.filter(isFormer)) await removeFormer(session, former);
  await storeCreated(session, plan);
  const current = new Map(await moveAside(session, plan, await completeRenames(session)));
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
  await storeRows(
    session,
    refusal === null ? [...changes, { kind: 'drop', table: 'groupPairs', where: { key } }] : changes,
  );
};

/** Deletes groups after every membership has been written; the contacts stay. */
export const deleteGroups = async (session: Session, plan: GroupPlan): Promise<void> => {
  for (const action of plan.actions) {
    if (action.kind !== 'delete-group') continue;
    await deleteGroup(session, action);
    session.progress.advance(action.side, 1);
  }
};

/** Returns a planned pair, with the stored halves if a completed rename has changed them since the plan. */
const sincePlan = (pair: GroupPair, now: GroupPair | undefined): GroupPair => {
  const isChanged = SIDES.some((side) => {
    const [planned, stored] = [pair[side], now?.[side] ?? null];
    return planned !== null && stored !== null && (planned.id !== stored.id || planned.nextName !== stored.nextName);
  });
  return now !== undefined && isChanged
    ? { ...pair, left: pair.left && now.left, right: pair.right && now.right }
    : pair;
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
    const next = written.has(pair.key) ? now && { ...now, isUnited: pair.isUnited } : sincePlan(pair, now);
    if (next !== undefined && !isDeepStrictEqual(next, now))
      changes.push({ kind: 'put', table: 'groupPairs', row: next });
  }
  await storeRows(session, changes);
};

/** Reports groups that cannot be linked because their side has the name twice. */
export const reportDuplicates = (session: Session, plan: GroupPlan): void => {
  for (const { side, name } of plan.duplicates) {
    const reason = 'another group of that name is linked already';
    session.emit({ kind: 'group', side, action: 'duplicate', name, reason });
  }
};
