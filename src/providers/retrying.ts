import type { Clock } from '../util/clock.ts';
import { retry } from '../net/retry.ts';
import { RemoteError } from './errors.ts';
import type { OnRetry } from './provider.ts';

export type RetryOptions = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** How long one request may be tried again, in milliseconds. */
  readonly maxElapsedMs: number;
  readonly onRetry?: OnRetry;
};

/**
 * Whether a request may be sent again after an error: a read where the error may pass, a write only where it surely was not
 * applied. Null: it may not; else the floor that the remote set for the wait, in milliseconds.
 */
const retryDecision = (isRead: boolean, error: unknown): { readonly afterMs: number | null } | null => {
  if (!(error instanceof RemoteError) || error.retry === 'never') return null;
  return isRead || error.applied === 'no' ? { afterMs: error.retryAfterMs } : null;
};

/** Sends a request, and sends it again while that is safe and time is left. Throws what the last attempt throws. */
export const retrying = <Value>(
  send: () => Promise<Value>,
  {
    clock,
    random,
    maxElapsedMs,
    onRetry,
    signal,
    isRead,
  }: RetryOptions & { readonly signal: AbortSignal; readonly isRead: boolean },
): Promise<Value> =>
  retry(send, {
    clock,
    random,
    maxElapsedMs,
    signal,
    ...(onRetry && { onWait: onRetry }),
    decide: (error) => retryDecision(isRead, error),
  });
