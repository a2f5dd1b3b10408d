import { withoutRestingExtras } from '../journal-evidence.ts';
import { type Half, isPresent } from '../../core/contact/half.ts';
import { unsyncableIn } from '../../core/contact/record.ts';
import { otherSide, type Side } from '../../core/contact/side.ts';
import { isWhole } from '../../core/reconcile/decision.ts';
import type { Halt } from '../../core/reconcile/guard.ts';
import { planMergeByHand } from '../../core/reconcile/merge-duplicates.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { mayWrite } from '../../core/reconcile/policy.ts';
import { planChanges } from '../../core/view/plan.ts';
import type { Change } from '../../core/view/views.ts';
import { HaltError, type LinkContext, type RunOptions, type Session } from '../context.ts';
import { execute } from '../execute/execute.ts';
import { guardPlan } from '../guard.ts';
import { refreshState, settleUnanswered } from '../perform.ts';
import { planLinkGroups } from '../plan.ts';
import { planUnderLease, type RunResult, runUnderLease } from '../run.ts';
import { loadPairsOf } from '../workload.ts';

/** A user's order to merge contacts of one side into one of them. */
export type MergeOrder = {
  readonly side: Side;
  readonly survivorId: string;
  /** The contacts that are merged into the survivor and deleted. */
  readonly otherIds: readonly string[];
};

type MergeOptions = Omit<RunOptions, 'kind'>;

/** The order cannot be carried out; nothing was written. */
export class MergeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MergeError';
  }
}

/** The pair of each half, by the half's id. */
const pairsOf = async ({ store, link }: Session, side: Side, halves: readonly Half[]) => {
  const ids = halves.map(({ id }) => id);
  const pairs = await loadPairsOf(store, link, { ids: [], pairIds: halves.flatMap(({ pair }) => pair ?? []) });
  return new Map(pairs.flatMap((pair) => ids.flatMap((id) => (pair[side]?.id === id ? [[id, pair] as const] : []))));
};

/**
 * @throws {MergeError} if a contact does not exist, has a value that cannot be moved, the survivor has no counterpart, the link
 * does not write the side, or no run has completed.
 */
const planOf = async (session: Session, order: MergeOrder): Promise<Plan> => {
  const { store, link, policy, sides } = session;
  const { side, survivorId, otherIds } = order;
  if (!mayWrite(policy, side)) {
    throw new MergeError(
      `The link does not write to ${sides[side].place} (DIRECTION), so contacts cannot be merged there.`,
    );
  }
  // The merge counts as a completed run, and the first completed run must list both sides.
  if ((await store.runs(link, { latest: 'completed' })).length === 0) {
    throw new MergeError('No run of the link has completed yet. Run contact-sync sync first.');
  }
  const halves = await store.halves(link, { by: 'id', side, ids: [survivorId, ...otherIds] });
  const standing = new Map(halves.filter(isPresent).map((half) => [half.id, half]));
  const missing = [survivorId, ...otherIds].find((id) => !standing.has(id));
  if (missing !== undefined) throw new MergeError(`${missing} no longer exists at ${sides[side].place}.`);
  for (const { id, record } of halves) {
    const [unsyncable] = id === survivorId ? [] : unsyncableIn(record);
    if (unsyncable === undefined) continue;
    const { field, reason } = unsyncable;
    throw new MergeError(
      `The ${field} of ${id} cannot be moved: ${reason}. Change it at ${sides[side].place}, or merge the two there.`,
    );
  }
  const pairs = await pairsOf(session, side, halves);
  const survivor = pairs.get(survivorId);
  if (survivor?.status !== 'linked' || !isWhole(survivor)) {
    throw new MergeError(
      `${survivorId} has no counterpart at ${sides[otherSide(side)].place}. Merge into one that has (--into ID).`,
    );
  }
  const { names: _names, ...groups } = await planLinkGroups(session);
  const links = groups.links.filter((each) => each.settled && each.left !== null && each.right !== null);
  const conflicts = await store.conflicts(link, { all: false });
  const decisions = planMergeByHand({
    side,
    survivor,
    others: otherIds.flatMap((id) => {
      const half = standing.get(id);
      return half === undefined ? [] : [{ half, pair: pairs.get(id) ?? null }];
    }),
    links,
    open: conflicts.filter(({ leftId }) => leftId === survivor.left.id),
    policy,
  });
  const untouched = { ...groups, links, actions: [], ended: [], pairs: [], duplicates: [] };
  return {
    groups: untouched,
    decisions: await withoutRestingExtras(session, decisions),
    ambiguous: [],
    empty: [],
    rest: [],
  };
};

/**
 * Stores the survivor of the contacts before any of them is deleted: however a deletion is reported later, the next plan
 * treats it as a merge (R12).
 */
const noteSurvivor = async ({ writer }: Session, { side, survivorId, otherIds }: MergeOrder): Promise<void> => {
  await writer.apply({ ids: { [side]: otherIds } }, (set) => {
    for (const id of otherIds) {
      const half = set.half(side, id);
      if (half !== null) set.put({ ...half, mergedInto: survivorId });
    }
  });
};

const perform = async (session: Session, order: MergeOrder): Promise<void> => {
  await refreshState(session);
  const plan = await planOf(session, order);
  const halt = await guardPlan(session, plan);
  if (halt !== null) throw new HaltError(halt);
  await noteSurvivor(session, order);
  if (await execute(session, plan)) await settleUnanswered(session);
};

/**
 * Merges contacts of one side in a separate run, which is journaled, guarded and recovered like any other. The next run merges
 * their counterparts, as after a merge that a user made at that side (R12).
 *
 * @throws {LeaseError} if another process works on the link. Any other failure is in the result.
 */
export const mergeDuplicates = (context: LinkContext, options: MergeOptions, order: MergeOrder): Promise<RunResult> =>
  runUnderLease(
    context,
    { ...options, kind: 'incremental' },
    { undoes: null, perform: (session) => perform(session, order) },
  );

/** The writes of a merge that is only planned, and the halt that would prevent it. */
export type MergePlan = { readonly actions: readonly Change[]; readonly halt: Halt | null };

/**
 * Plans a merge without writing to a side. The context's store must be a temporary copy.
 *
 * @throws {MergeError} if the order cannot be carried out; {@link RemoteError} if a side cannot be read.
 */
export const planMergeDuplicates = (
  context: LinkContext,
  options: MergeOptions,
  order: MergeOrder,
): Promise<MergePlan> =>
  planUnderLease(context, { ...options, kind: 'incremental' }, null, async (session) => {
    await refreshState(session);
    const plan = await planOf(session, order);
    const actions = planChanges(plan);
    return { actions, halt: await guardPlan(session, plan) };
  });
