import { bySide, otherSide, SIDES, type Side } from '../contact/side.ts';
import type { GroupRecord } from '../contact/record.ts';
import type { Decision } from '../reconcile/decision.ts';
import { planGroups, type GroupPlan } from '../reconcile/groups.ts';
import { accountChanged, checkGuard, type Halt } from '../reconcile/guard.ts';
import { planContacts, sourceFingerprint, type Plan } from '../reconcile/plan.ts';
import type { Rejection } from '../store/store.ts';
import { confirmMissing } from './confirm.ts';
import { HaltError, onBothSides, type Session } from './context.ts';
import { pullBoth } from './pull.ts';
import { recover } from './recover.ts';

/** Checks that each credential still opens the account that the link was made with (R8). */
const checkAccounts = async (session: Session): Promise<void> => {
  const { store, link, credentials } = session;
  const row = await store.link(link);
  const due = (side: Side): boolean => session.kind === 'full' || row.credentials[side] !== credentials[side];
  const found = await onBothSides((side) => {
    return due(side) ? session.remotes[side].identify(session.signal) : Promise.resolve(row.accounts[side]);
  });
  for (const side of SIDES) {
    const [known, now] = [row.accounts[side], found[side]];
    if (known !== null && now !== null && known !== now) {
      throw new HaltError(accountChanged(side, session.sides[side].place, `it was ${known}, it is ${now}`));
    }
  }
  const accounts = { left: found.left ?? row.accounts.left, right: found.right ?? row.accounts.right };
  await store.updateLink(link, { accounts, credentials });
};

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
  const pairs = await session.store.groupPairs(session.link);
  const groups = await onBothSides((side) => {
    return listGroups(
      session,
      side,
      pairs.flatMap((pair) => pair[side]?.id ?? []),
    );
  });
  return planGroups({ ...groups, pairs }, session.policy);
};

/** The name under which a refused write is remembered: the side that refused, and what it was to be written from. */
export const rejectionKey = (decision: Decision): string => {
  switch (decision.kind) {
    case 'merge':
      return `${decision.pair.left.record.id} ${decision.pair.right.record.id}`;
    case 'create':
      return decision.source.id;
    case 'delete':
      return decision.record.id;
    case 'unlink':
      return '';
  }
};

type Deferred = (side: Side, decision: Decision) => boolean;

const deferralOf = (rejections: readonly Rejection[], nowMs: number): Deferred => {
  const byKey = new Map(rejections.map((rejection) => [`${rejection.side} ${rejection.key}`, rejection]));
  return (side, decision) => {
    const rejection = byKey.get(`${side} ${rejectionKey(decision)}`);
    if (rejection === undefined || nowMs >= rejection.retryAtMs) return false;
    return rejection.sourceFingerprint === sourceFingerprint(decision);
  };
};

/** Leaves out the writes that were refused and whose time has not come again (R15); what they carry stays outstanding. */
const defer = (decision: Decision, isDeferred: Deferred): Decision | null => {
  switch (decision.kind) {
    case 'unlink':
      return decision;
    case 'create':
    case 'delete':
      return isDeferred(decision.side, decision) ? null : decision;
    case 'merge':
      return SIDES.reduce<typeof decision>((kept, side) => {
        const write = kept[side];
        if (write === null || !isDeferred(side, decision)) return kept;
        const from = otherSide(side);
        // What lost stands there still: it stays as open as what won.
        const lost = kept.conflicts.filter(({ winner }) => winner === from).map(({ field }) => field);
        const held = {
          ...kept.held,
          [from]: [...kept.held[from], ...write.fields],
          [side]: [...kept.held[side], ...lost],
        };
        return { ...kept, [side]: null, held, deferred: true };
      }, decision);
  }
};

/** Decides on what is staged, without asking the remotes anything. */
export const planStaged = async (session: Session, groups: GroupPlan): Promise<Plan> => {
  const { store, link, policy, clock } = session;
  const unsettled = groups.links.filter((candidate) => !candidate.settled);
  const groupIds = unsettled.flatMap((candidate) => [candidate.left, candidate.right].filter((id) => id !== null));
  const workload = await store.workload(link, groupIds);
  const plan = planContacts({ ...workload, groups, policy });
  const isDeferred = deferralOf(await store.rejections(link), clock.now());
  const decisions = plan.decisions.flatMap((decision) => defer(decision, isDeferred) ?? []);
  return { ...plan, decisions };
};

/** Holds a plan against the guard (R8). */
export const guard = async (session: Session, plan: Plan): Promise<Halt | null> => {
  const counts = await session.store.counts(session.link);
  const deletes = (side: Side): number => {
    return plan.decisions.filter((decision) => decision.kind === 'delete' && decision.side === side).length;
  };
  return checkGuard({
    limit: session.policy.deleteLimit,
    pairs: counts.pairs,
    deletes: { left: deletes('left'), right: deletes('right') },
    present: counts.present,
    acceptDeletes: session.acceptDeletes,
    undoes: session.undoes,
    places: bySide((side) => session.sides[side].place),
  });
};

export type Prepared = { readonly plan: Plan; readonly halt: Halt | null };

/** Brings the store up to what stands on both sides: accounts, recovery, both feeds. Writes to no remote. */
export const takeStock = async (session: Session): Promise<void> => {
  await checkAccounts(session);
  await recover(session);
  await pullBoth(session);
  await confirmMissing(session);
};

/** The reading half of a run: taking stock, the plan and the guard. Writes to no remote. */
export const prepare = async (session: Session): Promise<Prepared> => {
  await takeStock(session);
  const plan = await planStaged(session, await planLinkGroups(session));
  const halt = await guard(session, plan);
  // A side that came back empty is listed again by the next run: what it shows then decides.
  if (halt?.reason === 'side-emptied') await session.store.discardListing(session.link, halt.side);
  return { plan, halt };
};
