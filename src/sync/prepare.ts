import type { Half } from '../contact/half.ts';
import { bySide, type Side } from '../contact/side.ts';
import type { GroupRecord } from '../contact/record.ts';
import { deferRefused, deferUnsettled } from '../reconcile/defer.ts';
import { planGroups, type GroupPlan } from '../reconcile/groups.ts';
import type { Halt } from '../reconcile/guard.ts';
import { planContacts, type Plan } from '../reconcile/plan.ts';
import { checkAccounts, storeAccounts } from './accounts.ts';
import { confirmMissing } from './confirm.ts';
import { onBothSides, type Session } from './context.ts';
import { discard } from './discard.ts';
import { guardPlan } from './guard.ts';
import { originScopes } from './origin-scope.ts';
import { pullBoth } from './pull.ts';
import { recover } from './recover/recover.ts';
import { endReviews, takenConflicts } from './reviews.ts';
import { loadWorkload } from './workload.ts';

/** All groups of a side; one that the listing misses but a read still finds stands (R7). */
const listGroups = async (session: Session, side: Side, known: readonly string[]): Promise<readonly GroupRecord[]> => {
  const remote = session.remotes[side];
  const listed = await remote.listGroups(session.signal);
  const ids = new Set(listed.map((group) => group.id));
  const late: GroupRecord[] = [];
  for (const id of known.filter((candidate) => !ids.has(candidate))) {
    const group = await remote.readGroup(id, session.signal);
    if (group !== null) late.push(group);
  }
  return [...listed, ...late];
};

const planLinkGroups = async (session: Session): Promise<GroupPlan> => {
  const { groupPairs } = await session.store.link(session.link);
  const groups = await onBothSides((side) => {
    return listGroups(
      session,
      side,
      groupPairs.flatMap((pair) => pair[side]?.id ?? []),
    );
  });
  return planGroups({ ...groups, pairs: groupPairs }, session.policy);
};

/** No feed lags so long that it shows a contact that was deleted then. */
const FORGETS_DELETIONS_AFTER_MS = 24 * 60 * 60_000;

/** Forgets contacts whose deletion is old: nothing shows them any more. */
const forgetDeletions = async ({ clock, writer }: Session, deleted: readonly Half[]): Promise<void> => {
  const old = deleted.filter(({ heardAtMs }) => clock.now() - heardAtMs >= FORGETS_DELETIONS_AFTER_MS);
  if (old.length === 0) return;
  const ids = bySide((side) => old.filter((half) => half.side === side).map(({ id }) => id));
  await writer.apply({ ids }, (set) => {
    for (const half of old) set.drop(half);
  });
};

/** Tells the contacts that writes of unknown outcome are about. */
const unsettledContacts = async ({ link, store }: Session): Promise<(side: Side, id: string) => boolean> => {
  const open = await store.journal(link, { open: true });
  const ids = {
    left: new Set(open.flatMap(({ leftId }) => leftId ?? [])),
    right: new Set(open.flatMap(({ rightId }) => rightId ?? [])),
  };
  return (side, id) => ids[side].has(id);
};

/** Decides on what is stored, without asking the remotes anything. */
export const planStored = async (session: Session, groups: GroupPlan): Promise<Plan> => {
  const { store, link, policy, clock, writer } = session;
  const unsettled = groups.links.filter((candidate) => !candidate.settled);
  const groupIds = unsettled.flatMap(({ left, right }) => [left, right].filter((id) => id !== null));
  const openConflicts = await store.conflicts(link, { all: false });
  const taken = takenConflicts(openConflicts);
  const reviewedIds = taken.map(({ leftId }) => leftId);
  const workload = await loadWorkload(store, link, { groupIds, reviewedIds });
  writer.remember([...workload.unpaired.left, ...workload.unpaired.right], [...workload.pairs, ...workload.survivors]);
  await endReviews(session, taken, [...workload.pairs, ...workload.survivors]);
  const scopes = await originScopes(session);
  const plan = planContacts({ ...workload, groups, openConflicts, policy, scopes });
  await forgetDeletions(session, workload.deleted);
  const { rejections } = await store.link(link);
  const settled = deferUnsettled(plan.decisions, await unsettledContacts(session));
  return { ...plan, decisions: deferRefused(settled, rejections, clock.now()) };
};

/** Brings the store up to what stands on both sides: accounts, recovery, both feeds. Writes to no remote. */
export const takeStock = async (session: Session): Promise<void> => {
  const accounts = await checkAccounts(session);
  // What earlier creates made carries the origin of the accounts as they were known then (R9): recovery looks for that one.
  await recover(session);
  await storeAccounts(session, accounts);
  await pullBoth(session);
  await confirmMissing(session);
};

export type Prepared = { readonly plan: Plan; readonly halt: Halt | null };

/** The reading half of a run: taking stock, the plan and the guard. Writes to no remote. */
export const prepare = async (session: Session): Promise<Prepared> => {
  await takeStock(session);
  session.emit({ kind: 'phase', phase: 'plan' });
  const plan = await planStored(session, await planLinkGroups(session));
  const halt = await guardPlan(session, plan);
  // A side that came back empty is listed again by the next run: what it shows then decides.
  if (halt?.reason === 'side-emptied') await discard(session, halt.side);
  return { plan, halt };
};
