import type { JobProgress, JobReport, JobData } from './job.ts';
import { createHash } from 'node:crypto';
import type { LinkConfig } from '../../app/config/link-config.ts';

/** Runs one job to its end and returns its report; never throws. */
export type RunJob = (
  job: JobData,
  options?: { readonly onProgress?: (progress: JobProgress) => void },
) => Promise<JobReport>;

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

/** A repeated job, `offsetMs` after the start of each interval. */
export type Schedule = {
  readonly link: string;
  readonly kind: Exclude<JobData['kind'], 'full'>;
  readonly everyMs: number;
  /** At least 0, less than `everyMs`. */
  readonly offsetMs: number;
  /** The longest time from the start of the schedule to the first job, which may be outside of the slots. */
  readonly firstWithinMs: number;
};

/** The slot of a link as a part of an interval, at least 0 and less than 1. It depends on the name only, so all hosts agree. */
const phaseOf = (link: string): number => createHash('sha256').update(link).digest().readUInt32BE() / 2 ** 32;

/** The distance between the first jobs of schedules that start together. They do not wait for their slots. */
const FIRST_APART_MS = 1_000;

/**
 * The schedules of all links. The name of a link determines its slot, so adding or removing a link moves no other. The sweep
 * of a link starts half an interval after an incremental run, so that the two do not overlap. The name also determines this
 * incremental run, so that sweeps are spread over their own, longer interval.
 */
export const schedulesOf = (links: readonly LinkConfig[]): readonly Schedule[] =>
  links.flatMap(({ name, syncIntervalMs, sweepIntervalMs }): Schedule[] => {
    const offsetMs = Math.floor(syncIntervalMs * phaseOf(name));
    const firstWithinMs = Math.floor(Math.min(syncIntervalMs, (links.length - 1) * FIRST_APART_MS) * phaseOf(name));
    const cycle = Math.floor((sweepIntervalMs / syncIntervalMs) * phaseOf(`sweep ${name}`));
    const sweepMs = Math.floor((offsetMs + (cycle + 0.5) * syncIntervalMs) % sweepIntervalMs);
    return [
      { link: name, kind: 'incremental', everyMs: syncIntervalMs, offsetMs, firstWithinMs },
      { link: name, kind: 'sweep', everyMs: sweepIntervalMs, offsetMs: sweepMs, firstWithinMs: sweepMs },
    ];
  });

/** The time of the next slot, in milliseconds on the same clock as `nowMs`. Missed slots are skipped. */
export const nextSlot = ({ everyMs, offsetMs }: Pick<Schedule, 'everyMs' | 'offsetMs'>, nowMs: number): number => {
  const slots = Math.floor((nowMs - offsetMs) / everyMs) + 1;
  return offsetMs + Math.max(0, slots) * everyMs;
};
