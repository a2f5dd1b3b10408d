import type { Side } from '../contact/side.ts';
import type { Plan } from '../reconcile/plan.ts';
import type { HaltReason } from '../reconcile/guard.ts';
import { isCredentialError } from '../providers/errors.ts';
import type { LinkState, RunKind, RunOutcome, StoredRunKind } from '../store/store.ts';
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
} from './context.ts';
import { execute } from './execute.ts';
import { takeLease } from './lease.ts';
import { planStaged, prepare } from './prepare.ts';
import { recover } from './recover.ts';

export type SideSummary = SideTally & { readonly requests: number };

/** What a run did. */
export type RunSummary = {
  readonly link: string;
  readonly run: string;
  readonly kind: StoredRunKind;
  /** For an undo: the run that it puts back. */
  readonly undoes?: string;
  readonly outcome: RunOutcome;
  readonly reason: string | null;
  readonly left: SideSummary;
  readonly right: SideSummary;
  readonly paired: number;
  readonly conflicts: number;
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
  readonly halt: { readonly reason: HaltReason; readonly message: string } | null;
};

/** The first run of a link is a full one. */
const kindOf = async (context: LinkContext, asked: RunKind): Promise<RunKind> => {
  const feeds = await Promise.all((['left', 'right'] as const).map((side) => context.store.feed(context.link, side)));
  return feeds.every((feed) => feed.cursor === null) ? 'full' : asked;
};

/** Opens a session for a run, or for one that puts back the run `undoes`. */
export const openSession = async (
  context: LinkContext,
  options: RunOptions,
  undoes: string | null,
): Promise<Session> => {
  const run = context.newId();
  return {
    ...context,
    ...options,
    kind: await kindOf(context, options.kind),
    run,
    undoes,
    emit: (event) => options.onEvent(event, run),
    tally: emptyTally(),
  };
};

/** Settles the writes of this run that were answered by silence; those that were applied count. */
export const settleUnanswered = async (session: Session): Promise<void> => {
  const { applied } = await recover(session);
  for (const row of applied) {
    const count = { create: 'created', update: 'updated', membership: 'updated', delete: 'deleted' } as const;
    session.tally[row.side][count[row.kind]] += 1;
  }
};

/** A second pass in the same run, for what was stale, gone or answered by silence; it deletes nothing. */
const lookAgain = async (session: Session, plan: Plan): Promise<void> => {
  await settleUnanswered(session);
  const groups = { ...plan.groups, actions: [], ended: [] };
  const again = await planStaged(session, { ...groups, links: await currentLinks(session, plan) });
  const decisions = again.decisions.filter((decision) => decision.kind !== 'delete');
  if (await execute(session, { ...again, groups: { ...groups, pairs: [] }, decisions })) await recover(session);
};

/** The plan's links with the ids of the groups that were created in the meantime. */
const currentLinks = async (session: Session, plan: Plan): Promise<Plan['groups']['links']> => {
  const stored = new Map((await session.store.groupPairs(session.link)).map((pair) => [pair.key, pair]));
  return plan.groups.links.map((link) => {
    const pair = stored.get(link.key);
    return { ...link, left: pair?.left?.id ?? link.left, right: pair?.right?.id ?? link.right };
  });
};

const perform = async (session: Session): Promise<void> => {
  const { plan, halt } = await prepare(session);
  for (const { left, right } of plan.ambiguous) session.emit({ kind: 'ambiguous', left, right });
  for (const { side, id } of plan.empty) {
    session.tally.skipped += 1;
    const ids = { leftId: side === 'left' ? id : null, rightId: side === 'right' ? id : null };
    session.emit({ kind: 'skipped', side, reason: 'The contact says nothing that the other side could hold.', ...ids });
  }
  if (halt !== null) throw new HaltError(halt);
  if (await execute(session, plan)) await lookAgain(session, plan);
};

/** A null state: the link stands as it stood before. */
type Ending = { readonly outcome: RunOutcome; readonly state: LinkState | null; readonly reason: string | null };

