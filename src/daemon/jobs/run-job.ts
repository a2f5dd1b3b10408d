import type { App } from '../../app/app.ts';
import type { LinkConfig } from '../../app/config/link-config.ts';
import type { LinkProgress } from '../../app/heartbeat.ts';
import { bySide, SIDES, type Side, type Sides } from '../../core/contact/side.ts';
import { nextLinkState } from '../../core/state/link.ts';
import type { LinkState } from '../../core/state/rows.ts';
import { changeLink } from '../../engine/change-link.ts';
import { resumeRemedy, StoppedError } from '../../engine/errors.ts';
import type { Events } from '../../app/events.ts';
import { lastDecided } from '../../engine/guard.ts';
import type { RunEvent } from '../../engine/run-event.ts';
import { isCredentialError } from '../../providers/errors.ts';
import { timeOf, type Clock } from '../../util/clock.ts';
import { ConfigError, problemTexts } from '../../util/config-error.ts';
import { errorMessage } from '../../util/errors.ts';
import { pollDelayMs, whySkipped, type Skip } from './due.ts';
import type { JobData, JobReport } from './job.ts';
import { createMemories, type Memories } from './link-memory.ts';
import { BUSY_RETRY_MS, outcomeOf } from './outcome.ts';
import { watchPause } from './pause-watch.ts';
import { NO_PROGRESS_YET, totalOf, track, type RunProgress } from './progress.ts';

type RunnerOptions = {
  readonly app: Pick<App, 'store' | 'run' | 'credentials' | 'lease'> & { readonly vault: Pick<App['vault'], 'forget'> };
  readonly events: Events;
  readonly clock: Clock;
  readonly random: () => number;
};

/** A current job; the time of its last progress is monotonic. */
type CurrentJob = { readonly link: string; readonly progress: RunProgress; readonly progressedTickMs: number };

type Parts = RunnerOptions & {
  readonly memories: Memories;
  /** The number of current jobs of a link. */
  readonly jobsOf: (link: string) => number;
  readonly signals: { readonly stop: AbortSignal; readonly abort: AbortSignal };
};

/** The time without progress after which a run is stalled. It is longer than a page, a write, or a pause that a remote requests. */
const STALLED_AFTER_MS = 15 * 60_000;
/** A job that does not start. */
class SkippedError extends Error {
  readonly skip: Skip;

  constructor(link: string, skip: Skip) {
    super(`The link ${link} is ${skip.why}.`);
    this.skip = skip;
  }
}

/** The credentials of both sides as one text, for comparison. */
const credentialsText = (credentials: Sides<string | null>): string =>
  SIDES.map((side) => String(credentials[side])).join(' ');

/** The remedy for a link without the credentials of these sides; for an empty list, the configuration is invalid. */
const connectRemedy = ({ name, sides }: LinkConfig, missing: readonly Side[]): string => {
  if (missing.length === 0) return `Find out what is wrong with: contact-sync doctor ${name}`;
  const commands = missing.map((side) => `contact-sync connect ${sides[side].name} ${name}`);
  return `Sign in with: ${commands.join(', and with: ')}`;
};

/** Pauses a link without a credential. Only its owner can sign in again. Returns the credentials that it has. */
const pauseUnconnected = async (
  { app, events }: RunnerOptions,
  link: LinkConfig,
  error: ConfigError,
): Promise<string> => {
  const digests = await app.credentials(link);
  const reason = problemTexts(error.problems).join(' ');
  await changeLink(app.lease, link.name, ({ state, credentials }) => {
    // The same credential counts as another one when it is back: no remote has refused it.
    const known = bySide((side) => (digests[side] === null ? null : credentials[side]));
    return [{ kind: 'link', patch: { state: nextLinkState(state, 'refused'), reason, credentials: known } }];
  });
  const missing = SIDES.filter((side) => digests[side] === null);
  const side = missing.length === 1 ? (missing[0] ?? null) : null;
  const remedy = connectRemedy(link, missing);
  events.linkPaused({ link: link.name, sides: link.sides, run: null, side, reason, remedy });
  return credentialsText(digests);
};

/** The error of a job with its remedy, for the process that requested the job; null without an error. */
const messageOf = ({ name, sides }: LinkConfig, error: unknown): string | null => {
  if (error === null) return null;
  if (!isCredentialError(error)) return errorMessage(error);
  return `${error.message}. The link is paused. ${resumeRemedy(error, { link: name, sides })}`;
};

