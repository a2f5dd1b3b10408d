import { withoutRestingExtras } from '../journal-evidence.ts';
import { type Half, stands } from '../../core/contact/half.ts';
import { unsyncableIn } from '../../core/contact/record.ts';
import { otherSide, type Side } from '../../core/contact/side.ts';
import type { Pair, WholePair } from '../../core/reconcile/decision.ts';
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

/** Contacts of one side that a person has merged into one of them. */
export type MergeOrder = {
  readonly side: Side;
  readonly survivorId: string;
  /** The contacts that go. */
  readonly otherIds: readonly string[];
};

type MergeOptions = Omit<RunOptions, 'kind'>;

/** What cannot be merged as it was asked for; nothing was written. */
export class MergeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MergeError';
  }
}

const isWhole = (pair: Pair): pair is WholePair => pair.status === 'linked' && stands(pair.left) && stands(pair.right);

/** The pair of each half, by the half's id. */
const pairsOf = async ({ store, link }: Session, side: Side, halves: readonly Half[]) => {
  const ids = halves.map(({ id }) => id);
  const pairs = await loadPairsOf(store, link, { ids: [], pairIds: halves.flatMap(({ pair }) => pair ?? []) });
  return new Map(pairs.flatMap((pair) => ids.flatMap((id) => (pair[side]?.id === id ? [[id, pair] as const] : []))));
};

/** @throws {MergeError} where a contact does not stand, the survivor has no counterpart, or the side is not written. */
const planOf = async (session: Session, order: MergeOrder): Promise<Plan> => {
  const { store, link, policy, sides } = session;
  const { side, survivorId, otherIds } = order;
  if (!mayWrite(policy, side)) {
    throw new MergeError(
      `The link does not write to ${sides[side].place} (DIRECTION), so contacts cannot be merged there.`,
    );
  }
  // What is merged counts as a run that completed, and the first such run has to be one that lists both sides.
  if ((await store.runs(link, { latest: 'completed' })).length === 0) {
    throw new MergeError('No run of the link has completed yet. Run contact-sync sync first.');
  }
  const halves = await store.halves(link, { by: 'id', side, ids: [survivorId, ...otherIds] });
  const standing = new Map(halves.filter(stands).map((half) => [half.id, half]));
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
  if (survivor === undefined || !isWhole(survivor)) {
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
 * Notes whom the contacts go into, before any of them goes: whatever tells of a deletion later, the next plan knows it for a
 * merge (R12).
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
 * Merges contacts of one side as a run of its own: journaled, guarded and recovered as any other. Their counterparts follow in
 * the next run, as after a merge that a user made at that side (R12).
 *
 * @throws {LeaseError} where another process works on the link. What else keeps it from merging is in the result.
 */
export const mergeDuplicates = (context: LinkContext, options: MergeOptions, order: MergeOrder): Promise<RunResult> =>
  runUnderLease(
    context,
    { ...options, kind: 'incremental' },
    { undoes: null, perform: (session) => perform(session, order) },
  );

/** What a merge would do. */
export type MergePlan = { readonly actions: readonly Change[]; readonly halt: Halt | null };

/**
 * What a merge would write. The context's store must be one that is thrown away afterwards.
 *
 * @throws {MergeError} where it cannot be merged so; {@link RemoteError} where a side cannot be read.
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
