import type { App } from '../app.ts';
import type { Clock } from '../clock.ts';
import { ConfigError, type LinkConfig } from '../config.ts';
import { SIDES } from '../contact/contact.ts';
import type { Events } from '../events.ts';
import { isCredentialError } from '../remotes/errors.ts';
import { StoppedError } from '../sync/context.ts';
import type { RunSummary } from '../sync/run.ts';
import type { JobData, JobReport } from './job.ts';
import { outcomeOf } from './outcome.ts';
import { newTracker, track } from './progress.ts';
import type { RunJob } from './scheduler.ts';

/** What a job runs on; the daemon's part of {@link App}. */
type RunnerApp = Pick<App, 'store' | 'run' | 'credentials'>;

export type Runner = {
  readonly runJob: RunJob;
  /** The links that jobs may be about, in place of the earlier ones. */
  setLinks(links: readonly LinkConfig[]): void;
  /** The links that this process works on now. */
  running(): readonly string[];
  /** Ends the runs under way before their next write, and begins no other. */
  stop(): void;
  /** Ends the runs under way at once, with the requests that they wait for. */
  abort(): void;
};

/** The next attempt's timer may fire so much early. */
const EARLY_MS = 100;

type Trouble = { readonly failures: number; readonly heldUntilMs: number };

/** What the runner remembers of a link from run to run; all of it may be forgotten without harm. */
type Memory = {
  /** Remotes that were unavailable: when they may be asked again, on the clock that never jumps. */
  readonly troubles: Map<string, Trouble>;
  /** The credentials that a link was paused with. */
  readonly paused: Map<string, string>;
  /** Links that were found busy, so that it is told once. */
  readonly busy: Set<string>;
  readonly running: Set<string>;
};

type Parts = {
  readonly app: RunnerApp;
  readonly events: Events;
  readonly clock: Clock;
  readonly random: () => number;
  readonly memory: Memory;
};

const SKIPPED = { ending: 'skipped', summary: null, retryInMs: null } as const;

const credentialsOf = async ({ app }: Parts, link: LinkConfig): Promise<string> => {
  const { google, service } = await app.credentials(link);
  return `${google} ${service}`;
};

/** Why a scheduled job of the link is not begun; null where it is. */
const reasonToSkip = async (parts: Parts, link: LinkConfig): Promise<'paused' | 'backing off' | null> => {
  const { app, clock, memory } = parts;
  const { state, credentials } = await app.store.link(link.name);
  if (state === 'paused') {
    const now = await credentialsOf(parts, link);
    const refused = [`${credentials.google} ${credentials.service}`, memory.paused.get(link.name)];
    return refused.includes(now) ? 'paused' : null;
  }
  return (memory.troubles.get(link.name)?.heldUntilMs ?? 0) > clock.monotonic() ? 'backing off' : null;
};

/** A link without a credential: no run can begin, and nobody but its owner can change that. */
const pauseUnconnected = async ({ app, events }: Parts, link: LinkConfig, error: ConfigError): Promise<void> => {
  const digests = await app.credentials(link);
  const reason = error.problems.map(({ where, what }) => `${where} ${what}`).join(' ');
  await app.store.updateLink(link.name, { state: 'paused', reason });
  const side = SIDES.find((candidate) => digests[candidate] === null) ?? 'google';
  const remedy = `Sign in with: contact-sync connect ${side} ${link.name}`;
  events.linkPaused({ link: link.name, run: null, side, reason, remedy });
};

const remember = async (parts: Parts, link: LinkConfig, report: JobReport): Promise<void> => {
  const { clock, events, memory } = parts;
  const { name } = link;
  if (report.ending === 'unavailable') {
    const failures = (memory.troubles.get(name)?.failures ?? 0) + 1;
    memory.troubles.set(name, { failures, heldUntilMs: clock.monotonic() + (report.retryInMs ?? 0) - EARLY_MS });
  } else if (report.ending !== 'busy') memory.troubles.delete(name);
  if (report.ending === 'paused') memory.paused.set(name, await credentialsOf(parts, link));
  if (report.ending !== 'busy') memory.busy.delete(name);
  else if (!memory.busy.has(name)) {
    memory.busy.add(name);
    events.leaseBusy({ link: name });
  }
};

