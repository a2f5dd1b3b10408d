import type { Dispatcher } from 'undici';
import { CutOffError, exchange } from '../net/exchange.ts';
import type { AnswerHead } from '../net/headers.ts';
import { retry, type RetryPolicy } from '../net/retry.ts';
import type { Clock } from '../util/clock.ts';
import { RemoteError } from './errors.ts';
import { type SentRequest, unansweredRequest, unreadableAnswer } from './failure.ts';
import { ANSWER_LIMITS, type AnswerLimits } from './listing.ts';

/**
 * Sends a request, and repeats it while that is safe and time is left: a read if the error may be temporary, a write only if
 * it certainly was not applied. `send` gets the number of the attempt, from 1. Throws the error of the last attempt.
 */
export const retrying = <Value>(
  send: (attempt: number) => Promise<Value>,
  { isRead, ...options }: RetryPolicy & { readonly signal: AbortSignal; readonly isRead: boolean },
): Promise<Value> =>
  retry(send, {
    ...options,
    decide: (error) => {
      if (!(error instanceof RemoteError) || error.retry === 'never') return null;
      return isRead || error.applied === 'no' ? { afterMs: error.retryAfterMs } : null;
    },
  });

/** One request as it is sent. */
type HttpRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

type SendOptions = { readonly dispatcher: Dispatcher; readonly clock: Clock; readonly limits?: AnswerLimits };

/**
 * Sends a request once and returns its whole answer. The text of a refusal is null if it was cut off: its status still counts.
 * Throws a {@link RemoteError}, or the reason of the signal.
 */
export const sendOnce = async (
  { dispatcher, clock, limits = ANSWER_LIMITS }: SendOptions,
  { url, ...request }: HttpRequest,
  sent: SentRequest,
  signal: AbortSignal,
): Promise<AnswerHead & { readonly text: string | null }> => {
  const { origin, pathname, search } = new URL(url);
  const { bytes: maxBytes, timeMs: timeoutMs } = limits;
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  try {
    const dispatched = { ...request, ...timeouts, origin, path: `${pathname}${search}` };
    return await exchange(dispatcher, dispatched, { clock, timeoutMs, maxBytes }, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof RemoteError) throw error;
    if (!(error instanceof CutOffError)) throw unansweredRequest(sent, error);
    if (error.status >= 400) return { status: error.status, headers: error.headers, text: null };
    throw unreadableAnswer(sent, error.status, error.message, error.cause);
  }
};
