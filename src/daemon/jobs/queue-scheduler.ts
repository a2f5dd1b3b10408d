import type { Redis } from 'ioredis';
import type { Events } from '../../app/events.ts';
import { mapConcurrently } from '../../util/batches.ts';
import type { Clock } from '../../util/clock.ts';
import { redisTrouble } from '../../util/redis-trouble.ts';
import type { Secret } from '../../util/secret.ts';
import { addRequestedJob, connectWithRetry, jobOptions, openQueue, type JobQueue } from './queue.ts';
import { startWorker } from './queue-worker.ts';
import { QueueError, type QueueDepth, type RunJob, type Schedule, type Scheduler } from './scheduler.ts';

type QueueSchedulerOptions = {
  readonly redisUrl: Secret;
  /** The prefix of all keys in Redis. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly events: Events;
  readonly concurrency: number;
  readonly runJob: RunJob;
  /** Called each time when Redis starts to answer, before the schedules are stored there. */
  readonly onUsable: () => Promise<void>;
};

const PROBE_LIVES_MS = 1_000;

/** The longest wait for an answer of Redis; a later one counts as missing. */
const ANSWER_WITHIN_MS = 1_000;

/** The longest wait, after the last run, for Redis to accept the returned jobs. */
const RETURN_JOBS_MS = 2_000;

/** The time after which a schedule that a daemon with other links has removed is created again. */
const RESTORE_EVERY_MS = 60_000;

/** The number of schedules that are created concurrently. */
const CREATED_AT_ONCE = 100;

/** Creates a schedule, whose slots are counted from the epoch, and its first run, which does not wait for the next slot. */
const create = async (queue: JobQueue, { link, everyMs, offsetMs, firstInMs }: Schedule): Promise<void> => {
  const data = { link, kind: 'incremental', override: null } as const;
  const opts = jobOptions(data.kind);
  await queue.upsertJobScheduler(link, { every: everyMs, offset: offsetMs }, { name: data.kind, data, opts });
  // With offset 0, BullMQ itself starts the first job now.
  if (offsetMs === 0) return;
  await queue.add(data.kind, data, { ...opts, delay: firstInMs, deduplication: { id: `first ${link}` } });
};

/**
 * Stores the schedules in Redis, and removes all others if `removesOthers`. A stored schedule with the same interval keeps its next
 * slot and gets no further first job. Returns the number of new or changed schedules, and of removed ones.
 */
const storeSchedules = async (
  queue: JobQueue,
  schedules: readonly Schedule[],
  removesOthers: boolean,
): Promise<{ readonly created: number; readonly removed: number }> => {
  const stored = new Map((await queue.getJobSchedulers()).map(({ key, every }) => [key, every]));
  const links = new Set(schedules.map(({ link }) => link));
  const others = removesOthers ? [...stored.keys()].filter((key) => !links.has(key)) : [];
  for (const key of others) await queue.removeJobScheduler(key);
  const changed = schedules.filter(({ link, everyMs }) => stored.get(link) !== everyMs);
  await mapConcurrently(changed, CREATED_AT_ONCE, (schedule) => create(queue, schedule));
  return { created: changed.length, removed: others.length };
};

/** The reason why Redis cannot be used, as a sentence. */
const reasonOf = (error: unknown): string => {
  const { what, remedy } = redisTrouble(error);
  return `Redis ${what}. ${remedy}`;
};

/** Logs each loss and return of Redis. The returned function gives the reason why Redis cannot be used; null if it can. */
const watch = (redis: Redis, events: Events): (() => string | null) => {
  let reason: string | null = null;
  redis.on('ready', () => {
    reason = null;
    events.queueConnected();
  });
  const onLost = (error: unknown): void => {
    const isFirst = reason === null;
    if (!isFirst && error === null) return;
    reason = reasonOf(error);
    if (isFirst) events.queueUnreachable({ reason });
  };
  redis.on('error', onLost);
  redis.on('reconnecting', () => onLost(null));
  return () => reason;
};

/** Runs the work for each call, never concurrently. Calls during the work cause one more run. */
const withoutOverlap = (work: () => Promise<void>, onError: (error: Error) => void): (() => void) => {
  let isWorking = false;
  let isWanted = false;
  const start = async (): Promise<void> => {
    isWorking = true;
    while (isWanted) {
      isWanted = false;
      await work().catch((error: unknown) => onError(error instanceof Error ? error : new Error(String(error))));
    }
    isWorking = false;
  };
  return () => {
    isWanted = true;
    if (!isWorking) void start();
  };
};

/** The result of the work; null if it takes longer than `limitMs`. */
const within = async <T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | null> => {
  const ended = new AbortController();
  const limit = clock.sleep(limitMs, ended.signal).catch(() => undefined);
  const result = await Promise.race([work, limit.then(() => null)]);
  ended.abort();
  return result;
};

/** The number of jobs in Redis; null if it does not answer in time. */
const depthOf = async (queue: JobQueue, clock: Clock): Promise<QueueDepth | null> => {
  const counting = queue.getJobCounts('waiting', 'prioritized', 'active').catch(() => null);
  const counts = await within(clock, ANSWER_WITHIN_MS, counting);
  if (counts === null) return null;
  const { waiting = 0, prioritized = 0, active = 0 } = counts;
  return { waiting: waiting + prioritized, active };
};

