import type { Redis } from 'ioredis';
import type { Config } from '../../app/config/config.ts';
import type { Clock } from '../../util/clock.ts';
import type { Secret } from '../../util/secret.ts';
import { watchTrouble } from '../../util/redis-trouble.ts';
import type { NoDaemon } from '../../app/heartbeat.ts';
import { jobState, type JobState } from './job.ts';
import { QueueError } from './scheduler.ts';
import {
  addOrder,
  connectBriefly,
  findQueuePrefix,
  isDaemonAlive,
  openQueue,
  type JobQueue,
  type QueueOwner,
} from './queue.ts';

type FollowOptions = {
  readonly clock: Clock;
  /** Ends the following; the job goes on. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: NonNullable<JobState['progress']>) => void;
};

/** The queue as a command sees it while a daemon works on it. */
export type QueueClient = {
  /**
   * Asks for a full resync; where the same one waits or runs already, that is the one. `override` is the nonce of the
   * halted plan that it lets pass. Answers the job's id.
   */
  enqueue(link: string, options: { readonly override: string | null }): Promise<string>;
  /**
   * Follows a job to its end.
   *
   * @throws {QueueError} where the job or the daemon went away; the signal's reason when aborted.
   */
  follow(id: string, options: FollowOptions): Promise<NonNullable<JobState['report']>>;
  [Symbol.asyncDispose](): Promise<void>;
};

const LOOK_EVERY_MS = 500;
/** So long may Redis, or every daemon, be away while a job is followed. */
const PATIENCE_MS = 60_000;

type Seen = { readonly progress: JobState['progress']; readonly report: JobState['report'] };

/** What stands at the job now. */
const lookAt = async (queue: JobQueue, id: string): Promise<Seen> => {
  // Asked for first: what a finished job reports does not change any more.
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
      const { progress, report } = await lookAt(queue, id);
      if (progress !== null) onProgress(progress);
      if (report !== null) return report;
      if (await isDaemonAlive(redis, prefix)) wellAtMs = clock.monotonic();
    } catch (error) {
      if (error instanceof QueueError) throw error;
    }
    if (clock.monotonic() - wellAtMs > PATIENCE_MS) {
      throw new QueueError('No daemon works on the queue any more. The job waits there for the next one.');
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
};

/** Which jobs are meant: of that link, and where `texts` are given only those that say one of them. */
type JobsMeant = { readonly link: string; readonly texts: readonly string[] | null };

const removeJobs = async (queue: JobQueue, { link, texts }: JobsMeant): Promise<void> => {
  if (texts === null) {
    const schedules = (await queue.getJobSchedulers()).filter(({ template }) => template?.data?.link === link);
    for (const { key } of schedules) await queue.removeJobScheduler(key);
  }
  const states = ['completed', 'failed', 'waiting', 'prioritized', 'delayed'] as const;
  for (const job of await queue.getJobs([...states])) {
    if (job.data.link !== link) continue;
    const said = JSON.stringify(job.asJSON());
    if (texts === null || texts.some((text) => said.includes(JSON.stringify(text).slice(1, -1)))) await job.remove();
  }
  // The queue's log of what happened repeats what jobs said.
  await queue.trimEvents(0);
};

/**
 * Takes jobs that are not under way out of the queue, and with all of a link's its schedules. Does nothing where there is
 * no queue.
 *
 * @throws {QueueError} where Redis does not answer.
 */
export const forgetJobs = async (
  { config: { redisUrl, dataDir }, store }: { readonly config: Config; readonly store: QueueOwner['store'] },
  meant: JobsMeant,
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
      await removeJobs(queue, meant);
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

/** Opens the queue where a daemon works on it. */
export const openQueueClient = async (owner: QueueOwner, redisUrl: Secret): Promise<QueueClient | NoDaemon> => {
  const prefix = await findQueuePrefix(owner);
  if (prefix === null) return { why: 'No daemon has worked on the queue of this DATA_DIR yet.' };
  const redis = connectBriefly(redisUrl);
  const troubleOf = watchTrouble(redis);
  const why = await redis
    .connect()
    .then(() => isDaemonAlive(redis, prefix))
    .then(
      (isAlive) => (isAlive ? null : 'No daemon works on the queue.'),
      (error: unknown) => {
        const { what, remedy } = troubleOf(error);
        return `No daemon can be asked: Redis ${what}. ${remedy}`;
      },
    );
  if (why !== null) {
    redis.disconnect();
    return { why };
  }
  const queue = openQueue(redis, prefix);
  queue.on('error', () => undefined);
  return {
    enqueue: (link, { override }) => addOrder(queue, { link, kind: 'full', override, byHand: true }),
    follow: (id, options) => follow({ redis, queue, prefix }, id, options),
    [Symbol.asyncDispose]: async () => {
      await queue.close();
      redis.disconnect();
    },
  };
};
