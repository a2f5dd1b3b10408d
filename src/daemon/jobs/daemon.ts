import { shownLinkState } from '../../core/state/link.ts';
import { refusalsIn } from '../../core/state/unsyncable.ts';
import type { App } from '../../app/app.ts';
import type { Clock } from '../../util/clock.ts';
import { ConfigError } from '../../util/config-error.ts';
import type { Config, LinkConfig } from '../../app/config/config.ts';
import { fingerprint } from '../../util/secret.ts';
import { tellOfUnencrypted, unencryptedNotices } from '../../app/config/unencrypted.ts';
import { SIDES } from '../../core/contact/side.ts';
import type { Events } from '../../engine/events.ts';
import { findOtherDaemons, removeHeartbeat, writeHeartbeat, type LinkProgress } from '../../app/heartbeat.ts';
import type { JobData, JobReport } from './job.ts';
import { createEmbeddedScheduler } from './embedded-scheduler.ts';
import { openNotifier } from '../notify/notifier.ts';
import { createLateScheduler } from './late-scheduler.ts';
import { createRunner, type Runner } from './run-job.ts';
import { schedulesOf, type QueueDepth, type RunJob, type Scheduler } from './scheduler.ts';
import { watchLinks } from '../links/link-changes.ts';

export type DaemonOptions = {
  readonly app: App;
  readonly events: Events;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  /** The links that it begins with; left out: those of the app's configuration. */
  readonly links?: readonly LinkConfig[];
  /** Reads the configuration as it is now; throws {@link ConfigError}. */
  readonly loadConfig: () => Config;
  /** Answers the configuration where the links that the database keeps have changed, else null; left out: it keeps none. */
  readonly look?: () => Promise<Config | null>;
  /** Called with each job that has ended, and how. */
  readonly onReport?: OnReport;
};

export type OnReport = (job: JobData, report: JobReport) => void;

/** The long-lived process, without its signals. */
export type Daemon = {
  /** The links that it works with now. */
  links(): readonly LinkConfig[];
  /** Since when it has worked with a link as it is configured now (epoch milliseconds). */
  sinceMs(link: string): number;
  /** The jobs that are due or under way; null where that cannot be told now. */
  depth(): Promise<QueueDepth | null>;
  /** How far the runs are that this process has under way. */
  progress(): readonly LinkProgress[];
  /** Runs a job besides the schedules, as soon as its turn comes; where the same one waits already, that is the one. */
  order(job: JobData): Promise<void>;
  /** Takes the links of the configuration as it is now; runs under way go on. */
  reload(): void;
  /** Ends the daemon: the writes under way first, and what has not ended after a grace is cut off. */
  stop(): Promise<void>;
};

const BEAT_EVERY_MS = 10_000;
/** A scheduler in trouble is checked again soon: it may just have been started. */
const LOOK_AGAIN_MS = 1_000;
const LOG_LINKS_EVERY_MS = 3_600_000;
const LOG_PAUSE_MS = 1;
/** A write takes a second or two; the whole stop must be over within ten. */
const GRACE_MS = 6_000;

const startScheduler = (
  { app, events, clock }: DaemonOptions,
  runJob: RunJob,
  onUsable: () => Promise<void>,
): Scheduler => {
  const { redisUrl, dataDir, concurrency } = app.config;
  if (redisUrl === null) return createEmbeddedScheduler({ clock, runJob, concurrency });
  return createLateScheduler({
    kind: 'redis',
    clock,
    open: async () => {
      const [{ queuePrefixOf }, { createQueueScheduler }] = await Promise.all([
        import('./queue.ts'),
        import('./queue-scheduler.ts'),
      ]);
      const prefix = await queuePrefixOf({ store: app.store, dataDir });
      return createQueueScheduler({ redisUrl, prefix, clock, events, concurrency, runJob, onUsable });
    },
    onWaiting: (reason) => events.queueUnreachable({ reason }),
  });
};

/** The budget of the side that has the fewest requests free; null where no side has one. */
const scarcest = (budgets: Awaited<ReturnType<App['budget']>>): Parameters<Events['linkHeartbeat']>[0]['budget'] => {
  const own = SIDES.flatMap((side) => {
    const budget = budgets[side];
    if (budget === null) return [];
    return [{ side, remaining: budget.remaining, limit: budget.limit.requests, windowMs: budget.limit.windowMs }];
  });
  return own.toSorted((one, other) => one.remaining - other.remaining)[0] ?? null;
};

