import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../util/clock.ts';
import type { Secret } from '../../util/secret.ts';
import type { Events } from '../../engine/events.ts';
import { addOrder, beat, connectPatiently, endBeat, jobOptions, openQueue, type JobQueue } from './queue.ts';
import { redisTrouble } from '../../util/redis-trouble.ts';
import { QueueError, nextSlot, type QueueDepth, type RunJob, type Scheduler, type Schedule } from './scheduler.ts';
import { startWorker } from './queue-worker.ts';

export type QueueSchedulerOptions = {
  readonly redisUrl: Secret;
  /** Of all keys in Redis. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly events: Events;
  readonly concurrency: number;
  readonly runJob: RunJob;
  /** Called when Redis begins to answer, at first and after it was away. The schedules are put there afterwards. */
  readonly onUsable: () => Promise<void>;
};

/** How often the schedules in Redis are looked after, and this daemon says that it lives. */
const TEND_EVERY_MS = 5_000;

/** So long may Redis take, when the last run has ended, to take the jobs back; one that is lost never does. */
const HAND_BACK_MS = 2_000;

/** What Redis does not answer in this time it does not answer now. */
const LONGEST_LOOK_MS = 1_000;

/** How often they are checked one by one; their number alone shows that some are missing. */
const CHECK_EVERY_MS = 60_000;

const idOf = ({ link, kind }: Schedule): string => `${kind}:${link}`;

/** So many schedules are created side by side. */
const CREATED_AT_ONCE = 100;

/**
 * Creates a schedule. Redis counts its slots from the beginning of its clock; where the next one is further off than the
 * first job may be, that one comes besides.
 */
const create = async (queue: JobQueue, schedule: Schedule, nowMs: number): Promise<void> => {
  const { link, kind, everyMs, offsetMs, firstMs } = schedule;
  const data = { link, kind, override: null };
  const options = jobOptions(kind);
  await queue.upsertJobScheduler(
    idOf(schedule),
    { every: everyMs, offset: offsetMs },
    { name: kind, data, opts: options },
  );
  // A slot at the very beginning of the interval Redis serves at once.
  if (offsetMs === 0 || nextSlot(schedule, nowMs) - nowMs <= firstMs) return;
  await queue.add(kind, data, { ...options, delay: firstMs, deduplication: { id: `first ${idOf(schedule)}` } });
};

/** The clocks of hosts that share a queue differ by less. */
const CLOCKS_APART_MS = 60_000;

/**
 * Takes schedules out of Redis that a clock which was ahead has put far off; and what they finished by that clock, whose slots
 * would count as served when they come.
 */
const removeAhead = async (queue: JobQueue, ids: ReadonlySet<string>, nowMs: number): Promise<void> => {
  if (ids.size === 0) return;
  for (const id of ids) await queue.removeJobScheduler(id);
  for (const job of await queue.getJobs(['completed', 'failed'])) {
    if (ids.has(job.repeatJobKey ?? '') && (job.finishedOn ?? 0) > nowMs) await job.remove();
  }
};

/** Creates what Redis lacks of the schedules; also where it lost everything, or a schedule came to a halt or is far off. */
const createMissing = async (queue: JobQueue, schedules: readonly Schedule[], nowMs: number): Promise<number> => {
  const found = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
  const nextOf = (schedule: Schedule): number => found.get(idOf(schedule))?.next ?? -Infinity;
  const isAhead = (schedule: Schedule): boolean => nextOf(schedule) > nowMs + schedule.everyMs + CLOCKS_APART_MS;
  const ahead = new Set(schedules.filter(isAhead).map(idOf));
  await removeAhead(queue, ahead, nowMs);
  const missing = schedules.filter((schedule) => {
    const isChanged = found.get(idOf(schedule))?.every !== schedule.everyMs;
    return isChanged || ahead.has(idOf(schedule)) || nextOf(schedule) < nowMs - schedule.everyMs;
  });
  for (let from = 0; from < missing.length; from += CREATED_AT_ONCE) {
    await Promise.all(missing.slice(from, from + CREATED_AT_ONCE).map((schedule) => create(queue, schedule, nowMs)));
  }
  return missing.length;
};

