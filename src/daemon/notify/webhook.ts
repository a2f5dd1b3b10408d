import type { Clock } from '../../util/clock.ts';
import { CutOffError, exchange } from '../../net/exchange.ts';
import { readRetryAfterMs, type AnswerHeaders } from '../../net/rate-headers.ts';
import { retry } from '../../net/retry.ts';
import { createTransport } from '../../net/transport.ts';
import { signatureOf, NotDeliveredError } from './notice.ts';

/** A receiver, and how it is reached. */
export type WebhookOptions = {
  /** Holds a secret, as Slack's do. */
  readonly url: string;
  /** Null: bodies are not signed. */
  readonly secret: string | null;
  readonly clock: Clock;
  /** At least 0, less than 1. */
  readonly random: () => number;
};

/** What a receiver answered; the text is empty where it was too long. */
export type ReceiverAnswer = { readonly status: number; readonly text: string };

/** One attempt, from looking the host up to the end of the answer: shorter than what the daemon has for its end. */
const ATTEMPT_MS = 5_000;
const ATTEMPTS = 4;
const MAX_ELAPSED_MS = 20_000;
const MAX_ANSWER_BYTES = 64 * 1024;

const codeOf = (error: unknown): string => {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
};

/** Does the work with a signal that is aborted when `signal` is, or when the time is over. */
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
  const dispatcher = createTransport({
    gatesFor: () => [],
    onAttempt: () => undefined,
    headersTimeoutMs: ATTEMPT_MS,
    bodyTimeoutMs: ATTEMPT_MS,
  });
  const signed = secret === null ? {} : signatureOf(secret, body, clock.now());
  const headers = { 'content-type': 'application/json', 'user-agent': 'contact-sync', ...signed };
  const request = { origin, path: `${pathname}${search}`, method: 'POST', headers, body } as const;
  const limits = { clock, timeoutMs: ATTEMPT_MS, maxBytes: MAX_ANSWER_BYTES };
  try {
    return await withinTime(clock, signal, (within) => exchange(dispatcher, request, limits, within));
  } catch (error) {
    signal.throwIfAborted();
    // Its status says whether the body was taken.
    if (error instanceof CutOffError) return { status: error.status, headers: error.headers, text: '' };
    throw new NotDeliveredError(`${host} did not answer (${codeOf(error)})`, { retry: 'soon', cause: error });
  } finally {
    await dispatcher.destroy();
  }
};

/** Whether the receiver may answer otherwise in a while. */
const mayPass = (status: number): boolean => status >= 500 || status === 408 || status === 425 || status === 429;

/** What the receiver said is told only where somebody asks: it may repeat anything that it was sent. */
const refusal = ({ url, clock }: WebhookOptions, { status, headers }: Whole, words: string): NotDeliveredError => {
  const redirect = status < 400 ? ' with a redirect, which is not followed' : '';
  const message = `${new URL(url).host} answered ${status}${redirect}${words === '' ? '' : `: ${words}`}`;
  const retryAfterMs = readRetryAfterMs(headers, clock.now());
  return new NotDeliveredError(message, { retry: mayPass(status) ? 'soon' : 'never', retryAfterMs });
};

const isTaken = ({ status }: Whole): boolean => status >= 200 && status < 300;

const LONGEST_WORDS = 200;
/** Shorter parts of a path are names. */
const SHORTEST_SECRET = 6;

/** The beginning of what the receiver said, without what it may repeat of the address and the secret. */
const wordsOf = ({ url, secret }: WebhookOptions, text: string): string => {
  const { pathname, search } = new URL(url);
  const parts = [secret ?? '', ...`${pathname}${search}`.split(/[/?&=]/u)];
  const secrets = parts.flatMap((part) => (part.length < SHORTEST_SECRET ? [] : [part]));
  // The longest first: one may begin with another.
  return secrets
    .toSorted((left, right) => right.length - left.length)
    .reduce((words, part) => words.replaceAll(part, '[secret]'), text)
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, LONGEST_WORDS);
};

/**
 * Sends a body once, and says what the receiver answered.
 *
 * @throws {NotDeliveredError} where the receiver did not take it, with its words, or the signal's reason.
 */
export const deliverOnce = async (
  options: WebhookOptions,
  body: string,
  signal: AbortSignal,
): Promise<ReceiverAnswer> => {
  const answer = await post(options, body, signal);
  const text = wordsOf(options, answer.text);
  if (!isTaken(answer)) throw refusal(options, answer, text);
  return { status: answer.status, text };
};

/**
 * Sends a body until the receiver takes it, a few times within half a minute; follows no redirect. The signal ends the
 * waiting between attempts, but no attempt: it would not be known whether the body was taken.
 *
 * @throws {NotDeliveredError} where the receiver did not take it, or the signal's reason.
 */
export const deliver = async (options: WebhookOptions, body: string, signal: AbortSignal): Promise<void> => {
  const attempt = async (): Promise<void> => {
    const answer = await post(options, body, new AbortController().signal);
    if (!isTaken(answer)) throw refusal(options, answer, '');
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