const logLinks = async (
  { app, clock, events }: DaemonOptions,
  links: readonly LinkConfig[],
  signal: AbortSignal,
): Promise<void> => {
  for (const link of links) {
    // With many links this takes long, and runs go before it.
    await clock.sleep(LOG_PAUSE_MS);
    if (signal.aborted) return;
    const { state, reason, rejections } = await app.store.link(link.name);
    const [lastRun] = await app.store.runs(link.name, { latest: 'ended' });
    events.linkHeartbeat({
      link: link.name,
      sides: link.sides,
      state: shownLinkState(state),
      reason,
      pairs: (await app.store.counts(link.name)).pairs,
      openConflicts: (await app.store.conflicts(link.name, { all: false })).filter(({ review }) => review === null)
        .length,
      refused: refusalsIn(rejections).length,
      lastRunAt: lastRun?.endedAtMs ? new Date(lastRun.endedAtMs).toISOString() : null,
      // Of a link that has not run here it would be opened for this alone.
      budget: app.limits(link.name).length === 0 ? null : scarcest(await app.budget(link)),
    });
  }
};

/** What differs between the two configurations' links, and in what only a new process takes up. */
const compare = (before: Config, links: readonly LinkConfig[], after: Config) => {
  const known = new Map(links.map((link) => [link.name, fingerprint(link)]));
  const names = new Set(after.links.map((link) => link.name));
  const isSame = (key: keyof Config): boolean => fingerprint([before[key]]) === fingerprint([after[key]]);
  const settings = [
    'dataDir',
    'databaseUrl',
    'redisUrl',
    'concurrency',
    'notifyUrl',
    'notifySecret',
    'notifyFormat',
    'listen',
    'consoleToken',
    'consoleReadonly',
    'apiToken',
    'retentionMs',
    'credentialsKey',
    'credentialsKeyOld',
    'logLevel',
    'logFormat',
    'logPersonalData',
  ] as const;
  return {
    added: after.links.filter(({ name }) => !known.has(name)).map(({ name }) => name),
    removed: links.filter(({ name }) => !names.has(name)).map(({ name }) => name),
    changed: after.links
      .filter((link) => known.has(link.name) && known.get(link.name) !== fingerprint(link))
      .map(({ name }) => name),
    needsRestart: settings.filter((key) => !isSame(key)),
  };
};

/** Since when a daemon has worked with each link as it is configured now: since its start, where nothing else was noted. */
const createTakenUp = (clock: Clock, startedAtMs: number) => {
  const atMs = new Map<string, number>();
  return {
    note: ({ added, changed, removed }: ReturnType<typeof compare>): void => {
      for (const name of [...added, ...changed]) atMs.set(name, clock.now());
      for (const name of removed) atMs.delete(name);
    },
    sinceMs: (link: string): number => atMs.get(link) ?? startedAtMs,
  };
};

