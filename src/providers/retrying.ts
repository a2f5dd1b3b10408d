import { retry } from '../net/retry.ts';
import { RemoteError } from './errors.ts';
import type { OnRetry } from './provider.ts';
import type { Clock } from '../util/clock.ts';

export type SendRetryOptions = {
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

/** Codes of a connection that was never made: the request did not reach the remote. */
export const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The codes of an error of a connection, one for each address that was tried; empty if it has none. */
export const connectionCodesOf = (error: unknown): readonly string[] => {
  if (error instanceof AggregateError) return error.errors.flatMap(connectionCodesOf);
  if (!(error instanceof Error)) return [];
  return 'code' in error && typeof error.code === 'string' ? [error.code] : connectionCodesOf(error.cause);
};

/** Whether a request with these codes surely was not sent, so that it was not applied. */
export const wasNeverSent = (codes: readonly string[]): boolean =>
  codes.length > 0 && codes.every((code) => UNSENT_CODES.has(code));
