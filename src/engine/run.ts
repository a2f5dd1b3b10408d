import { bySide, type Side, type Sides, SIDES } from '../core/contact/side.ts';
import { type LinkEvent, nextLinkState } from '../core/state/link.ts';
import type { RunKind, RunOutcome, StoredRunKind } from '../core/state/rows.ts';
import { isCredentialError } from '../providers/errors.ts';
import { directionsText } from '../core/reconcile/policy.ts';
import { FenceError, type Opening } from '../store/store.ts';
import { hasOtherFields } from './choose-fields.ts';
import { keptSinceMs, listedSides, type LinkContext, type RunOptions, type Session } from './session.ts';
import { emptyTally, type Tally, writtenContacts, newCallCount } from './tally.ts';
import { HaltError, LeaseError, resumeRemedy, StoppedError } from './errors.ts';
import { newProgress } from './progress.ts';
import { type Lease, takeLease } from './lease.ts';
import { LinkWriter } from './link-writer.ts';
import { perform } from './perform.ts';
import type { RunEvent } from './run-event.ts';
import { hasSamePatterns } from './selecting.ts';

type SideSummary = Tally['left'] & { readonly requests: number };

/** The result of a run, in numbers. */
export type RunSummary = {
  readonly link: string;
  readonly run: string;
  readonly kind: StoredRunKind;
  /** For an undo: the run that it reverts. */
  readonly undoes?: string;
  readonly outcome: RunOutcome;
  /** Set if the program was stopped before the run's end: nothing failed. */
  readonly stopped?: true;
  readonly reason: string | null;
  readonly left: SideSummary;
  readonly right: SideSummary;
  readonly paired: number;
  readonly conflicts: number;
  /** Conflicts that wait for a user's decision since this run; absent if zero. */
  readonly asked?: number;
  readonly skipped: number;
  readonly durationMs: number;
};

export type RunResult = {
  readonly summary: RunSummary;
  /** The reason why the run did not complete; null if it did. */
  readonly error: unknown;
};

/**
 * Returns the kind of a run. A run is full if no run has completed, because the listing of an interrupted first run may be old and not
 * every feed reports later deletions; if no side has a cursor; or if fields, patterns or directions have changed since a full run,
 * because changes that stayed on their side may be written now.
 */
const kindOf = (context: LinkContext, { state, hasCompletedRun }: Opening, asked: RunKind): RunKind => {
  const { cursors, directions, selection } = state;
  if (directions !== directionsText(context.policy)) return 'full';
  if (!hasSamePatterns(selection, context.policy) || hasOtherFields(context, state)) return 'full';
  if (SIDES.every((side) => cursors[side].cursor === null)) return 'full';
  return hasCompletedRun ? asked : 'full';
};

/** Opens a session under a lease. `undoes` is the run that it reverts, for an undo. */
const openSession = async (
  context: LinkContext,
  options: RunOptions,
  lease: Lease,
  undoes: string | null,
): Promise<Session> => {
  const run = context.newId();
  const opening = await context.store.opening(context.link);
  const writer = new LinkWriter(context.store, opening, lease.token);
  const tally = emptyTally();
  const emit = (event: RunEvent): void => options.onEvent(event, run);
  const accounts = new Map<Side, Promise<string | null>>();
  return {
    ...context,
    ...options,
    signal: lease.signal,
    kind: kindOf(context, opening, options.kind),
    run,
    startedAtMs: context.clock.now(),
    undoes,
    directions: directionsText(context.policy),
    emit,
    writer,
    state: () => writer.state,
    tally,
    progress: newProgress({ clock: context.clock, emit, tally }),
    countCall: newCallCount(bySide((side) => context.remotes[side].capabilities.writesOneByOne === true)),
    identify: (side) => {
      const account = accounts.get(side) ?? context.remotes[side].identify(lease.signal);
      accounts.set(side, account);
      return account;
    },
  };
};

type Ending = {
  /** Null if the program was stopped, or another process took over the link: the link has no fault. */
  readonly event: LinkEvent | null;
  readonly reason: string | null;
  readonly stopped?: true;
  /** For a halted run: the losses of its plan. */
  readonly shown?: readonly string[];
};

const endingOf = (session: Pick<Session, 'link' | 'sides'>, error: unknown): Ending => {
  if (error === null) return { event: 'completed', reason: null };
  if (isCredentialError(error)) {
    return { event: 'refused', reason: `${error.message}. ${resumeRemedy(error, session)}` };
  }
  const reason = error instanceof Error ? error.message : 'An unknown error ended the run.';
  if (error instanceof HaltError) return { event: 'halted', reason, shown: error.shown };
  if (error instanceof StoppedError) return { event: null, reason, stopped: true };
  return { event: error instanceof LeaseError ? null : 'failed', reason };
};

const outcomeOf = ({ event }: Ending): RunOutcome => (event === 'completed' || event === 'halted' ? event : 'failed');

const summarise = (session: Session, ending: Ending, before: Sides<number>, startedTickMs: number): RunSummary => {
  const { tally, remotes } = session;
  const side = (name: Side): SideSummary => ({ ...tally[name], requests: remotes[name].requestCount() - before[name] });
  return {
    link: session.link,
    run: session.run,
    kind: session.undoes === null ? session.kind : 'undo',
    ...(session.undoes === null ? {} : { undoes: session.undoes }),
    outcome: outcomeOf(ending),
    ...(ending.stopped && { stopped: true }),
    reason: ending.reason,
    left: side('left'),
    right: side('right'),
    paired: tally.paired,
    conflicts: tally.conflicts,
    ...(tally.asked > 0 && { asked: tally.asked }),
    skipped: tally.skipped,
    durationMs: Math.round(session.clock.monotonic() - startedTickMs),
  };
};

