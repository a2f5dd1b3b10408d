import { bySide, SIDES, type Side, type Sides } from '../contact/side.ts';
import type { Halt } from '../reconcile/guard.ts';
import type { Plan } from '../reconcile/plan.ts';
import { isCredentialError } from '../providers/errors.ts';
import { FenceError, type RunKind, type RunOutcome, type StoredRunKind } from '../store/store.ts';
import {
  COUNTED_AS,
  emptyTally,
  keptSinceMs,
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
import { workOf } from './execute/work.ts';
import { guardRun } from './guard.ts';
import { takeLease, type Lease } from './lease.ts';
import { hasOtherFields } from './choose-fields.ts';
import { createLinkWriter } from './link-writer.ts';
import { perform, refreshState } from './perform.ts';
import { planFirst, planLinkGroups } from './plan.ts';
import { hasSamePatterns } from './selecting.ts';
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
    startedAtMs: context.clock.now(),
    undoes,
    emit: (event) => options.onEvent(event, run),
    writer: createLinkWriter(context.store, context.link, lease.token),
    tally: emptyTally(),
    identified: new Set(),
  };
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
    set.add({ kind: 'run-started', run: { id: session.run, kind, undoes, startedAtMs: session.startedAtMs } });
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
    await refreshState(session);
    const { plan } = await planFirst(session, await planLinkGroups(session), { whole: true });
    const halt = await guardRun(session, plan);
    return { kind: session.kind, plan, halt, estimate: estimateOf(session, plan) };
  });