/** The halt that a job accepts: the last run that did not fail ended with it, and the job has its nonce (R8). */
const acceptedHalt = async ({ app }: RunnerOptions, { link, override }: JobData): Promise<string | null> => {
  if (override === null) return null;
  const last = await lastDecided(app.store, link);
  return last?.outcome === 'halted' && last.override === override ? last.reason : null;
};

/** Reads the stored credentials of both sides again. `connect` in another process stores a token before it resumes the link. */
const rereadCredentials = async ({ app }: RunnerOptions, link: LinkConfig): Promise<string> => {
  app.vault.forget(link.name);
  return credentialsText(await app.credentials(link));
};

type Subject = { readonly link: LinkConfig; readonly job: JobData };

/** Remembers a pause of the link. Throws {@link SkippedError} if the job must not start. */
const requireDue = async (
  { app, clock, memories }: Parts,
  { link, job }: Subject,
  row: LinkState,
  credentials: string,
): Promise<void> => {
  if (job.kind !== 'full' && job.byHand !== true) memories.rememberPause(row);
  const [lastRun = null] = await app.store.runs(link.name, { newest: 1 });
  const { nextAttemptTickMs, tried } = memories.of(link.name);
  const skip = whySkipped({
    link,
    job,
    row,
    lastRun,
    credentials,
    refused: [credentialsText(row.credentials), tried],
    retryInMs: nextAttemptTickMs - clock.monotonic(),
    nowMs: clock.now(),
  });
  if (skip !== null) throw new SkippedError(link.name, skip);
};

/** Remembers and reports how a job ended: its run, or the error because of which no run started. */
const concludeJob = async (
  parts: Parts,
  { link, job }: Subject,
  { error, summary }: Pick<JobReport, 'summary'> & { readonly error: unknown },
): Promise<JobReport> => {
  const { events, memories, random, jobsOf } = parts;
  const { ending, nextInMs } = outcomeOf(error, memories.of(link.name).failures + 1, random());
  const report: JobReport = { ending, message: messageOf(link, error), summary, nextInMs };
  memories.rememberReport(link.name, report, error, jobsOf(link.name) > 1);
  if (error instanceof ConfigError) memories.rememberTried(link.name, await pauseUnconnected(parts, link, error));
  // An error before the start of a run is in no run's summary.
  if (ending === 'failed' && summary === null) events.jobFailed({ link: link.name, kind: job.kind, error });
  return report;
};

/** The reasons that end when a user acts. */
const WAITS_FOR_USER: ReadonlySet<Skip['why']> = new Set(['paused', 'paused by hand', 'waiting for a review']);

/** Concludes a job whose run did not start. */
const concludeUnstarted = async (parts: Parts, subject: Subject, error: unknown): Promise<JobReport> => {
  const { events, memories } = parts;
  const { link, job } = subject;
  if (error instanceof SkippedError) {
    const { message, skip } = error;
    if (WAITS_FOR_USER.has(skip.why)) memories.rememberWait(link.name);
    events.jobSkipped({ link: link.name, kind: job.kind, why: skip.why });
    return { ending: 'skipped', message, summary: null, nextInMs: skip.nextInMs };
  }
  // The link of a missing credential may not be paused yet.
  const conclude = (cause: unknown) => concludeJob(parts, subject, { error: cause, summary: null });
  return conclude(error).catch(conclude);
};

