import {
  credentialsText,
  recordResuming,
  recordReport,
  emptyRunnerState,
  dropOtherLinks,
  type RunnerParts,
} from './runner-state.ts';
import { createFullRunSlots } from './full-run-slots.ts';
import { skipUnlessDue, skipIfDone, skipIfRateLimited, SkippedError } from './skip-job.ts';
import type { LinkState } from '../../core/state/rows.ts';
import type { Clock } from '../../util/clock.ts';
import { ConfigError, problemTexts } from '../../util/config-error.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import { SIDES, type Side } from '../../core/contact/side.ts';
import { isCredentialError } from '../../providers/errors.ts';
import { changeLink } from '../../engine/change-link.ts';
import { nextLinkState } from '../../core/state/link.ts';
import { resumeRemedy, StoppedError, PAUSED_BY_HAND } from '../../engine/context.ts';
import type { RunSummary } from '../../engine/run.ts';
import type { LinkProgress } from '../../app/heartbeat.ts';
import { NO_PROGRESS_YET, track, type JobData, type JobReport } from './job.ts';
import { outcomeOf } from './outcome.ts';
import { createPolling } from './polling.ts';
import type { RunJob } from './scheduler.ts';
import type { Store } from '../../store/store.ts';

export type Runner = {
  readonly runJob: RunJob;
  /** Replaces the links that jobs may run. */
  setLinks(links: readonly LinkConfig[]): void;
  /** The links with a current job of this process. */
  running(): readonly string[];
  /** The progress of the current runs. */
  progress(): readonly LinkProgress[];
  /** The links whose run has made no progress for 15 minutes. */
  stalled(): readonly string[];
  /** The current interval between runs of a link, in milliseconds. */
  intervalMs(link: LinkConfig): number;
  /** Ends the current runs before their next write, and starts no further run. */
  stop(): void;
  /** Ends the current runs immediately, with their requests. */
  abort(): void;
};

/** The time without progress after which a run is stalled. It is longer than a page, a write, or a pause that a remote requests. */
const STALLED_AFTER_MS = 15 * 60_000;

const SKIPPED = { ending: 'skipped', summary: null, retryInMs: null } as const;

/** Reads the stored credentials of both sides. `connect` in another process stores a token before it resumes the link. */
const readCredentials = async ({ vault, credentials }: RunnerParts['app'], link: LinkConfig): Promise<string> => {
  vault.forget(link.name);
  return credentialsText(await credentials(link));
};

/** The remedy for a link without the credentials of these sides; for an empty list, the configuration is invalid. */
const connectRemedy = ({ name, sides }: LinkConfig, missing: readonly Side[]): string => {
  if (missing.length === 0) return `Find out what is wrong with: contact-sync doctor ${name}`;
  const commands = missing.map((side) => `contact-sync connect ${sides[side].name} ${name}`);
  return `Sign in with: ${commands.join(', and with: ')}`;
};