/** What is wrong and what to do, for whoever asked for the job; null where nothing is. */
const messageOf = ({ name }: LinkConfig, error: unknown): string | null => {
  if (error === null) return null;
  if (!(error instanceof Error)) return 'An unknown error ended the job.';
  if (!isCredentialError(error)) return error.message;
  return `${error.message} The link is paused; sign in again with: contact-sync connect ${error.side} ${name}`;
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
  await remember(parts, link, report);
  if (error instanceof ConfigError) await pauseUnconnected(parts, link, error);
  // What kept a run from beginning stands in no run's summary.
  if (ending === 'failed' && summary === null) parts.events.jobFailed({ link: link.name, kind: job.kind, error });
  return report;
};

type Signals = { readonly stop: AbortSignal; readonly abort: AbortSignal };

const runLinkJob = async (
  parts: Parts,
  link: LinkConfig,
  job: JobData,
  signals: Signals,
  onProgress: NonNullable<NonNullable<Parameters<RunJob>[1]>['onProgress']>,
): Promise<JobReport> => {
  const { app, clock, events } = parts;
  const skips = job.kind === 'full' ? null : await reasonToSkip(parts, link);
  if (skips !== null) {
    events.jobSkipped({ link: link.name, kind: job.kind, why: skips });
    return { ...SKIPPED, message: `The link ${link.name} is ${skips}.` };
  }
  const wasPaused = (await app.store.link(link.name)).state === 'paused';
  let tracker = newTracker();
  const result = await app.run(link, {
    kind: job.kind === 'full' ? 'full' : 'incremental',
    acceptDeletes: job.acceptDeletes,
    signal: signals.abort,
    stop: signals.stop,
    // An incremental run sweeps too where that is due; half the interval keeps the two from sweeping twice.
    ...(job.kind === 'sweep' ? { sweepAfterMs: link.sweepIntervalMs / 2 } : {}),
    onEvent: (event) => {
      const next = track(tracker, event, clock.monotonic());
      if (next !== tracker) onProgress(next.progress);
      tracker = next;
    },
  });
  const report = await settle(parts, link, job, result);
  if (wasPaused && report.ending === 'completed') events.linkResumed({ link: link.name });
  return report;
};

/** The one way in which a job is run, whichever scheduler asks for it. */
export const createRunner = (options: Omit<Parts, 'memory'>): Runner => {
  const memory: Memory = { troubles: new Map(), paused: new Map(), busy: new Set(), running: new Set() };
  const parts: Parts = { ...options, memory };
  let links = new Map<string, LinkConfig>();
  const stopping = new AbortController();
  const aborting = new AbortController();
  const signals: Signals = { stop: stopping.signal, abort: aborting.signal };

  const runJob: RunJob = async (job, { onProgress = () => undefined } = {}) => {
    const link = links.get(job.link);
    if (stopping.signal.aborted) return { ending: 'stopped', message: null, summary: null, retryInMs: null };
    if (link === undefined) return { ...SKIPPED, message: `There is no link named ${job.link}.` };
    memory.running.add(link.name);
    try {
      return await runLinkJob(parts, link, job, signals, onProgress);
    } catch (error) {
      return await settle(parts, link, job, { error, summary: null }).catch((worse: unknown): JobReport => {
        parts.events.jobFailed({ link: link.name, kind: job.kind, error: worse });
        return { ending: 'failed', message: 'The store cannot be used.', summary: null, retryInMs: null };
      });
    } finally {
      memory.running.delete(link.name);
    }
  };

  return {
    runJob,
    setLinks: (next) => {
      links = new Map(next.map((link) => [link.name, link]));
    },
    running: () => [...memory.running],
    stop: () => stopping.abort(new StoppedError()),
    abort: () => {
      stopping.abort(new StoppedError());
      aborting.abort(stopping.signal.reason);
    },
  };
};
