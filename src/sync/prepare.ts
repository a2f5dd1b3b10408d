import type { Half } from '../contact/half.ts';
import { bySide, type Side, type Sides } from '../contact/side.ts';
import type { GroupRecord } from '../contact/record.ts';
import type { Decision } from '../reconcile/decision.ts';
import { deferRefused, deferUnsettled, pastRefusals } from '../reconcile/defer.ts';
import { planGroups, type GroupNames, type GroupPlan } from '../reconcile/groups.ts';
import { isFault } from '../providers/errors.ts';
import type { Halt } from '../reconcile/guard.ts';
import { forField } from '../reconcile/policy.ts';
import { planContacts, type Plan } from '../reconcile/plan.ts';
import { noLongerAsked, pastQuestions } from '../reconcile/review.ts';
import { chooseFields } from './choose-fields.ts';
import { checkAccounts, storeAccounts } from './accounts.ts';
import { confirmMet, confirmMissing, NOBODY_READ, type ReadIds } from './confirm.ts';
import { onBothSides, type Session } from './context.ts';
import { discard } from './discard.ts';
import { guardFirstSync, guardPlan } from './guard.ts';
import { letOthersRun } from './let-others-run.ts';
import { originScopes } from './origin-scope.ts';
import { dividePlan, type Fresh, type Portions } from './portions.ts';
import { pastMerges } from './past-merges.ts';
import { pullBoth } from './pull.ts';
import { recover } from './recover/recover.ts';
import { repairDiffering } from './repair.ts';
import { endQuestions, endReviews, takenConflicts } from './reviews.ts';
import { checkSameAccounts } from './same-accounts.ts';
import { bindingVerdicts } from './verdicts.ts';
import { notePatterns, selectionNow, storedSelection } from './selecting.ts';
import { withoutRestingExtras } from './shown.ts';
import { loadUnpaired, loadWorkload, type Part } from './workload.ts';
import type { LinkState } from '../store/store.ts';

type ListedGroups = { readonly groups: readonly GroupRecord[]; readonly unread: ReadonlySet<string> };

/** All groups of a side; one that the listing misses but a read still finds stands, and one that cannot be read may (R7). */
const listGroups = async (session: Session, side: Side, known: readonly string[]): Promise<ListedGroups> => {
  const remote = session.remotes[side];
  const listed = await remote.listGroups(session.signal);
  const ids = new Set(listed.map((group) => group.id));
  const late: GroupRecord[] = [];
  const unread = new Set<string>();
  for (const id of known.filter((candidate) => !ids.has(candidate))) {
    try {
      const group = await remote.readGroup(id, session.signal);
      if (group !== null) late.push(group);
    } catch (error) {
      // The listing has answered: the side fails at this group alone (R15).
      if (!isFault(error)) throw error;
      unread.add(id);
    }
  }
  return { groups: [...listed, ...late], unread };
};

/** The plan of the groups, with what they are called when it is done. */
export type NamedGroups = GroupPlan & { readonly names: GroupNames };

