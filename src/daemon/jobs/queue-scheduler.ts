import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../util/clock.ts';
import type { Secret } from '../../util/secret.ts';
import type { Events } from '../../engine/events.ts';
import { addRequestedJob, beat, connectWithRetry, endBeat, jobOptions, openQueue, type JobQueue } from './queue.ts';
import { redisTrouble } from '../../util/redis-trouble.ts';
import { QueueError, nextSlot, type QueueDepth, type RunJob, type Scheduler, type Schedule } from './scheduler.ts';
import { startWorker } from './queue-worker.ts';

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

/** The interval at which the schedules in Redis are restored and the heartbeat of this daemon is written there. */
const MAINTAIN_EVERY_MS = 5_000;

/** The longest wait, after the last run, for Redis to accept the returned jobs. */
const RETURN_JOBS_MS = 2_000;

/** The longest wait for an answer of Redis; a later one counts as missing. */
const ANSWER_WITHIN_MS = 1_000;

/** The interval at which every stored schedule is compared. Between these comparisons only their number is compared. */
const COMPARE_EVERY_MS = 60_000;

const idOf = ({ link, kind }: Schedule): string => `${kind}:${link}`;

/** The number of schedules that are created concurrently. */
const CREATED_AT_ONCE = 100;

/**
 * Creates a schedule. Its slots are counted from the epoch. If the next slot is later than the first job is due, a separate first
 * job is added. Example: with an interval of 1 h and an offset of 20 min, the slots are 10:20, 11:20, and so on. At 10:30, with
 * `firstWithinMs` = 5 min, a first job is added for 10:35; with 55 min, the slot at 11:20 is early enough.
 */
const create = async (queue: JobQueue, schedule: Schedule, nowMs: number): Promise<void> => {
  const { link, kind, everyMs, offsetMs, firstWithinMs } = schedule;
  const data = { link, kind, override: null };
  const options = jobOptions(kind);
  await queue.upsertJobScheduler(
    idOf(schedule),
    { every: everyMs, offset: offsetMs },
    { name: kind, data, opts: options },
  );
  // With offset 0, BullMQ starts the first job now and counts the slots from now. If the schedule is created at 10:07 with an
  // interval of 1 h, its jobs start at 10:07, 11:07, and so on.
  if (offsetMs === 0 || nextSlot(schedule, nowMs) - nowMs <= firstWithinMs) return;
  await queue.add(kind, data, { ...options, delay: firstWithinMs, deduplication: { id: `first ${idOf(schedule)}` } });
};

/** The largest expected clock difference between hosts that share a queue. */
const CLOCKS_APART_MS = 60_000;

/**
 * Removes schedules that a wrong clock has put far into the future, and their finished jobs, whose slots would otherwise count
 * as used.
 */
const removeAhead = async (queue: JobQueue, ids: ReadonlySet<string>, nowMs: number): Promise<void> => {
  if (ids.size === 0) return;
  for (const id of ids) await queue.removeJobScheduler(id);
  for (const job of await queue.getJobs(['completed', 'failed'])) {
    if (ids.has(job.repeatJobKey ?? '') && (job.finishedOn ?? 0) > nowMs) await job.remove();
  }
};

type FoundSchedule = Awaited<ReturnType<JobQueue['getJobSchedulers']>>[number];

/**
 * Whether the slot changed and the interval did not: a new interval of incremental runs also moves the sweep. For offset 0,
 * BullMQ stores an offset that it chooses, so the two cannot be compared.
 */
const isMoved = (found: FoundSchedule | undefined, { everyMs, offsetMs }: Schedule): boolean =>
  found?.every === everyMs && offsetMs !== 0 && found.offset !== offsetMs;

/** Creates missing, changed, moved, stopped and far-off schedules in Redis. Returns their number. */
const restoreSchedules = async (queue: JobQueue, schedules: readonly Schedule[], nowMs: number): Promise<number> => {
  const found = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
  const nextOf = (schedule: Schedule): number => found.get(idOf(schedule))?.next ?? -Infinity;
  const isAhead = (schedule: Schedule): boolean => nextOf(schedule) > nowMs + schedule.everyMs + CLOCKS_APART_MS;
  const ahead = new Set(schedules.filter(isAhead).map(idOf));
  await removeAhead(queue, ahead, nowMs);
  const missing = schedules.filter((schedule) => {
    const current = found.get(idOf(schedule));
    const isChanged = current?.every !== schedule.everyMs || isMoved(current, schedule);
    return isChanged || ahead.has(idOf(schedule)) || nextOf(schedule) < nowMs - schedule.everyMs;
  });
  const recreate = async (schedule: Schedule): Promise<void> => {
    // BullMQ keeps the next slot of a stored schedule with the same interval.
    if (isMoved(found.get(idOf(schedule)), schedule)) await queue.removeJobScheduler(idOf(schedule));
    await create(queue, schedule, nowMs);
  };
  for (let from = 0; from < missing.length; from += CREATED_AT_ONCE) {
    await Promise.all(missing.slice(from, from + CREATED_AT_ONCE).map(recreate));
  }
  return missing.length;
};

