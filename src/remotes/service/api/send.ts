import type { Readable } from 'node:stream';
import { request, type Dispatcher } from 'undici';
import type { Clock } from '../../../clock.ts';
import type { AnswerHeaders } from '../../../http/rate-headers.ts';
import { RemoteError } from '../../errors.ts';
import { answerError, connectionError, unreadableAnswer, unsendable, type ReadAnswer } from './answer-errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** One request to a documented route. */
export type ApiRequest = {
  readonly method: Method;
  /** The route as the document writes it; `{id}` is filled with `id`. */
  readonly route: string;
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body's name must be unique: a refusal for that reason is told apart. */
  readonly uniqueName?: boolean;
  /** Whether an answer 301, 302, 303, 307 or 308 is given back instead of refused. It is never followed here. */
  readonly allowRedirect?: boolean;
};

export type ApiAnswer = {
  readonly status: number;
  /** The parsed body; undefined where it is empty. */
  readonly json: unknown;
  /** The service's own time when it answered, epoch milliseconds. */
  readonly serverTimeMs: number | null;
  /** Where a redirect leads. */
  readonly location: string | null;
};

/** Sends one request and gives back its successful answer. Throws a {@link RemoteError} or the signal's reason. */
export type Send = (apiRequest: ApiRequest, signal: AbortSignal) => Promise<ApiAnswer>;

export type SendOptions = {
  /** {base_url} or {auth_url}: the routes are appended to it. */
  readonly baseUrl: string;
  /** Null for the authorization endpoints, which take none. */
  readonly accessToken: string | null;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  /** How long a whole answer may take from its headers on. */
  readonly answerTimeoutMs?: number;
  readonly maxAnswerBytes?: number;
};

const ANSWER_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const urlOf = (baseUrl: string, apiRequest: ApiRequest): string => {
  const path = apiRequest.route.replace('{id}', encodeURIComponent(apiRequest.id ?? ''));
  // Not URLSearchParams: it writes a space as `+`, which a strict reader would keep.
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

const parseJson = (text: string): Pick<ReadAnswer, 'isJson' | 'json'> => {
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

type ReadLimits = { readonly clock: Clock; readonly timeoutMs: number; readonly maxBytes: number };

/** Reads a body within its limits; the deadline catches a body that drips, undici's own timeout one that stalls. */
const readText = (body: Readable, limits: ReadLimits): Promise<string> => {
  const deadline = limits.clock.monotonic() + limits.timeoutMs;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    body.on('data', (chunk: Uint8Array) => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes > limits.maxBytes) body.destroy(new Error(`it is longer than ${limits.maxBytes} bytes`));
      else if (limits.clock.monotonic() > deadline)
        body.destroy(new Error(`it took longer than ${limits.timeoutMs} ms`));
    });
    body.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    body.on('error', reject);
    body.on('close', () => reject(new Error('it was cut off')));
  });
};

const dispatch = async (
  options: SendOptions,
  apiRequest: ApiRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> => {
  const timeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
  const authorization = options.accessToken === null ? {} : { authorization: `Bearer ${options.accessToken}` };
  const body = encodeBody(apiRequest);
  try {
    return await request(urlOf(options.baseUrl, apiRequest), {
      method: apiRequest.method,
      headers: { accept: 'application/json', 'content-type': 'application/json', ...authorization },
      body,
      dispatcher: options.dispatcher,
      signal,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof RemoteError ? error : connectionError(apiRequest, error);
  }
};

const readAnswer = async (
  options: SendOptions,
  apiRequest: ApiRequest,
  response: Dispatcher.ResponseData,
  signal: AbortSignal,
): Promise<ReadAnswer> => {
  const status = response.statusCode;
  const headers = response.headers;
  const timeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS;
  const maxBytes = options.maxAnswerBytes ?? MAX_ANSWER_BYTES;
  try {
    const text = await readText(response.body, { clock: options.clock, timeoutMs, maxBytes });
    return { status, headers, ...parseJson(text) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (status >= 400) return { status, headers, isJson: false, json: undefined };
    const why = error instanceof Error ? error.message : 'it was cut off';
    throw unreadableAnswer(apiRequest, status, why, error);
  }
};

/**
 * The one way to the service over HTTP: headers as the document's Authentication asks, JSON both ways, sizes and times
 * bounded, and every failure told as a {@link RemoteError} by its meaning. It sends each request once.
 */
export const createSend = (options: SendOptions): Send => {
  return async (apiRequest, signal) => {
    signal.throwIfAborted();
    const response = await dispatch(options, apiRequest, signal);
    const answer = await readAnswer(options, apiRequest, response, signal);
    const location = headerText(answer.headers, 'location');
    const result = { status: answer.status, json: answer.json, serverTimeMs: serverTimeMs(answer.headers), location };
    if (apiRequest.allowRedirect === true && REDIRECTS.has(answer.status) && location !== null) return result;
    const error = answerError({ ...apiRequest, secret: options.accessToken }, answer, options.clock.now());
    if (error !== null) throw error;
    return result;
  };
};