/** What becomes of the groups of both sides, which are listed for it. */
export const planLinkGroups = async (session: Session): Promise<NamedGroups> => {
  const { groupPairs } = await session.store.link(session.link);
  const { left, right } = await onBothSides((side) => {
    return listGroups(
      session,
      side,
      groupPairs.flatMap((pair) => pair[side]?.id ?? []),
    );
  });
  const unread = { left: left.unread, right: right.unread };
  const input = { left: left.groups, right: right.groups, unread, pairs: groupPairs };
  return planGroups(input, forField(session.policy, 'buckets'));
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

/**
 * Stores of pairs that have to wait what groups that unite their members now make of their bases: by the next plan these
 * groups count as united, and a membership on one side alone would be taken for agreed on (R11).
 */
const keepUniting = async ({ writer }: Session, waiting: readonly Decision[]): Promise<void> => {
  const pairs = waiting.flatMap((decision) => (decision.kind === 'merge' && decision.unites ? [decision.pair] : []));
  if (pairs.length === 0) return;
  await writer.apply({ ids: bySide((side) => pairs.map((pair) => pair[side].id)) }, (set) => {
    for (const { base, id, side } of pairs.flatMap(({ left, right }) => [left, right])) {
      const half = set.half(side, id);
      if (half !== null) set.put({ ...half, base, state: half.state === 'settled' ? 'changed' : half.state });
    }
  });
};

/**
 * Defers what has to wait: contacts that writes of unknown outcome are about, refused writes, and extras. Answers the plan
 * without it, and stores what it would otherwise lose by waiting ({@link keepUniting}).
 */
const deferWaiting = async (session: Session, plan: Plan): Promise<Plan> => {
  const { rejections } = await session.store.link(session.link);
  const settled = deferUnsettled(plan.decisions, await unsettledContacts(session));
  await keepUniting(session, [...new Set(plan.decisions).difference(new Set(settled))]);
  const past = pastRefusals(plan.decisions, rejections);
  if (past.length > 0) {
    await session.writer.apply({}, (set) =>
      set.add(...past.map(({ side, key }) => ({ kind: 'accept' as const, side, key }))),
    );
  }
  const due = await withoutRestingExtras(session, settled);
  return { ...plan, decisions: deferRefused(due, rejections, session.clock.now()) };
};

/** A plan, and what is stored of the selection that it was made by once the plan is performed. */
export type SelectedPlan = { readonly plan: Plan; readonly selection: LinkState['selection'] };

/** Decides on what is stored, or on a part of it, without asking the remotes anything. */
export const planStored = async (
  session: Session,
  { names, ...groups }: NamedGroups,
  part: Part | null = null,
): Promise<SelectedPlan> => {
  const { store, link, policy, writer } = session;
  const unsettled = groups.links.filter((candidate) => !candidate.settled);
  const groupIds = unsettled.flatMap(({ left, right }) => [left, right].filter((id) => id !== null));
  const openConflicts = await store.conflicts(link, { all: false });
  const taken = takenConflicts(openConflicts);
  const reviewedIds = [...taken, ...noLongerAsked(openConflicts, policy)].map(({ leftId }) => leftId);
  const { selection, isNewSelection } = await selectionNow(session, { names, links: groups.links });
  const workload = await loadWorkload(store, link, { groupIds, reviewedIds, selection, isNewSelection, part });
  await letOthersRun();
  writer.remember([...workload.unpaired.left, ...workload.unpaired.right], [...workload.pairs, ...workload.survivors]);
  await endReviews(session, taken, [...workload.pairs, ...workload.survivors]);
  const scopes = await originScopes(session);
  const verdicts = await bindingVerdicts(session);
  const { fields } = await store.link(link);
  const joining = fields.joining ?? [];
  const merges = await pastMerges(session, workload.pairs);
  const plan = planContacts({
    ...workload,
    groups,
    selection,
    openConflicts,
    policy,
    scopes,
    verdicts,
    joining,
    pastMerges: merges,
  });
  await letOthersRun();
  await endQuestions(session, pastQuestions(openConflicts, plan.decisions));
  await forgetDeletions(session, workload.deleted);
  return { plan: await deferWaiting(session, plan), selection: storedSelection(selection, policy) };
};

/** The plan's group links with the ids of the groups that were created in the meantime. */
export const currentLinks = async ({ store, link }: Session, { links }: GroupPlan): Promise<GroupPlan['links']> => {
  const stored = new Map((await store.link(link)).groupPairs.map((pair) => [pair.key, pair]));
  return links.map((each) => {
    const pair = stored.get(each.key);
    return { ...each, left: pair?.left?.id ?? each.left, right: pair?.right?.id ?? each.right };
  });
};

/** Decides on some contacts of no pair, whatever became of the others. What was planned with before is let go of. */
const planPortion = async (session: Session, groups: GroupPlan, ids: Fresh): Promise<Plan> => {
  const { store, link, policy, writer } = session;
  writer.forget();
  const unpaired = await loadUnpaired(store, link, ids);
  writer.remember([...unpaired.left, ...unpaired.right], []);
  const scopes = await originScopes(session);
  const verdicts = await bindingVerdicts(session);
  const links = await currentLinks(session, groups);
  const own: GroupPlan = { links, actions: [], pairs: [], ended: [], duplicates: [] };
  const material = { pairs: [], survivors: [], openConflicts: [], unpaired, groups: own, policy, scopes, verdicts };
  return deferWaiting(session, planContacts(material));
};

/** Plans that follow the first one of a run, each made when it is asked for, and how many contacts they create at most. */
export type Later = { readonly plans: readonly (() => Promise<Plan>)[]; readonly creates: Sides<number> };

const laterOf = (session: Session, groups: GroupPlan, { later, creates }: Portions): Later => ({
  creates,
  plans: later.map((ids) => () => planPortion(session, groups, ids)),
});

/** Brings the store up to what stands on both sides: accounts, recovery, both feeds. Writes to no remote. */
export const takeStock = async (session: Session): Promise<void> => {
  const accounts = await checkAccounts(session);
  // What earlier creates made carries the origin of the accounts as they were known then (R9): recovery looks for that one.
  await recover(session);
  await storeAccounts(session, accounts);
  await checkSameAccounts(session, { isAsked: accounts !== null });
  await chooseFields(session);
  await pullBoth(session);
  await notePatterns(session);
  await confirmMissing(session);
};

export type Prepared = SelectedPlan & {
  readonly names: GroupNames;
  readonly halt: Halt | null;
  readonly later: Later | null;
};

type Divided = SelectedPlan & { readonly portions: Portions | null };

/** Plans what is stored; a first meeting of many contacts in portions, unless the plan is to be `whole`. */
const planDivided = async (
  session: Session,
  groups: NamedGroups,
  { whole, sinceMs }: { readonly whole: boolean; readonly sinceMs: number },
): Promise<Divided> => {
  const portions = whole ? null : await dividePlan(session, groups, sinceMs);
  return { portions, ...(await planStored(session, groups, portions?.first ?? null)) };
};

/**
 * The reading half of a run: taking stock, the plan and the guard. Writes to no remote. The first meeting of many contacts is
 * planned in portions, unless the plan is to be `whole`: what is left to later plans destroys nothing (R8).
 */
export const prepare = async (session: Session, { whole }: { readonly whole: boolean }): Promise<Prepared> => {
  const sinceMs = session.clock.now();
  await takeStock(session);
  const groups = await planLinkGroups(session);
  if (session.kind === 'full') await repairDiffering(session, groups.links);
  let planned: Divided;
  let read: ReadIds | null = NOBODY_READ;
  // What was read may let a plan take somebody else for a counterpart, who is read as well then.
  do {
    planned = await planDivided(session, groups, { whole, sinceMs });
    read = await confirmMet(session, planned.plan, sinceMs, read);
  } while (read !== null);
  const { plan, portions, selection } = planned;
  const halt = (await guardPlan(session, plan)) ?? (await guardFirstSync(session, plan));
  // A side that came back empty is listed again by the next run: what it shows then decides.
  if (halt?.reason === 'side-emptied') await discard(session, halt.side);
  return {
    plan,
    selection,
    names: groups.names,
    halt,
    later: portions === null ? null : laterOf(session, groups, portions),
  };
};
