import { UnsentError } from '../net/gate.ts';
import type { AnswerHeaders } from '../net/headers.ts';
import { errorCode } from '../util/errors.ts';
import {
  type RemoteError,
  RedirectedError,
  UnauthenticatedError,
  UnavailableError,
  UnreadableError,
  WrongAddressError,
  type Applied,
  type RemoteErrorOptions,
} from './errors.ts';

/** A request, as its errors describe it. */
export type SentRequest = {
  /** The remote as the subject of a message: `the service`. */
  readonly remote: string;
  /** Method and route, without query and without ids of a person. */
  readonly route: string;
  readonly isRead: boolean;
  /** The setting with the address of the remote. */
  readonly address: string;
  /** The words for the credential of the request: `the access token`. */
  readonly credential: string;
};

/** Returns whether a request without a proper answer was applied: a read changes nothing. */
export const appliedWhenSent = ({ isRead }: Pick<SentRequest, 'isRead'>): Applied => (isRead ? 'no' : 'unknown');

/** Returns the error options of a request that was not sent. */
export const notSent = (route: string) => ({ status: null, route, applied: 'no' }) as const;

/** Returns the error options of a successful answer to a read. */
export const answered = (route: string) => ({ status: 200, route, applied: 'no' }) as const;

/** Error codes of a connection that was never established: the request did not reach the remote. */
const UNSENT_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Returns the codes of a connection error, one for each address that was tried; empty if it has none. */
const connectionCodesOf = (error: unknown): readonly string[] =>
  (error instanceof AggregateError ? error.errors : [error]).flatMap((each: unknown) => errorCode(each) ?? []);

/** Returns whether a request with these codes certainly was not sent, so that it was not applied. */
const wasNeverSent = (codes: readonly string[]): boolean =>
  codes.length > 0 && codes.every((code) => UNSENT_CODES.has(code));

/** The TLS code for an answer in plain HTTP. */
const ANSWERED_PLAIN = 'ERR_SSL_WRONG_VERSION_NUMBER';
/** The code for a header value that cannot be sent. */
const UNSENDABLE_HEADER = 'UND_ERR_INVALID_ARG';

/** Returns the error of a request without an answer: not admitted, not sent, reset, timed out, or answered in plain HTTP. */
export const unansweredRequest = (sent: SentRequest, cause: unknown): RemoteError => {
  const { address, credential, remote, route } = sent;
  if (cause instanceof UnsentError) {
    const { message, retryAfterMs } = cause;
    return new UnavailableError(`${route} was not sent: ${message}`, { ...notSent(route), retryAfterMs, cause });
  }
  const codes = connectionCodesOf(cause);
  if (codes[0] === UNSENDABLE_HEADER) {
    const text = `${route} was not sent: ${credential} contains a character that no header can hold`;
    return new UnauthenticatedError(text, { ...notSent(route), cause });
  }
  if (codes.includes(ANSWERED_PLAIN)) {
    const text = `${remote} answered ${route} in plain HTTP, not HTTPS: write http:// in ${address}`;
    return new WrongAddressError(text, { ...notSent(route), cause });
  }
  const isUnsent = wasNeverSent(codes);
  const remedy = isUnsent ? `: check the network and ${address}` : '';
  return new UnavailableError(`${remote} did not answer ${route} (${codes[0] ?? 'no reason given'})${remedy}`, {
    ...notSent(route),
    applied: isUnsent ? 'no' : appliedWhenSent(sent),
    cause,
  });
};

/** Returns the error for an answer that cannot be parsed. */
export const unreadableAnswer = (
  sent: SentRequest,
  status: number | null,
  why: string,
  cause?: unknown,
): UnreadableError => {
  const { remote, route } = sent;
  const options = { status, route, applied: appliedWhenSent(sent), cause };
  return new UnreadableError(`${remote}'s answer to ${route} cannot be understood: ${why}`, options);
};

/** Returns the error for a fault of the remote itself. */
export const serverFault = (sent: SentRequest, options: Omit<RemoteErrorOptions, 'applied' | 'route'>) => {
  const { remote, route } = sent;
  const text = `${remote} failed at ${route} (${options.status})`;
  return new UnavailableError(text, { ...options, route, applied: appliedWhenSent(sent) });
};

/**
 * Returns the error for a redirect, which is not followed, because the request contains a credential and contacts. 307 and 308
 * require a repetition, so the request was not applied. Other redirects may also follow an applied write.
 */
export const redirected = (
  { remote, route, isRead }: SentRequest,
  { status, cause }: Pick<RemoteErrorOptions, 'cause'> & { readonly status: number },
  address = 'the address in the configuration',
): RedirectedError => {
  const applied = isRead || status === 307 || status === 308 ? 'no' : 'unknown';
  const text = `${remote} answers ${route} with a redirect (${status}), which is not followed; check ${address}`;
  return new RedirectedError(text, { status, route, applied, cause });
};

/** Returns whether an answer has the type of a web page. */
export const isWebPage = (headers: AnswerHeaders): boolean => /\bhtml\b/iu.test(String(headers['content-type']));
