import { headerNamed, readRateHeaders, readRetryAfterMs, type AnswerHead } from '../../../net/headers.ts';
import {
  ClientRefusedError,
  DisabledError,
  FullError,
  InvalidError,
  LimitedError,
  NameTakenError,
  NotFoundError,
  RevokedError,
  UnauthenticatedError,
  WrongAddressError,
  type RemoteError,
  type RemoteErrorOptions,
} from '../../errors.ts';
import {
  appliedWhenSent,
  isWebPage,
  redirected,
  serverFault,
  unreadableAnswer,
  type SentRequest,
} from '../../failure.ts';
import { hasErrors, serviceWords } from './service-words.ts';

/** The properties of a request that its errors need. */
type Asked = {
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
export type ParsedAnswer = AnswerHead & { readonly isJson: boolean; readonly json: unknown };

/** Words about the rate of requests. */
const LIMIT_WORDS = /rate limit|limit exceeded|too many requests|throttl/iu;
/** Words about the number of contacts that an account may have: waiting does not help. */
const FULL_WORDS = /\b(?:contacts?|plan)\b.*\blimit\b|\blimit\b.*\b(?:contacts|plan)\b/iu;
const RATE_WORDS = /rate limit|request|throttl/iu;
const TAKEN_WORDS = /taken|exist|duplicate|unique|already/iu;

/** Returns a request as its errors describe it. */
export const sentOf = ({ method, route }: Asked): SentRequest => ({
  remote: 'the service',
  route: `${method} ${route}`,
  isRead: method === 'GET',
  address: route.startsWith('/oauth2/') ? 'SERVICE_AUTH_URL' : 'SERVICE_BASE_URL',
  credential: 'the access token',
});

/** Returns whether the answer is a web page: then it is not from the service. */
const isPage = ({ headers, isJson }: ParsedAnswer): boolean => !isJson && isWebPage(headers);

/** The status codes with which a proxy, or a page in front of the service, refuses a request. Those of the service itself are JSON. */
const FOREIGN_STATUSES: ReadonlySet<number> = new Set([403, 404, 410]);

/**
 * Returns the error for a web page or another text in place of an answer. A proxy returns it for every request while the service
 * is deployed or protected. If the service answers another request, the resource itself is missing.
 */
const foreign = (sent: SentRequest, answer: ParsedAnswer): WrongAddressError => {
  const { status } = answer;
  const what = isPage(answer) ? 'a web page' : 'not JSON';
  const text = `the service's answer to ${sent.route} (${status}) is ${what}; check ${sent.address}`;
  return new WrongAddressError(text, { status, route: sent.route, applied: appliedWhenSent(sent) });
};

/**
 * Returns whether an account takes no more contacts: another request may succeed. Only a create can fill an account. For another POST,
 * such words concern the number of ids in it.
 */
const isFull = ({ method, route }: Asked, { status }: ParsedAnswer, words: string): boolean =>
  method === 'POST' && !route.includes('{id}') && status < 429 && FULL_WORDS.test(words) && !RATE_WORDS.test(words);

const isLimited = ({ status, headers }: ParsedAnswer, words: string, nowMs: number): boolean => {
  if (status === 429) return true;
  if (status === 503) return headerNamed(headers, 'retry-after') !== null;
  const isRefusal = status === 403 || status < 300;
  return isRefusal && (readRateHeaders(headers, nowMs).remaining === 0 || LIMIT_WORDS.test(words));
};

const isNameTaken = (asked: Asked, status: number, words: string): boolean => {
  if (asked.uniqueName !== true) return false;
  return status === 409 || ((status === 422 || status === 400) && TAKEN_WORDS.test(words));
};

/** Returns the reason or the remedy for an answer that the route does not exist. */
const missingRemedy = (asked: Asked): string => {
  if (asked.route.includes('{')) return 'not found';
  const { address } = sentOf(asked);
  // Each route already begins with /v2.
  return asked.baseUrl?.endsWith('/v2') ? `leave /v2 out of ${address}` : `check ${address}`;
};

const refusal = (
  asked: Asked,
  status: number,
  text: string,
  words: string,
  options: RemoteErrorOptions,
): RemoteError => {
  switch (status) {
    case 401:
      // The authorization endpoints take no token.
      if (asked.route.startsWith('/oauth2/')) {
        return new ClientRefusedError(`${text}: SERVICE_CLIENT_ID or SERVICE_CLIENT_SECRET is wrong`, options);
      }
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

const errorOf = (asked: Asked, answer: ParsedAnswer, nowMs: number): RemoteError => {
  const { status, headers } = answer;
  const sent = sentOf(asked);
  const words = serviceWords(answer.json, [asked.body, asked.secret]) ?? '';
  const saying = words === '' ? '' : ` saying "${words}"`;
  const page = isPage(answer) ? ` with a web page, as if ${sent.address} led elsewhere` : '';
  const text = `the service refused ${sent.route} (${status})${saying}${page}`;
  const options: RemoteErrorOptions = { status, route: sent.route, applied: 'no' };
  const retryAfterMs = readRetryAfterMs(headers, nowMs);
  if (isFull(asked, answer, words)) return new FullError(text, options);
  if (isLimited(answer, words, nowMs)) {
    const waitMs = retryAfterMs ?? readRateHeaders(headers, nowMs).resetMs;
    return new LimitedError(`${text}: the rate limit`, { ...options, retryAfterMs: waitMs });
  }
  if (isServerFault(status)) return serverFault(sent, { status, retryAfterMs });
  if (FOREIGN_STATUSES.has(status) && !answer.isJson) return foreign(sent, answer);
  return refusal(asked, status, text, words, options);
};

const holdsData = (json: unknown): boolean => {
  return typeof json === 'object' && json !== null && 'data' in json && json.data !== null;
};

/**
 * Classifies an answer by its status, rate headers and body; null for a success (API.md, Errors). A status that the document
 * leaves open has its HTTP meaning. `nowMs` is epoch milliseconds, for dates in headers.
 */
export const answerError = (asked: Asked, answer: ParsedAnswer, nowMs: number): RemoteError | null => {
  const { status } = answer;
  const sent = sentOf(asked);
  if (status >= 400) return errorOf(asked, answer, nowMs);
  if (status >= 300) return redirected(sent, answer);
  if (isPage(answer)) return unreadableAnswer(sent, status, `it is a web page; check ${sent.address}`);
  if (!answer.isJson) return unreadableAnswer(sent, status, 'it is not complete JSON');
  if (!hasErrors(answer.json)) return null;
  const error = errorOf(asked, answer, nowMs);
  const applied = appliedWhenSent(sent);
  if (applied === 'no' || !holdsData(answer.json)) return error;
  // A write whose answer contains data may be applied, even if the answer also contains errors: it is not sent again.
  return new InvalidError(error.message, { status, route: error.route, applied });
};
