import { bySide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { Decision } from '../reconcile/decision.ts';
import type { Halt } from '../reconcile/guard.ts';
import { destroys } from '../reconcile/losses.ts';
import type { Plan } from '../reconcile/plan.ts';
import { isCredentialError } from '../providers/errors.ts';
import { FenceError, type RunKind, type RunOutcome, type StoredRunKind, type WriteKind } from '../store/store.ts';
import {
  emptyTally,
  resumeRemedy,
  HaltError,
  LeaseError,
  StoppedError,
  type LinkContext,
  type RunOptions,
  type Session,
  type SideTally,
  type Tally,
} from './context.ts';
import { effortOf } from './execute/effort.ts';
import { beginWork, execute, finishWork, type Begun, type LaterWork } from './execute/execute.ts';
import { workOf } from './execute/work.ts';
import { guardPlan } from './guard.ts';
import { takeLease, type Lease } from './lease.ts';
import { hasOtherFields } from './choose-fields.ts';
import { createLinkWriter } from './link-writer.ts';
import { currentLinks, planStored, prepare, type Later, type NamedGroups } from './prepare.ts';
import { recover } from './recover/recover.ts';
import { hasSamePatterns } from './selecting.ts';
import { keptSinceMs } from './retention.ts';
import { afterChange } from './state/activity.ts';
import { nextLinkState, type LinkEvent } from './state/link.ts';

export type SideSummary = SideTally & { readonly requests: number };

/** What a run did. */
export type RunSummary = {
  readonly link: string;
  readonly run: string;
  readonly kind: StoredRunKind;
  /** For an undo: the run that it reverts. */
  readonly undoes?: string;
  readonly outcome: RunOutcome;
  /** There where the program was stopped before the run's end: it failed at nothing. */
  readonly stopped?: true;
  readonly reason: string | null;
  readonly left: SideSummary;
  readonly right: SideSummary;
  readonly paired: number;
  readonly conflicts: number;
  /** Conflicts that wait for a person since this run; left out where there are none. */
  readonly asked?: number;
  /** Pairs that differed without an explanation and were merged; left out where there are none. */
  readonly repaired?: number;
  readonly skipped: number;
  readonly durationMs: number;
};

export type RunResult = {
  readonly summary: RunSummary;
  /** Why the run did not complete; null where it did. */
  readonly error: unknown;
};

export type PlanResult = {
  readonly kind: RunKind;
  readonly plan: Plan;
  readonly halt: Halt | null;
  readonly estimate: Estimate;
};

/** About so many requests a plan takes on each side, and how long the rate limits take to let them pass, at least. */
export type Estimate = { readonly requests: Sides<number>; readonly durationMs: number };

const estimateOf = ({ remotes }: Session, plan: Plan): Estimate => {
  const effort = effortOf(
    workOf(plan),
    bySide((side) => remotes[side].capabilities),
  );
  const requests = bySide((side) => effort[side].requests);
  const durationMs = Math.max(...SIDES.map((side) => remotes[side].timeToSendMs?.(requests[side]) ?? 0));
  return { requests, durationMs };
};

/**
 * The first run of a link is a full one, and so is each until one has completed: what an interrupted first run listed is as
 * old as it is, and no feed that does not name deletions says what of it was deleted since. So is each run until one has
 * completed with the fields that the link syncs now.
 */
const kindOf = async (context: LinkContext, asked: RunKind): Promise<RunKind> => {
  const { store, link, policy } = context;
  const { cursors, selection } = await store.link(link);
  if (!hasSamePatterns(selection, policy) || (await hasOtherFields(context))) return 'full';
  if (SIDES.every((side) => cursors[side].cursor === null)) return 'full';
  return (await store.runs(link, { latest: 'completed' })).length === 0 ? 'full' : asked;
};

/** Opens a session under a lease for a run, or for one that reverts the run `undoes`. */
const openSession = async (
  context: LinkContext,
  options: RunOptions,
  lease: Lease,
  undoes: string | null,
): Promise<Session> => {
  const run = context.newId();
  return {
    ...context,
    ...options,
    signal: lease.signal,
    kind: await kindOf(context, options.kind),
    run,
    undoes,
    emit: (event) => options.onEvent(event, run),
    writer: createLinkWriter(context.store, context.link, lease.token),
    tally: emptyTally(),
    identified: new Set(),
  };
};

/** As what a write counts in the summary. */
const COUNTED_AS = {
  create: 'created',
  update: 'updated',
  membership: 'updated',
  delete: 'deleted',
  'group-delete': 'groupsDeleted',
} as const satisfies Record<WriteKind, keyof SideTally>;

/** Settles the writes of this run of unknown outcome; those that were applied count. */
export const settleUnanswered = async (session: Session): Promise<void> => {
  for (const row of await recover(session)) {
    session.tally[row.side][COUNTED_AS[row.kind]] += 1;
  }
};

/** A second pass in the same run, for what was stale, gone or of unknown outcome; it deletes nothing. */
const lookAgain = async (session: Session, groups: NamedGroups): Promise<void> => {
  await settleUnanswered(session);
  const links = await currentLinks(session, groups);
  const { plan: again } = await planStored(session, { ...groups, actions: [], ended: [], links });
  // What would now empty more than the guard allows is left to the next run, which asks first (R8).
  const halt = await guardPlan(session, again);
  const isLeft = (decision: Decision): boolean => {
    return decision.kind === 'delete' || (halt !== null && destroys(decision, again.groups.links));
  };
  const decisions = again.decisions.filter((decision) => !isLeft(decision));
  if (await execute(session, workOf({ ...again, groups: { ...again.groups, pairs: [] }, decisions }))) {
    await recover(session);
  }
};

/** Reports the contacts that a plan leaves to a person. */
const report = (session: Session, plan: Plan): void => {
  for (const rivals of plan.ambiguous) session.emit({ kind: 'ambiguous', ...rivals });
  for (const { side, id } of plan.empty) {
    session.tally.skipped += 1;
    const ids = { leftId: null, rightId: null, [`${side}Id`]: id };
    session.emit({ kind: 'skipped', side, reason: 'The contact has no value in a synced field.', ...ids });
  }
};

/** The work of plans that are made one after the other. */
const laterWork = (session: Session, { plans, creates }: Later): LaterWork => ({
  creates,
  pieces: plans.map((makePlan) => async () => {
    const plan = await makePlan();
    report(session, plan);
    return workOf(plan);
  }),
});

/** What a run keeps of its plan once that is written. */
type Written = { readonly begun: Begun; readonly groups: NamedGroups; readonly later: LaterWork | null };

const performPlan = async (session: Session): Promise<Written> => {
  const { plan, selection, names, halt, later } = await prepare(session, { whole: false });
  report(session, plan);
  if (halt !== null) throw new HaltError(halt);
  const works = later === null ? null : laterWork(session, later);
  const begun = await beginWork(session, { ...workOf(plan), selection }, works);
  return { begun, groups: { ...plan.groups, names }, later: works };
};

const perform = async (session: Session): Promise<void> => {
  const { begun, groups, later } = await performPlan(session);
  if (await finishWork(begun, later)) await lookAgain(session, groups);
};

type Ending = {
  readonly outcome: RunOutcome;
  readonly event: LinkEvent;
  readonly reason: string | null;
  readonly stopped?: true;
};

const endingOf = (session: Pick<Session, 'link' | 'sides'>, error: unknown): Ending => {
  if (error === null) return { outcome: 'completed', event: 'completed', reason: null };
  if (isCredentialError(error)) {
    return { outcome: 'failed', event: 'refused', reason: `${error.message}. ${resumeRemedy(error, session)}` };
  }
  const reason = error instanceof Error ? error.message : 'An unknown error ended the run.';
  if (error instanceof HaltError) return { outcome: 'halted', event: 'halted', reason };
  // Neither is a trouble of the link, and one that another process has taken over is that one's to judge.
  if (error instanceof StoppedError) return { outcome: 'failed', event: 'interrupted', reason, stopped: true };
  const isInterrupted = error instanceof LeaseError;
  return { outcome: 'failed', event: isInterrupted ? 'interrupted' : 'failed', reason };
};

const summarise = (session: Session, ending: Ending, before: Sides<number>, startedAtMs: number): RunSummary => {
  const { tally, remotes } = session;
  const side = (name: Side): SideSummary => ({ ...tally[name], requests: remotes[name].requestCount() - before[name] });
  return {
    link: session.link,
    run: session.run,
    kind: session.undoes === null ? session.kind : 'undo',
    ...(session.undoes === null ? {} : { undoes: session.undoes }),
    outcome: ending.outcome,
    ...(ending.stopped && { stopped: true }),
    reason: ending.reason,
    left: side('left'),
    right: side('right'),
    paired: tally.paired,
    conflicts: tally.conflicts,
    ...(tally.asked > 0 && { asked: tally.asked }),
    ...(tally.repaired > 0 && { repaired: tally.repaired }),
    skipped: tally.skipped,
    durationMs: Math.round(session.clock.monotonic() - startedAtMs),
  };
};

/** The nonce by which the plan of a halted run may pass; a plan that is halted again for the same reason keeps it (R8). */
const overrideOf = async ({ link, newId, store }: Session, { outcome, reason }: Ending): Promise<string | null> => {
  if (outcome !== 'halted') return null;
  const [last] = await store.runs(link, { latest: 'ended' });
  const isSame = last?.outcome === 'halted' && last.reason === reason;
  return isSame && last.override !== null ? last.override : newId();
};

/** Whether somebody changed something: what a run writes follows from that. */
const wroteAnything = (tally: Tally): boolean =>
  SIDES.some((side) => Object.values(COUNTED_AS).some((count) => tally[side][count] > 0));

/** Stores how the run ended, prunes what is old, and what became of the link by it: an undo leaves the link's state, but for a refusal. */
const storeEnding = async (session: Session, ending: Ending, summary: RunSummary): Promise<void> => {
  const { clock, link, retentionMs, run, store, undoes, writer } = session;
  const { state, fields, activity } = await store.link(link);
  const changesLink = ending.event !== 'interrupted' && (undoes === null || ending.event === 'refused');
  const override = await overrideOf(session, ending);
  const stored = { ...summary, ...(override !== null && { override }) };
  const end = { outcome: ending.outcome, reason: ending.reason, summary: stored, endedAtMs: clock.now() };
  await writer.apply({}, (set) => {
    if (changesLink) {
      set.add({ kind: 'link', patch: { state: nextLinkState(state, ending.event), reason: ending.reason } });
    }
    if (ending.event === 'completed' && undoes === null && fields.joining !== null) {
      set.add({ kind: 'link', patch: { fields: { ...fields, joining: null } } });
    }
    if (undoes === null && wroteAnything(session.tally)) {
      set.add({ kind: 'link', patch: { activity: afterChange(activity, end.endedAtMs) } });
    }
    set.add({ kind: 'run-ended', id: run, end });
    const beforeMs = keptSinceMs(retentionMs, clock.now());
    if (beforeMs !== null) set.add({ kind: 'prune', beforeMs });
  });
};

/** What is done under the lease: an ordinary run, or one that reverts the run `undoes`. */
export type RunTask = { readonly undoes: string | null; readonly perform: (session: Session) => Promise<void> };

/** Why the run ended: what fails once it is being ended fails because of that; under a lost lease nothing is complete. */
const causeOf = ({ link, signal }: Session, failure: unknown): unknown => {
  if (failure instanceof FenceError) return new LeaseError(link, 'lost');
  const isEnded = signal.aborted && (failure !== null || signal.reason instanceof LeaseError);
  return isEnded ? signal.reason : failure;
};

/**
 * Does a task as one run: under the lease, stored with its beginning and its end. What went wrong comes back in the
 * result.
 *
 * @throws {LeaseError} where another process works on the link, and what `onLease` throws.
 */
export const runUnderLease = async (
  context: LinkContext,
  options: RunOptions,
  { undoes, perform: performTask }: RunTask,
): Promise<RunResult> => {
  const { clock } = context;
  await using lease = await takeLease(context, options.signal);
  await options.onLease?.();
  const session = await openSession(context, options, lease, undoes);
  const before = bySide((side) => session.remotes[side].requestCount());
  const startedAtMs = clock.monotonic();
  const kind = undoes === null ? session.kind : 'undo';
  await session.writer.apply({}, (set) => {
    set.add({ kind: 'run-started', run: { id: session.run, kind, undoes, startedAtMs: clock.now() } });
  });
  session.emit({ kind: 'started', runKind: kind });
  const failure: unknown = await performTask(session).then(
    () => null,
    (caught: unknown) => caught,
  );
  const error = causeOf(session, failure);
  const ending = endingOf(session, error);
  const summary = summarise(session, ending, before, startedAtMs);
  try {
    await storeEnding(session, ending, summary);
  } catch (caught) {
    // The link is another process's now, which stores how it stands.
    if (!(caught instanceof FenceError)) throw caught;
    return { summary, error: new LeaseError(context.link, 'lost') };
  }
  return { summary, error };
};

/**
 * One pass over one link: lease, recovery, both feeds, plan, guard, writes. What went wrong comes back in the result, stored
 * as the link's state.
 *
 * @throws {LeaseError} where another process works on the link, and what `onLease` throws.
 */
export const runLink = (context: LinkContext, options: RunOptions): Promise<RunResult> => {
  return runUnderLease(context, options, { undoes: null, perform });
};

/** Does the reading half of a task on a store that is thrown away afterwards: no run is stored. */
export const planUnderLease = async <T>(
  context: LinkContext,
  options: RunOptions,
  undoes: string | null,
  plan: (session: Session) => Promise<T>,
): Promise<T> => {
  await using lease = await takeLease(context, options.signal);
  return await plan(await openSession(context, options, lease, undoes));
};

/**
 * What a run would do. The context's store must be one that is thrown away afterwards: what is pulled is stored there.
 *
 * @throws {RemoteError | HaltError} where the run could not even plan.
 */
export const planLink = (context: LinkContext, options: RunOptions): Promise<PlanResult> =>
  planUnderLease(context, options, null, async (session) => {
    const { plan, halt } = await prepare(session, { whole: true });
    return { kind: session.kind, plan, halt, estimate: estimateOf(session, plan) };
  });
