import type { Dispatcher } from 'undici';
import type { Clock } from '../../util/clock.ts';
import { CutOffError, exchange, type WholeAnswer } from '../../net/exchange.ts';
import type { AnswerHeaders } from '../../net/rate-headers.ts';
import { isFault, RemoteError, UnreadableError } from '../errors.ts';
import type { OnRetry } from '../provider.ts';
import { ANSWER_LIMITS } from '../listing.ts';
import { retrying } from '../retrying.ts';
import type { Authorization } from './authorization.ts';
import { answerError, connectionError, isRead, unreadableAnswer, type DavMethod } from './failure.ts';
import { type Multistatus, multistatusOf, parseXml, type XmlElement } from './dav.ts';

/** One request to the server. */
export type DavRequest = {
  readonly method: DavMethod;
  readonly url: string;
  /** The subject of the request, for messages: `a card`. */
  readonly what: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** If true, an answer 301, 302, 303, 307 or 308 is returned. Redirects are never followed here. */
  readonly allowRedirect?: boolean;
  /** Returns true for a refusal status whose answer is returned instead of thrown. */
  readonly allowStatus?: (status: number) => boolean;
  /** If true, a fault or an answer that cannot be parsed is thrown without a retry: the caller divides the request. */
  readonly isDivisible?: boolean;
};

export type DavAnswer = {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The document of the answer; null if it has none. */
  readonly root: XmlElement | null;
};

/** Sends a request with safe retries and returns its answer. Throws a {@link RemoteError} or the signal's reason. */
export type SendDav = (request: DavRequest, signal: AbortSignal) => Promise<DavAnswer>;

export type DavSendOptions = {
  readonly authorization: Authorization;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly random: () => number;
  /** The maximum time for the retries of one request. */
  readonly maxElapsedMs: number;
  readonly onRetry?: OnRetry;
};

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const headerTexts = (headers: AnswerHeaders, name: string): readonly string[] => {
  const value = headers[name];
  return value === undefined ? [] : Array.isArray(value) ? value : [String(value)];
};

/** Returns the first header of that name; null without one. */
export const headerOf = (headers: AnswerHeaders, name: string): string | null => headerTexts(headers, name)[0] ?? null;

const exchangeOnce = async (
  options: DavSendOptions,
  request: DavRequest,
  signal: AbortSignal,
): Promise<WholeAnswer> => {
  const { method, url, headers = {}, body = null } = request;
  const { origin, pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  const { bytes: maxBytes, timeMs: timeoutMs } = ANSWER_LIMITS;
  try {
    return await exchange(
      options.dispatcher,
      {
        origin,
        path,
        method,
        headers: { authorization: options.authorization.header(method, path), ...headers },
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
      { clock: options.clock, timeoutMs, maxBytes },
      signal,
    );
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof CutOffError)) throw error instanceof RemoteError ? error : connectionError(request, error);
    if (error.status >= 400) return { status: error.status, headers: error.headers, text: '' };
    throw unreadableAnswer(request, error.status, error.message, error.cause);
  }
};

const documentOf = (request: DavRequest, { status, headers, text }: WholeAnswer): XmlElement | null => {
  if (!text.trimStart().startsWith('<') || /\bhtml\b/iu.test(String(headers['content-type']))) return null;
  try {
    return parseXml(text);
  } catch (error) {
    if (status >= 300) return null;
    throw unreadableAnswer(request, status, 'it is not well-formed XML', error);
  }
};

const sendOnce = async (options: DavSendOptions, request: DavRequest, signal: AbortSignal): Promise<DavAnswer> => {
  signal.throwIfAborted();
  let answer = await exchangeOnce(options, request, signal);
  if (answer.status === 401 && options.authorization.accept(headerTexts(answer.headers, 'www-authenticate'))) {
    answer = await exchangeOnce(options, request, signal);
  }
  const { status, headers } = answer;
  const isReturned =
    request.allowStatus?.(status) === true || (request.allowRedirect === true && REDIRECTS.has(status));
  const error = isReturned ? null : answerError(request, answer, options.clock.now());
  if (error !== null) throw error;
  return { status, headers, root: documentOf(request, answer) };
};

/**
 * Creates the function for requests to a server, each with its credential. Reads are repeated if that may help, writes only
 * if they were not applied.
 */
export const createSendDav = (options: DavSendOptions): SendDav => {
  return async (request, signal) => {
    const attempt = async (): Promise<DavAnswer | RemoteError> => {
      try {
        return await sendOnce(options, request, signal);
      } catch (error) {
        if (request.isDivisible === true && (error instanceof UnreadableError || isFault(error))) return error;
        throw error;
      }
    };
    const answer = await retrying(attempt, { ...options, signal, isRead: isRead(request.method) });
    if (answer instanceof RemoteError) throw answer;
    return answer;
  };
};

/** Returns the multistatus of an answer. Throws if the answer is not one. */
export const requireMultistatus = (request: DavRequest, { status, root }: DavAnswer): Multistatus => {
  const multistatus = multistatusOf(root);
  if (multistatus === null) throw unreadableAnswer(request, status, 'it is not a multistatus');
  return multistatus;
};
