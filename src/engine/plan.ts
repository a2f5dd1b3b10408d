import { markedOrigins, originScopes } from './accounts.ts';
import { currentConflicts, openEntries } from './opening.ts';
import type { LinkState } from '../core/state/rows.ts';
import type { GroupRecord } from '../core/contact/record.ts';
import { halfKey, idsBySide, isPresent } from '../core/contact/half.ts';
import { idsIn } from '../core/contact/pair.ts';
import { bySide, type Side, SIDES, type Sides } from '../core/contact/side.ts';
import { mayConcernOne } from '../providers/errors.ts';
import { deferExtras, deferRefused, deferUnanswered, orphanedRefusals, pastRefusals } from '../core/reconcile/defer.ts';
import { type GroupNames, type GroupPlan, planGroups } from '../core/reconcile/groups.ts';
import { type Plan, planContacts, withJoinedFields } from '../core/reconcile/plan.ts';
import { refusedWrites, unreadContacts } from '../core/state/unread.ts';
import { forField } from '../core/reconcile/policy.ts';
import type { Selection } from '../core/reconcile/selection.ts';
import { conflictsEndedBy, conflictsToPlan } from '../core/reconcile/recorded-conflicts.ts';
import { confirmMet, NONE_READ } from './confirm.ts';
import { listedSides, onBothSides, type Session } from './session.ts';
import { yieldToEventLoop } from '../util/event-loop.ts';
import { divideContacts, type LaterPart } from './parts.ts';
import { currentSelection, isNarrowed, storedSelection } from './selecting.ts';
import type { Outdated } from './tidy.ts';
import { sortVerdicts } from './verdicts.ts';
import { type ContactIds, loadHalves, loadUnpaired, loadWorkload, type Part, type Workload } from './workload.ts';

type ListedGroups = { readonly groups: readonly GroupRecord[]; readonly unread: ReadonlySet<string> };

/** Returns all groups of a side. A group that the listing misses is read by its id; one that cannot be read is `unread` (R7). */
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
      // The listing has answered: the side fails at this group only, or the group cannot be parsed (R15).
      if (!mayConcernOne(error)) throw error;
      unread.add(id);
    }
  }
  return { groups: [...listed, ...late], unread };
};

/** The plan of the groups, with their names after it. */
export type NamedGroups = GroupPlan & { readonly names: Sides<GroupNames> };

/** Lists the groups of both sides. A stored group that a listing misses is read. */
export const listLinkGroups = async (session: Session): Promise<Sides<ListedGroups>> => {
  const { groupPairs } = session.state();
  return onBothSides((side) =>
    listGroups(
      session,
      side,
      groupPairs.flatMap((pair) => pair[side]?.id ?? []),
    ),
  );
};

/** Lists the groups of both sides and plans them. */
export const planLinkGroups = async (session: Session): Promise<NamedGroups> => {
  const { groupPairs } = session.state();
  const { left, right } = await listLinkGroups(session);
  const unread = { left: left.unread, right: right.unread };
  const input = { left: left.groups, right: right.groups, unread, pairs: groupPairs };
  return planGroups(input, forField(session.policy, 'buckets'));
};

/** A feed that lags shows a deleted contact for a shorter time. */
const FORGETS_DELETIONS_AFTER_MS = 24 * 60 * 60_000;

/**
 * Returns a test for contacts that have a write of unknown outcome, or could not be read: they may have edits that no run has
 * seen, and a write would replace them (R5).
 */
const loadUnanswered = async (session: Session): Promise<(side: Side, id: string) => boolean> => {
  const open = await openEntries(session);
  const { rejections } = session.state();
  const ofWrites = idsIn(open);
  const ids = bySide((side) => new Set([...ofWrites[side], ...unreadContacts(rejections, side)]));
  return (side, id) => ids[side].has(id);
};

/** Loads the refusals whose contacts do not exist any more. */
const loadOrphaned = async ({ link, store }: Session, rejections: LinkState['rejections']) => {
  const refusals = refusedWrites(rejections);
  const present = new Set((await loadHalves(store, link, idsIn(refusals))).filter(isPresent).map(halfKey));
  return orphanedRefusals(refusals, (side, id) => present.has(halfKey({ side, id })));
};

/** Returns the plan without decisions that wait: for a read, an answer, a retry or a listing. */
const deferWaiting = async (session: Session, plan: Plan) => {
  const { rejections } = session.state();
  const answered = deferUnanswered(plan.decisions, await loadUnanswered(session));
  const waiting = new Set(plan.decisions).difference(new Set(answered));
  const uniting = [...waiting].flatMap((each) => (each.kind === 'merge' && each.isUniting ? [each.pair] : []));
  const refusals = [...pastRefusals(plan.decisions, rejections), ...(await loadOrphaned(session, rejections))];
  const due = listedSides(session).size > 0 ? answered : deferExtras(answered);
  const duePlan: Plan = { ...plan, decisions: deferRefused(due, rejections, session.clock.now()) };
  return { plan: duePlan, uniting, refusals };
};

/** A plan, what is out of date after it, and the selection that is stored before its first write. */
type SelectedPlan = { readonly plan: Plan; readonly outdated: Outdated; readonly selection: LinkState['selection'] };