/** Logs errors of the queue: each once, until it is cleared. */
const createTroubleLog = (events: Events, isReady: () => boolean) => {
  let logged: string | null = null;
  return {
    logTrouble: (error: Error): void => {
      // `watch` logs the loss of Redis; errors of a connection have a code.
      if (!isReady() || 'code' in error || error.message === logged) return;
      logged = error.message;
      events.queueError({ reason: error.message });
    },
    clearTrouble: (): void => {
      logged = null;
    },
  };
};

/** Wraps `run` and records the current jobs. */
const trackRunning = (run: RunJob): { readonly running: ReadonlySet<Promise<unknown>>; readonly runJob: RunJob } => {
  const running = new Set<Promise<unknown>>();
  const runJob: RunJob = (data) => {
    const job = run(data);
    running.add(job);
    void job.finally(() => running.delete(job));
    return job;
  };
  return { running, runJob };
};

/**
 * Writes to Redis, because it may refuse writes while it answers reads. Returns the reason if it does, an empty text if it does
 * not, and null without an answer: a connection may be lost without being closed.
 */
const tryWrite = (redis: Redis, prefix: string, clock: Clock): Promise<string | null> => {
  const written = redis.set(`${prefix}:probe`, '1', 'PX', PROBE_LIVES_MS).then(() => '', reasonOf);
  return within(clock, ANSWER_WITHIN_MS, written);
};

type ScheduleStoreOptions = Pick<QueueSchedulerOptions, 'events'> & {
  readonly queue: JobQueue;
  readonly isReady: () => boolean;
  readonly onError: (error: Error) => void;
};

/**
 * Stores the current schedules in Redis: `apply` sets them and removes others, `applyAgain` stores those that are missing. Another
 * daemon may serve more links, so schedules of others are removed only once.
 */
const createScheduleStore = ({ queue, events, isReady, onError }: ScheduleStoreOptions) => {
  let schedules: readonly Schedule[] = [];
  /** The schedules that were stored when others were last removed. */
  let kept: readonly Schedule[] | null = null;
  const store = withoutOverlap(async () => {
    if (!isReady()) return;
    const current = schedules;
    const { created, removed } = await storeSchedules(queue, current, current !== kept);
    kept = current;
    if (created + removed > 0) events.schedulesCreated({ schedules: created, removed });
  }, onError);
  return {
    apply: (next: readonly Schedule[]): void => {
      schedules = next;
      store();
    },
    applyAgain: store,
  };
};

/** Stores the schedules again from time to time, until the signal is aborted. */
const keepRestoring = async (clock: Clock, signal: AbortSignal, restore: () => void): Promise<void> => {
  while (!signal.aborted) {
    await clock.sleep(RESTORE_EVERY_MS, signal).then(restore, () => undefined);
  }
};

type Opened = { readonly redis: Redis; readonly worker: ReturnType<typeof startWorker>; readonly queue: JobQueue };

/** Waits for the running jobs, returns the others to the queue, and disconnects. Without Redis it only waits for the running ones. */
const closeQueue = async (
  { redis, worker, queue }: Opened,
  clock: Clock,
  running: ReadonlySet<Promise<unknown>>,
): Promise<void> => {
  // Started before the running jobs are awaited, so that the worker accepts no further job in the meantime.
  const returned = worker
    .close(redis.status !== 'ready')
    .then(() => queue.close())
    .catch(() => undefined);
  await Promise.all(running);
  await within(clock, RETURN_JOBS_MS, returned);
  // A worker that is still open would wait for Redis and prevent the end of the process.
  void worker.close(true).catch(() => undefined);
  redis.disconnect();
};

/** A scheduler with schedules in Redis and a worker for the jobs. Several daemons share the queue. */
export const createQueueScheduler = (options: QueueSchedulerOptions): Scheduler => {
  const { clock, events, prefix } = options;
  const redis = connectWithRetry(options.redisUrl);
  const lostReason = watch(redis, events);
  const queue = openQueue(redis, prefix);
  const { running, runJob } = trackRunning(options.runJob);
  const worker = startWorker({ ...options, runJob, connection: redis, queue });
  const ended = new AbortController();
  const unusableReason = (): string => lostReason() ?? 'Redis has not answered yet.';
  const isReady = (): boolean => redis.status === 'ready' && !ended.signal.aborted;
  const { logTrouble, clearTrouble } = createTroubleLog(events, isReady);
  queue.on('error', logTrouble);
  worker.on('error', logTrouble);

  const schedules = createScheduleStore({ queue, events, isReady, onError: logTrouble });
  // Redis may have lost its data while it was away.
  redis.on(
    'ready',
    withoutOverlap(() => options.onUsable().then(schedules.applyAgain), logTrouble),
  );
  void keepRestoring(clock, ended.signal, schedules.applyAgain);

  return {
    kind: 'redis',
    apply: schedules.apply,
    trouble: async () => {
      if (!isReady() || !worker.isRunning()) return unusableReason();
      const reason = await tryWrite(redis, prefix, clock);
      if (reason !== '') return reason ?? unusableReason();
      clearTrouble();
      return null;
    },
    requestJob: async (job) => {
      if (!isReady()) throw new QueueError(unusableReason());
      await addRequestedJob(queue, job);
    },
    depth: async () => (isReady() ? depthOf(queue, clock) : null),
    stop: async () => {
      ended.abort();
      await closeQueue({ redis, worker, queue }, clock, running);
    },
  };
};
