import type { LinkState } from '../../core/state/rows.ts';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import { ConfigError } from '../../util/config-error.ts';
import type { LinkConfig } from '../../app/config/config.ts';
import { SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import type { Events } from '../../engine/events.ts';
import { isCredentialError } from '../../providers/errors.ts';
import { changeLink } from '../../engine/change-link.ts';
import { nextLinkState } from '../../core/state/link.ts';
import { FIRST_SYNC_WAITS, resumeRemedy, StoppedError, PAUSED_BY_HAND } from '../../engine/context.ts';
import type { RunSummary } from '../../engine/run.ts';
import type { LinkProgress } from '../../app/heartbeat.ts';
import { NO_PROGRESS_YET, track, type JobData, type JobReport } from './job.ts';
import { emptyMemory, forgetOthers, type Memory } from './runner-state.ts';
import { outcomeOf } from './outcome.ts';
import { createPace, type Pace } from './polling.ts';
import type { RunJob } from './scheduler.ts';
import { SkippedError, createTurns, type Turns } from './admission.ts';
import type { Store } from '../../store/store.ts';

/** The parts of {@link App} that a job requires. */
type RunnerApp = Pick<App, 'store' | 'run' | 'credentials' | 'limits'> & {
  readonly vault: Pick<App['vault'], 'forget'>;
};

export type Runner = {
  readonly runJob: RunJob;
  /** The links that jobs may be about, in place of the earlier ones. */
  setLinks(links: readonly LinkConfig[]): void;
  /** The links that this process works on now. */
  running(): readonly string[];
  /** How far each of them is. */
  progress(): readonly LinkProgress[];
  /** Those of them whose run has told of no progress for a quarter of an hour. */
  stalled(): readonly string[];
  /** About how often this process runs a link, in milliseconds. */
  intervalMs(link: LinkConfig): number;
  /** Ends the runs under way before their next write, and begins no other. */
  stop(): void;
  /** Ends the runs under way at once, with the requests that they wait for. */
  abort(): void;
};

/** The next attempt's timer may fire so much early. */
const EARLY_MS = 100;

/** A page, a write, a pause that a remote asks for: all of them take less. */
const STALLED_AFTER_MS = 15 * 60_000;

/** An outage that has lasted for so many runs in a row, some twenty minutes, is logged as an error. */
const LASTING_FAILURES = 8;

type Parts = {
  readonly app: RunnerApp;
  readonly events: Events;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly memory: Memory;
  readonly pace: Pace;
  readonly turns: Turns;
};

const SKIPPED = { ending: 'skipped', summary: null, retryInMs: null } as const;

/** Both sides' credentials as one text, to be compared. */
const joined = (credentials: Sides<string | null>): string => SIDES.map((side) => String(credentials[side])).join(' ');

/** Both sides' credentials as they are stored now. `connect` in another process stores a token before it resumes the link. */
const readCredentials = async ({ vault, credentials }: RunnerApp, link: LinkConfig): Promise<string> => {
  vault.forget(link.name);
  return joined(await credentials(link));
};

/** Throws {@link SkippedError} where a person has paused the link; logs once that it is left alone, or goes on. */
const skipWherePaused = ({ events, memory }: Parts, { name, pausedByHandAtMs }: LinkState): void => {
  const wasPaused = memory.pausedByHand.has(name);
  if (pausedByHandAtMs === null) {
    if (memory.pausedByHand.delete(name)) events.linkResumed({ link: name });
    return;
  }
  memory.pausedByHand.add(name);
  const remedy = `Resume it with: contact-sync resume ${name}`;
  if (!wasPaused) events.linkPausedByHand({ link: name, remedy });
  throw new SkippedError(name, 'paused by hand');
};

/** Throws {@link SkippedError} where the last run found that the first sync waits for a person: it would only do so again. */
const skipWhereReviewed = async (
  { app }: Parts,
  { firstSync }: LinkConfig,
  { name, reason }: LinkState,
): Promise<void> => {
  if (firstSync !== 'review' || reason !== FIRST_SYNC_WAITS) return;
  // One that was interrupted since is gone on with.
  const [last] = await app.store.runs(name, { newest: 1 });
  if (last?.outcome === 'halted') throw new SkippedError(name, 'waiting for a review');
};

/** Throws {@link SkippedError} where the link was looked at a moment ago, maybe by another process, and not due again. */
const skipWhereEarly = async ({ app, clock, pace }: Parts, link: LinkConfig, row: LinkState): Promise<void> => {
  if (!link.hasAutoInterval || row.state !== 'active') return;
  // One that was interrupted, or that reverted something, was no look.
  const [last] = await app.store.runs(link.name, { newest: 1 });
  if (last?.outcome !== 'completed' || last.kind === 'undo' || last.endedAtMs === null) return;
  const delayMs = pace.delayMs(link, row, last.endedAtMs);
  const nextLookInMs = delayMs === null ? 0 : last.endedAtMs + delayMs - clock.now();
  // A run that ended well ahead of the clock, which was set back since, tells nothing of when the next look is due.
  if (nextLookInMs > 2 * (delayMs ?? 0)) return;
  if (nextLookInMs > EARLY_MS) throw new SkippedError(link.name, 'not due', nextLookInMs);
};

/** Throws {@link SkippedError} where a job of the link is not to be begun with these credentials. */
const skipWhereDue = async (
  parts: Parts,
  link: LinkConfig,
  job: JobData,
  { row, credentials }: { readonly row: LinkState; readonly credentials: string },
): Promise<void> => {
  const { clock, memory } = parts;
  const { name, state } = row;
  // What somebody asks for is begun, and says itself what is wrong.
  if (job.kind === 'full' || job.byHand) return;
  skipWherePaused(parts, row);
  await skipWhereReviewed(parts, link, row);
  if (job.kind === 'incremental') await skipWhereEarly(parts, link, row);
  const refused = [joined(row.credentials), memory.tried.get(name)];
  if (state === 'paused' && refused.includes(credentials)) throw new SkippedError(name, 'paused');
  const isHeld = (memory.troubles.get(name)?.heldUntilMs ?? 0) > clock.monotonic();
  if (state !== 'paused' && isHeld) throw new SkippedError(name, 'backing off');
};

/**
 * Throws {@link SkippedError} where another process, such as a daemon on another host without Redis, was at work on the link
 * and has completed its run: that one stands for this job's.
 */
const skipWhereDone = async ({ app, clock, memory }: Parts, link: LinkConfig, job: JobData): Promise<void> => {
  // Of an interval that follows the changes the store says when the next look is due.
  if (link.hasAutoInterval || job.kind !== 'incremental' || job.byHand || !memory.busy.has(link.name)) return;
  const [last] = await app.store.runs(link.name, { latest: 'completed' });
  if (last === undefined) return;
  const agoMs = clock.now() - last.startedAtMs;
  if (agoMs < 0 || agoMs >= link.syncIntervalMs / 2) return;
  memory.busy.delete(link.name);
  throw new SkippedError(link.name, 'done by another process');
};

/**
 * Keeps in mind that a link resumes. One that is active completed a run since, perhaps another process's.
 */
const noteResuming = ({ memory }: Parts, { name, state }: LinkState): void => {
  if (state === 'paused' || state === 'resuming') memory.resuming.add(name);
  else if (state === 'active') memory.resuming.delete(name);
};

/** What to do about a link that lacks the credentials of these sides; where it lacks none, its configuration is at fault. */
const connectRemedy = ({ name, sides }: LinkConfig, missing: readonly Side[]): string => {
  if (missing.length === 0) return `Find out what is wrong with: contact-sync doctor ${name}`;
  const commands = missing.map((side) => `contact-sync connect ${sides[side].name} ${name}`);
  return `Sign in with: ${commands.join(', and with: ')}`;
};

/** A link without a credential: no run can begin, and nobody but its owner can change that. */
const pauseUnconnected = async (parts: Parts, link: LinkConfig, error: ConfigError): Promise<void> => {
  const { app, clock, events, memory, newId } = parts;
  const digests = await app.credentials(link);
  memory.tried.set(link.name, joined(digests));
  const reason = error.problems.map(({ where, what }) => `${where} ${what}`).join(' ');
  await changeLink({ store: app.store, clock, newId }, link.name, ({ state }) => [
    { kind: 'link', patch: { state: nextLinkState(state, 'refused'), reason } },
  ]);
  const missing = SIDES.filter((side) => digests[side] === null);
  const side = missing.length === 1 ? (missing[0] ?? null) : null;
  events.linkPaused({
    link: link.name,
    sides: link.sides,
    run: null,
    side,
    reason,
    remedy: connectRemedy(link, missing),
  });
};

/** An outage is logged as an error once, when it has lasted. */
const rememberOutage = ({ clock, events, memory }: Parts, name: string, report: JobReport, reason: string): void => {
  const failures = (memory.troubles.get(name)?.failures ?? 0) + 1;
  memory.troubles.set(name, { failures, heldUntilMs: clock.monotonic() + (report.retryInMs ?? 0) - EARLY_MS });
  if (failures !== LASTING_FAILURES) return;
  const remedy = `Find out which side does not answer, and why, with: contact-sync doctor ${name}`;
  events.linkFailing({ link: name, failures, reason, remedy });
};

const remember = (parts: Parts, name: string, report: JobReport, error: unknown): void => {
  const { events, memory } = parts;
  if (report.ending === 'unavailable') {
    rememberOutage(parts, name, report, error instanceof Error ? error.message : String(error));
  } else if (report.ending !== 'busy') memory.troubles.delete(name);
  if (report.ending !== 'busy') memory.busy.delete(name);
  const isOurs = [...memory.running].filter(({ link }) => link === name).length > 1;
  if (report.ending !== 'busy' || isOurs || memory.busy.has(name)) return;
  memory.busy.add(name);
  events.leaseBusy({ link: name });
};

/** What is wrong and what to do, for whoever asked for the job; null where nothing is. */
const messageOf = ({ name, sides }: LinkConfig, error: unknown): string | null => {
  if (error === null) return null;
  if (!(error instanceof Error)) return 'An unknown error ended the job.';
  if (!isCredentialError(error)) return error.message;
  return `${error.message}. The link is paused. ${resumeRemedy(error, { link: name, sides })}`;
};

const settle = async (
  parts: Parts,
  link: LinkConfig,
  job: JobData,
  { error, summary }: { readonly error: unknown; readonly summary: RunSummary | null },
): Promise<JobReport> => {
  const failures = (parts.memory.troubles.get(link.name)?.failures ?? 0) + 1;
  const { ending, retryInMs } = outcomeOf(error, failures, parts.random());
  const report: JobReport = { ending, message: messageOf(link, error), summary, retryInMs };
  remember(parts, link.name, report, error);
  if (error instanceof ConfigError) await pauseUnconnected(parts, link, error);
  // What kept a run from beginning stands in no run's summary.
  if (ending === 'failed' && summary === null) parts.events.jobFailed({ link: link.name, kind: job.kind, error });
  return report;
};

/** The halt that a job may pass: the link's last run must have ended with it, and the job must know its nonce (R8). */
const acceptedHalt = async ({ app }: Parts, { link, override }: JobData): Promise<string | null> => {
  if (override === null) return null;
  const [last] = await app.store.runs(link, { latest: 'ended' });
  return last?.outcome === 'halted' && last.override === override ? last.reason : null;
};

type Signals = { readonly stop: AbortSignal; readonly abort: AbortSignal };

/** Says that a link is well again which was not when its run began. */
const announce = ({ events, memory }: Parts, { name }: LinkConfig, from: LinkState['state']): void => {
  if (memory.resuming.delete(name)) events.linkReconnected({ link: name });
  if (from === 'halted' || from === 'failing') events.linkRecovered({ link: name, from });
};

/** Throws {@link SkippedError} where the turn of a look at the link comes later. */
const skipOutOfTurn = ({ clock, pace }: Parts, link: LinkConfig, job: JobData): void => {
  const isLook = job.kind === 'incremental' && job.byHand !== true;
  const turnInMs = isLook ? pace.turnInMs(link, clock.monotonic()) : 0;
  if (turnInMs > 0) throw new SkippedError(link.name, 'not due', turnInMs);
};

const runLinkJob = async (
  parts: Parts,
  link: LinkConfig,
  job: JobData,
  signals: Signals,
  onProgress: NonNullable<NonNullable<Parameters<RunJob>[1]>['onProgress']>,
): Promise<JobReport> => {
  const { app, clock, memory, turns } = parts;
  const row = await app.store.link(link.name);
  // Read before the run: `connect` may store another credential while the old one is being refused.
  const credentials = await readCredentials(app, link);
  noteResuming(parts, row);
  await skipWhereDue(parts, link, job, { row, credentials });
  skipOutOfTurn(parts, link, job);
  const turn = await turns.take(job);
  if ('retryInMs' in turn) {
    return { ending: 'busy', message: 'Other full runs go first.', summary: null, retryInMs: turn.retryInMs };
  }
  using _ = turn;
  const pause = watchPause({ store: app.store, clock }, row);
  const accepted = await acceptedHalt(parts, job);
  memory.progress.set(job, NO_PROGRESS_YET);
  let { state } = row;
  const result = await app.run(link, {
    kind: job.kind === 'full' ? 'full' : 'incremental',
    acceptDeletes: accepted !== null,
    ...(accepted !== null && { acceptedHalt: accepted }),
    signal: signals.abort,
    stop: AbortSignal.any([signals.stop, pause.signal]),
    // An incremental run sweeps too where that is due; half the interval keeps the two from sweeping twice.
    ...(job.kind === 'sweep' ? { sweepAfterMs: link.sweepIntervalMs / 2 } : {}),
    onLease: async () => {
      // The run that held the lease until now may have paused the link, or resumed it.
      const current = await app.store.link(link.name);
      noteResuming(parts, current);
      await skipWhereDue(parts, link, job, { row: current, credentials });
      if (current.state === 'active') await skipWhereDone(parts, link, job);
      // Asked last: no run begins any more while the daemon stops.
      signals.stop.throwIfAborted();
      ({ state } = current);
      memory.tried.set(link.name, credentials);
    },
    onEvent: (event) => {
      memory.progressed.set(job, clock.monotonic());
      pause.look();
      const before = memory.progress.get(job) ?? NO_PROGRESS_YET;
      const next = track(before, event);
      if (next !== before) onProgress(next);
      memory.progress.set(job, next);
    },
  });
  const settled = await settle(parts, link, job, result);
  const isOver = settled.ending === 'stopped' && pause.signal.aborted;
  const report: JobReport = isOver ? { ...settled, isOver } : settled;
  if (report.ending !== 'completed') return report;
  announce(parts, link, state);
  const nextLookInMs = parts.pace.delayMs(link, await app.store.link(link.name), clock.now());
  return nextLookInMs === null ? report : { ...report, nextLookInMs };
};

/** The report of a job that no run came of. */
const settleNotBegun = async (parts: Parts, link: LinkConfig, job: JobData, error: unknown): Promise<JobReport> => {
  const { events } = parts;
  if (error instanceof SkippedError) {
    events.jobSkipped({ link: link.name, kind: job.kind, why: error.why });
    const { message, nextLookInMs } = error;
    return { ...SKIPPED, message, ...(nextLookInMs !== null && { nextLookInMs }) };
  }
  return settle(parts, link, job, { error, summary: null }).catch((worse: unknown): JobReport => {
    events.jobFailed({ link: link.name, kind: job.kind, error: worse });
    return { ending: 'failed', message: 'The store cannot be used.', summary: null, retryInMs: null };
  });
};

/** The one way in which a job is run, whichever scheduler asks for it. */
export const createRunner = ({
  concurrency,
  ...options
}: Omit<Parts, 'memory' | 'pace' | 'turns'> & { readonly concurrency: number }): Runner => {
  const memory = emptyMemory();
  const pace = createPace(options.app);
  const turns = createTurns({ store: options.app.store, concurrency });
  const parts: Parts = { ...options, memory, pace, turns };
  let links = new Map<string, LinkConfig>();
  const stopping = new AbortController();
  const aborting = new AbortController();
  const signals: Signals = { stop: stopping.signal, abort: aborting.signal };

  const runJob: RunJob = async (job, { onProgress = () => undefined } = {}) => {
    const link = links.get(job.link);
    if (stopping.signal.aborted) return { ending: 'stopped', message: null, summary: null, retryInMs: null };
    if (link === undefined) return { ...SKIPPED, message: `There is no link named ${job.link}.` };
    memory.running.add(job);
    memory.progressed.set(job, options.clock.monotonic());
    try {
      return await runLinkJob(parts, link, job, signals, onProgress);
    } catch (error) {
      return await settleNotBegun(parts, link, job, error);
    } finally {
      memory.running.delete(job);
      memory.progressed.delete(job);
      memory.progress.delete(job);
    }
  };

  return {
    runJob,
    setLinks: (next) => {
      links = new Map(next.map((link) => [link.name, link]));
      pace.keep(new Set(links.keys()));
      forgetOthers(memory, links);
    },
    running: () => [...new Set([...memory.running].map(({ link }) => link))],
    progress: () =>
      [...memory.progress].map(([{ link }, { listed, planned, written, leftMs }]) => {
        return { link, listed, planned, written, leftMs };
      }),
    stalled: () => {
      const sinceMs = options.clock.monotonic() - STALLED_AFTER_MS;
      return [...memory.progressed].filter(([, atMs]) => atMs < sinceMs).map(([{ link }]) => link);
    },
    intervalMs: (link) => pace.intervalMs(link),
    stop: () => stopping.abort(new StoppedError()),
    abort: () => {
      stopping.abort(new StoppedError());
      aborting.abort(stopping.signal.reason);
    },
  };
};

const LOOK_EVERY_MS = 1_000;

/** Tells a run under way that its link is being paused by hand: now, by whichever process. */
type PauseWatch = {
  /** Aborted, with a {@link StoppedError}, once it was found out. */
  readonly signal: AbortSignal;
  /** Looks in the store, not oftener than once a second; a run that progresses calls it. */
  look(): void;
};

/** A link that is paused already, as `before` says, is run by hand: only another pause ends that run. */
const watchPause = (
  { store, clock }: { readonly store: Pick<Store, 'pausedByHandAtMs'>; readonly clock: Clock },
  before: LinkState,
): PauseWatch => {
  const paused = new AbortController();
  let lookedAtMs = clock.monotonic();
  const lookNow = async (): Promise<void> => {
    const pausedByHandAtMs = await store.pausedByHandAtMs(before.name);
    if (pausedByHandAtMs === null || pausedByHandAtMs === before.pausedByHandAtMs) return;
    paused.abort(new StoppedError(PAUSED_BY_HAND));
  };
  return {
    signal: paused.signal,
    look: () => {
      if (paused.signal.aborted || clock.monotonic() - lookedAtMs < LOOK_EVERY_MS) return;
      lookedAtMs = clock.monotonic();
      // A store that cannot be read ends the run by itself.
      void lookNow().catch(() => undefined);
    },
  };
};
