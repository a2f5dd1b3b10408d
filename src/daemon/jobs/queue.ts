import { type Job, type JobsOptions, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from '../../util/secret.ts';
import { giveToThisUser, readTextFileSync } from '../../util/files.ts';
import { StoreError, type Store } from '../../store/store.ts';
import type { JobData, JobKind } from './job.ts';
import { ATTEMPTS } from './outcome.ts';
import { QueueError } from './scheduler.ts';

export const QUEUE_NAME = 'runs';

/** Lower goes first: a resync by hand before what comes again anyway. */
const PRIORITY: Readonly<Record<JobKind, number>> = { full: 1, incremental: 10, sweep: 20 };
/** Finished jobs that are kept, of each sort. */
const KEPT_JOBS = { count: 200, age: 7 * 86_400 };
const KEPT_EVENTS = 1_000;

/** The type of the backoff whose delay the error itself carries. */
const BACKOFF = 'by-the-error';

export const jobOptions = (kind: JobKind): JobsOptions => ({
  priority: PRIORITY[kind],
  attempts: ATTEMPTS,
  backoff: { type: BACKOFF },
  removeOnComplete: KEPT_JOBS,
  removeOnFail: KEPT_JOBS,
  stackTraceLimit: 0,
});

/** What tells jobs that somebody asked for apart: where the same one waits or runs already, that is the one. */
const orderId = ({ link, kind, override }: JobData): string => {
  return override === null ? `${kind} ${link}` : `${kind} ${link} accepting deletes ${override}`;
};

/** Lets a job that waits for its next attempt begin now. */
const hurry = async (job: Job<JobData>): Promise<void> => {
  if (!(await job.isDelayed())) return;
  await job.promote().catch(async (error: unknown) => {
    // Its time may just have come.
    if (await job.isDelayed()) throw error;
  });
};

/**
 * Puts a job that somebody asked for into the queue; answers its id. Where the same one waits there for its next attempt,
 * that comes now.
 */
export const addOrder = async (queue: JobQueue, job: JobData): Promise<string> => {
  const deduplication = { id: orderId(job) };
  const added = await queue.add(job.kind, job, { ...jobOptions(job.kind), deduplication });
  if (added.id === undefined) throw new QueueError('Redis took the job but gave it no id. Run the same command again.');
  await hurry(added);
  return added.id;
};

const SECOND_MS = 1_000;

/**
 * Puts the next look at a link whose interval is `auto` into the queue, due at that time (epoch milliseconds). It is
 * named by its link and its second: whichever jobs and daemons come to the same time ask for it, there is one.
 */
export const addLook = async (queue: JobQueue, link: string, atMs: number): Promise<void> => {
  const second = Math.ceil(atMs / SECOND_MS);
  const data: JobData = { link, kind: 'incremental', override: null };
  const delay = Math.max(0, second * SECOND_MS - Date.now());
  await queue.add(data.kind, data, { ...jobOptions(data.kind), jobId: `look ${link} ${second}`, delay });
};

const ID_FILE = 'queue-id';

const idPath = (dataDir: string): string => join(dataDir, ID_FILE);

const prefixOf = (id: string): string => `contact-sync:${id}`;

/** The prefix that belongs to a directory; null where no daemon has made it yet. */
const readQueuePrefix = (dataDir: string): string | null => {
  const path = idPath(dataDir);
  if (!existsSync(path)) return null;
  try {
    return prefixOf(readTextFileSync(path).trim());
  } catch (cause) {
    const remedy = `Change its owner to the user that runs contact-sync, ${giveToThisUser(path)}`;
    throw new StoreError(`The name of the job queue in ${path} cannot be read.`, { cause, remedy });
  }
};

/** Makes the prefix of a directory where there is none yet; whoever comes first decides. */
export const makeQueuePrefix = (dataDir: string): string => {
  const known = readQueuePrefix(dataDir);
  if (known !== null) return known;
  const id = randomUUID();
  const draft = `${idPath(dataDir)}-${id}`;
  writeFileSync(draft, id, { mode: 0o600 });
  try {
    // A link appears whole or not at all, and never in the place of another process's.
    linkSync(draft, idPath(dataDir));
  } catch (error) {
    if (!existsSync(idPath(dataDir))) throw error;
  } finally {
    rmSync(draft);
  }
  return makeQueuePrefix(dataDir);
};

/** Whose queue it is. */
export type QueueOwner = { readonly store: Pick<Store, 'sharedId'>; readonly dataDir: string };

/**
 * The prefix of all keys in Redis. It belongs to the store: daemons share their work when they share the store, and
 * never take the jobs of another one that happens to use the same Redis. Null where no daemon has made it yet.
 *
 * @throws {StoreError} where it cannot be read.
 */
export const findQueuePrefix = async ({ store, dataDir }: QueueOwner): Promise<string | null> => {
  const id = await store.sharedId();
  return id === null ? readQueuePrefix(dataDir) : prefixOf(id);
};

/**
 * The prefix of all keys in Redis, made where there is none yet.
 *
 * @throws {StoreError} where it cannot be read or made.
 */
export const queuePrefixOf = async (owner: QueueOwner): Promise<string> =>
  (await findQueuePrefix(owner)) ?? makeQueuePrefix(owner.dataDir);

const LONGEST_RECONNECT_MS = 3_000;

/** Longer than a worker has Redis wait for the next job. */
const SILENT_FOR_MS = 15_000;

/**
 * A connection that waits for Redis as long as it takes. One through which an answer has not come for so long is replaced: where
 * a host went away, or what stands before it, nobody may ever close it.
 */
export const connectPatiently = (redisUrl: Secret, { silentForMs = SILENT_FOR_MS } = {}): Redis =>
  new Redis(redisUrl.reveal(), {
    maxRetriesPerRequest: null,
    socketTimeout: silentForMs,
    retryStrategy: (attempt) => Math.min(attempt * 200, LONGEST_RECONNECT_MS),
  });

const CONNECT_TIMEOUT_MS = 3_000;

/** A connection for a command of a person: what Redis does not answer in time fails. */
export const connectBriefly = (redisUrl: Secret): Redis =>
  new Redis(redisUrl.reveal(), {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: () => 1_000,
  });

/**
 * Asks Redis whether it is there.
 *
 * @throws {Error} where it does not answer now; the daemon goes on waiting for it.
 */
export const pingQueue = async (redisUrl: Secret): Promise<void> => {
  const redis = connectBriefly(redisUrl);
  // What the failed command throws says only that the connection is closed.
  let reason = '';
  redis.on('error', (error: Error) => {
    reason = ` (${error.message})`;
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (cause) {
    throw new Error(`the queue is down: Redis does not answer${reason}`, { cause });
  } finally {
    redis.disconnect();
  }
};

export type JobQueue = Queue<JobData>;

export const openQueue = (connection: Redis, prefix: string): JobQueue =>
  new Queue(QUEUE_NAME, { connection, prefix, streams: { events: { maxLen: KEPT_EVENTS } } });

const LIVE_FOR_MS = 15_000;

/** Says that a daemon lives; to be said again every few seconds. */
export const beat = async (redis: Redis, prefix: string, daemon: string): Promise<void> => {
  await redis.sadd(`${prefix}:daemons`, daemon);
  await redis.set(`${prefix}:daemon:${daemon}`, '1', 'PX', LIVE_FOR_MS);
};

/** Takes back that a daemon lives. */
export const endBeat = async (redis: Redis, prefix: string, daemon: string): Promise<void> => {
  await redis.srem(`${prefix}:daemons`, daemon);
  await redis.del(`${prefix}:daemon:${daemon}`);
};

/** Whether a daemon works on this queue; forgets those that died. */
export const isDaemonAlive = async (redis: Redis, prefix: string): Promise<boolean> => {
  const daemons = await redis.smembers(`${prefix}:daemons`);
  const alive = await Promise.all(daemons.map((daemon) => redis.exists(`${prefix}:daemon:${daemon}`)));
  const dead = daemons.filter((_, index) => alive[index] === 0);
  if (dead.length > 0) await redis.srem(`${prefix}:daemons`, dead);
  return dead.length < daemons.length;
};
