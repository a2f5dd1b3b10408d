import type { Redis } from 'ioredis';
import type { Config } from '../../app/config/config.ts';
import type { Clock } from '../../util/clock.ts';
import type { Secret } from '../../util/secret.ts';
import { watchTrouble } from '../../util/redis-trouble.ts';
import { jobState, type JobState } from './job.ts';
import { QueueError } from './scheduler.ts';
import {
  addRequestedJob,
  connectBriefly,
  findQueuePrefix,
  isDaemonAlive,
  openQueue,
  type JobQueue,
  type QueueOwner,
} from './queue.ts';

type FollowOptions = {
  readonly clock: Clock;
  /** Stops following the job, which continues. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: NonNullable<JobState['progress']>) => void;
};

/** The queue of a running daemon, for a command. */
export type QueueClient = {
  /**
   * Requests a full resync and returns the id of the job. An equal job that waits or runs is used instead of a new one.
   * `override` is the nonce of the halted plan that is accepted.
   */
  enqueue(link: string, options: { readonly override: string | null }): Promise<string>;
  /**
   * Follows a job to its end.
   *
   * @throws {QueueError} if the job or the daemon disappeared; the signal's reason if aborted.
   */
  follow(id: string, options: FollowOptions): Promise<NonNullable<JobState['report']>>;
  [Symbol.asyncDispose](): Promise<void>;
};

const READ_EVERY_MS = 500;
/** The longest time without Redis or a daemon while a job is followed. */
const LONGEST_ABSENCE_MS = 60_000;

type JobSnapshot = { readonly progress: JobState['progress']; readonly report: JobState['report'] };

/** Reads the state of a job. */
const readJob = async (queue: JobQueue, id: string): Promise<JobSnapshot> => {
  // Read before the job: the report of a finished job does not change.
  const isOver = await queue.getJobState(id);
  const job = await queue.getJob(id);
  if (job === undefined) {
    throw new QueueError('The job is gone from the queue: Redis was emptied. Run the same command again.');
  }
  const parsed = jobState.safeParse(job.progress);
  const { progress, report } = parsed.success ? parsed.data : { progress: null, report: null };
  if (isOver !== 'completed' && isOver !== 'failed') return { progress, report: null };
  const message = job.failedReason || 'The job ended without a report. See the log of the daemon.';
  return { progress, report: report ?? { ending: 'failed', message, summary: null } };
};

const follow = async (
  { redis, queue, prefix }: { redis: Redis; queue: JobQueue; prefix: string },
  id: string,
  { clock, signal, onProgress }: FollowOptions,
): Promise<NonNullable<JobState['report']>> => {
  let wellAtMs = clock.monotonic();
  for (;;) {
    try {
      const { progress, report } = await readJob(queue, id);
      if (progress !== null) onProgress(progress);
      if (report !== null) return report;
      if (await isDaemonAlive(redis, prefix)) wellAtMs = clock.monotonic();
    } catch (error) {
      if (error instanceof QueueError) throw error;
    }
    if (clock.monotonic() - wellAtMs > LONGEST_ABSENCE_MS) {
      throw new QueueError('No daemon works on the queue any more. The job waits there for the next one.');
    }
    await clock.sleep(READ_EVERY_MS, signal);
  }
};

/** A selection of jobs: those of a link, and with `texts` only those that contain one of the texts. */
type JobFilter = { readonly link: string; readonly texts: readonly string[] | null };

const removeJobs = async (queue: JobQueue, { link, texts }: JobFilter): Promise<void> => {
  if (texts === null) {
    const schedules = (await queue.getJobSchedulers()).filter(({ template }) => template?.data?.link === link);
    for (const { key } of schedules) await queue.removeJobScheduler(key);
  }
  const states = ['completed', 'failed', 'waiting', 'prioritized', 'delayed'] as const;
  for (const job of await queue.getJobs([...states])) {
    if (job.data.link !== link) continue;
    const content = JSON.stringify(job.asJSON());
    if (texts === null || texts.some((text) => content.includes(JSON.stringify(text).slice(1, -1)))) await job.remove();
  }
  // The event log of the queue repeats the data of jobs.
  await queue.trimEvents(0);
};

/**
 * Removes waiting and finished jobs from the queue, and also the schedules if all jobs of a link are selected. Does nothing
 * without a queue.
 *
 * @throws {QueueError} if Redis does not answer.
 */
export const forgetJobs = async (
  { config: { redisUrl, dataDir }, store }: { readonly config: Config; readonly store: QueueOwner['store'] },
  filter: JobFilter,
): Promise<void> => {
  const prefix = redisUrl === null ? null : await findQueuePrefix({ store, dataDir });
  if (redisUrl === null || prefix === null) return;
  const redis = connectBriefly(redisUrl);
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const queue = openQueue(redis, prefix);
    queue.on('error', () => undefined);
    try {
      await removeJobs(queue, filter);
    } finally {
      await queue.close();
    }
  } catch (cause) {
    throw new QueueError('Redis does not answer, so the job queue could not be cleared. Nothing was deleted yet.', {
      cause,
    });
  } finally {
    redis.disconnect();
  }
};

/** Opens the queue if a daemon serves it. Otherwise returns the reason why it is not used, as a sentence. */
export const openQueueClient = async (
  owner: QueueOwner,
  redisUrl: Secret,
): Promise<QueueClient | { readonly reason: string }> => {
  const prefix = await findQueuePrefix(owner);
  if (prefix === null) return { reason: 'No daemon has worked on the queue of this DATA_DIR yet.' };
  const redis = connectBriefly(redisUrl);
  const troubleOf = watchTrouble(redis);
  const reason = await redis
    .connect()
    .then(() => isDaemonAlive(redis, prefix))
    .then(
      (isAlive) => (isAlive ? null : 'No daemon works on the queue.'),
      (error: unknown) => {
        const { what, remedy } = troubleOf(error);
        return `No daemon can be asked: Redis ${what}. ${remedy}`;
      },
    );
  if (reason !== null) {
    redis.disconnect();
    return { reason };
  }
  const queue = openQueue(redis, prefix);
  queue.on('error', () => undefined);
  return {
    enqueue: (link, { override }) => addRequestedJob(queue, { link, kind: 'full', override, byHand: true }),
    follow: (id, options) => follow({ redis, queue, prefix }, id, options),
    [Symbol.asyncDispose]: async () => {
      await queue.close();
      redis.disconnect();
    },
  };
};
