import { readRateHeaders, readRetryAfterMs, type AnswerHeaders } from '../../../net/rate-headers.ts';
import { findUnsent } from '../../../net/gate.ts';
import {
  ClientRefusedError,
  DisabledError,
  InvalidError,
  LimitedError,
  NameTakenError,
  NotFoundError,
  RedirectedError,
  RevokedError,
  UnauthenticatedError,
  UnavailableError,
  UnreadableError,
  WrongAddressError,
  appliedBeforeRedirect,
  type Applied,
  type RemoteError,
  type RemoteErrorOptions,
} from '../../errors.ts';
import { connectionCodesOf, wasNeverSent } from '../../retrying.ts';
import { hasErrors, serviceWords } from './service-words.ts';

/** The properties of a request that its errors need. */
export type SentRequest = {
  readonly method: string;
  /** The documented route, with `{id}` for ids. */
  readonly route: string;
  readonly body?: unknown;
  /** The credential of the request: it must not appear in a message. */
  readonly secret?: string | null;
  /** The body's name must be unique: a refusal for that reason is a {@link NameTakenError}. */
  readonly uniqueName?: boolean;
  /** The address before the route. */
  readonly baseUrl?: string;
};

/** A parsed answer; `json` is undefined for an empty body, `isJson` is false for a body that is not JSON. */
export type ParsedAnswer = {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly isJson: boolean;
  readonly json: unknown;
};

const LIMIT_WORDS = /rate limit|limit exceeded|too many requests|throttl/iu;
const TAKEN_WORDS = /taken|exist|duplicate|unique|already/iu;

/** Returns whether a request without a proper answer was applied: a read changes nothing. */
const appliedWhenSent = (method: string): Applied => (method === 'GET' ? 'no' : 'unknown');

/** Returns method and route, for messages. */
const routeOf = (asked: SentRequest): string => `${asked.method} ${asked.route}`;

/** Returns the setting with the address of the route. */
const addressOf = ({ route }: SentRequest): string =>
  route.startsWith('/oauth2/') ? 'SERVICE_AUTH_URL' : 'SERVICE_BASE_URL';

/** The code for a header value that cannot be sent: the request was not sent. */
const UNSENDABLE_HEADER = 'UND_ERR_INVALID_ARG';

/** The TLS code for an answer in plain HTTP. */
const ANSWERED_PLAIN = 'ERR_SSL_WRONG_VERSION_NUMBER';

/** Returns the error of a request without an answer: refused, reset, timed out, or answered in plain HTTP. */
export const connectionError = (
  asked: SentRequest,
  cause: unknown,
): UnavailableError | UnauthenticatedError | WrongAddressError => {
  const kept = findUnsent(cause);
  if (kept !== null) {
    const { retryAfterMs } = kept;
    const options = { status: null, route: routeOf(asked), applied: 'no', retryAfterMs, cause } as const;
    return new UnavailableError(`${routeOf(asked)} was not sent: ${kept.message}`, options);
  }
  const codes = connectionCodesOf(cause);
  if (codes[0] === UNSENDABLE_HEADER) {
    const options = { status: null, route: routeOf(asked), applied: 'no', cause } as const;
    const text = 'was not sent: the access token contains a character that no token has';
    return new UnauthenticatedError(`${routeOf(asked)} ${text}`, options);
  }
  if (codes.includes(ANSWERED_PLAIN)) {
    const options = { status: null, route: routeOf(asked), applied: 'no', cause } as const;
    const text = `the service answered ${routeOf(asked)} in plain HTTP, not HTTPS`;
    return new WrongAddressError(`${text}: write http:// in ${addressOf(asked)}`, options);
  }
  const unsent = wasNeverSent(codes);
  const reason = codes[0] ?? 'no reason given';
  const remedy = unsent ? `: check the network and ${addressOf(asked)}` : '';
  return new UnavailableError(`the service did not answer ${routeOf(asked)} (${reason})${remedy}`, {
    status: null,
    route: routeOf(asked),
    applied: unsent ? 'no' : appliedWhenSent(asked.method),
    cause,
  });
};

/** Returns the error for an answer that cannot be parsed; `why` is the reason. */
export const unreadableAnswer = (asked: SentRequest, status: number, why: string, cause?: unknown): UnreadableError => {
  return new UnreadableError(`the service's answer to ${routeOf(asked)} cannot be understood: ${why}`, {
    status,
    route: routeOf(asked),
    applied: appliedWhenSent(asked.method),
    cause,
  });
};

/** Returns the error for a redirect, which is not followed. */
export const redirected = (asked: SentRequest, status: number): RedirectedError => {
  const route = routeOf(asked);
  const text = `the service answers ${route} with a redirect (${status}), which is not followed`;
  const applied = appliedBeforeRedirect(status, asked.method !== 'GET');
  return new RedirectedError(`${text}; check the address in the configuration`, { status, route, applied });
};

/** Returns the error for a body that is not sent because it is too large or cannot be encoded as JSON. */
export const unsendable = (asked: SentRequest, why: string): InvalidError => {
  const options: RemoteErrorOptions = { status: null, route: routeOf(asked), applied: 'no' };
  return new InvalidError(`${routeOf(asked)} was not sent: ${why}`, options);
};

/** Returns whether the answer is a web page: then it is not from the service. */
const isPage = ({ headers, isJson }: ParsedAnswer): boolean =>
  !isJson && /\bhtml\b/iu.test(String(headers['content-type']));

