import { compare, createServingTimes } from './links/link-changes.ts';
import { isOpen } from '../core/reconcile/recorded-conflicts.ts';
import { shownLinkState } from '../core/state/link.ts';
import { refusalsIn } from '../core/state/unsyncable.ts';
import type { App } from '../app/app.ts';
import type { Clock } from '../util/clock.ts';
import { ConfigError, problemTexts } from '../util/config-error.ts';
import { CONCURRENT_LINKS, type Config } from '../app/config/config.ts';
import type { LinkConfig } from '../app/config/link-config.ts';
import { unencryptedLinks, unencryptedNotification } from '../app/config/unencrypted.ts';
import type { Events } from '../app/events.ts';
import type { RunSummary } from '../engine/run.ts';
import { findOtherDaemons, removeHeartbeat, writeHeartbeat } from '../app/heartbeat.ts';
import type { JobData, JobReport } from './jobs/job.ts';
import { createEmbeddedScheduler } from './jobs/embedded-scheduler.ts';
import { createNotifier } from './notify/notifier.ts';
import { createDeferredScheduler } from './jobs/deferred-scheduler.ts';
import { createRunner, type Runner } from './jobs/run-job.ts';
import { schedulesOf, type QueueDepth, type RunJob, type Scheduler } from './jobs/scheduler.ts';

type DaemonOptions = {
  readonly app: App;
  readonly events: Events;
  readonly clock: Clock;
  readonly random: () => number;
  /** Reads the current configuration; throws {@link ConfigError}. */
  readonly loadConfig: () => Config;
  /** Called with each job that has ended and its report. */
  readonly onReport?: OnReport;
};

export type OnReport = (job: JobData, report: JobReport) => void;
/** Called with each run that has ended, and its ending. */
export type OnRun = (ending: JobReport['ending'], summary: RunSummary) => void;

/** The links that a daemon serves, and the times since which it does. */
type Served = {
  /** The current links. */
  readonly links: () => readonly LinkConfig[];
  /** The links that are not served, because their settings are invalid. */
  readonly faultyLinks: () => Config['faultyLinks'];
  /** The time since which the daemon serves the link with its current settings (epoch milliseconds). */
  readonly sinceMs: (link: string) => number;
};

const BEAT_EVERY_MS = 10_000;
/** A scheduler with an error is checked again soon, because it may just have started. */
const CHECK_AGAIN_MS = 1_000;
const LOG_LINKS_EVERY_MS = 3_600_000;
const LOG_PAUSE_MS = 1;
/** A write takes one or two seconds; the whole stop must take less than ten. */
const GRACE_MS = 6_000;

const startScheduler = (
  { app, events, clock }: DaemonOptions,
  runJob: RunJob,
  onUsable: () => Promise<void>,
): Scheduler => {
  const { redisUrl, dataDir } = app.config;
  if (redisUrl === null) return createEmbeddedScheduler({ clock, runJob, concurrency: CONCURRENT_LINKS });
  return createDeferredScheduler({
    clock,
    open: async () => {
      const [{ queuePrefixOf }, { createQueueScheduler }] = await Promise.all([
        import('./jobs/queue.ts'),
        import('./jobs/queue-scheduler.ts'),
      ]);
      const prefix = await queuePrefixOf({ store: app.store, dataDir });
      const concurrency = CONCURRENT_LINKS;
      return createQueueScheduler({ redisUrl, prefix, clock, events, concurrency, runJob, onUsable });
    },
    onWaiting: (reason) => events.queueUnreachable({ reason }),
  });
};

