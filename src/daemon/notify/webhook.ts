import type { Clock } from '../../util/clock.ts';
import { CutOffError, exchange } from '../../net/exchange.ts';
import { readRetryAfterMs, type AnswerHeaders } from '../../net/headers.ts';
import { retry } from '../../net/retry.ts';
import { createTransport } from '../../net/transport.ts';
import { signatureOf, NotDeliveredError } from './notification.ts';

/** A receiver of notifications. */
export type WebhookOptions = {
  /** May contain a secret, like URLs of Slack. */
  readonly url: string;
  /** Null: bodies are not signed. */
  readonly secret: string | null;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
};

/** The answer of a receiver; the text is empty if it was too long. */
export type ReceiverAnswer = { readonly status: number; readonly text: string };

/** The limit of one attempt, from the lookup of the host to the end of the answer. It is shorter than the stop of the daemon. */
const ATTEMPT_MS = 5_000;
const ATTEMPTS = 4;
const MAX_ELAPSED_MS = 20_000;
const MAX_ANSWER_BYTES = 64 * 1024;

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
};

/** Runs the work with a signal that is aborted with `signal` or after the timeout. */
const withinTime = async <T>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const late = new AbortController();
  const done = new AbortController();
  const isLate = (): void => late.abort(new Error(`no whole answer within ${ATTEMPT_MS / 1000} s`));
  void clock.sleep(ATTEMPT_MS, done.signal).then(isLate, () => undefined);
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    done.abort(new Error('The work is done.'));
  }
};

type Whole = ReceiverAnswer & { readonly headers: AnswerHeaders };

const post = async ({ url, secret, clock }: WebhookOptions, body: string, signal: AbortSignal): Promise<Whole> => {
  const { host, origin, pathname, search } = new URL(url);
  const dispatcher = createTransport({ timeoutMs: ATTEMPT_MS });
  const signed = secret === null ? {} : signatureOf(secret, body, clock.now());
  const headers = { 'content-type': 'application/json', 'user-agent': 'contact-sync', ...signed };
  const request = { origin, path: `${pathname}${search}`, method: 'POST', headers, body } as const;
  const limits = { clock, timeoutMs: ATTEMPT_MS, maxBytes: MAX_ANSWER_BYTES };
  try {
    return await withinTime(clock, signal, (within) => exchange(dispatcher, request, limits, within));
  } catch (error) {
    signal.throwIfAborted();
    // The status shows whether the body was accepted.
    if (error instanceof CutOffError) return { status: error.status, headers: error.headers, text: '' };
    throw new NotDeliveredError(`${host} did not answer (${codeOf(error)})`, { retry: 'soon', cause: error });
  } finally {
    await dispatcher.destroy();
  }
};

/** Whether a later attempt may succeed. */
const isTemporary = (status: number): boolean => status >= 500 || status === 408 || status === 425 || status === 429;

/** The error of a refused body. Texts of the receiver are only shown on request, because they may repeat what was sent. */
const refusal = ({ url, clock }: WebhookOptions, { status, headers }: Whole, words: string): NotDeliveredError => {
  const redirect = status < 400 ? ' with a redirect, which is not followed' : '';
  const message = `${new URL(url).host} answered ${status}${redirect}${words === '' ? '' : `: ${words}`}`;
  const retryAfterMs = readRetryAfterMs(headers, clock.now());
  return new NotDeliveredError(message, { retry: isTemporary(status) ? 'soon' : 'never', retryAfterMs });
};

const isAccepted = ({ status }: Whole): boolean => status >= 200 && status < 300;

const LONGEST_WORDS = 200;
/** The length from which a part of a path may be a secret. Shorter parts are names. */
const SHORTEST_SECRET = 6;

/** The beginning of the receiver's text, without parts of the address and the secret. */
const wordsOf = ({ url, secret }: WebhookOptions, text: string): string => {
  const { pathname, search } = new URL(url);
  const parts = [secret ?? '', ...`${pathname}${search}`.split(/[/?&=]/u)];
  const secrets = parts.flatMap((part) => (part.length < SHORTEST_SECRET ? [] : [part]));
  // The longest first, because one may start with another.
  return secrets
    .toSorted((left, right) => right.length - left.length)
    .reduce((words, part) => words.replaceAll(part, '[secret]'), text)
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, LONGEST_WORDS);
};

/**
 * Sends a body once and returns the answer of the receiver.
 *
 * @throws {NotDeliveredError} if the receiver did not accept it, with its text, or the signal's reason.
 */
export const deliverOnce = async (
  options: WebhookOptions,
  body: string,
  signal: AbortSignal,
): Promise<ReceiverAnswer> => {
  const answer = await post(options, body, signal);
  const text = wordsOf(options, answer.text);
  if (!isAccepted(answer)) throw refusal(options, answer, text);
  return { status: answer.status, text };
};

/**
 * Sends a body with a few attempts within half a minute. Follows no redirect. The signal ends the wait between attempts but no
 * attempt, because the outcome of an aborted delivery would be unknown.
 *
 * @throws {NotDeliveredError} if the receiver did not accept it, or the signal's reason.
 */
export const deliver = async (options: WebhookOptions, body: string, signal: AbortSignal): Promise<void> => {
  const attempt = async (): Promise<void> => {
    const answer = await post(options, body, new AbortController().signal);
    if (!isAccepted(answer)) throw refusal(options, answer, '');
  };
  await retry(attempt, {
    clock: options.clock,
    random: options.random,
    signal,
    maxElapsedMs: MAX_ELAPSED_MS,
    maxAttempts: ATTEMPTS,
    decide: (error) =>
      error instanceof NotDeliveredError && error.retry === 'soon' ? { afterMs: error.retryAfterMs } : null,
  });
};
