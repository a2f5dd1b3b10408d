import { halfKey } from '../core/contact/half.ts';
import { otherSide, SIDES } from '../core/contact/side.ts';
import { idsOn } from '../core/contact/pair.ts';
import type { Decision } from '../core/reconcile/decision.ts';
import { causesLosses } from '../core/reconcile/losses.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import { checkAccounts, claimAccounts } from './accounts.ts';
import { chooseFields } from './choose-fields.ts';
import { confirmMissing } from './confirm.ts';
import { onBothSides, reportSkipped, type Session } from './session.ts';
import { COUNTED_AS } from './tally.ts';
import { HaltError } from './errors.ts';
import { discard } from './discard.ts';
import { execute, finishGroups } from './execute/execute.ts';
import { storeGroupPairs } from './execute/groups.ts';
import { guardPlan, guardRun, lossesShown } from './guard.ts';
import type { LaterPart } from './parts.ts';
import {
  haveNewIds,
  type NamedGroups,
  planFirst,
  planLinkGroups,
  planPart,
  planStored,
  withoutActions,
} from './plan.ts';
import { pullSide } from './pull.ts';
import { recover } from './recover.ts';
import { storeListedTerms } from './selecting.ts';
import { tidy } from './tidy.ts';

/**
 * Returns the session, one-way if a side may only be read: that side becomes the source. The reason is reported once, and not for each
 * contact.
 */
export const withReadOnlySide = async (session: Session): Promise<Session> => {
  const { policy, remotes, signal } = session;
  for (const side of policy.direction === 'both' ? SIDES : []) {
    const reason = (await remotes[side].readOnlyReason?.(signal)) ?? null;
    if (reason === null) continue;
    session.emit({ kind: 'skipped', side, reason, leftId: null, rightId: null });
    return { ...session, policy: { ...policy, direction: `to-${otherSide(side)}` } };
  }
  return session;
};

/** Updates the store to the current state of both sides: accounts, recovery, both feeds. Writes to no remote. */
export const refreshState = async (session: Session): Promise<void> => {
  const accounts = await checkAccounts(session);
  // Recovery looks for created contacts by the accounts that are stored (R9), so new ones are stored after it.
  await recover(session);
  if (accounts !== null) await session.writer.apply({}, (set) => set.add({ kind: 'link', patch: accounts }));
  await claimAccounts(session, { isAsked: accounts !== null });
  await chooseFields(session);
  await onBothSides((side) => pullSide(session, side));
  await storeListedTerms(session);
  await confirmMissing(session);
};

/** Reports the contacts of a plan that need a user's attention. */
const report = (session: Session, plan: Plan): void => {
  for (const match of plan.ambiguous) session.emit({ kind: 'ambiguous', ...match });
  for (const { side, id } of plan.empty) {
    reportSkipped(session, side, 'The contact has no value in a synced field.', idsOn(side, id));
  }
};

/** The result of a plan: whether a second pass is needed, and the parts that are planned after it. */
type Performed = { readonly again: boolean; readonly later: readonly LaterPart[] };

/** @throws {HaltError} if the guard halts the run: nothing is written. */
const performFirst = async (session: Session, groups: NamedGroups): Promise<Performed> => {
  const { plan, outdated, selection, later } = await planFirst(session, groups);
  await tidy(session, outdated);
  const halt = await guardRun(session, plan);
  // The next run lists an emptied side again and decides by its contacts.
  if (halt?.reason === 'side-emptied') await discard(session, halt.side);
  if (halt !== null) throw new HaltError(halt, await lossesShown(session, plan, halt));
  report(session, plan);
  return { again: await execute(session, { ...plan, selection }, { later, isFirst: true }), later };
};

const performPart = async (
  session: Session,
  groups: NamedGroups,
  { ids }: LaterPart,
  later: readonly LaterPart[],
): Promise<boolean> => {
  const { plan, outdated } = await planPart(session, groups, ids);
  await tidy(session, outdated);
  report(session, plan);
  return execute(session, plan, { later, isFirst: false });
};

/**
 * Plans and writes everything; a large first sync in parts. Each part has a function of its own, so that its plan can be freed when the
 * function returns. Returns whether a second pass is needed.
 */
const performAll = async (session: Session, groups: NamedGroups): Promise<boolean> => {
  const first = await performFirst(session, groups);
  if (haveNewIds(session, groups)) return true;
  let { again } = first;
  for (const [index, part] of first.later.entries()) {
    const isDue = await performPart(session, groups, part, first.later.slice(index + 1));
    again ||= isDue;
  }
  await finishGroups(session, groups);
  return again;
};

/** Settles the writes that have an unknown outcome. Those that were applied count in the summary. */
const settleUnanswered = async (session: Session): Promise<void> => {
  for (const row of await recover(session)) session.tally[row.side][COUNTED_AS[row.kind]] += 1;
};

/**
 * Performs a pass, and once more for what must be planned again: contacts that were stale or deleted, or whose write has an unknown
 * outcome. `pass` returns whether there are such contacts.
 */
export const performWithSecondPass = async (
  session: Session,
  pass: (isSecond: boolean) => Promise<boolean>,
): Promise<void> => {
  if (!(await pass(false))) return;
  await settleUnanswered(session);
  if (await pass(true)) await settleUnanswered(session);
};

/** Reports possible matches that the first pass did not plan, because it ended early: this pass creates their contacts. */
const reportCreated = (session: Session, { ambiguous, decisions }: Plan): void => {
  const created = new Set(
    decisions.flatMap((decision) =>
      decision.kind === 'create' ? halfKey({ side: otherSide(decision.side), id: decision.source.id }) : [],
    ),
  );
  const isCreated = (match: Plan['ambiguous'][number]): boolean =>
    SIDES.some((side) => match[side].some((id) => created.has(halfKey({ side, id }))));
  for (const match of ambiguous.filter(isCreated)) session.emit({ kind: 'ambiguous', ...match });
};

/** Plans and executes again what still needs a decision, such as contacts that were stale. Deletes nothing. */
const performAgain = async (session: Session, groups: NamedGroups): Promise<boolean> => {
  // The first pass has written the groups.
  const { plan, outdated, selection } = await planStored(session, withoutActions(session, groups));
  await tidy(session, outdated);
  // If the guard would halt, decisions with losses are dropped here: the next run plans them again and halts first (R8).
  const halt = await guardPlan(session, plan);
  const waitsForNextRun = (decision: Decision): boolean =>
    decision.kind === 'delete' || (halt !== null && causesLosses(decision, plan.groups.links));
  const decisions = plan.decisions.filter((decision) => !waitsForNextRun(decision));
  reportCreated(session, plan);
  const again = await execute(session, { ...plan, selection, decisions });
  await storeGroupPairs(session, groups);
  return again;
};

/** Performs one run. */
export const perform = async (opened: Session): Promise<void> => {
  const session = await withReadOnlySide(opened);
  await refreshState(session);
  const groups = await planLinkGroups(session);
  await performWithSecondPass(session, (isSecond) => (isSecond ? performAgain : performAll)(session, groups));
};