/** Pauses a link without a credential. Only its owner can sign in again. */
const pauseUnconnected = async (parts: RunnerParts, link: LinkConfig, error: ConfigError): Promise<void> => {
  const { app, clock, events, runnerState, newId } = parts;
  const digests = await app.credentials(link);
  runnerState.tried.set(link.name, credentialsText(digests));
  const reason = problemTexts(error.problems).join(' ');
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

/** The error of a job with its remedy, for the process that requested the job; null without an error. */
const messageOf = ({ name, sides }: LinkConfig, error: unknown): string | null => {
  if (error === null) return null;
  if (!(error instanceof Error)) return 'An unknown error ended the job.';
  if (!isCredentialError(error)) return error.message;
  return `${error.message}. The link is paused. ${resumeRemedy(error, { link: name, sides })}`;
};

const settle = async (
  parts: RunnerParts,
  link: LinkConfig,
  job: JobData,
  { error, summary }: { readonly error: unknown; readonly summary: RunSummary | null },
): Promise<JobReport> => {
  const failures = (parts.runnerState.outages.get(link.name)?.failures ?? 0) + 1;
  const { ending, retryInMs } = outcomeOf(error, failures, parts.random());
  const report: JobReport = { ending, message: messageOf(link, error), summary, retryInMs };
  recordReport(parts, link.name, report, error);
  if (error instanceof ConfigError) await pauseUnconnected(parts, link, error);
  // An error before the start of a run is in no run's summary.
  if (ending === 'failed' && summary === null) parts.events.jobFailed({ link: link.name, kind: job.kind, error });
  return report;
};

/** The halt that a job accepts: the last run ended with it, and the job has its nonce (R8). */
const acceptedHalt = async ({ app }: RunnerParts, { link, override }: JobData): Promise<string | null> => {
  if (override === null) return null;
  const [last] = await app.store.runs(link, { latest: 'ended' });
  return last?.outcome === 'halted' && last.override === override ? last.reason : null;
};

type Signals = { readonly stop: AbortSignal; readonly abort: AbortSignal };

/** Logs that a link has recovered. */
const logRecovery = ({ events, runnerState }: RunnerParts, { name }: LinkConfig, from: LinkState['state']): void => {
  if (runnerState.resuming.delete(name)) events.linkReconnected({ link: name });
  if (from === 'halted' || from === 'failing') events.linkRecovered({ link: name, from });
};

const runLinkJob = async (
  parts: RunnerParts,
  link: LinkConfig,
  job: JobData,
  signals: Signals,
  onProgress: NonNullable<NonNullable<Parameters<RunJob>[1]>['onProgress']>,
): Promise<JobReport> => {
  const { app, clock, runnerState, fullRuns } = parts;
  const row = await app.store.link(link.name);
  // Read before the run: `connect` may store another credential while the old one is being refused.
  const credentials = await readCredentials(app, link);
  recordResuming(parts, row);
  await skipUnlessDue(parts, link, job, { row, credentials });
  skipIfRateLimited(parts, link, job);
  const slot = await fullRuns.acquire(job);
  if ('retryInMs' in slot) {
    return { ending: 'busy', message: 'Other full runs go first.', summary: null, retryInMs: slot.retryInMs };
  }
  using _ = slot;
  const pause = watchPause({ store: app.store, clock }, row);
  const accepted = await acceptedHalt(parts, job);
  runnerState.progress.set(job, NO_PROGRESS_YET);
  let { state } = row;
  const result = await app.run(link, {
    kind: job.kind === 'full' ? 'full' : 'incremental',
    acceptDeletes: accepted !== null,
    ...(accepted !== null && { acceptedHalt: accepted }),
    signal: signals.abort,
    stop: AbortSignal.any([signals.stop, pause.signal]),
    // An incremental run sweeps too if a sweep is due. Half the interval prevents a second sweep directly after it.
    ...(job.kind === 'sweep' ? { sweepAfterMs: link.sweepIntervalMs / 2 } : {}),
    onLease: async () => {
      // The run that had the lease may have paused or resumed the link.
      const current = await app.store.link(link.name);
      recordResuming(parts, current);
      await skipUnlessDue(parts, link, job, { row: current, credentials });
      if (current.state === 'active') await skipIfDone(parts, link, job);
      // Checked last, so that no run starts while the daemon stops.
      signals.stop.throwIfAborted();
      ({ state } = current);
      runnerState.tried.set(link.name, credentials);
    },
    onEvent: (event) => {
      runnerState.progressed.set(job, clock.monotonic());
      pause.check();
      const before = runnerState.progress.get(job) ?? NO_PROGRESS_YET;
      const next = track(before, event);
      if (next !== before) onProgress(next);
      runnerState.progress.set(job, next);
    },
  });
  const settled = await settle(parts, link, job, result);
  const isOver = settled.ending === 'stopped' && pause.signal.aborted;
  const report: JobReport = isOver ? { ...settled, isOver } : settled;
  if (report.ending !== 'completed') return report;
  logRecovery(parts, link, state);
  const nextPollInMs = parts.polling.delayMs(link, await app.store.link(link.name), clock.now());
  return nextPollInMs === null ? report : { ...report, nextPollInMs };
};

/** The report of a job whose run did not start. */
const settleNotBegun = async (
  parts: RunnerParts,
  link: LinkConfig,
  job: JobData,
  error: unknown,
): Promise<JobReport> => {
  const { events } = parts;
  if (error instanceof SkippedError) {
    events.jobSkipped({ link: link.name, kind: job.kind, why: error.why });
    const { message, nextPollInMs } = error;
    return { ...SKIPPED, message, ...(nextPollInMs !== null && { nextPollInMs }) };
  }
  return settle(parts, link, job, { error, summary: null }).catch((worse: unknown): JobReport => {
    events.jobFailed({ link: link.name, kind: job.kind, error: worse });
    return { ending: 'failed', message: 'The store cannot be used.', summary: null, retryInMs: null };
  });
};

/** Creates the runner of jobs, which both schedulers use. */
export const createRunner = ({
  concurrency,
  ...options
}: Omit<RunnerParts, 'runnerState' | 'polling' | 'fullRuns'> & { readonly concurrency: number }): Runner => {
  const runnerState = emptyRunnerState();
  const polling = createPolling(options.app);
  const fullRuns = createFullRunSlots({ store: options.app.store, concurrency });
  const parts: RunnerParts = { ...options, runnerState, polling, fullRuns };
  let links = new Map<string, LinkConfig>();
  const stopping = new AbortController();
  const aborting = new AbortController();
  const signals: Signals = { stop: stopping.signal, abort: aborting.signal };

  const runJob: RunJob = async (job, { onProgress = () => undefined } = {}) => {
    const link = links.get(job.link);
    if (stopping.signal.aborted) return { ending: 'stopped', message: null, summary: null, retryInMs: null };
    if (link === undefined) return { ...SKIPPED, message: `There is no link named ${job.link}.` };
    runnerState.running.add(job);
    runnerState.progressed.set(job, options.clock.monotonic());
    try {
      return await runLinkJob(parts, link, job, signals, onProgress);
    } catch (error) {
      return await settleNotBegun(parts, link, job, error);
    } finally {
      runnerState.running.delete(job);
      runnerState.progressed.delete(job);
      runnerState.progress.delete(job);
    }
  };

  return {
    runJob,
    setLinks: (next) => {
      links = new Map(next.map((link) => [link.name, link]));
      polling.keep(new Set(links.keys()));
      dropOtherLinks(runnerState, links);
    },
    running: () => [...new Set([...runnerState.running].map(({ link }) => link))],
    progress: () =>
      [...runnerState.progress].map(([{ link }, { listed, planned, written, leftMs }]) => {
        return { link, listed, planned, written, leftMs };
      }),
    stalled: () => {
      const sinceMs = options.clock.monotonic() - STALLED_AFTER_MS;
      return [...runnerState.progressed].filter(([, atMs]) => atMs < sinceMs).map(([{ link }]) => link);
    },
    intervalMs: (link) => polling.intervalMs(link),
    stop: () => stopping.abort(new StoppedError()),
    abort: () => {
      stopping.abort(new StoppedError());
      aborting.abort(stopping.signal.reason);
    },
  };
};

const CHECK_PAUSE_EVERY_MS = 1_000;

/** Detects that the link of a current run is paused by hand, by any process. */
type PauseWatch = {
  /** Aborted with a {@link StoppedError} when a pause is found. */
  readonly signal: AbortSignal;
  /** Reads the store at most once a second. A run calls it when it makes progress. */
  check(): void;
};

/** A link that was paused before the run, as in `before`, runs by hand: only a later pause ends that run. */
const watchPause = (
  { store, clock }: { readonly store: Pick<Store, 'pausedByHandAtMs'>; readonly clock: Clock },
  before: LinkState,
): PauseWatch => {
  const paused = new AbortController();
  let checkedAtMs = clock.monotonic();
  const checkNow = async (): Promise<void> => {
    const pausedByHandAtMs = await store.pausedByHandAtMs(before.name);
    if (pausedByHandAtMs === null || pausedByHandAtMs === before.pausedByHandAtMs) return;
    paused.abort(new StoppedError(PAUSED_BY_HAND));
  };
  return {
    signal: paused.signal,
    check: () => {
      if (paused.signal.aborted || clock.monotonic() - checkedAtMs < CHECK_PAUSE_EVERY_MS) return;
      checkedAtMs = clock.monotonic();
      // If the store cannot be read, the run ends by itself.
      void checkNow().catch(() => undefined);
    },
  };
};