/** Makes a plan of loaded contacts, without what must wait. Keeps their rows for the writer. Stores nothing. */
const planLoaded = async (
  session: Session,
  workload: Pick<Workload, 'pairs' | 'lonePairs' | 'unpaired'>,
  groups: GroupPlan,
  selection?: Selection,
) => {
  const { policy, writer } = session;
  const { pairs, lonePairs, unpaired } = workload;
  const halves = [...unpaired.left, ...unpaired.right];
  writer.keepRows(halves, [...pairs, ...lonePairs]);
  const scopes = originScopes(session);
  const marked = await markedOrigins(session, idsBySide(halves), scopes);
  const verdicts = await sortVerdicts(session);
  const conflicts = await currentConflicts(session);
  const joining = session.state().fields.joining ?? [];
  const terms = { policy, scopes, marked, joining, conflicts, verdicts: verdicts.binding };
  const plan = planContacts({ ...workload, ...terms, groups, ...(selection !== undefined && { selection }) });
  await yieldToEventLoop();
  const outdated = {
    conflicts: conflictsEndedBy(conflicts, plan.decisions),
    verdicts: verdicts.over,
    joined: withJoinedFields(pairs, joining),
  };
  const { plan: duePlan, ...others } = await deferWaiting(session, plan);
  return { plan: duePlan, outdated: { ...outdated, ...others } };
};

/** Plans all stored contacts, or one part of them. Stores nothing. */
export const planStored = async (
  session: Session,
  { names, ...groups }: NamedGroups,
  part: Part | null = null,
): Promise<SelectedPlan> => {
  const { policy } = session;
  const uniting = groups.links.filter((candidate) => !candidate.isUnited);
  const groupIds = uniting.flatMap(({ left, right }) => [left, right].filter((id) => id !== null));
  const { selection, isNewSelection } = currentSelection(session, names);
  const workload = await loadWorkload(session, {
    groupIds,
    conflicts: conflictsToPlan(await currentConflicts(session), policy),
    selection,
    isNewSelection,
    part,
  });
  await yieldToEventLoop();
  const { plan, outdated } = await planLoaded(session, workload, groups, selection);
  const nowMs = session.clock.now();
  const deletions = workload.deleted.filter(({ heardAtMs }) => nowMs - heardAtMs >= FORGETS_DELETIONS_AFTER_MS);
  // If the run stops between the writes of such a contact and its unlinking, only a plan of all contacts finds its pair.
  const unlinks = plan.decisions.some((decision) => decision.kind === 'merge' && decision.unlinks === true);
  const isApplied = !unlinks && !isNarrowed(session);
  return { plan, outdated: { ...outdated, deletions }, selection: storedSelection(selection, policy, isApplied) };
};

/** Returns the plan's group links with the ids of the groups that were created since. */
const currentLinks = ({ state }: Pick<Session, 'state'>, { links }: Pick<GroupPlan, 'links'>): GroupPlan['links'] => {
  const stored = new Map(state().groupPairs.map((pair) => [pair.key, pair]));
  return links.map((each) => {
    const pair = stored.get(each.key);
    return { ...each, left: pair?.left?.id ?? each.left, right: pair?.right?.id ?? each.right };
  });
};

/** Returns the names of groups, also under the ids of groups that were created since, or whose ids a rename has changed. */
const currentNames = ({ links, names }: NamedGroups, current: GroupPlan['links']): Sides<GroupNames> =>
  bySide((side) => {
    const changed = links.flatMap((link, index): (readonly [string, string])[] => {
      const [id, name] = [current[index]?.[side] ?? null, names[side].get(link[side] ?? link.key)];
      return id === null || name === undefined ? [] : [[id, name]];
    });
    return new Map([...names[side], ...changed]);
  });

/** Returns the groups of a plan after its actions, as the plan of groups for which nothing is to be done. */
export const withoutActions = (session: Pick<Session, 'state'>, groups: NamedGroups): NamedGroups => {
  const links = currentLinks(session, groups);
  return { ...groups, links, names: currentNames(groups, links), actions: [], ended: [], duplicates: [] };
};

/** Whether a rename has changed the id of a group: contacts must be planned again with the new one. */
export const haveNewIds = (session: Session, plan: GroupPlan): boolean => {
  const links = currentLinks(session, plan);
  return plan.links.some((link, index) =>
    SIDES.some((side) => link[side] !== null && link[side] !== links[index]?.[side]),
  );
};

/** Plans unpaired contacts that are independent of all others. Releases the rows of the previous plan. Stores nothing. */
export const planPart = async (
  session: Session,
  groups: NamedGroups,
  ids: ContactIds,
): Promise<Pick<SelectedPlan, 'plan' | 'outdated'>> => {
  const { store, link, writer } = session;
  writer.releaseRows();
  const unpaired = await loadUnpaired(store, link, ids);
  const { names: _, ...current } = withoutActions(session, groups);
  const { plan, outdated } = await planLoaded(session, { pairs: [], lonePairs: [], unpaired }, current);
  return { plan, outdated: { ...outdated, deletions: [] } };
};

/** The first plan of a run, and the parts that are planned after it. */
type FirstPlan = SelectedPlan & { readonly later: readonly LaterPart[] };

/**
 * Plans the stored contacts; of a large first sync only a part. Later parts destroy nothing, so the guard needs this plan only
 * (R8). Contacts whose existence the plan depends on are read first, and stored as they are.
 */
export const planFirst = async (session: Session, groups: NamedGroups): Promise<FirstPlan> => {
  let planned: FirstPlan;
  let read: typeof NONE_READ | null = NONE_READ;
  // After a read, a plan may choose another counterpart, which is read as well.
  do {
    const division = await divideContacts(session, groups);
    planned = { ...(await planStored(session, groups, division?.first ?? null)), later: division?.later ?? [] };
    read = await confirmMet(session, planned.plan, read);
  } while (read !== null);
  return planned;
};
