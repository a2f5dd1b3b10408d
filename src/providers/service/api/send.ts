import type { Clock } from '../../../util/clock.ts';
import { headerNamed, readServerTimeMs } from '../../../net/headers.ts';
import { InvalidError } from '../../errors.ts';
import { notSent } from '../../failure.ts';
import type { Transport } from '../../../net/transport.ts';
import { sendOnce } from '../../send.ts';
import { answerError, sentOf, type ParsedAnswer } from './failure.ts';

/** One request to a documented route. */
export type ApiRequest = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
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

/** Sends one request of an operation. Throws a {@link RemoteError}, or the reason of the operation's signal. */
export type Send = (apiRequest: ApiRequest) => Promise<ApiAnswer>;

type SendOptions = {
  /** {base_url} or {auth_url}, without a slash at its end: the routes are appended to it. */
  readonly baseUrl: string;
  /** Null for the authorization endpoints, which take no token. */
  readonly accessToken: string | null;
  readonly transport: Transport;
  readonly clock: Clock;
};

const MAX_BODY_BYTES = 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

const urlOf = (baseUrl: string, apiRequest: ApiRequest): string => {
  const path = apiRequest.route.replace('{id}', encodeURIComponent(apiRequest.id ?? ''));
  // Not URLSearchParams: it encodes a space as `+`, which a strict parser does not decode.
  const pairs = Object.entries(apiRequest.query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${baseUrl}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
};

const encodeBody = (apiRequest: ApiRequest): string | null => {
  if (apiRequest.body === undefined) return null;
  const text = JSON.stringify(apiRequest.body);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_BODY_BYTES) return text;
  const { route } = sentOf(apiRequest);
  const why = `its body of ${bytes} bytes is over the limit of ${MAX_BODY_BYTES}; shorten the contact`;
  throw new InvalidError(`${route} was not sent: ${why}`, notSent(route));
};

const parseJson = (text: string): Pick<ParsedAnswer, 'isJson' | 'json'> => {
  if (text.trim() === '') return { isJson: true, json: undefined };
  try {
    return { isJson: true, json: JSON.parse(text) as unknown };
  } catch {
    return { isJson: false, json: undefined };
  }
};

const readAnswer = async (options: SendOptions, apiRequest: ApiRequest, signal: AbortSignal): Promise<ParsedAnswer> => {
  const { accessToken, baseUrl } = options;
  const authorization = accessToken === null ? {} : { authorization: `Bearer ${accessToken}` };
  const request = {
    url: urlOf(baseUrl, apiRequest),
    method: apiRequest.method,
    headers: { accept: 'application/json', 'content-type': 'application/json', ...authorization },
    body: encodeBody(apiRequest),
  };
  const { text, ...answer } = await sendOnce(options, request, sentOf(apiRequest), signal);
  return { ...answer, ...(text === null ? { isJson: false, json: undefined } : parseJson(text)) };
};

/**
 * Creates the function that returns the {@link Send} of an operation: headers as documented (Authentication), JSON in both
 * directions, limited sizes and times, and a {@link RemoteError} for every failure. It sends each request once.
 */
export const createSend =
  (options: SendOptions) =>
  (signal: AbortSignal): Send =>
  async (apiRequest) => {
    signal.throwIfAborted();
    const answer = await readAnswer(options, apiRequest, signal);
    const { status, headers, json } = answer;
    const location = headerNamed(headers, 'location');
    const result = { status, json, serverTimeMs: readServerTimeMs(headers), location };
    if (apiRequest.allowRedirect === true && REDIRECTS.has(status) && location !== null) return result;
    const asked = { ...apiRequest, secret: options.accessToken, baseUrl: options.baseUrl };
    const error = answerError(asked, answer, options.clock.now());
    if (error !== null) throw error;
    return result;
  };