const endingOf = (session: Pick<Session, 'link' | 'sides' | 'undoes'>, error: unknown): Ending => {
  if (isCredentialError(error)) {
    const reason = `${error.message}. ${resumeRemedy(error, session)}`;
    return { outcome: 'failed', state: 'paused', reason };
  }
  if (session.undoes !== null) return { ...endingOf({ ...session, undoes: null }, error), state: null };
  if (error === null) return { outcome: 'completed', state: 'active', reason: null };
  const reason = error instanceof Error ? error.message : 'An unknown error ended the run.';
  if (error instanceof HaltError) return { outcome: 'halted', state: 'halted', reason };
  // Neither is a trouble of the link, and one that another process has taken over is that one's to judge.
  if (error instanceof StoppedError || error instanceof LeaseError) return { outcome: 'failed', state: null, reason };
  return { outcome: 'failed', state: 'failing', reason };
};

const summarise = (session: Session, ending: Ending, before: Record<Side, number>, startedAtMs: number): RunSummary => {
  const { tally, remotes } = session;
  const side = (name: Side): SideSummary => ({ ...tally[name], requests: remotes[name].requestCount() - before[name] });
  return {
    link: session.link,
    run: session.run,
    kind: session.undoes === null ? session.kind : 'undo',
    ...(session.undoes === null ? {} : { undoes: session.undoes }),
    outcome: ending.outcome,
    reason: ending.reason,
    left: side('left'),
    right: side('right'),
    paired: tally.paired,
    conflicts: tally.conflicts,
    skipped: tally.skipped,
    durationMs: Math.round(session.clock.monotonic() - startedAtMs),
  };
};

/** What is done under the lease: an ordinary run, or one that puts back the run `undoes`. */
export type Errand = { readonly undoes: string | null; readonly perform: (session: Session) => Promise<void> };

/**
 * Does an errand as one run: under the lease, stored with its beginning and its end. What went wrong comes back in the
 * result.
 *
 * @throws {LeaseError} where another process works on the link, and what `onLease` throws.
 */
export const conduct = async (context: LinkContext, options: RunOptions, errand: Errand): Promise<RunResult> => {
  const { store, clock, link } = context;
  await using lease = await takeLease(context, options.signal);
  await options.onLease?.();
  const { undoes } = errand;
  const session = await openSession(context, { ...options, signal: lease.signal }, undoes);
  const before = { left: session.remotes.left.requestCount(), right: session.remotes.right.requestCount() };
  const startedAtMs = clock.monotonic();
  const kind = undoes === null ? session.kind : 'undo';
  await store.startRun({ id: session.run, link, kind, undoes, startedAtMs: clock.now() });
  session.emit({ kind: 'started', runKind: kind });
  const failure: unknown = await errand.perform(session).then(
    () => null,
    (caught: unknown) => caught,
  );
  // What fails once the run is being ended fails because of that. Under a lost lease nothing is complete.
  const isEnded = session.signal.aborted && (failure !== null || session.signal.reason instanceof LeaseError);
  const error: unknown = isEnded ? session.signal.reason : failure;
  const ending = endingOf(session, error);
  const summary = summarise(session, ending, before, startedAtMs);
  if (ending.state !== null) await store.updateLink(link, { state: ending.state, reason: ending.reason });
  await store.endRun(session.run, { outcome: ending.outcome, reason: ending.reason, summary, endedAtMs: clock.now() });
  return { summary, error };
};

/**
 * One pass over one link: lease, recovery, both feeds, plan, guard, writes. What went wrong comes back
 * in the result, stored as the link's state.
 *
 * @throws {LeaseError} where another process works on the link, and what `onLease` throws.
 */
export const runLink = (context: LinkContext, options: RunOptions): Promise<RunResult> => {
  return conduct(context, options, { undoes: null, perform });
};

/**
 * What a run would do, on a copy of the store: writes on neither side and advances no cursor.
 *
 * @throws {RemoteError | HaltError} where the run could not even plan.
 */
export const planLink = async (context: LinkContext, options: RunOptions): Promise<PlanResult> => {
  const session = await openSession(context, options, null);
  const { plan, halt } = await prepare(session);
  return { kind: session.kind, plan, halt };
};