/** Runs a link and returns the report. `onEvent` is called with each event of the run. */
const runLinkJob = async (parts: Parts, subject: Subject, onEvent: (event: RunEvent) => void): Promise<JobReport> => {
  const { app, clock, events, memories, signals } = parts;
  const { link, job } = subject;
  const row = await app.store.link(link.name);
  // Read before the run: `connect` may store another credential while the old one is being refused.
  const credentials = await rereadCredentials(parts, link);
  await requireDue(parts, subject, row, credentials);
  const pause = watchPause({ store: app.store, clock }, row);
  const accepted = await acceptedHalt(parts, job);
  let { state } = row;
  const result = await app.run(link, {
    kind: job.kind,
    ...(accepted !== null && { accepts: { kind: 'halt', message: accepted, loses: job.restores !== true } }),
    signal: signals.abort,
    stop: AbortSignal.any([signals.stop, pause.signal]),
    onLease: async () => {
      // The run that had the lease may have paused or resumed the link.
      const current = await app.store.link(link.name);
      await requireDue(parts, subject, current, credentials);
      // Checked last, so that no run starts while the daemon stops.
      signals.stop.throwIfAborted();
      ({ state } = current);
      memories.rememberTried(link.name, credentials);
    },
    onEvent: (event) => {
      onEvent(event);
      pause.check();
    },
  });
  const report = await concludeJob(parts, subject, result);
  // These credentials were not refused, so a pause by another host does not concern them.
  if (report.ending !== 'paused') memories.rememberTried(link.name, null);
  if (report.ending === 'stopped' && pause.signal.aborted) return { ...report, isOver: true };
  if (report.ending !== 'completed') return report;
  const from = state === 'resuming' ? 'paused' : state;
  if (from !== 'active') events.linkRecovered({ link: link.name, from });
  return { ...report, nextInMs: pollDelayMs(link, await app.store.link(link.name), clock.now()) };
};

/** The current jobs of a process, with the progress of their runs. */
const createCurrentJobs = (clock: Clock) => {
  const current = new Map<JobData, CurrentJob>();
  return {
    jobsOf: (link: string): number => [...current.values()].filter((each) => each.link === link).length,
    note: (job: JobData, event: RunEvent | null): void => {
      const progress = current.get(job)?.progress ?? NO_PROGRESS_YET;
      const next = event === null ? progress : track(progress, event);
      current.set(job, { link: job.link, progress: next, progressedTickMs: clock.monotonic() });
    },
    end: (job: JobData): void => void current.delete(job),
    /** The current jobs of this process with the progress of their runs. */
    progress: (): readonly LinkProgress[] =>
      [...current.values()].map(({ link, progress }) => ({ link, ...totalOf(progress) })),
    /** The links whose run has made no progress for 15 minutes. */
    stalled: (): readonly string[] => {
      const sinceMs = clock.monotonic() - STALLED_AFTER_MS;
      return [...current.values()].filter((each) => each.progressedTickMs < sinceMs).map(({ link }) => link);
    },
  };
};

/** The report of a job whose link this daemon does not serve: its configuration may differ from that of another host. */
const unknownLink = ({ link }: JobData): JobReport => ({
  ending: 'skipped',
  message: `There is no link named ${link}.`,
  summary: null,
  nextInMs: BUSY_RETRY_MS,
  isUnknown: true,
});

/** Creates the runner of jobs, which both schedulers use. */
export const createRunner = (options: RunnerOptions) => {
  const memories = createMemories(options);
  const { jobsOf, note, end, progress, stalled } = createCurrentJobs(options.clock);
  const stopping = new AbortController();
  const aborting = new AbortController();
  const parts: Parts = { ...options, memories, jobsOf, signals: { stop: stopping.signal, abort: aborting.signal } };
  let links = new Map<string, LinkConfig>();

  return {
    runJob: async (job: JobData): Promise<JobReport> => {
      const link = links.get(job.link);
      const nothing = { summary: null, nextInMs: null };
      if (stopping.signal.aborted) return { ending: 'stopped', message: null, ...nothing };
      if (link === undefined) return unknownLink(job);
      note(job, null);
      try {
        return await runLinkJob(parts, { link, job }, (event) => note(job, event));
      } catch (error) {
        return await concludeUnstarted(parts, { link, job }, error);
      } finally {
        end(job);
      }
    },
    /** Replaces the links that jobs may run. */
    setLinks: (next: readonly LinkConfig[]): void => {
      links = new Map(next.map((link) => [link.name, link]));
      memories.keepOnly(links);
    },
    progress,
    stalled,
    /** The last time (epoch milliseconds) when a scheduled job did not start because the link waited for a user; 0 before. */
    waitedAtMs: (link: string): number => {
      const { waitedTickMs } = memories.of(link);
      return waitedTickMs === null ? 0 : timeOf(options.clock, waitedTickMs);
    },
    /** Ends the current runs before their next write, and starts no further run. */
    stop: (): void => stopping.abort(new StoppedError()),
    /** Ends the current runs immediately, with their requests. */
    abort: (): void => {
      stopping.abort(new StoppedError());
      aborting.abort(stopping.signal.reason);
    },
  };
};

export type Runner = ReturnType<typeof createRunner>;
