import pRetry from 'p-retry';
import type { Clock } from '../util/clock.ts';

/** What to do about a failure: try again after at least `afterMs` (null: no floor), or null: give up. */
type RetryDecision = { readonly afterMs: number | null } | null;

export type RetryOptions = {
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** Ends the waiting; the operation itself sees it only if the caller passes it on. */
  readonly signal: AbortSignal;
  /** No attempt begins later than this after the first one began. */
  readonly maxElapsedMs: number;
  /** Attempts in all, the first included; unbounded when left out. */
  readonly maxAttempts?: number;
  readonly decide: (error: unknown) => RetryDecision;
  /** Called before each wait for another attempt. */
  readonly onWait?: (error: unknown, waitMs: number) => void;
};

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;

/**
 * Calls `operation` with the attempt's number (from 1) until it succeeds. Between attempts it waits a random part of an
 * exponentially growing delay, and never less than the floor that `decide` gives. Throws the last error as it was
 * thrown when no further attempt is allowed, or the signal's reason when aborted before or between attempts.
 */
export const retry = async <Value>(
  operation: (attempt: number) => Promise<Value>,
  options: RetryOptions,
): Promise<Value> => {
  const { clock, signal, maxAttempts = Number.POSITIVE_INFINITY } = options;
  const startedAtMs = clock.monotonic();
  signal.throwIfAborted();
  try {
    return await pRetry((attempt) => operation(attempt).catch(markFailed), {
      retries: maxAttempts - 1,
      minTimeout: 0,
      shouldRetry: async ({ error, attemptNumber }) => {
        const decision = error instanceof FailedAttempt ? options.decide(error.cause) : null;
        if (decision === null) return false;
        const waitMs = Math.max(decision.afterMs ?? 0, jitteredDelayMs(attemptNumber, options.random));
        if (clock.monotonic() - startedAtMs + waitMs > options.maxElapsedMs) return false;
        options.onWait?.(error.cause, waitMs);
        await clock.sleep(waitMs, signal);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof FailedAttempt ? error.cause : error;
  }
};

/**
 * Hides what was thrown from p-retry, which would judge it by its class: it never retries a `TypeError`, replaces what
 * is no `Error`, and unwraps its own `AbortError`. The signal is kept from it too, because it would discard the value of
 * an operation that succeeded while the signal was aborted.
 */
class FailedAttempt extends Error {}

const markFailed = (cause: unknown): never => {
  throw new FailedAttempt('The attempt failed', { cause });
};

/** Full jitter: anything from nothing to the whole delay, so that many callers do not come back together. */
const jitteredDelayMs = (attempt: number, random: () => number): number =>
  random() * Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1));
