import { type Job, type JobsOptions, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Secret } from '../../util/secret.ts';
import { accessRemedy } from '../../util/files.ts';
import { StoreError, type Store } from '../../store/store.ts';
import type { JobData } from './job.ts';
import { ATTEMPTS } from './outcome.ts';
import { QueueError } from './scheduler.ts';

export const QUEUE_NAME = 'runs';

/** The priorities of jobs. A lower number is first: a requested resync before scheduled runs. */
const PRIORITY: Readonly<Record<JobData['kind'], number>> = { full: 1, incremental: 10 };
/** The number and age (seconds) of the finished jobs that are kept, for completed and failed jobs each. */
const KEPT_JOBS = { count: 200, age: 7 * 86_400 };
const KEPT_EVENTS = 1_000;

/** The backoff strategy that reads the delay from the error. */
const BACKOFF = 'by-the-error';

export const jobOptions = (kind: JobData['kind']): JobsOptions => ({
  priority: PRIORITY[kind],
  attempts: ATTEMPTS,
  backoff: { type: BACKOFF },
  removeOnComplete: KEPT_JOBS,
  removeOnFail: KEPT_JOBS,
  stackTraceLimit: 0,
});

/** The deduplication id of a requested job: an equal job that waits or runs is used instead of a new one. */
const requestId = ({ link, kind, override, restores }: JobData): string => {
  return override === null
    ? `${kind} ${link}`
    : `${kind} ${link} accepting ${restores ? 'a restore' : 'deletes'} ${override}`;
};

/** Starts a delayed job now. */
const promoteIfDelayed = async (job: Job<JobData>): Promise<void> => {
  if (!(await job.isDelayed())) return;
  await job.promote().catch(async (error: unknown) => {
    // The job may have started in the meantime.
    if (await job.isDelayed()) throw error;
  });
};

/**
 * Adds a requested job to the queue and returns its id. If an equal job waits for its next attempt, that attempt starts
 * now.
 */
export const addRequestedJob = async (queue: JobQueue, job: JobData): Promise<string> => {
  const deduplication = { id: requestId(job) };
  const added = await queue.add(job.kind, job, { ...jobOptions(job.kind), deduplication });
  if (added.id === undefined) throw new QueueError('Redis took the job but gave it no id. Run the same command again.');
  await promoteIfDelayed(added);
  return added.id;
};

const SECOND_MS = 1_000;

/**
 * Adds the next poll of a link with an `auto` interval to the queue, due at `atMs` (epoch milliseconds). Its id contains the
 * link and the second, so concurrent calls for the same second add one job.
 */
export const addPoll = async (queue: JobQueue, link: string, atMs: number): Promise<void> => {
  const second = Math.ceil(atMs / SECOND_MS);
  const data: JobData = { link, kind: 'incremental', override: null };
  const delay = Math.max(0, second * SECOND_MS - Date.now());
  await queue.add(data.kind, data, { ...jobOptions(data.kind), jobId: `look ${link} ${second}`, delay });
};

const ID_FILE = 'queue-id';

const idPath = (dataDir: string): string => join(dataDir, ID_FILE);

const prefixOf = (id: string): string => `contact-sync:${id}`;

/** The prefix of a DATA_DIR; null if no daemon has created it yet. */
const readQueuePrefix = (dataDir: string): string | null => {
  const path = idPath(dataDir);
  if (!existsSync(path)) return null;
  try {
    return prefixOf(readFileSync(path, 'utf8').trim());
  } catch (cause) {
    const message = `The name of the job queue in ${path} cannot be read.`;
    throw new StoreError(message, { cause, remedy: accessRemedy(path) });
  }
};

/** Returns the prefix of a DATA_DIR and creates it if it is missing. Of concurrent calls, the first one decides. */
export const makeQueuePrefix = (dataDir: string): string => {
  const known = readQueuePrefix(dataDir);
  if (known !== null) return known;
  const id = randomUUID();
  const draft = `${idPath(dataDir)}-${id}`;
  writeFileSync(draft, id, { mode: 0o600 });
  try {
    // A hard link is created atomically and never replaces the file of another process.
    linkSync(draft, idPath(dataDir));
  } catch (error) {
    if (!existsSync(idPath(dataDir))) throw error;
  } finally {
    rmSync(draft);
  }
  return makeQueuePrefix(dataDir);
};

/** The store and directory to which a queue belongs. */
export type QueueOwner = { readonly store: Pick<Store, 'sharedId'>; readonly dataDir: string };

/**
 * The prefix of all keys in Redis. It belongs to the store: daemons with the same store share the queue, and daemons of
 * another store in the same Redis do not. Null if no daemon has created it yet.
 *
 * @throws {StoreError} if it cannot be read.
 */
export const findQueuePrefix = async ({ store, dataDir }: QueueOwner): Promise<string | null> => {
  const id = await store.sharedId();
  return id === null ? readQueuePrefix(dataDir) : prefixOf(id);
};

/** Like {@link findQueuePrefix}. Creates a missing prefix. */
export const queuePrefixOf = async (owner: QueueOwner): Promise<string> =>
  (await findQueuePrefix(owner)) ?? makeQueuePrefix(owner.dataDir);

const LONGEST_RECONNECT_MS = 3_000;

/** The time without an answer after which a connection is replaced. It is longer than a blocking read of a worker. */
const SILENT_FOR_MS = 15_000;

/**
 * A connection with unlimited retries. A connection without an answer for `silentForMs` is replaced, because after the loss of a
 * host or a proxy it may stay open forever.
 */
export const connectWithRetry = (redisUrl: Secret, { silentForMs = SILENT_FOR_MS } = {}): Redis =>
  new Redis(redisUrl.reveal(), {
    maxRetriesPerRequest: null,
    socketTimeout: silentForMs,
    retryStrategy: (attempt) => Math.min(attempt * 200, LONGEST_RECONNECT_MS),
  });

const CONNECT_TIMEOUT_MS = 3_000;

/** A connection for a command: requests that Redis does not answer in time fail. */
export const connectBriefly = (redisUrl: Secret): Redis =>
  new Redis(redisUrl.reveal(), {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 1,
    retryStrategy: () => 1_000,
  });

export type JobQueue = Queue<JobData>;

export const openQueue = (connection: Redis, prefix: string): JobQueue =>
  new Queue(QUEUE_NAME, { connection, prefix, streams: { events: { maxLen: KEPT_EVENTS } } });

/** Returns whether a daemon serves this queue: one of its workers is connected to Redis. */
export const isServed = async (queue: JobQueue): Promise<boolean> => (await queue.getWorkersCount()) > 0;