/** Returns the nonce that accepts the plan of a halted run. A run that halts again with the same losses keeps it (R8). */
const overrideOf = async (
  { link, newId, store }: Session,
  { event, reason, shown = [] }: Ending,
): Promise<string | null> => {
  if (event !== 'halted') return null;
  const [last] = await store.runs(link, { latest: 'ended' });
  const hasSameLosses = new Set(shown).symmetricDifference(new Set(last?.shown)).size === 0;
  const isSame = last?.outcome === 'halted' && last.reason === reason && hasSameLosses;
  return isSame && last.override !== null ? last.override : newId();
};

/** Whether the run wrote contacts or groups. */
const wroteAnything = (tally: Tally): boolean =>
  SIDES.some((side) => writtenContacts(tally[side]) + tally[side].groupsChanged + tally[side].groupsDeleted > 0);

/**
 * Stores the end of the run, and prunes old rows if the run listed a side or wrote. Stores the link's state too, unless the run was
 * interrupted; for an undo only if a credential was refused.
 */
const storeEnding = async (session: Session, ending: Ending, summary: RunSummary): Promise<void> => {
  const { clock, retentionMs, run, undoes, writer } = session;
  const { state, fields } = session.state();
  const event = undoes === null || ending.event === 'refused' ? ending.event : null;
  const override = await overrideOf(session, ending);
  const { shown = [] } = ending;
  const stored = { ...summary, ...(override !== null && { override }), ...(shown.length > 0 && { shown }) };
  const end = { outcome: summary.outcome, reason: ending.reason, summary: stored, endedAtMs: clock.now() };
  await writer.apply({}, (set) => {
    if (event !== null) set.add({ kind: 'link', patch: { state: nextLinkState(state, event), reason: ending.reason } });
    if (ending.event === 'completed' && undoes === null && fields.joining !== null) {
      set.add({ kind: 'link', patch: { fields: { ...fields, joining: null } } });
    }
    if (undoes === null && wroteAnything(session.tally)) {
      set.add({ kind: 'link', patch: { lastChangeAtMs: end.endedAtMs } });
    }
    set.add({ kind: 'patch-run', id: run, set: end });
    const beforeMs = keptSinceMs(retentionMs, clock.now());
    // Idle runs are frequent, and leave little to prune.
    const isIdle = listedSides(session).size === 0 && !wroteAnything(session.tally);
    if (beforeMs !== null && !isIdle) set.add({ kind: 'prune', beforeMs });
  });
};

/** The work of a run. `undoes` is the run that it reverts, for an undo. */
type RunWork = { readonly undoes: string | null; readonly perform: (session: Session) => Promise<void> };

/**
 * Returns the reason why the run ended. After an abort, the abort's reason counts, not a later failure. A run that lost its lease is not
 * complete.
 */
const causeOf = ({ link, signal }: Session, failure: unknown): unknown => {
  if (failure instanceof FenceError) return new LeaseError(link, 'lost');
  const isEnded = signal.aborted && (failure !== null || signal.reason instanceof LeaseError);
  return isEnded ? signal.reason : failure;
};

/**
 * Performs work as one run: under the lease, with its start and its end in the store. The result has the error of the work.
 *
 * @throws {LeaseError} if another process works on the link, and any error of `onLease`.
 */
export const runUnderLease = async (
  context: LinkContext,
  options: RunOptions,
  { undoes, perform: performWork }: RunWork,
): Promise<RunResult> => {
  const { clock } = context;
  await using lease = await takeLease(context, options.signal);
  await options.onLease?.();
  const session = await openSession(context, options, lease, undoes);
  const before = bySide((side) => session.remotes[side].requestCount());
  const startedTickMs = clock.monotonic();
  const kind = undoes === null ? session.kind : 'undo';
  session.writer.begin({ id: session.run, kind, undoes, startedAtMs: session.startedAtMs });
  session.emit({ kind: 'started', runKind: kind });
  const failure: unknown = await performWork(session).then(
    () => null,
    (caught: unknown) => caught,
  );
  const error = causeOf(session, failure);
  const ending = endingOf(session, error);
  const summary = summarise(session, ending, before, startedTickMs);
  try {
    await storeEnding(session, ending, summary);
  } catch (caught) {
    // With a later token, another process stores the link's state. What the run wrote is reported in any case.
    const cause = caught instanceof FenceError ? new LeaseError(context.link, 'lost') : caught;
    return { summary: summarise(session, endingOf(session, cause), before, startedTickMs), error: cause };
  }
  return { summary, error };
};

/**
 * Runs one link: lease, recovery, both feeds, plan, guard, writes. The result has the error of the run. The link's state is
 * stored, unless the run was stopped or has lost its lease.
 *
 * @throws {LeaseError} if another process works on the link, and any error of `onLease`.
 */
export const runLink = (context: LinkContext, options: RunOptions): Promise<RunResult> =>
  runUnderLease(context, options, { undoes: null, perform });

/** Plans under the lease, on a scratch copy of the store. Stores no run. */
export const planUnderLease = async <T>(
  context: LinkContext,
  options: RunOptions,
  undoes: string | null,
  plan: (session: Session) => Promise<T>,
): Promise<T> => {
  await using lease = await takeLease(context, options.signal);
  return await plan(await openSession(context, options, lease, undoes));
};
