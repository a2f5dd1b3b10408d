import { CutOffError } from '../net/exchange.ts';
import type { AnswerHead } from '../net/headers.ts';
import { retry, type RetryPolicy } from '../net/retry.ts';
import type { HttpRequest, Transport } from '../net/transport.ts';
import type { Clock } from '../util/clock.ts';
import { RemoteError } from './errors.ts';
import { type SentRequest, unansweredRequest, unreadableAnswer } from './failure.ts';
import { ANSWER_LIMITS } from './listing.ts';

type RetryingOptions = RetryPolicy & {
  readonly signal: AbortSignal;
  readonly isRead: boolean;
  /** Returns whether the caller handles an error, so that the request is not repeated; by default none. */
  readonly isHandled?: (error: RemoteError) => boolean;
};

/**
 * Sends a request, and repeats it while that is safe and time is left: a read if the error may be temporary, a write only if
 * it certainly was not applied. `send` gets the number of the attempt, from 1. Throws the error of the last attempt.
 */
export const retrying = <Value>(
  send: (attempt: number) => Promise<Value>,
  { isHandled = () => false, isRead, ...options }: RetryingOptions,
): Promise<Value> =>
  retry(send, {
    ...options,
    decide: (error) => {
      if (!(error instanceof RemoteError) || error.retry === 'never' || isHandled(error)) return null;
      return isRead || error.applied === 'no' ? { afterMs: error.retryAfterMs } : null;
    },
  });

type SendOptions = { readonly transport: Transport; readonly clock: Clock };

/**
 * Sends a request once and returns its whole answer. The text of a refusal is null if it was cut off: its status still counts.
 * Throws a {@link RemoteError}, or the reason of the signal.
 */
export const sendOnce = async (
  { transport, clock }: SendOptions,
  request: HttpRequest,
  sent: SentRequest,
  signal: AbortSignal,
): Promise<AnswerHead & { readonly text: string | null }> => {
  try {
    return await transport(request, { ...ANSWER_LIMITS, clock }, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof RemoteError) throw error;
    if (!(error instanceof CutOffError)) throw unansweredRequest(sent, error);
    if (error.status >= 400) return { status: error.status, headers: error.headers, text: null };
    throw unreadableAnswer(sent, error.status, error.message, error.cause);
  }
};
