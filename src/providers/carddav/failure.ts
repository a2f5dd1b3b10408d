import type { WholeAnswer } from '../../net/exchange.ts';
import { readRateHeaders, readRetryAfterMs, type AnswerHeaders } from '../../net/rate-headers.ts';
import { findUnsent } from '../../net/gate.ts';
import {
  appliedBeforeRedirect,
  InvalidError,
  LimitedError,
  NotFoundError,
  RedirectedError,
  RevokedError,
  StaleError,
  UnauthenticatedError,
  UnavailableError,
  UnreadableError,
  WrongAddressError,
  type Applied,
  type RemoteError,
  type RemoteErrorOptions,
} from '../errors.ts';
import { connectionCodesOf, wasNeverSent } from '../retrying.ts';

export type DavMethod = 'PROPFIND' | 'REPORT' | 'PUT' | 'DELETE';

/** Returns whether a method changes nothing. */
export const isRead = (method: DavMethod): boolean => method === 'PROPFIND' || method === 'REPORT';

/** Returns the name of a request for messages. Paths are left out, because they may contain names of people. */
const routeOf = (method: DavMethod, what: string): string => `${method} ${what}`;

/** The properties of a request that its errors need. */
export type DavRequest = { readonly method: DavMethod; readonly what: string };

const ADDRESS = 'CARDDAV_URL';
const CREDENTIAL = 'CARDDAV_USERNAME and CARDDAV_PASSWORD';

const appliedWhenSent = (method: DavMethod): Applied => (isRead(method) ? 'no' : 'unknown');

/** Returns the error of a request without an answer. */
export const connectionError = ({ method, what }: DavRequest, cause: unknown): RemoteError => {
  const route = routeOf(method, what);
  const unsent = findUnsent(cause);
  if (unsent !== null) {
    const { retryAfterMs } = unsent;
    const options = { status: null, route, applied: 'no', retryAfterMs, cause } as const;
    return new UnavailableError(`${route} was not sent: ${unsent.message}`, options);
  }
  const codes = connectionCodesOf(cause);
  if (codes[0] === 'UND_ERR_INVALID_ARG') {
    const text = `${route} was not sent: the password contains a character that no header can hold`;
    return new UnauthenticatedError(text, { status: null, route, applied: 'no', cause });
  }
  const isUnsent = wasNeverSent(codes);
  const remedy = isUnsent ? `: check the network and ${ADDRESS}` : '';
  return new UnavailableError(`the server did not answer ${route} (${codes[0] ?? 'no reason given'})${remedy}`, {
    status: null,
    route,
    applied: isUnsent ? 'no' : appliedWhenSent(method),
    cause,
  });
};

/** Returns the error for an answer that cannot be parsed. */
export const unreadableAnswer = (
  { method, what }: DavRequest,
  status: number,
  why: string,
  cause?: unknown,
): UnreadableError => {
  const route = routeOf(method, what);
  const options = { status, route, applied: appliedWhenSent(method), cause };
  return new UnreadableError(`the server's answer to ${route} cannot be understood: ${why}`, options);
};

const isPage = (headers: AnswerHeaders): boolean => /\bhtml\b/iu.test(String(headers['content-type']));

/** Classifies a refusal by its status. A refused write concerns its card; a refused read, the whole address book. */
const refusal = ({ method }: DavRequest, status: number, text: string, options: RemoteErrorOptions): RemoteError => {
  switch (status) {
    case 401:
      return new UnauthenticatedError(`${text}: check ${CREDENTIAL}; many servers require an app password`, options);
    case 403:
      return isRead(method)
        ? new RevokedError(`${text}: the account may not read this address book`, options)
        : new InvalidError(
            `${text}: the account may not write this address book, or the card breaks a rule of it`,
            options,
          );
    case 404:
    case 410:
      return new NotFoundError(`${text}: not found; check ${ADDRESS} and CARDDAV_ADDRESSBOOK`, options);
    case 412:
      return new StaleError(`${text}: the card changed since it was read`, options);
    default:
      return new InvalidError(text, options);
  }
};

const redirected = ({ method, what }: DavRequest, status: number): RedirectedError => {
  const route = routeOf(method, what);
  const applied = appliedBeforeRedirect(status, !isRead(method));
  const text = `the server answers ${route} with a redirect (${status}), which is not followed; check ${ADDRESS}`;
  return new RedirectedError(text, { status, route, applied });
};

/** A web page that reports a missing card: a proxy returns it for every request while the server is down. */
const isMissingPage = ({ method }: DavRequest, status: number, headers: AnswerHeaders): boolean =>
  (status === 404 || status === 410) && isPage(headers) && !isRead(method);

const refused = (asked: DavRequest, status: number, headers: AnswerHeaders, nowMs: number): RemoteError => {
  const { method, what } = asked;
  const route = routeOf(method, what);
  const text = `the server refused ${route} (${status})`;
  const retryAfterMs = readRetryAfterMs(headers, nowMs);
  if (status === 429 || (status === 503 && retryAfterMs !== null)) {
    const waitMs = retryAfterMs ?? readRateHeaders(headers, nowMs).resetMs;
    return new LimitedError(`${text}: the rate limit`, { status, route, applied: 'no', retryAfterMs: waitMs });
  }
  if (status >= 500 && status !== 507) {
    const options = { status, route, applied: appliedWhenSent(method), retryAfterMs };
    return new UnavailableError(`the server failed at ${route} (${status})`, options);
  }
  if (isMissingPage(asked, status, headers)) {
    return new WrongAddressError(`${text} with a web page; check ${ADDRESS}`, { status, route, applied: 'unknown' });
  }
  return refusal(asked, status, text, { status, route, applied: 'no' });
};

/**
 * Classifies an answer by its status; null for a success. `nowMs` is epoch milliseconds. PHP sets the type HTML for every
 * answer without a type, so an empty answer does not count as a web page.
 */
export const answerError = (
  asked: DavRequest,
  { status, headers, text }: WholeAnswer,
  nowMs: number,
): RemoteError | null => {
  if (status >= 400) return refused(asked, status, headers, nowMs);
  if (status >= 300) return redirected(asked, status);
  return isPage(headers) && text.trim() !== ''
    ? unreadableAnswer(asked, status, `it is a web page; check ${ADDRESS}`)
    : null;
};