/** Does the work again and again until the signal, each time after the milliseconds that the work before answered. */
const again = async (clock: Clock, signal: AbortSignal, work: () => Promise<number>): Promise<void> => {
  while (!signal.aborted) {
    const waitMs = await work();
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
};

/** Says which daemons work on the directory already; it is no reason not to start. */
const tellOfOthers = async ({ app, clock, events }: DaemonOptions): Promise<void> => {
  for (const { beatAtMs, ...other } of await findOtherDaemons(app.config.dataDir, clock.now(), app.holders)) {
    events.dataDirShared({ ...other, aliveAt: new Date(beatAtMs).toISOString() });
  }
};

type Beating = {
  readonly startedAtMs: number;
  readonly scheduler: Scheduler;
  readonly runner: Runner;
  readonly links: () => readonly LinkConfig[];
  readonly sinceMs: (link: string) => number;
  readonly signal: AbortSignal;
};

/** Says every few seconds that the daemon lives, and how it is; and besides whenever it is told to. */
const keepHeartbeat = (options: DaemonOptions, beating: Beating) => {
  const { startedAtMs, scheduler, runner, links, sinceMs, signal } = beating;
  const { app, clock, events } = options;
  let wellAtMs: number | null = null;
  const { dataDir } = app.config;
  const say = async (): Promise<number> => {
    const trouble = await scheduler.trouble();
    if (trouble === null) wellAtMs = clock.now();
    const beat = {
      queue: scheduler.kind,
      startedAtMs,
      beatAtMs: clock.now(),
      waiting: trouble === null ? null : { reason: trouble, wellAtMs },
      links: links().map((link) => {
        return { name: link.name, syncIntervalMs: runner.intervalMs(link), sinceMs: sinceMs(link.name) };
      }),
      running: [...runner.running()],
      progress: [...runner.progress()],
      stalled: [...runner.stalled()],
      pid: process.pid,
      process: app.holders.self,
    };
    await writeHeartbeat(dataDir, beat).catch((error: unknown) => events.heartbeatFailed({ error }));
    return trouble === null ? BEAT_EVERY_MS : LOOK_AGAIN_MS;
  };
  let last: Promise<unknown> = tellOfOthers(options);
  /** What is said last must be what is so: one after the other. */
  const sayInTurn = (): Promise<number> => {
    const said = last.then(say);
    last = said;
    return said;
  };
  return {
    sayNow: async (): Promise<void> => {
      if (!signal.aborted) await sayInTurn();
    },
    ended: again(clock, signal, sayInTurn).then(() => last),
  };
};

const keepLogging = (options: DaemonOptions, links: () => readonly LinkConfig[], signal: AbortSignal): Promise<void> =>
  again(options.clock, signal, async () => {
    await logLinks(options, links(), signal).catch((error: unknown) => options.events.heartbeatFailed({ error }));
    return LOG_LINKS_EVERY_MS;
  });

const keepNotifying = async (
  options: DaemonOptions,
  links: () => readonly LinkConfig[],
  signal: AbortSignal,
): Promise<void> => {
  const { app, clock, events } = options;
  const { config, store } = app;
  const notifier = openNotifier(config, { ...options, store });
  if (notifier === null) return;
  const unencrypted = unencryptedNotices(config);
  if (unencrypted !== null) events.notificationUrlUnencrypted(unencrypted);
  const names = (): readonly string[] => links().map(({ name }) => name);
  await again(clock, signal, () => notifier.tell(names(), signal));
};

/** Takes up what changes of the links that the database keeps. */
const watchChanges = async (
  { look, clock, events }: DaemonOptions,
  take: (config: Config) => ReturnType<typeof compare>,
  signal: AbortSignal,
): Promise<void> => {
  if (look === undefined) return;
  const tell = (config: Config): void => {
    const { added, removed, changed } = take(config);
    if (added.length + removed.length + changed.length > 0) events.linksChanged({ added, removed, changed });
  };
  await watchLinks({ clock, events, look, take: tell, signal });
};

/** Takes the links of the configuration as it is now; one that is at fault is told of, and changes nothing. */
const reloadConfig = (
  { loadConfig, events }: DaemonOptions,
  take: (config: Config) => ReturnType<typeof compare>,
): void => {
  try {
    events.configReloaded(take(loadConfig()));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    events.configRejected({ problems: error.problems.map(({ where, what }) => `${where} ${what}`) });
  }
};

/** Ends the runs under way: the writes first, and what has not ended after a grace is cut off. */
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

/** Runs each job and tells how it ended. */
const reporting =
  (runner: Runner, onReport: OnReport | undefined): RunJob =>
  async (job, jobOptions) => {
    const report = await runner.runJob(job, jobOptions);
    onReport?.(job, report);
    return report;
  };

/** Starts the schedules of all links. */
export const startDaemon = (options: DaemonOptions): Daemon => {
  const { app, clock, events } = options;
  let { links = app.config.links } = options;
  const runner = createRunner({ ...options, concurrency: app.config.concurrency });
  const scheduler = startScheduler(options, reporting(runner, options.onReport), () => heartbeat.sayNow());
  const startedAtMs = clock.now();
  const { sinceMs, note } = createTakenUp(clock, startedAtMs);
  const ended = new AbortController();
  const use = (next: readonly LinkConfig[]): void => {
    links = next;
    runner.setLinks(links);
    scheduler.apply(schedulesOf(links));
  };
  const warn = (of: readonly LinkConfig[]): void =>
    tellOfUnencrypted(of, (found) => events.addressesUnencrypted(found));
  events.daemonStarted({ links: links.map(({ name }) => name), queue: scheduler.kind });
  warn(links);
  use(links);
  const heartbeat = keepHeartbeat(options, {
    startedAtMs,
    scheduler,
    runner,
    links: () => links,
    sinceMs,
    signal: ended.signal,
  });
  const logging = keepLogging(options, () => links, ended.signal);
  const notifying = keepNotifying(options, () => links, ended.signal);

  /** Takes the links of another configuration; answers what is different. */
  const take = (config: Config) => {
    const change = compare(app.config, links, config);
    use(config.links);
    const news = new Set([...change.added, ...change.changed]);
    note(change);
    // Budgets that could not be stored are the next call's.
    void app.keep(new Set(links.map(({ name }) => name))).catch(() => undefined);
    void heartbeat.sayNow();
    warn(config.links.filter(({ name }) => news.has(name)));
    return change;
  };
  const watching = watchChanges(options, take, ended.signal);

  return {
    links: () => links,
    sinceMs,
    depth: () => scheduler.depth(),
    progress: () => runner.progress(),
    order: (job) => scheduler.order(job),
    reload: () => reloadConfig(options, take),
    stop: async () => {
      ended.abort(new Error('The daemon stops.'));
      await endRuns(clock, runner, () => Promise.all([scheduler.stop(), logging, notifying, watching]));
      await heartbeat.ended;
      await removeHeartbeat(app.config.dataDir);
      events.daemonStopped();
    },
  };
};
