import type { Redis } from 'ioredis';
import type { Config } from '../../app/config/config.ts';
import type { Clock } from '../../util/clock.ts';
import type { Secret } from '../../util/secret.ts';
import { watchTrouble } from '../../util/redis-trouble.ts';
import { storedReport, type StoredReport } from './job.ts';
import { QueueError } from './scheduler.ts';
import {
  addRequestedJob,
  connectBriefly,
  findQueuePrefix,
  isServed,
  openQueue,
  type JobQueue,
  type QueueOwner,
} from './queue.ts';

const READ_EVERY_MS = 500;
/** The longest time without Redis or a daemon while a command waits for a job. */
const LONGEST_ABSENCE_MS = 60_000;

/** The report of a job; null while it waits or runs. */
const readReport = async (queue: JobQueue, id: string): Promise<StoredReport | null> => {
  // Read before the job: the report of a finished job does not change.
  const state = await queue.getJobState(id);
  const job = await queue.getJob(id);
  if (job === undefined) {
    throw new QueueError('The job is gone from the queue: Redis was emptied. Run the same command again.');
  }
  if (state !== 'completed' && state !== 'failed') return null;
  const parsed = storedReport.safeParse(job.returnvalue);
  if (parsed.success) return parsed.data;
  const message = job.failedReason || 'The job ended without a report. See the log of the daemon.';
  return { ending: 'failed', message, summary: null };
};

type Waiting = { readonly clock: Clock; readonly signal: AbortSignal };

const waitFor = async (queue: JobQueue, id: string, { clock, signal }: Waiting): Promise<StoredReport> => {
  let wellTickMs = clock.monotonic();
  for (;;) {
    try {
      const report = await readReport(queue, id);
      if (report !== null) return report;
      if (await isServed(queue)) wellTickMs = clock.monotonic();
    } catch (error) {
      if (error instanceof QueueError) throw error;
    }
    if (clock.monotonic() - wellTickMs > LONGEST_ABSENCE_MS) {
      throw new QueueError('No daemon works on the queue any more. The job waits there for the next one.');
    }
    await clock.sleep(READ_EVERY_MS, signal);
  }
};

/** Removes the jobs of a link; its schedule too if it is no longer configured. */
const removeJobs = async (queue: JobQueue, link: string, isConfigured: boolean): Promise<void> => {
  if (!isConfigured) await queue.removeJobScheduler(link);
  // The next job of a schedule cannot be removed without it.
  const waiting = (await queue.getJobs(['waiting', 'prioritized', 'delayed'])).filter(
    ({ repeatJobKey }) => repeatJobKey === undefined,
  );
  for (const job of [...(await queue.getJobs(['completed', 'failed'])), ...waiting]) {
    if (job.data.link === link) await job.remove();
  }
  // The event log of the queue repeats the data of jobs.
  await queue.trimEvents(0);
};

/** Connects a command to the queue, until the stack is disposed. Throws if Redis does not answer. */
const connectQueue = async (redis: Redis, prefix: string, stack: AsyncDisposableStack): Promise<JobQueue> => {
  stack.defer(() => redis.disconnect());
  await redis.connect();
  const queue = openQueue(redis, prefix);
  queue.on('error', () => undefined);
  stack.defer(() => queue.close());
  return queue;
};

type ForgetJobsParts = {
  readonly config: Pick<Config, 'redisUrl' | 'dataDir' | 'links'>;
  readonly store: QueueOwner['store'];
};

/**
 * Removes the waiting and finished jobs of a link from the queue. Does nothing without a queue. The schedule of a configured link
 * stays: a daemon serves it.
 *
 * @throws {QueueError} if Redis does not answer.
 */
export const forgetJobs = async (
  { config: { redisUrl, dataDir, links }, store }: ForgetJobsParts,
  link: string,
): Promise<void> => {
  const prefix = redisUrl === null ? null : await findQueuePrefix({ store, dataDir });
  if (redisUrl === null || prefix === null) return;
  await using stack = new AsyncDisposableStack();
  const redis = connectBriefly(redisUrl);
  redis.on('error', () => undefined);
  try {
    const isConfigured = links.some(({ name }) => name === link);
    await removeJobs(await connectQueue(redis, prefix, stack), link, isConfigured);
  } catch (cause) {
    throw new QueueError('Redis does not answer, so the job queue could not be cleared. Nothing was deleted yet.', {
      cause,
    });
  }
};

/** The queue of a running daemon, for a command, until the stack is disposed. */
const createClient = (queue: JobQueue, open: AsyncDisposableStack) => ({
  /**
   * Requests a full resync and returns the id of the job. An equal job that waits or runs is used instead of a new one.
   * `override` is the nonce of the halted plan that is accepted.
   */
  enqueue: (link: string, { override }: { readonly override: string | null }): Promise<string> =>
    addRequestedJob(queue, { link, kind: 'full', override, byHand: true }),
  /**
   * Waits for the end of a job. An abort of the signal ends the wait, and the job continues.
   *
   * @throws {QueueError} if the job or the daemon disappeared; the signal's reason if aborted.
   */
  waitFor: (id: string, waiting: Waiting): Promise<StoredReport> => waitFor(queue, id, waiting),
  [Symbol.asyncDispose]: (): Promise<void> => open.disposeAsync(),
});

export type QueueClient = ReturnType<typeof createClient>;

/** Opens the queue if a daemon serves it. Otherwise returns the reason why it is not used, as a sentence. */
export const openQueueClient = async (
  owner: QueueOwner,
  redisUrl: Secret,
): Promise<QueueClient | { readonly reason: string }> => {
  const prefix = await findQueuePrefix(owner);
  if (prefix === null) return { reason: 'No daemon has worked on the queue of this DATA_DIR yet.' };
  await using stack = new AsyncDisposableStack();
  const redis = connectBriefly(redisUrl);
  const troubleOf = watchTrouble(redis);
  try {
    const queue = await connectQueue(redis, prefix, stack);
    if (!(await isServed(queue))) return { reason: 'No daemon works on the queue.' };
    return createClient(queue, stack.move());
  } catch (error) {
    const { what, remedy } = troubleOf(error);
    return { reason: `No daemon can be asked: Redis ${what}. ${remedy}` };
  }
};
