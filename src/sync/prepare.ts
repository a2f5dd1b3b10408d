import { bySide, type Side } from '../contact/side.ts';
import type { GroupRecord } from '../contact/record.ts';
import { deferRefused } from '../reconcile/defer.ts';
import { planGroups, type GroupPlan } from '../reconcile/groups.ts';
import { checkGuard, type Halt } from '../reconcile/guard.ts';
import { planContacts, type Plan } from '../reconcile/plan.ts';
import { checkAccounts } from './accounts.ts';
import { confirmMissing } from './confirm.ts';
import { onBothSides, type Session } from './context.ts';
import { discard, pullBoth } from './pull.ts';
import { recover } from './recover/recover.ts';
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

/** Decides on what is stored, without asking the remotes anything. */
export const planStored = async (session: Session, groups: GroupPlan): Promise<Plan> => {
  const { store, link, policy, clock } = session;
  const unsettled = groups.links.filter((candidate) => !candidate.settled);
  const groupIds = unsettled.flatMap(({ left, right }) => [left, right].filter((id) => id !== null));
  const plan = planContacts({ ...(await loadWorkload(store, link, groupIds)), groups, policy });
  const { rejections } = await store.link(link);
  return { ...plan, decisions: deferRefused(plan.decisions, rejections, clock.now()) };
};

/** Holds the deletions that a plan asks for against the guard (R8). */
export const guard = async (session: Session, deletions: readonly { readonly side: Side }[]): Promise<Halt | null> => {
  const counts = await session.store.counts(session.link);
  return checkGuard({
    limit: session.policy.deleteLimit,
    pairs: counts.pairs,
    deletes: bySide((side) => deletions.filter((deletion) => deletion.side === side).length),
    present: counts.present,
    acceptDeletes: session.acceptDeletes,
    undoes: session.undoes,
    places: bySide((side) => session.sides[side].place),
  });
};

/** Brings the store up to what stands on both sides: accounts, recovery, both feeds. Writes to no remote. */
export const takeStock = async (session: Session): Promise<void> => {
  await checkAccounts(session);
  await recover(session);
  await pullBoth(session);
  await confirmMissing(session);
};

export type Prepared = { readonly plan: Plan; readonly halt: Halt | null };

/** The reading half of a run: taking stock, the plan and the guard. Writes to no remote. */
export const prepare = async (session: Session): Promise<Prepared> => {
  await takeStock(session);
  const plan = await planStored(session, await planLinkGroups(session));
  const found = await guard(
    // Where the override is bound to one halt, the guard says whether it is that one.
    session.acceptedHalt === undefined ? session : { ...session, acceptDeletes: false },
    plan.decisions.filter((decision) => decision.kind === 'delete'),
  );
  const halt = found?.message === session.acceptedHalt ? null : found;
  // A side that came back empty is listed again by the next run: what it shows then decides.
  if (halt?.reason === 'side-emptied') await discard(session, halt.side);
  return { plan, halt };
};
