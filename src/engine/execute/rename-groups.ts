import type { StoreChange } from '../../core/state/rows.ts';
import { otherSide, type Side, SIDES } from '../../core/contact/side.ts';
import type { GroupRecord } from '../../core/contact/record.ts';
import { formerKey, type GroupHalf, type GroupPair, isFormer, renamedKey } from '../../core/reconcile/groups.ts';
import { isTemporary } from '../../core/reconcile/group-order.ts';
import type { WorkingSet } from '../../core/state/working-set.ts';
import type { Session } from '../session.ts';
import { type Answer, attempt, groupHalf, reportRefused, storeRows } from './group-write.ts';
import { loadMembers } from '../workload.ts';
import { ROWS_PER_COMMIT } from '../link-writer.ts';
import { chunks } from '../../util/batches.ts';
import { withGroupId } from '../../core/state/half-transitions.ts';
import { forField, mayWrite } from '../../core/reconcile/policy.ts';

// Renames of groups. On a side whose groups are words on their members, a rename changes the id of the group.

/** Returns the ids of the contacts of a side that are, or were when the sides last agreed, members of a group. */
const membersOf = async ({ link, store }: Session, side: Side, groupId: string): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (const some of chunks(await store.index(link, side), ROWS_PER_COMMIT)) {
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
export const removeFormer = async (session: Session, pair: GroupPair): Promise<void> => {
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
  await storeRows(session, [{ kind: 'drop', table: 'groupPairs', where: { key } }]);
};

/**
 * Stores a group pair after the rename of its half. On a side whose groups are words on their members, the renamed group is a new one with
 * the same members: its id replaces the former one in the stored contacts. The former group is removed after that.
 */
export const storeRenamed = async (
  session: Session,
  side: Side,
  pair: GroupPair,
  former: GroupRecord,
  { id }: GroupRecord,
): Promise<void> => {
  const renamed: StoreChange = { kind: 'put', table: 'groupPairs', row: pair };
  if (id === former.id) return storeRows(session, [renamed]);
  const key = formerKey(pair.key, side, former.id);
  const rest: GroupPair = { key, left: null, right: null, [side]: groupHalf(former), status: 'kept', isUnited: false };
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
export type Current = ReadonlyMap<string, GroupRecord>;

export const actionKey = (side: Side, key: string): string => `${side} ${key}`;

/** Returns the stored pair of a key with another half of a side; null if the pair has no half there. */
export const withHalf = ({ state }: Session, key: string, side: Side, given: Partial<GroupHalf>): GroupPair | null => {
  const pair = state().groupPairs.find((each) => each.key === key);
  const own = pair?.[side] ?? null;
  if (pair === undefined || own === null) return null;
  const { nextName: _, ...former } = own;
  return { ...pair, [side]: { ...former, ...given } };
};

/** Stores a pair with the half that {@link withHalf} gives it. */
const storeHalf = async (session: Session, key: string, side: Side, given: Partial<GroupHalf>): Promise<void> => {
  const row = withHalf(session, key, side, given);
  if (row !== null) await storeRows(session, [{ kind: 'put', table: 'groupPairs', row }]);
};

/** Renames a group. The new name is stored before the request, so that a later run can complete an interrupted rename. */
export const requestRename = async (
  session: Session,
  side: Side,
  key: string,
  group: GroupRecord,
  name: string,
): Promise<Answer<GroupRecord>> => {
  await storeHalf(session, key, side, { nextName: name });
  const answer = await attempt(session, () => session.remotes[side].renameGroup(group, name, session.signal));
  if ('refusal' in answer) await storeHalf(session, key, side, {});
  return answer;
};

/** A rename that a run has begun: the key of its pair, the side, and its group with the new name. */
type BegunRename = {
  readonly key: string;
  readonly side: Side;
  readonly own: GroupHalf & { readonly nextName: string };
};

const begunRenames = ({ policy, state }: Session): readonly BegunRename[] =>
  state().groupPairs.flatMap((pair) =>
    SIDES.flatMap((side): BegunRename[] => {
      const own = pair[side];
      if (own?.nextName === undefined || !mayWrite(forField(policy, 'buckets'), side)) return [];
      return [{ key: pair.key, side, own: { ...own, nextName: own.nextName } }];
    }),
  );

/**
 * Returns the pair with the name that a rename gave to a group as the base of both sides: a user may have renamed the other group
 * since. A temporary name is no base.
 */
const withNewBase = (pair: GroupPair, side: Side, name: string): GroupPair => {
  if (isTemporary({ name })) return pair;
  const [own, other] = [pair[side], pair[otherSide(side)]];
  return { ...pair, [side]: own && { ...own, name }, [otherSide(side)]: other && { ...other, name } };
};

/** Completes a rename if its group is divided by it. Returns the group after it; null if nothing was left to do. */
const completeRename = async (session: Session, { key, side, own }: BegunRename): Promise<GroupRecord | null> => {
  const { id, nextName } = own;
  const listed = await session.remotes[side].listGroups(session.signal);
  const linked = new Set(session.state().groupPairs.map((pair) => pair[side]?.id));
  const isDivided = listed.some((group) => group.name === nextName && !linked.has(group.id));
  const now = listed.find((group) => group.id === id);
  if (now === undefined || !isDivided) {
    const ended = withHalf(session, key, side, {});
    const row = ended !== null && now?.name === nextName ? withNewBase(ended, side, nextName) : ended;
    if (row !== null) await storeRows(session, [{ kind: 'put', table: 'groupPairs', row }]);
    return null;
  }
  const answer = await requestRename(session, side, key, now, nextName);
  if ('refusal' in answer) return null;
  const pair = withHalf(session, key, side, { id: answer.value.id });
  if (pair !== null) await storeRenamed(session, side, withNewBase(pair, side, nextName), now, answer.value);
  return answer.value;
};

/**
 * Completes the renames that an earlier run began. On a side whose groups are words on their members, some of them may have both names:
 * then there is a group of the new name, and another group may get that name now. Elsewhere nothing is left to do.
 */
export const completeRenames = async (session: Session): Promise<Current> => {
  const current = new Map<string, GroupRecord>();
  for (const begun of begunRenames(session)) {
    const renamed = await completeRename(session, begun);
    if (renamed !== null) current.set(actionKey(begun.side, begun.key), renamed);
  }
  return current;
};