type FoundSchedule = Awaited<ReturnType<JobQueue['getJobSchedulers']>>[number];

/** Whether no daemon has created an entry: it has another form of id, or its jobs are not those of its id. */
const isForeign = ({ key, template, every }: FoundSchedule): boolean => {
  const data = template?.data;
  const isScheduled = data?.kind === 'incremental' || data?.kind === 'sweep';
  return !isScheduled || every === undefined || key !== `${data.kind}:${data.link}`;
};

/** Removes schedules that are not wanted: foreign ones only, or all others too. */
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

/** Reports that Redis goes away and comes back, once each; answers why it cannot be used, null while it can. */
const watch = (redis: Redis, events: Events): (() => string | null) => {
  let reason: string | null = null;
  redis.on('ready', () => {
    reason = null;
    events.queueConnected();
  });
  const onLost = (error: unknown): void => {
    const isNews = reason === null;
    if (!isNews && error === null) return;
    const { what, remedy } = redisTrouble(error);
    reason = `Redis ${what}. ${remedy}`;
    if (isNews) events.queueUnreachable({ reason });
  };
  redis.on('error', onLost);
  redis.on('reconnecting', () => onLost(null));
  return () => reason;
};

/** Does the work again for each call, one at a time; calls that come meanwhile are one. */
const oneAtATime = (work: () => Promise<void>, onError: (error: Error) => void): (() => void) => {
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

/** Keeps Redis as the schedules want it. */
const createKeeper = (queue: JobQueue, { clock, events }: Pick<QueueSchedulerOptions, 'clock' | 'events'>) => {
  let schedules: readonly Schedule[] = [];
  let isNew = false;
  let checkedAtMs = -Infinity;
  return {
    replace: (next: readonly Schedule[]): void => {
      schedules = next;
      isNew = true;
    },
    restore: async (): Promise<void> => {
      const wanted = schedules;
      const isComplete = !isNew && (await queue.getJobSchedulersCount()) >= wanted.length;
      if (isComplete && clock.monotonic() - checkedAtMs < CHECK_EVERY_MS) return;
      // Other daemons may still have another configuration, so that their schedules stay.
      const removed = await removeOthers(queue, wanted, { onlyForeign: !isNew });
      const created = await createMissing(queue, wanted, clock.now());
      checkedAtMs = clock.monotonic();
      if (wanted === schedules) isNew = false;
      if (created + removed > 0) events.schedulesCreated({ schedules: created, removed });
    },
  };
};

/** The same way to run jobs, with those under way. */
const following = (run: RunJob): { readonly running: ReadonlySet<Promise<unknown>>; readonly runJob: RunJob } => {
  const running = new Set<Promise<unknown>>();
  const runJob: RunJob = (...of) => {
    const job = run(...of);
    running.add(job);
    void job.finally(() => running.delete(job));
    return job;
  };
  return { running, runJob };
};

/** What comes of the work; null where that takes longer than `limitMs`. */
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
 * The reason why no job can run now, found with a write, which Redis may refuse while it answers reads; null if jobs can run.
 * `silent` is the reason if it does not answer: a connection may fall silent without being closed.
 */
const queueTrouble = async (
  { queue, clock, write }: { readonly queue: JobQueue; readonly clock: Clock; readonly write: () => Promise<unknown> },
  silent: () => string,
): Promise<string | null> => {
  const look = async (): Promise<{ readonly reason: string | null }> => {
    await write();
    return { reason: (await queue.isPaused()) ? PAUSED : null };
  };
  const explain = (error: unknown): { readonly reason: string } => {
    const { what, remedy } = redisTrouble(error);
    return { reason: `Redis ${what}. ${remedy}` };
  };
  const found = await within(clock, LONGEST_LOOK_MS, look().catch(explain));
  return found === null ? silent() : found.reason;
};

/** The jobs in Redis, where it answers at once. */
const depthOf = async (queue: JobQueue, clock: Clock): Promise<QueueDepth | null> => {
  const counting = queue.getJobCounts('waiting', 'prioritized', 'active').catch(() => null);
  const counts = await within(clock, LONGEST_LOOK_MS, counting);
  if (counts === null) return null;
  const { waiting = 0, prioritized = 0, active = 0 } = counts;
  return { waiting: waiting + prioritized, active };
};

/** Does the work every {@link TEND_EVERY_MS}, until the signal. */
const onAndOn = async (clock: Clock, signal: AbortSignal, work: () => void): Promise<void> => {
  while (!signal.aborted) {
    await clock.sleep(TEND_EVERY_MS, signal).catch(() => undefined);
    work();
  }
};

/** Logs errors of the queue, each once until it is cleared. */
const createTroubleLog = (events: Events, isReady: () => boolean) => {
  let lastMessage: string | null = null;
  return {
    tellTrouble: (error: Error): void => {
      // `watch` reports that Redis went away; errors of a connection carry a code.
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

/** Takes no job any more, and gives back those under way when they have ended; where Redis is gone there is no waiting for it. */
const handBack = async ({ redis, worker, queue }: Opened, endBeating: () => Promise<unknown>): Promise<void> => {
  const isHere = redis.status === 'ready';
  if (isHere) await endBeating();
  await worker.close(!isHere);
  await queue.close();
};

/** Schedules kept in Redis, and a worker that runs the jobs; several daemons share both. */
export const createQueueScheduler = (options: QueueSchedulerOptions): Scheduler => {
  const { clock, events, prefix } = options;
  const redis = connectPatiently(options.redisUrl);
  const lostReason = watch(redis, events);
  const daemon = randomUUID();
  const queue = openQueue(redis, prefix);
  const { running, runJob } = following(options.runJob);
  const worker = startWorker({ ...options, runJob, connection: redis, queue });
  const keeper = createKeeper(queue, options);
  const ended = new AbortController();

  const whyNot = (): string => lostReason() ?? 'Redis has not answered yet.';
  const isReady = (): boolean => redis.status === 'ready' && !ended.signal.aborted;
  const { tellTrouble, clearTrouble } = createTroubleLog(events, isReady);
  queue.on('error', tellTrouble);
  worker.on('error', tellTrouble);

  const tend = oneAtATime(async () => {
    if (!isReady()) return;
    await keeper.restore();
    await beat(redis, prefix, daemon);
    clearTrouble();
  }, tellTrouble);
  redis.on(
    'ready',
    oneAtATime(() => options.onUsable().then(tend), tellTrouble),
  );
  void onAndOn(clock, ended.signal, tend);

  return {
    kind: 'redis',
    apply: (next) => {
      keeper.replace(next);
      tend();
    },
    trouble: async () => {
      if (!isReady() || !worker.isRunning()) return whyNot();
      return queueTrouble({ queue, clock, write: () => beat(redis, prefix, daemon) }, whyNot);
    },
    order: async (job) => {
      if (!isReady()) throw new QueueError(whyNot());
      await addOrder(queue, job);
    },
    depth: async () => (isReady() ? depthOf(queue, clock) : null),
    stop: async () => {
      ended.abort();
      const handedBack = handBack({ redis, worker, queue }, () => endBeat(redis, prefix, daemon)).catch(
        () => undefined,
      );
      await Promise.all(running);
      await within(clock, HAND_BACK_MS, handedBack);
      // A worker that is not closed by now keeps looking for a Redis that does not answer, and so keeps the process.
      void worker.close(true).catch(() => undefined);
      redis.disconnect();
    },
  };
};