/** Whether an entry was not created by a daemon: its id has another form or does not match its jobs. */
const isForeign = ({ key, template, every }: FoundSchedule): boolean => {
  const data = template?.data;
  const isScheduled = data?.kind === 'incremental' || data?.kind === 'sweep';
  return !isScheduled || every === undefined || key !== `${data.kind}:${data.link}`;
};

/** Removes foreign schedules, and with `onlyForeign` false also those that are not in the list. Returns their number. */
const removeOthers = async (
  queue: JobQueue,
  schedules: readonly Schedule[],
  { onlyForeign }: { readonly onlyForeign: boolean },
): Promise<number> => {
  const wanted = new Set(schedules.map(idOf));
  const isOther = (found: FoundSchedule): boolean => isForeign(found) || (!onlyForeign && !wanted.has(found.key));
  const others = (await queue.getJobSchedulers()).filter(isOther);
  for (const { key } of others) await queue.removeJobScheduler(key);
  return others.length;
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
    const { what, remedy } = redisTrouble(error);
    reason = `Redis ${what}. ${remedy}`;
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

/** Restores the schedules in Redis. */
const createScheduleKeeper = (queue: JobQueue, { clock, events }: Pick<QueueSchedulerOptions, 'clock' | 'events'>) => {
  let schedules: readonly Schedule[] = [];
  let hasNewSchedules = false;
  let comparedAtMs = -Infinity;
  return {
    replace: (next: readonly Schedule[]): void => {
      schedules = next;
      hasNewSchedules = true;
    },
    restore: async (): Promise<void> => {
      const wanted = schedules;
      const isComplete = !hasNewSchedules && (await queue.getJobSchedulersCount()) >= wanted.length;
      if (isComplete && clock.monotonic() - comparedAtMs < COMPARE_EVERY_MS) return;
      // Other daemons may still have another configuration, so their schedules stay.
      const removed = await removeOthers(queue, wanted, { onlyForeign: !hasNewSchedules });
      const created = await restoreSchedules(queue, wanted, clock.now());
      comparedAtMs = clock.monotonic();
      if (wanted === schedules) hasNewSchedules = false;
      if (created + removed > 0) events.schedulesCreated({ schedules: created, removed });
    },
  };
};

/** Wraps `run` and records the current jobs. */
const trackRunning = (run: RunJob): { readonly running: ReadonlySet<Promise<unknown>>; readonly runJob: RunJob } => {
  const running = new Set<Promise<unknown>>();
  const runJob: RunJob = (...args) => {
    const job = run(...args);
    running.add(job);
    void job.finally(() => running.delete(job));
    return job;
  };
  return { running, runJob };
};

/** The result of the work; null if it takes longer than `limitMs`. */
const within = async <T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | null> => {
  const ended = new AbortController();
  const limit = clock.sleep(limitMs, ended.signal).catch(() => undefined);
  const result = await Promise.race([work, limit.then(() => null)]);
  ended.abort();
  return result;
};

const PAUSED =
  'The job queue is paused in Redis, by another program. Resume it there: no job runs before. See Queue.resume() of BullMQ.';

/**
 * Returns the reason why no job can run now; null if jobs can run. The check is a write, because Redis may refuse writes while
 * it answers reads. `reasonIfSilent` returns the reason if Redis does not answer: a connection may be lost without being closed.
 */
const queueTrouble = async (
  {
    queue,
    clock,
    tryWrite,
  }: { readonly queue: JobQueue; readonly clock: Clock; readonly tryWrite: () => Promise<unknown> },
  reasonIfSilent: () => string,
): Promise<string | null> => {
  const check = async (): Promise<{ readonly reason: string | null }> => {
    await tryWrite();
    return { reason: (await queue.isPaused()) ? PAUSED : null };
  };
  const explain = (error: unknown): { readonly reason: string } => {
    const { what, remedy } = redisTrouble(error);
    return { reason: `Redis ${what}. ${remedy}` };
  };
  const found = await within(clock, ANSWER_WITHIN_MS, check().catch(explain));
  return found === null ? reasonIfSilent() : found.reason;
};

/** The number of jobs in Redis; null if it does not answer in time. */
const depthOf = async (queue: JobQueue, clock: Clock): Promise<QueueDepth | null> => {
  const counting = queue.getJobCounts('waiting', 'prioritized', 'active').catch(() => null);
  const counts = await within(clock, ANSWER_WITHIN_MS, counting);
  if (counts === null) return null;
  const { waiting = 0, prioritized = 0, active = 0 } = counts;
  return { waiting: waiting + prioritized, active };
};

/** Calls `work` every {@link MAINTAIN_EVERY_MS} until the signal is aborted. */
const repeatUntilAborted = async (clock: Clock, signal: AbortSignal, work: () => void): Promise<void> => {
  while (!signal.aborted) {
    await clock.sleep(MAINTAIN_EVERY_MS, signal).catch(() => undefined);
    work();
  }
};

/** Logs errors of the queue: each once, until it is cleared. */
const createTroubleLog = (events: Events, isReady: () => boolean) => {
  let lastMessage: string | null = null;
  return {
    logTrouble: (error: Error): void => {
      // `watch` logs the loss of Redis; errors of a connection have a code.
      if (!isReady() || 'code' in error || error.message === lastMessage) return;
      lastMessage = error.message;
      events.queueError({ reason: error.message });
    },
    clearTrouble: (): void => {
      lastMessage = null;
    },
  };
};

type Opened = {
  readonly redis: Redis;
  readonly worker: ReturnType<typeof startWorker>;
  readonly queue: JobQueue;
};

/** Accepts no further job and returns unfinished ones to the queue. Without Redis it does not wait. */
const returnJobs = async ({ redis, worker, queue }: Opened, removeHeartbeat: () => Promise<unknown>): Promise<void> => {
  const isConnected = redis.status === 'ready';
  if (isConnected) await removeHeartbeat();
  await worker.close(!isConnected);
  await queue.close();
};

/** A scheduler with schedules in Redis and a worker for the jobs. Several daemons share the queue. */
export const createQueueScheduler = (options: QueueSchedulerOptions): Scheduler => {
  const { clock, events, prefix } = options;
  const redis = connectWithRetry(options.redisUrl);
  const lostReason = watch(redis, events);
  const daemonId = randomUUID();
  const queue = openQueue(redis, prefix);
  const { running, runJob } = trackRunning(options.runJob);
  const worker = startWorker({ ...options, runJob, connection: redis, queue });
  const keeper = createScheduleKeeper(queue, options);
  const ended = new AbortController();

  const unusableReason = (): string => lostReason() ?? 'Redis has not answered yet.';
  const isReady = (): boolean => redis.status === 'ready' && !ended.signal.aborted;
  const { logTrouble, clearTrouble } = createTroubleLog(events, isReady);
  queue.on('error', logTrouble);
  worker.on('error', logTrouble);

  const maintain = withoutOverlap(async () => {
    if (!isReady()) return;
    await keeper.restore();
    await beat(redis, prefix, daemonId);
    clearTrouble();
  }, logTrouble);
  redis.on(
    'ready',
    withoutOverlap(() => options.onUsable().then(maintain), logTrouble),
  );
  void repeatUntilAborted(clock, ended.signal, maintain);

  return {
    kind: 'redis',
    apply: (next) => {
      keeper.replace(next);
      maintain();
    },
    trouble: async () => {
      if (!isReady() || !worker.isRunning()) return unusableReason();
      return queueTrouble({ queue, clock, tryWrite: () => beat(redis, prefix, daemonId) }, unusableReason);
    },
    requestJob: async (job) => {
      if (!isReady()) throw new QueueError(unusableReason());
      await addRequestedJob(queue, job);
    },
    depth: async () => (isReady() ? depthOf(queue, clock) : null),
    stop: async () => {
      ended.abort();
      // Started before the running jobs are awaited, so that the worker accepts no further job in the meantime.
      const returned = returnJobs({ redis, worker, queue }, () => endBeat(redis, prefix, daemonId)).catch(
        () => undefined,
      );
      await Promise.all(running);
      await within(clock, RETURN_JOBS_MS, returned);
      // A worker that is still open would wait for Redis and prevent the end of the process.
      void worker.close(true).catch(() => undefined);
      redis.disconnect();
    },
  };
};