/**
 * Returns the error for a web page with 404 or 410. A proxy returns it for every request while the service is deployed. If
 * the service answers another request, the resource itself is missing.
 */
const missingByPage = (asked: SentRequest, status: number): WrongAddressError => {
  const text = `the service's answer to ${routeOf(asked)} (${status}) is a web page; check ${addressOf(asked)}`;
  return new WrongAddressError(text, { status, route: routeOf(asked), applied: appliedWhenSent(asked.method) });
};

/** Returns the error of a refusal at an authorization endpoint. These endpoints take no token. */
const refusedApplication = (asked: SentRequest, text: string, options: RemoteErrorOptions): RemoteError => {
  const what =
    asked.route === '/oauth2/token'
      ? 'SERVICE_CLIENT_ID or SERVICE_CLIENT_SECRET is wrong'
      : 'the key or SERVICE_CLIENT_ID is wrong';
  return new ClientRefusedError(`${text}: ${what}`, options);
};

const isLimited = (answer: ParsedAnswer, words: string, nowMs: number): boolean => {
  const { status, headers } = answer;
  if (status === 429) return true;
  if (status === 503) return headers['retry-after'] !== undefined;
  const refusal = status === 403 || status < 300;
  return refusal && (readRateHeaders(headers, nowMs).remaining === 0 || LIMIT_WORDS.test(words));
};

const isNameTaken = (asked: SentRequest, status: number, words: string): boolean => {
  if (asked.uniqueName !== true) return false;
  return status === 409 || ((status === 422 || status === 400) && TAKEN_WORDS.test(words));
};

/** Returns the reason or the remedy for an answer that the route does not exist. */
const missingRemedy = (asked: SentRequest): string => {
  if (asked.route.includes('{')) return 'not found';
  // Each route already begins with /v2.
  if (/\/v2\/*$/u.test(asked.baseUrl ?? '')) return `leave /v2 out of ${addressOf(asked)}`;
  return `check ${addressOf(asked)}`;
};

const refusal = (
  asked: SentRequest,
  status: number,
  text: string,
  words: string,
  options: RemoteErrorOptions,
): RemoteError => {
  switch (status) {
    case 401:
      if (asked.route.startsWith('/oauth2/')) return refusedApplication(asked, text, options);
      return new UnauthenticatedError(`${text}: the access token is wrong or expired`, options);
    case 402:
      return new DisabledError(`${text}: the account is disabled; enable it at the service`, options);
    case 403:
      return new RevokedError(`${text}: the permission was revoked or a scope is missing`, options);
    case 404:
    case 410:
      // At the service itself, only a route with an id can be missing.
      return new NotFoundError(`${text}: ${missingRemedy(asked)}`, options);
    default:
      if (isNameTaken(asked, status, words)) return new NameTakenError(`${text}: the name is taken`, options);
      return new InvalidError(text, options);
  }
};

const isServerFault = (status: number): boolean => status >= 500 || status === 408 || status === 425;

const errorOf = (asked: SentRequest, answer: ParsedAnswer, nowMs: number): RemoteError => {
  const { status } = answer;
  const words = serviceWords(answer.json, [asked.body, asked.secret]);
  const saying = words === null ? '' : ` saying "${words}"`;
  const page = isPage(answer) ? ` with a web page, as if ${addressOf(asked)} led elsewhere` : '';
  const text = `the service refused ${routeOf(asked)} (${status})${saying}${page}`;
  const options: RemoteErrorOptions = { status, route: routeOf(asked), applied: 'no' };
  const retryAfterMs = readRetryAfterMs(answer.headers, nowMs);
  const untilResetMs = readRateHeaders(answer.headers, nowMs).resetMs;
  if (isLimited(answer, words ?? '', nowMs))
    return new LimitedError(`${text}: the rate limit`, { ...options, retryAfterMs: retryAfterMs ?? untilResetMs });
  if (isServerFault(status)) {
    return new UnavailableError(`the service failed at ${routeOf(asked)} (${status})`, {
      ...options,
      applied: appliedWhenSent(asked.method),
      retryAfterMs,
    });
  }
  if ((status === 404 || status === 410) && isPage(answer)) return missingByPage(asked, status);
  return refusal(asked, status, text, words ?? '', options);
};

const holdsData = (json: unknown): boolean => {
  return typeof json === 'object' && json !== null && 'data' in json && json.data !== null;
};

/**
 * Classifies an answer by its status, rate headers and body; null for a success (API.md, Errors). A status that the document
 * leaves open has its HTTP meaning. `nowMs` is epoch milliseconds, for dates in headers.
 */
export const answerError = (asked: SentRequest, answer: ParsedAnswer, nowMs: number): RemoteError | null => {
  const { status } = answer;
  if (status >= 400) return errorOf(asked, answer, nowMs);
  if (status >= 300) return redirected(asked, status);
  if (isPage(answer)) return unreadableAnswer(asked, status, `it is a web page; check ${addressOf(asked)}`);
  if (!answer.isJson) return unreadableAnswer(asked, status, 'it is not complete JSON');
  if (!hasErrors(answer.json)) return null;
  const error = errorOf(asked, answer, nowMs);
  const applied = appliedWhenSent(asked.method);
  if (applied === 'no' || !holdsData(answer.json)) return error;
  // A write whose answer contains data may be applied, even if the answer also contains errors: it is not sent again.
  return new InvalidError(error.message, { status, route: error.route, applied });
};
