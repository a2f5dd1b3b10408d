import pRetry from 'p-retry';
import type { Clock } from '../util/clock.ts';

/** Retry after at least `afterMs` (null: no minimum), or null: do not retry. */
type RetryDecision = { readonly afterMs: number | null } | null;

/** The waits between attempts, and their end. */
export type RetryPolicy = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** No attempt starts later than this after the start of the first one. */
  readonly maxElapsedMs: number;
  /** Called before each wait for another attempt. */
  readonly onRetry?: (error: unknown, waitMs: number) => void;
};

type RetryOptions = RetryPolicy & {
  /** Ends the waiting between attempts. The caller passes it to the operation if that is to end too. */
  readonly signal: AbortSignal;
  readonly decide: (error: unknown) => RetryDecision;
};

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Calls `operation` with the number of the attempt (from 1) until it succeeds. Between attempts it waits for a random part of
 * an exponentially growing delay, but at least for the minimum that `decide` returns. Throws the last error if no further
 * attempt is allowed, or the signal's reason if it is aborted before or between attempts.
 */
export const retry = async <Value>(
  operation: (attempt: number) => Promise<Value>,
  options: RetryOptions,
): Promise<Value> => {
  const { clock, signal } = options;
  const startedTickMs = clock.monotonic();
  signal.throwIfAborted();
  try {
    return await pRetry((attempt) => operation(attempt).catch(markFailed), {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) => {
        const decision = error instanceof FailedAttempt ? options.decide(error.cause) : null;
        if (decision === null) return false;
        const waitMs = Math.max(decision.afterMs ?? 0, jitteredDelayMs(attemptNumber, options.random));
        if (clock.monotonic() - startedTickMs + waitMs > options.maxElapsedMs) return false;
        options.onRetry?.(error.cause, waitMs);
        await clock.sleep(waitMs, signal);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof FailedAttempt ? error.cause : error;
  }
};

/**
 * Wraps a thrown value, because p-retry decides by its class: it never retries a `TypeError`, replaces a value that is not an
 * `Error`, and unwraps its own `AbortError`. The signal is not passed to p-retry either, because it would discard the value
 * of an operation that succeeded while the signal was aborted.
 */
class FailedAttempt extends Error {}

const markFailed = (cause: unknown): never => {
  throw new FailedAttempt('The attempt failed', { cause });
};

/** Full jitter: from zero to the whole delay, so that many callers do not retry together. */
const jitteredDelayMs = (attempt: number, random: () => number): number =>
  random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