const logLinks = async (
  { app, clock, events }: DaemonOptions,
  links: readonly LinkConfig[],
  signal: AbortSignal,
): Promise<void> => {
  for (const link of links) {
    // With many links this takes long, so runs have priority.
    await clock.sleep(LOG_PAUSE_MS);
    if (signal.aborted) return;
    const { state, reason, rejections } = await app.store.link(link.name);
    const [lastRun] = await app.store.runs(link.name, { latest: 'ended' });
    const used = app.traffic().flatMap((each) => (each.link === link.name ? (each.used ?? []) : []));
    events.linkHeartbeat({
      link: link.name,
      sides: link.sides,
      state: shownLinkState(state),
      reason,
      pairs: (await app.store.counts(link.name)).pairs,
      openConflicts: (await app.store.conflicts(link.name, { all: false })).filter(isOpen).length,
      refused: refusalsIn(rejections).length,
      lastRunAt: lastRun?.endedAtMs ? new Date(lastRun.endedAtMs).toISOString() : null,
      budgetUsed: used.length === 0 ? null : Math.max(...used),
    });
  }
};

/** Repeats the work until the signal is aborted. The work returns the milliseconds to wait. */
const repeatUntilAborted = async (clock: Clock, signal: AbortSignal, work: () => Promise<number>): Promise<void> => {
  while (!signal.aborted) {
    const waitMs = await work();
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
};

/** Logs a warning for each other daemon that uses DATA_DIR. */
const warnAboutOtherDaemons = async ({ app, clock, events }: DaemonOptions): Promise<void> => {
  for (const { host, pid, beatAtMs } of await findOtherDaemons(app.config.dataDir, clock.now())) {
    events.dataDirShared({ host, pid, aliveAt: new Date(beatAtMs).toISOString() });
  }
};

type HeartbeatParts = Served & {
  readonly scheduler: Scheduler;
  readonly runner: Runner;
  readonly signal: AbortSignal;
};

/** Writes the heartbeat every few seconds, and with `writeNow` at other times. */
const keepHeartbeat = (options: DaemonOptions, parts: HeartbeatParts) => {
  const { scheduler, runner, links, faultyLinks, sinceMs, signal } = parts;
  const { app, clock, events } = options;
  let wellAtMs: number | null = null;
  const { dataDir } = app.config;
  const write = async (): Promise<number> => {
    const trouble = await scheduler.trouble();
    if (trouble === null) wellAtMs = clock.now();
    const beat = {
      queue: scheduler.kind,
      beatAtMs: clock.now(),
      waiting: trouble === null ? null : { reason: trouble, wellAtMs },
      links: links().map(({ name, syncIntervalMs }) => {
        // No run is due while a link waits for a user.
        return { name, syncIntervalMs, sinceMs: Math.max(sinceMs(name), runner.waitedAtMs(name)) };
      }),
      faulty: faultyLinks().map(({ name }) => name),
      progress: [...runner.progress()],
      stalled: [...runner.stalled()],
      pid: process.pid,
    };
    await writeHeartbeat(dataDir, beat).catch((error: unknown) => events.heartbeatFailed({ error }));
    return trouble === null ? BEAT_EVERY_MS : CHECK_AGAIN_MS;
  };
  let last: Promise<unknown> = warnAboutOtherDaemons(options);
  /** Heartbeats are written one after the other, so that the last one is current. */
  const writeInOrder = (): Promise<number> => {
    const written = last.then(write);
    last = written;
    return written;
  };
  return {
    writeNow: async (): Promise<void> => {
      if (!signal.aborted) await writeInOrder();
    },
    ended: repeatUntilAborted(clock, signal, writeInOrder).then(() => last),
  };
};

const keepLogging = (options: DaemonOptions, links: Served['links'], signal: AbortSignal): Promise<void> =>
  repeatUntilAborted(options.clock, signal, async () => {
    await logLinks(options, links(), signal).catch((error: unknown) => options.events.heartbeatFailed({ error }));
    return LOG_LINKS_EVERY_MS;
  });

const keepNotifying = async (options: DaemonOptions, links: Served['links'], signal: AbortSignal): Promise<void> => {
  const { app, clock, events } = options;
  const { config } = app;
  const notify = createNotifier(config, { ...app.lease, events });
  if (notify === null) return;
  const unencrypted = unencryptedNotification(config);
  if (unencrypted !== null) events.notificationUrlUnencrypted(unencrypted);
  await repeatUntilAborted(clock, signal, () => notify(links().map(({ name }) => name)));
};

/** Logs the links whose files have invalid settings. They are not served. */
const reportFaultyLinks = ({ faultyLinks }: Config, events: Events): void => {
  for (const { name, problems } of faultyLinks) {
    events.linkSettingsInvalid({ link: name, problems: problemTexts(problems) });
  }
};

const warnAboutAddresses = (events: Events, links: readonly LinkConfig[]): void => {
  for (const found of unencryptedLinks(links)) events.addressesUnencrypted(found);
};

/** Applies the current configuration. An invalid one is logged and changes nothing. */
const reloadConfig = (
  { loadConfig, events }: DaemonOptions,
  apply: (config: Config) => ReturnType<typeof compare>,
): void => {
  try {
    const config = loadConfig();
    events.configReloaded(apply(config));
    reportFaultyLinks(config, events);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    events.configRejected({ problems: problemTexts(error.problems) });
  }
};

/** Ends the current runs: writes are finished, and runs that do not end within the grace period are aborted. */
const endRuns = async (clock: Clock, runner: Runner, end: () => Promise<unknown>): Promise<void> => {
  runner.stop();
  const stopped = new AbortController();
  void clock.sleep(GRACE_MS, stopped.signal).then(
    () => runner.abort(),
    () => undefined,
  );
  await end();
  stopped.abort(new Error('Everything has ended.'));
};

/** Starts the long-running process, without its signal handlers: the schedules of all links. */
export const startDaemon = (options: DaemonOptions) => {
  const { app, clock, events } = options;
  let { links, faultyLinks } = app.config;
  const runner = createRunner(options);
  const runJob: RunJob = async (job) => {
    const report = await runner.runJob(job);
    options.onReport?.(job, report);
    return report;
  };
  const scheduler = startScheduler(options, runJob, () => heartbeat.writeNow());
  const { sinceMs, note } = createServingTimes(clock);
  const ended = new AbortController();
  const use = (next: readonly LinkConfig[]): void => {
    links = next;
    runner.setLinks(links);
    scheduler.apply(schedulesOf(links));
  };
  events.daemonStarted({ links: links.map(({ name }) => name), queue: scheduler.kind });
  reportFaultyLinks(app.config, events);
  warnAboutAddresses(events, links);
  use(links);
  const served: Served = { links: () => links, faultyLinks: () => faultyLinks, sinceMs };
  const { signal } = ended;
  const heartbeat = keepHeartbeat(options, { ...served, scheduler, runner, signal });
  const work = [keepLogging(options, served.links, signal), keepNotifying(options, served.links, signal)];

  /** Applies another configuration and returns the differences. */
  const apply = (config: Config) => {
    const change = compare(app.config, links, config);
    use(config.links);
    ({ faultyLinks } = config);
    const loaded = new Set([...change.added, ...change.changed]);
    note(change);
    app.keep(new Set(links.map(({ name }) => name)));
    void heartbeat.writeNow();
    const fresh = config.links.filter(({ name }) => loaded.has(name));
    warnAboutAddresses(events, fresh);
    return change;
  };

  return {
    ...served,
    /** The depth of the queue; null if it is unknown now. */
    depth: (): Promise<QueueDepth | null> => scheduler.depth(),
    /** The progress of the current runs of this process. */
    progress: runner.progress,
    /** Requests a job in addition to the schedules. An equal job that waits is not added twice. */
    requestJob: (job: JobData): Promise<void> => scheduler.requestJob(job),
    /** Loads the links of the current configuration; current runs continue. */
    reload: (): void => reloadConfig(options, apply),
    /** Stops the daemon: current writes are finished, and runs that do not end within a grace period are aborted. */
    stop: async (): Promise<void> => {
      ended.abort(new Error('The daemon stops.'));
      await endRuns(clock, runner, () => Promise.all([scheduler.stop(), ...work]));
      await heartbeat.ended;
      await removeHeartbeat(app.config.dataDir);
      events.daemonStopped();
    },
  };
};

export type Daemon = ReturnType<typeof startDaemon>;
