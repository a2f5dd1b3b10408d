import type { Dispatcher } from 'undici';
import type { Clock } from '../../../util/clock.ts';
import { CutOffError, exchange } from '../../../net/exchange.ts';
import type { AnswerHeaders } from '../../../net/rate-headers.ts';
import { RemoteError } from '../../errors.ts';
import { ANSWER_LIMITS } from '../../listing.ts';
import { answerError, connectionError, unreadableAnswer, unsendable, type ParsedAnswer } from './answer-errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** One request to a documented route. */
export type ApiRequest = {
  readonly method: Method;
  /** The documented route; `{id}` is replaced by `id`. */
  readonly route: string;
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body's name must be unique: a refusal for that reason is a NameTakenError. */
  readonly uniqueName?: boolean;
  /** If true, an answer 301, 302, 303, 307 or 308 is returned instead of refused. Redirects are never followed here. */
  readonly allowRedirect?: boolean;
};

export type ApiAnswer = {
  readonly status: number;
  /** The parsed body; undefined if it is empty. */
  readonly json: unknown;
  /** The service's own time when it answered, epoch milliseconds. */
  readonly serverTimeMs: number | null;
  /** The target of a redirect. */
  readonly location: string | null;
};

/** Sends one request and returns its successful answer. Throws a {@link RemoteError} or the signal's reason. */
export type Send = (apiRequest: ApiRequest, signal: AbortSignal) => Promise<ApiAnswer>;

export type SendOptions = {
  /** {base_url} or {auth_url}: the routes are appended to it. */
  readonly baseUrl: string;
  /** Null for the authorization endpoints, which take no token. */
  readonly accessToken: string | null;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  /** The maximum time of a whole answer, from its headers on. */
  readonly answerTimeoutMs?: number;
  readonly maxAnswerBytes?: number;
};

const MAX_BODY_BYTES = 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const urlOf = (baseUrl: string, apiRequest: ApiRequest): string => {
  const path = apiRequest.route.replace('{id}', encodeURIComponent(apiRequest.id ?? ''));
  // Not URLSearchParams: it encodes a space as `+`, which a strict parser does not decode.
  const pairs = Object.entries(apiRequest.query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${baseUrl.replace(/\/+$/u, '')}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
};

const encodeBody = (apiRequest: ApiRequest): string | null => {
  if (apiRequest.body === undefined) return null;
  const text = JSON.stringify(apiRequest.body);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BODY_BYTES) return text;
  throw unsendable(
    apiRequest,
    `its body of ${bytes} bytes is over the limit of ${MAX_BODY_BYTES}; shorten the contact`,
  );
};

const headerText = (headers: AnswerHeaders, name: string): string | null => {
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
};

const parseJson = (text: string): Pick<ParsedAnswer, 'isJson' | 'json'> => {
  if (text.trim() === '') return { isJson: true, json: undefined };
  try {
    return { isJson: true, json: JSON.parse(text) as unknown };
  } catch {
    return { isJson: false, json: undefined };
  }
};

const serverTimeMs = (headers: AnswerHeaders): number | null => {
  const atMs = Date.parse(headerText(headers, 'date') ?? '');
  return Number.isNaN(atMs) ? null : atMs;
};

const readAnswer = async (options: SendOptions, apiRequest: ApiRequest, signal: AbortSignal): Promise<ParsedAnswer> => {
  const { accessToken, answerTimeoutMs: timeoutMs = ANSWER_LIMITS.timeMs, clock, dispatcher } = options;
  const { origin, pathname, search } = new URL(urlOf(options.baseUrl, apiRequest));
  const authorization = accessToken === null ? {} : { authorization: `Bearer ${accessToken}` };
  const request: Dispatcher.DispatchOptions = {
    origin,
    path: `${pathname}${search}`,
    method: apiRequest.method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...authorization },
    body: encodeBody(apiRequest),
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  };
  const limits = { clock, timeoutMs, maxBytes: options.maxAnswerBytes ?? ANSWER_LIMITS.bytes };
  try {
    const { status, headers, text } = await exchange(dispatcher, request, limits, signal);
    return { status, headers, ...parseJson(text) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!(error instanceof CutOffError))
      throw error instanceof RemoteError ? error : connectionError(apiRequest, error);
    const { status, headers, message } = error;
    if (status >= 400) return { status, headers, isJson: false, json: undefined };
    throw unreadableAnswer(apiRequest, status, message, error.cause);
  }
};

/**
 * Creates the function for all HTTP requests to the service: headers as documented (Authentication), JSON in both directions,
 * limited sizes and times, and a {@link RemoteError} for every failure. It sends each request once.
 */
export const createSend = (options: SendOptions): Send => {
  return async (apiRequest, signal) => {
    signal.throwIfAborted();
    const answer = await readAnswer(options, apiRequest, signal);
    const location = headerText(answer.headers, 'location');
    const result = { status: answer.status, json: answer.json, serverTimeMs: serverTimeMs(answer.headers), location };
    if (apiRequest.allowRedirect === true && REDIRECTS.has(answer.status) && location !== null) return result;
    const asked = { ...apiRequest, secret: options.accessToken, baseUrl: options.baseUrl };
    const error = answerError(asked, answer, options.clock.now());
    if (error !== null) throw error;
    return result;
  };
};
