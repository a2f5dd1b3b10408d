import { expect } from 'vitest';
import { systemClock, type Clock } from '../../../src/util/clock.ts';
import { Secret } from '../../../src/util/secret.ts';
import type { JobReport } from '../../../src/daemon/jobs/job.ts';
import { openQueueClient } from '../../../src/daemon/jobs/queue-client.ts';
import { createQueueScheduler } from '../../../src/daemon/jobs/queue-scheduler.ts';
import { isServed, makeQueuePrefix, openQueue } from '../../../src/daemon/jobs/queue.ts';
import type { RunJob, Schedule } from '../../../src/daemon/jobs/scheduler.ts';
import { createFolder } from '../folder.ts';
import { createEventLog } from './log-lines.ts';
import type { TestRedis } from '../redis.ts';

/** The default report of a job. */
export const report = (change: Partial<JobReport> = {}): JobReport => {
  return { ending: 'completed', message: null, summary: null, nextInMs: null, ...change };
};

/** A schedule of a link that starts at once. */
export const every = (link: string, everyMs: number): Schedule => {
  return { link, everyMs, offsetMs: 0, firstInMs: 0 };
};

/** A store of no other host. */
export const IN_DATA_DIR = { sharedId: () => Promise.resolve(null) };

/** The daemons and the clients of one data directory. */
export type QueueStage = Awaited<ReturnType<typeof openQueueStage>>;

/** Opens an empty data directory. Everything that is started there ends with the stage. */
export const openQueueStage = async (redis: TestRedis) => {
  const stack = new AsyncDisposableStack();
  const { path: dataDir } = stack.use(await createFolder());
  // Created at the first use: before that, the directory shows that no daemon has run there.
  const prefixOf = (): string => makeQueuePrefix(dataDir);

  /** A scheduler whose jobs end like `runJob`. Several schedulers are several daemons. */
  const startScheduler = (runJob: RunJob, concurrency = 10, url = redis.url, clock: Clock = systemClock) => {
    const log = createEventLog();
    const redisUrl = new Secret(url);
    const onUsable = () => Promise.resolve();
    const parts = { redisUrl, prefix: prefixOf(), clock, events: log.events, concurrency, runJob, onUsable };
    const scheduler = createQueueScheduler(parts);
    const stopOnce = (): Promise<void> => (stopping ??= scheduler.stop());
    let stopping: Promise<void> | null = null;
    stack.defer(stopOnce);
    return { scheduler, log, stop: stopOnce };
  };
  return {
    dataDir,
    stack,
    startScheduler,
    queue: () => {
      const opened = openQueue(redis.client, prefixOf());
      stack.defer(() => opened.close());
      return opened;
    },
    client: async () => {
      const opened = await openQueueClient({ store: IN_DATA_DIR, dataDir }, new Secret(redis.url));
      if ('reason' in opened) throw new Error(opened.reason);
      return stack.use(opened);
    },
    /** Resolves when a daemon has registered itself. */
    ready: async ({ scheduler, log }: ReturnType<typeof startScheduler>, schedules: readonly Schedule[]) => {
      scheduler.apply(schedules);
      const served = openQueue(redis.client, prefixOf());
      stack.defer(() => served.close());
      if (schedules.length > 0) await log.until('schedulesCreated');
      await expect.poll(() => isServed(served)).toBe(true);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
};
