import type { Contact } from '../core/contact/contact.ts';
import { bySide, SIDES, type Sides } from '../core/contact/side.ts';
import type { Halt } from '../core/reconcile/guard.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import type { RunKind } from '../core/state/rows.ts';
import { partChanges, planChanges, plannedContacts, unpairedContacts, unpairedOf } from '../core/view/plan.ts';
import { addCounts, countUnsynced, type UnsyncedCounts } from '../core/view/unsynced.ts';
import type { Change, Unpaired } from '../core/view/views.ts';
import type { LinkContext, RunOptions, Session } from './session.ts';
import { plannedWrites } from './execute/planned-writes.ts';
import { tasksOf } from './execute/execution.ts';
import { guardRun } from './guard.ts';
import { refreshState, withReadOnlySide } from './perform.ts';
import { type NamedGroups, planFirst, planLinkGroups, planPart } from './plan.ts';
import { planUnderLease } from './run.ts';

/** The approximate requests of a plan on each side, and the minimum time for them at the rate limits. */
export type Estimate = { readonly requests: Sides<number>; readonly durationMs: number };

/** The changes that a run would make. */
export type PlanResult = {
  readonly kind: RunKind;
  readonly changes: readonly Change[];
  /** Contacts that may be one person and are not paired (R13). */
  readonly unpaired: readonly Unpaired[];
  /** The contacts of the first part and those of `unpaired`, by side and id: `left people/c1`. */
  readonly contacts: ReadonlyMap<string, Contact>;
  /** The contacts with values in fields that the link does not sync; null if it is not the first sync. */
  readonly unsynced: UnsyncedCounts | null;
  readonly halt: Halt | null;
  readonly estimate: Estimate;
};

const requestsOf = ({ remotes }: Session, plan: Plan): Sides<number> => {
  const capabilities = bySide((side) => remotes[side].capabilities);
  const planned = plannedWrites(plan, tasksOf(plan), capabilities);
  return bySide((side) => planned[side].requests);
};

const estimateOf = ({ remotes }: Session, ofParts: readonly Sides<number>[]): Estimate => {
  const requests = bySide((side) => ofParts.reduce((sum, part) => sum + part[side], 0));
  const durationMs = Math.max(...SIDES.map((side) => remotes[side].timeToSendMs(requests[side])));
  return { requests, durationMs };
};

/** Returns the first plan in words, and its parts. The plan itself is not kept in memory. */
const showFirst = async (session: Session, groups: NamedGroups) => {
  const { plan, later } = await planFirst(session, groups);
  const halt = await guardRun(session, plan);
  const shown = {
    changes: planChanges(plan, session.policy),
    unpaired: unpairedOf(plan),
    contacts: plannedContacts(plan),
  };
  const unsynced = countUnsynced(plan.decisions, session.fields);
  return { ...shown, unsynced, halt, later, requests: requestsOf(session, plan) };
};

/**
 * Plans a run without writing to a side. A large first sync is planned in the same parts as the run would use. The context's
 * store must be a scratch copy: pulled contacts are stored there.
 *
 * @throws {RemoteError | HaltError} if the run cannot be planned.
 */
export const planLink = (context: LinkContext, options: RunOptions): Promise<PlanResult> =>
  planUnderLease(context, options, null, async (opened) => {
    const session = await withReadOnlySide(opened);
    await refreshState(session);
    const groups = await planLinkGroups(session);
    const { later, requests, ...first } = await showFirst(session, groups);
    const changes = [...first.changes];
    const unpaired = [...first.unpaired];
    const contacts = new Map(first.contacts);
    const asked = [requests];
    let { unsynced } = first;
    for (const { ids } of later) {
      const { plan } = await planPart(session, groups, ids);
      for (const change of partChanges(plan, groups, session.policy)) changes.push(change);
      unpaired.push(...unpairedOf(plan));
      for (const [key, contact] of unpairedContacts(plan)) contacts.set(key, contact);
      unsynced = addCounts(unsynced, countUnsynced(plan.decisions, session.fields));
      asked.push(requestsOf(session, plan));
    }
    const isFirstSync = (await session.store.counts(session.link)).pairs === 0;
    const found = { changes, unpaired, contacts, unsynced: isFirstSync ? unsynced : null };
    return { ...first, ...found, kind: session.kind, estimate: estimateOf(session, asked) };
  });
