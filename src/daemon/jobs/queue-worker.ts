import { DelayedError, type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { jobData, type JobData, type JobReport } from './job.ts';
import { ATTEMPTS, BUSY_ATTEMPTS } from './outcome.ts';
import { addPoll, QUEUE_NAME, type JobQueue } from './queue.ts';
import type { RunJob } from './scheduler.ts';

/** The time until another worker starts the job of a dead process. The lease of its link expires at about the same time. */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** A job whose process died this many times is not started again. */
const MOST_STALLS = 3;
const RECONNECT_MS = 1_000;

/** A job whose remote was unavailable. BullMQ reads the delay of the next attempt from it. */
class RetryError extends Error {
  readonly retryInMs: number;

  constructor(message: string, retryInMs: number) {
    super(message);
    this.name = 'RetryError';
    this.retryInMs = retryInMs;
  }
}

const readJob = (job: Job<JobData>): JobData => {
  const parsed = jobData.safeParse(job.data);
  if (parsed.success) return parsed.data;
  throw new UnrecoverableError('The job cannot be read: another version of contact-sync may have queued it.');
};

/** Returns the job to the queue until its next attempt. */
const delay = async (job: Job<JobData>, token: string, { nextInMs }: JobReport): Promise<never> => {
  await job.moveToDelayed(Date.now() + (nextInMs ?? 0), token);
  throw new DelayedError();
};

/**
 * Ends the job in BullMQ by its report (outcome.ts), which becomes its return value. A job that goes on later throws the error
 * that BullMQ expects.
 */
const conclude = async (
  job: Job<JobData>,
  token: string,
  { kind, byHand }: JobData,
  report: JobReport,
): Promise<JobReport> => {
  switch (report.ending) {
    case 'completed':
    case 'halted':
    case 'paused':
    case 'failed':
      return report;
    case 'skipped':
      return report.isUnknown && job.attemptsStarted < BUSY_ATTEMPTS ? delay(job, token, report) : report;
    case 'unavailable':
      if (job.attemptsMade + 1 >= ATTEMPTS) return report;
      throw new RetryError(report.message ?? report.ending, report.nextInMs ?? 0);
    case 'busy':
      // A requested job keeps waiting; a scheduled job ends, because the other process does the work.
      if (kind !== 'full' && byHand !== true && job.attemptsStarted >= BUSY_ATTEMPTS) return report;
      return delay(job, token, report);
    case 'stopped':
      if (report.isOver) return report;
      await job.moveToWait(token);
      throw new WaitingError();
  }
};

type WorkerOptions = {
  readonly connection: Redis;
  readonly prefix: string;
  readonly concurrency: number;
  readonly runJob: RunJob;
  /** The queue for the next poll of a link. */
  readonly queue: JobQueue;
};

/** Starts a worker that runs the jobs of the queue, at most `concurrency` at a time. */
export const startWorker = ({ connection, prefix, concurrency, runJob, queue }: WorkerOptions): Worker<JobData> => {
  const work = async (job: Job<JobData>, token = ''): Promise<JobReport> => {
    const data = readJob(job);
    const report = await runJob(data);
    const { ending, nextInMs, isUnknown = false } = report;
    const isPoll = ending === 'completed' || (ending === 'skipped' && !isUnknown);
    if (isPoll && nextInMs !== null) await addPoll(queue, data.link, Date.now() + nextInMs);
    return conclude(job, token, data, report);
  };
  return new Worker<JobData>(QUEUE_NAME, work, {
    connection,
    prefix,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MOST_STALLS,
    runRetryDelay: RECONNECT_MS,
    settings: {
      backoffStrategy: (_attempts, _type, error) => (error instanceof RetryError ? error.retryInMs : -1),
    },
  });
};
