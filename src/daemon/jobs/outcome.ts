import { ConfigError } from '../../util/config-error.ts';
import { isCredentialError, RemoteError } from '../../providers/errors.ts';
import { HaltError, LeaseError, StoppedError } from '../../engine/errors.ts';
import type { JobReport } from './job.ts';

const FIRST_RETRY_MS = 15_000;
const LAST_RETRY_MS = 10 * 60_000;
/** The longest time until a retry, whatever the `Retry-After`. */
const LONGEST_RETRY_MS = 60 * 60_000;

/** The time until a retry if another process has the lease, or may serve the link. The lease of a dead process expires within 15 s. */
export const BUSY_RETRY_MS = 2_000;
/** After this many attempts the other process must be alive and does the work, so a scheduled job ends. */
export const BUSY_ATTEMPTS = 12;

/** The number of attempts of a job whose remote is unavailable. Afterwards the link waits for the next scheduled run. */
export const ATTEMPTS = 5;

/** The backoff: doubles with each consecutive failure up to ten minutes, half of it random; at least `Retry-After`, up to 1 h. */
const backoffMs = (failures: number, retryAfterMs: number | null, random: number): number => {
  const wholeMs = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (failures - 1));
  return Math.max(Math.min(retryAfterMs ?? 0, LONGEST_RETRY_MS), Math.round(wholeMs * (0.5 + random / 2)));
};

/**
 * The outcome of a job for the error of its run; null for no error:
 *
 * | the run ended with | the job | the link |
 * |---|---|---|
 * | no error | completed | active |
 * | a halt (R8) | halted, no retry | halted until a scheduled run's plan is within the limit |
 * | a credential refused or missing (R16) | paused, no retry | paused until there is another credential |
 * | a remote that may be retried soon | unavailable, retried with backoff, at least `Retry-After` (at most 1 h) | failing |
 * | the lease held or taken by another process | busy, retried soon | unchanged |
 * | the stop of the program | stopped, returned to the queue | unchanged |
 * | any other error | failed, no retry | failing until the next scheduled run |
 *
 * @param failures the number of consecutive unavailable runs of the link, including this one
 * @param random at least 0, less than 1
 */
export const outcomeOf = (error: unknown, failures: number, random: number): Pick<JobReport, 'ending' | 'nextInMs'> => {
  if (error === null) return { ending: 'completed', nextInMs: null };
  if (error instanceof HaltError) return { ending: 'halted', nextInMs: null };
  if (isCredentialError(error) || error instanceof ConfigError) return { ending: 'paused', nextInMs: null };
  if (error instanceof LeaseError) return { ending: 'busy', nextInMs: BUSY_RETRY_MS };
  if (error instanceof StoppedError) return { ending: 'stopped', nextInMs: null };
  if (error instanceof RemoteError && error.retry === 'soon') {
    return { ending: 'unavailable', nextInMs: backoffMs(failures, error.retryAfterMs, random) };
  }
  return { ending: 'failed', nextInMs: null };
};
