import type { WholeAnswer } from '../../net/exchange.ts';
import { headersNamed, type AnswerHeaders } from '../../net/headers.ts';
import { isFault, type RemoteError, UnreadableError, WrongAddressError } from '../errors.ts';
import { isWebPage, unreadableAnswer, type SentRequest } from '../failure.ts';
import type { RetryPolicy } from '../../net/retry.ts';
import type { Transport } from '../../net/transport.ts';
import { retrying, sendOnce } from '../send.ts';
import { createAuthorization, type Credentials } from './authorization.ts';
import { isMember, isSameHref } from './href.ts';
import { multistatusOf, parseXml, type XmlDocument } from './dav.ts';
import { answerError, sentOf } from './failure.ts';

/** One request to the server. */
type DavRequest = {
  readonly method: 'GET' | 'PROPFIND' | 'REPORT' | 'PUT' | 'DELETE';
  readonly url: string;
  /** The subject of the request, for messages: `a card`. */
  readonly what: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Returns true for a status of a refusal or a redirect whose answer is returned instead of thrown. */
  readonly allowStatus?: (status: number) => boolean;
  /** If true, a fault or an answer that cannot be parsed is thrown without a retry: the caller divides the request. */
  readonly isDivisible?: boolean;
};

export type DavAnswer = {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** The document of the answer; null if it has none. */
  readonly root: XmlDocument | null;
  readonly text: string;
};

/** Sends a request of one operation with safe retries. Throws a {@link RemoteError}, or the reason of the operation's signal. */
export type SendDav = (request: DavRequest) => Promise<DavAnswer>;

type DavSendOptions = RetryPolicy & Credentials & { readonly transport: Transport };

type Authorised = DavSendOptions & { readonly authorization: ReturnType<typeof createAuthorization> };

const attemptOnce = async (options: Authorised, request: DavRequest, signal: AbortSignal): Promise<WholeAnswer> => {
  const { method, url, headers = {}, body = null } = request;
  const { pathname, search } = new URL(url);
  const authorization = options.authorization.header(method, `${pathname}${search}`);
  const sent = { method, url, headers: { authorization, ...headers }, body };
  const answer = await sendOnce(options, sent, sentOf(request), signal);
  return { ...answer, text: answer.text ?? '' };
};

const documentOf = (sent: SentRequest, { status, headers, text }: WholeAnswer): XmlDocument | null => {
  if (!text.trimStart().startsWith('<') || isWebPage(headers)) return null;
  try {
    return parseXml(text);
  } catch (error) {
    if (status >= 300) return null;
    throw unreadableAnswer(sent, status, 'it is not well-formed XML', error);
  }
};

const sendAuthorised = async (options: Authorised, request: DavRequest, signal: AbortSignal): Promise<DavAnswer> => {
  signal.throwIfAborted();
  let answer = await attemptOnce(options, request, signal);
  if (answer.status === 401 && options.authorization.accept(headersNamed(answer.headers, 'www-authenticate'))) {
    answer = await attemptOnce(options, request, signal);
  }
  const { status, headers } = answer;
  const sent = sentOf(request);
  const isReturned = request.allowStatus?.(status) === true;
  const error = isReturned ? null : answerError(sent, answer, options.clock.now());
  if (error !== null) throw error;
  return { status, headers, root: documentOf(sent, answer), text: answer.text };
};

/**
 * Creates the function that returns the {@link SendDav} of an operation. Each request has the credential. Reads are repeated if
 * that may help, writes only if they were not applied.
 */
export const createSendDav = (options: DavSendOptions): ((signal: AbortSignal) => SendDav) => {
  const authorised = { ...options, authorization: createAuthorization(options) };
  return (signal) => (request) => {
    const isHandled = (error: RemoteError): boolean =>
      request.isDivisible === true && (error instanceof UnreadableError || isFault(error));
    const { isRead } = sentOf(request);
    return retrying(() => sendAuthorised(authorised, request, signal), { ...options, signal, isRead, isHandled });
  };
};

/** Returns the multistatus of an answer. Throws if the answer is not one. */
export const requireMultistatus = (request: DavRequest, { status, root }: DavAnswer) => {
  const multistatus = multistatusOf(root);
  if (multistatus === null) throw unreadableAnswer(sentOf(request), status, 'it is not a multistatus');
  return multistatus;
};

/**
 * Returns the multistatus of an answer about the contents of an address book. Throws a {@link WrongAddressError} if it names
 * only other paths, for example because a proxy changes them: the address book would count as empty.
 */
export const requireContents = (request: DavRequest, answer: DavAnswer, bookUrl: string) => {
  const multistatus = requireMultistatus(request, answer);
  const { responses } = multistatus;
  if (responses.some(({ href }) => isMember(href, bookUrl))) return multistatus;
  const other = responses.find(({ href }) => !isSameHref(href, bookUrl, bookUrl));
  if (other === undefined) return multistatus;
  // The name of a card may contain that of a person.
  const folder = (URL.parse(other.href, bookUrl)?.pathname ?? '').replace(/[^/]*$/u, '');
  const text = `the server names cards in ${folder}, not in the address book ${new URL(bookUrl).pathname}: set CARDDAV_URL to an address with the server's own path, or change the proxy so that it keeps paths`;
  throw new WrongAddressError(text, { status: answer.status, route: sentOf(request).route, applied: 'no' });
};
