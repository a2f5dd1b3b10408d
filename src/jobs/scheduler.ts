import type { JobProgress, JobReport, JobData } from './job.ts';
import type { Schedule } from './timetable.ts';

/** Runs one job to its end and reports; never throws. Both schedulers run the same one. */
export type RunJob = (
  job: JobData,
  options?: { readonly onProgress?: (progress: JobProgress) => void },
) => Promise<JobReport>;

/** Brings the jobs of all links on in their time: on timers in this process, or through Redis. */
export type Scheduler = {
  readonly kind: 'embedded' | 'redis';
  /** Puts these schedules in the place of the earlier ones; jobs under way go on. Does not wait for anything. */
  apply(schedules: readonly Schedule[]): void;
  /** Whether jobs would be run now. */
  isAlive(): Promise<boolean>;
  /** Takes no new job, and resolves when those under way have ended. */
  stop(): Promise<void>;
};
