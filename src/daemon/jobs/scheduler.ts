import type { JobProgress, JobReport, JobData } from './job.ts';
import type { Schedule } from './timetable.ts';

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
