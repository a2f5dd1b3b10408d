import type { Clock } from '../../clock.ts';
import { retry } from '../../http/retry.ts';
import { RemoteError } from '../errors.ts';
import type { OnRetry } from '../provider.ts';
import type { Method, Send } from './api/send.ts';

export type RetryOptions = {
  readonly clock: Clock;
  readonly random: () => number;
  /** How long one request may be tried again and again, in milliseconds. */
  readonly maxElapsedMs: number;
  readonly onRetry?: OnRetry;
};

/**
 * Whether a request may be sent again after an error: a read where the error may pass, a write only where it surely was not
 * applied. Null: it may not; else the floor that the service set for the wait, in milliseconds.
 */
const retryDecision = (method: Method, error: unknown): { readonly afterMs: number | null } | null => {
  if (!(error instanceof RemoteError) || error.retry === 'never') return null;
  return method === 'GET' || error.applied === 'no' ? { afterMs: error.retryAfterMs } : null;
};

/** Sends each request again while that is right and time is left. */
export const withRetries = (send: Send, { clock, random, maxElapsedMs, onRetry }: RetryOptions): Send => {
  return (apiRequest, signal) =>
    retry(() => send(apiRequest, signal), {
      clock,
      random,
      maxElapsedMs,
      signal,
      ...(onRetry && { onWait: onRetry }),
      decide: (error) => retryDecision(apiRequest.method, error),
    });
};
