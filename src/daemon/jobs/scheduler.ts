import type { JobData, JobReport } from './job.ts';
import { createHash } from 'node:crypto';
import type { LinkConfig } from '../../app/config/link-config.ts';

/** Runs one job to its end and returns its report; never throws. */
export type RunJob = (job: JobData) => Promise<JobReport>;

/** The number of jobs that are due and wait, and of jobs that run. */
export type QueueDepth = { readonly waiting: number; readonly active: number };

/** Starts the jobs of all links when they are due: with timers in this process, or through Redis. */
export type Scheduler = {
  readonly kind: 'embedded' | 'redis';
  /** Replaces the schedules. Current jobs continue. Returns immediately. */
  apply(schedules: readonly Schedule[]): void;
  /**
   * Requests a job in addition to the schedules. It waits while its link is busy. An equal job that waits is not added twice.
   *
   * @throws {QueueError} if the queue does not accept it.
   */
  requestJob(job: JobData): Promise<void>;
  /** The reason why no job can run now, as a sentence; null if jobs can run. */
  trouble(): Promise<string | null>;
  /** The depth of the queue, of all processes that share it; null if it is unknown now. */
  depth(): Promise<QueueDepth | null>;
  /** Accepts no new job, and resolves when the current jobs have ended. */
  stop(): Promise<void>;
};

/** The job queue failed. The message contains the effect and the remedy. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

/** The repeated incremental run of a link, `offsetMs` after the start of each interval. */
export type Schedule = {
  readonly link: string;
  readonly everyMs: number;
  /** At least 0, less than `everyMs`. */
  readonly offsetMs: number;
  /** The time from the start of the schedule to the first run, which does not wait for its slot. */
  readonly firstInMs: number;
};

/** The slot of a link as a part of an interval, at least 0 and less than 1. It depends on the name only, so all hosts agree. */
const phaseOf = (link: string): number => createHash('sha256').update(link).digest().readUInt32BE() / 2 ** 32;

/** The distance between the first runs of links that start together. */
const FIRST_APART_MS = 1_000;

/** The schedules of all links. The name of a link determines its slot, so adding or removing a link moves no other. */
export const schedulesOf = (links: readonly LinkConfig[]): readonly Schedule[] =>
  links.map(({ name, syncIntervalMs }) => {
    const phase = phaseOf(name);
    return {
      link: name,
      everyMs: syncIntervalMs,
      offsetMs: Math.floor(syncIntervalMs * phase),
      firstInMs: Math.floor(Math.min(syncIntervalMs, (links.length - 1) * FIRST_APART_MS) * phase),
    };
  });
