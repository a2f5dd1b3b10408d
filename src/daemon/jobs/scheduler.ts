import type { JobProgress, JobReport, JobData, JobKind } from './job.ts';
import { createHash } from 'node:crypto';
import type { LinkConfig } from '../../app/config/config.ts';

/** Runs one job to its end and reports; never throws. Both schedulers run the same one. */
export type RunJob = (
  job: JobData,
  options?: { readonly onProgress?: (progress: JobProgress) => void },
) => Promise<JobReport>;

/** How many jobs are there: due, and waiting for their turn; and being run now. */
export type QueueDepth = { readonly waiting: number; readonly active: number };

/** Starts the jobs of all links when they are due: by timers in this process, or through Redis. */
export type Scheduler = {
  readonly kind: 'embedded' | 'redis';
  /** Replaces the earlier schedules by these; jobs under way go on. Does not wait for anything. */
  apply(schedules: readonly Schedule[]): void;
  /**
   * Takes a job besides the schedules, which waits while its link is busy; where the same one waits already, that is the one.
   *
   * @throws {QueueError} where the queue does not take it.
   */
  order(job: JobData): Promise<void>;
  /** What keeps jobs from being run now, as a sentence; null where nothing does. */
  trouble(): Promise<string | null>;
  /** The jobs that are due or under way, of all processes that share the queue; null where that cannot be told now. */
  depth(): Promise<QueueDepth | null>;
  /** Takes no new job, and resolves when those under way have ended. */
  stop(): Promise<void>;
};

/** The job queue cannot do what was asked; the message says what became of it and what to do. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
}

export type ScheduledKind = Exclude<JobKind, 'full'>;

/** A job that comes again and again: `offsetMs` into every interval. */
export type Schedule = {
  readonly link: string;
  readonly kind: ScheduledKind;
  readonly everyMs: number;
  /** At least 0, less than `everyMs`. */
  readonly offsetMs: number;
  /** How long after the schedule has begun the job comes at the latest, though that is none of its slots. */
  readonly firstMs: number;
};

/** Where in an interval a link has its slot, at least 0 and less than 1: by its name alone, the same on every host. */
const phaseOf = (link: string): number => createHash('sha256').update(link).digest().readUInt32BE() / 2 ** 32;

/** Schedules that begin together do not wait for their slots: their first jobs come with so long between them. */
const FIRST_APART_MS = 1_000;

/**
 * The schedules of all links. Slots are spread over the interval by the links' names, so that a link that comes or goes
 * moves no other. A link's sweep comes half an interval after an incremental run, so that the two do not meet; which one
 * goes by the name too, so that the sweeps of all links are spread over their own, longer interval.
 */
export const schedulesOf = (links: readonly LinkConfig[]): readonly Schedule[] =>
  links.flatMap(({ name, syncIntervalMs, sweepIntervalMs }): Schedule[] => {
    const offsetMs = Math.floor(syncIntervalMs * phaseOf(name));
    const firstMs = Math.floor(Math.min(syncIntervalMs, (links.length - 1) * FIRST_APART_MS) * phaseOf(name));
    const cycle = Math.floor((sweepIntervalMs / syncIntervalMs) * phaseOf(`sweep ${name}`));
    const sweepMs = Math.floor((offsetMs + (cycle + 0.5) * syncIntervalMs) % sweepIntervalMs);
    return [
      { link: name, kind: 'incremental', everyMs: syncIntervalMs, offsetMs, firstMs },
      { link: name, kind: 'sweep', everyMs: sweepIntervalMs, offsetMs: sweepMs, firstMs: sweepMs },
    ];
  });

/** When the schedule is due next, counted in milliseconds from the beginning; slots that were missed are left out. */
export const nextSlot = ({ everyMs, offsetMs }: Pick<Schedule, 'everyMs' | 'offsetMs'>, nowMs: number): number => {
  const slots = Math.floor((nowMs - offsetMs) / everyMs) + 1;
  return offsetMs + Math.max(0, slots) * everyMs;
};
