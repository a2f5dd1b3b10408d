import type { Dispatcher } from 'undici';
import { CutOffError, exchange } from '../net/exchange.ts';
import type { AnswerHead } from '../net/headers.ts';
import type { Clock } from '../util/clock.ts';
import { RemoteError } from './errors.ts';
import { ANSWER_LIMITS, type AnswerLimits } from './listing.ts';

/** The waits between the attempts of a request, and their end. */
export type RetryPolicy = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** No attempt starts later than this after the start of the first one. */
  readonly maxElapsedMs: number;
  /** Called before each wait for another attempt. */
  readonly onRetry?: (error: unknown, waitMs: number) => void;
};

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/** Full jitter: from zero to the whole delay, so that many callers do not retry together. */
const jitteredDelayMs = (attempt: number, random: () => number): number =>
  random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));

/**
 * Sends a request, and repeats it while that is safe and time is left: a read if the error may be temporary, a write only if
 * it certainly was not applied. `send` gets the number of the attempt, from 1. Between attempts it waits for a random part of an
 * exponentially growing delay, but at least as long as the remote requires. Throws the error of the last attempt, or the signal's
 * reason if it is aborted before or between attempts.
 */
export const retrying = async <Value>(
  send: (attempt: number) => Promise<Value>,
  options: RetryPolicy & { readonly signal: AbortSignal; readonly isRead: boolean },
): Promise<Value> => {
  const { clock, isRead, maxElapsedMs, onRetry, random, signal } = options;
  const startedAtMs = clock.monotonic();
  signal.throwIfAborted();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(attempt);
    } catch (error) {
      if (!(error instanceof RemoteError) || error.retry === 'never' || !(isRead || error.applied === 'no'))
        throw error;
      const waitMs = Math.max(error.retryAfterMs ?? 0, jitteredDelayMs(attempt, random));
      if (clock.monotonic() - startedAtMs + waitMs > maxElapsedMs) throw error;
      onRetry?.(error, waitMs);
      await clock.sleep(waitMs, signal);
    }
  }
};

/** One request as it is sent. */
type HttpRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

type SendOptions = { readonly dispatcher: Dispatcher; readonly clock: Clock; readonly limits?: AnswerLimits };

/** The errors of a request without a whole answer. */
type Failures = {
  /** Returns the error of a request without an answer. */
  readonly unanswered: (error: unknown) => RemoteError;
  /** Returns the error of a successful request whose answer was cut off. */
  readonly cutOff: (error: CutOffError) => RemoteError;
};

/**
 * Sends a request once and returns its whole answer. The text of a refusal is null if it was cut off: its status still counts.
 * Throws one of the errors of `failures`, or the reason of the signal.
 */
export const sendOnce = async (
  { dispatcher, clock, limits = ANSWER_LIMITS }: SendOptions,
  { url, ...request }: HttpRequest,
  failures: Failures,
  signal: AbortSignal,
): Promise<AnswerHead & { readonly text: string | null }> => {
  const { origin, pathname, search } = new URL(url);
  const { bytes: maxBytes, timeMs: timeoutMs } = limits;
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  try {
    const sent = { ...request, ...timeouts, origin, path: `${pathname}${search}` };
    return await exchange(dispatcher, sent, { clock, timeoutMs, maxBytes }, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof RemoteError) throw error;
    if (!(error instanceof CutOffError)) throw failures.unanswered(error);
    if (error.status >= 400) return { status: error.status, headers: error.headers, text: null };
    throw failures.cutOff(error);
  }
};
