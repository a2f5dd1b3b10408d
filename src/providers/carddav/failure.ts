import type { WholeAnswer } from '../../net/exchange.ts';
import { readRateHeaders, readRetryAfterMs, type AnswerHead } from '../../net/headers.ts';
import {
  InvalidError,
  LimitedError,
  NotFoundError,
  RevokedError,
  StaleError,
  UnauthenticatedError,
  WrongAddressError,
  type RemoteError,
  type RemoteErrorOptions,
} from '../errors.ts';
import { appliedWhenSent, isWebPage, redirected, serverFault, unreadableAnswer, type SentRequest } from '../failure.ts';

const ADDRESS = 'CARDDAV_URL';
const CREDENTIAL = 'CARDDAV_USERNAME and CARDDAV_PASSWORD';

/** Returns a request as its errors describe it. Paths are left out, because they may contain names of people. */
export const sentOf = ({ method, what }: { readonly method: string; readonly what: string }): SentRequest => ({
  remote: 'the server',
  route: `${method} ${what}`,
  isRead: method !== 'PUT' && method !== 'DELETE',
  address: ADDRESS,
  credential: 'the password',
});

/** Classifies a refusal by its status. A refused write concerns its card; a refused read, the whole address book. */
const refusal = ({ isRead }: SentRequest, status: number, text: string, options: RemoteErrorOptions): RemoteError => {
  switch (status) {
    case 401:
      return new UnauthenticatedError(`${text}: check ${CREDENTIAL}; many servers require an app password`, options);
    case 403:
      return isRead
        ? new RevokedError(`${text}: the account may not read this address book`, options)
        : new InvalidError(
            `${text}: the account may not write this address book, or the card breaks a rule of it`,
            options,
          );
    case 404:
    case 410:
      return new NotFoundError(`${text}: not found; check ${ADDRESS} and CARDDAV_ADDRESSBOOK`, options);
    case 413:
      return new InvalidError(`${text}: the card is larger than the server accepts`, options);
    case 507:
      return new InvalidError(`${text}: the storage quota of the account is full`, options);
    case 412:
      return new StaleError(`${text}: the card changed since it was read`, options);
    default:
      return new InvalidError(text, options);
  }
};

const refused = (sent: SentRequest, { status, headers }: AnswerHead, nowMs: number): RemoteError => {
  const { isRead, route } = sent;
  const text = `the server refused ${route} (${status})`;
  const options = { status, route, applied: 'no' } as const;
  const retryAfterMs = readRetryAfterMs(headers, nowMs);
  if (status === 429 || (status === 503 && retryAfterMs !== null)) {
    const waitMs = retryAfterMs ?? readRateHeaders(headers, nowMs).resetMs;
    return new LimitedError(`${text}: the rate limit`, { ...options, retryAfterMs: waitMs });
  }
  if (status >= 500 && status !== 507) return serverFault(sent, { status, retryAfterMs });
  // A web page that reports a missing card: a proxy returns it for every request while the server is down.
  if ((status === 404 || status === 410) && isWebPage(headers) && !isRead) {
    const applied = appliedWhenSent(sent);
    return new WrongAddressError(`${text} with a web page; check ${ADDRESS}`, { ...options, applied });
  }
  return refusal(sent, status, text, options);
};

/**
 * Classifies an answer by its status; null for a success. `nowMs` is epoch milliseconds. PHP sets the type HTML for every
 * answer without a type, so an empty answer does not count as a web page.
 */
export const answerError = (sent: SentRequest, answer: WholeAnswer, nowMs: number): RemoteError | null => {
  const { status, headers, text } = answer;
  if (status >= 400) return refused(sent, answer, nowMs);
  if (status >= 300) return redirected(sent, answer, ADDRESS);
  return isWebPage(headers) && text.trim() !== ''
    ? unreadableAnswer(sent, status, `it is a web page; check ${ADDRESS}`)
    : null;
};
