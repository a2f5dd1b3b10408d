import { ConfigError } from '../../util/config-error.ts';
import { isCredentialError, RemoteError } from '../../providers/errors.ts';
import { HaltError, LeaseError, StoppedError } from '../../engine/context.ts';
import type { JobEnding } from './job.ts';

const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 10 * 60_000;
/** The longest time until a retry, for any `Retry-After`. */
const LONGEST_RETRY_MS = 60 * 60_000;

/** The time until a retry if another process has the lease. The lease of a dead process expires within 15 s. */
const BUSY_RETRY_MS = 2_000;
/** After this many attempts the other process is alive and does the work, so a scheduled job ends. */
export const BUSY_ATTEMPTS = 12;

/** The attempts of a job whose remote is unavailable. Then the link waits for the next scheduled run. */
export const ATTEMPTS = 5;

export type JobOutcome = {
  readonly ending: Exclude<JobEnding, 'skipped'>;
  /** Null for no attempt before the next scheduled run. */
  readonly retryInMs: number | null;
};

/** Doubles with each failure in a row up to ten minutes, half of it random; at least `Retry-After`, up to an hour. */
const backoffMs = (failures: number, retryAfterMs: number | null, random: number): number => {
  const wholeMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
  return Math.max(Math.min(retryAfterMs ?? 0, LONGEST_RETRY_MS), Math.round(wholeMs * (0.5 + random / 2)));
};

/**
 * The outcome of a job for the error of its run; null for no error:
 *
 * | the run ended with | the job | the link |
 * |---|---|---|
 * | nothing wrong | completed | active |
 * | a halt (R8) | halted, no retry | halted until a scheduled run's plan is within the limit |
 * | a credential refused or missing (R16) | paused, no retry | paused until there is another credential |
 * | a remote that may be asked again soon | unavailable, retried with backoff, `Retry-After` (an hour at most) as the floor | failing |
 * | the lease held or taken by another process | busy, tried again soon | as it was |
 * | the program being stopped | stopped, back into the queue | as it was |
 * | anything else | failed, no retry | failing until the next scheduled run |
 *
 * @param failures how many runs of the link were unavailable in a row, this one included
 * @param random at least 0, less than 1
 */
export const outcomeOf = (error: unknown, failures: number, random: number): JobOutcome => {
  if (error === null) return { ending: 'completed', retryInMs: null };
  if (error instanceof HaltError) return { ending: 'halted', retryInMs: null };
  if (isCredentialError(error) || error instanceof ConfigError) return { ending: 'paused', retryInMs: null };
  if (error instanceof LeaseError) return { ending: 'busy', retryInMs: BUSY_RETRY_MS };
  if (error instanceof StoppedError) return { ending: 'stopped', retryInMs: null };
  if (error instanceof RemoteError && error.retry === 'soon') {
    return { ending: 'unavailable', retryInMs: backoffMs(failures, error.retryAfterMs, random) };
  }
  return { ending: 'failed', retryInMs: null };
};
