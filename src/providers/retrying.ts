import { retry } from '../net/retry.ts';
import { RemoteError } from './errors.ts';
import type { OnRetry } from './provider.ts';
import type { Clock } from '../util/clock.ts';

export type SendRetryOptions = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** The maximum time for the retries of one request, in milliseconds. */
  readonly maxElapsedMs: number;
  readonly onRetry?: OnRetry;
};

/**
 * Returns whether a request may be repeated after an error: a read if the error may be temporary, a write only if it certainly
 * was not applied. Null: it may not. Otherwise `afterMs` is the remote's minimum wait, in milliseconds.
 */
const retryDecision = (isRead: boolean, error: unknown): { readonly afterMs: number | null } | null => {
  if (!(error instanceof RemoteError) || error.retry === 'never') return null;
  return isRead || error.applied === 'no' ? { afterMs: error.retryAfterMs } : null;
};

/** Sends a request, and repeats it while that is safe and time is left. Throws the error of the last attempt. */
export const retrying = <Value>(
  send: () => Promise<Value>,
  {
    clock,
    random,
    maxElapsedMs,
    onRetry,
    signal,
    isRead,
  }: SendRetryOptions & { readonly signal: AbortSignal; readonly isRead: boolean },
): Promise<Value> =>
  retry(send, {
    clock,
    random,
    maxElapsedMs,
    signal,
    ...(onRetry && { onWait: onRetry }),
    decide: (error) => retryDecision(isRead, error),
  });

/** Error codes of a connection that was never established: the request did not reach the remote. */
export const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Returns the codes of a connection error, one for each address that was tried; empty if it has none. */
export const connectionCodesOf = (error: unknown): readonly string[] => {
  if (error instanceof AggregateError) return error.errors.flatMap(connectionCodesOf);
  if (!(error instanceof Error)) return [];
  return 'code' in error && typeof error.code === 'string' ? [error.code] : connectionCodesOf(error.cause);
};

/** Returns whether a request with these codes certainly was not sent, so that it was not applied. */
export const wasNeverSent = (codes: readonly string[]): boolean =>
  codes.length > 0 && codes.every((code) => UNSENT_CODES.has(code));
