import { z } from 'zod';
import { readRetryAfterMs } from '../../net/headers.ts';
import { CutOffError } from '../../net/exchange.ts';
import {
  ClientRefusedError,
  CursorExpiredError,
  FullError,
  InvalidError,
  LimitedError,
  NameTakenError,
  NotFoundError,
  RevokedError,
  StaleError,
  UnauthenticatedError,
  UnavailableError,
  UnreadableError,
  WrongAddressError,
  type RemoteError,
  type RemoteErrorOptions,
} from '../errors.ts';
import {
  answered,
  appliedWhenSent,
  notSent,
  redirected,
  serverFault,
  unansweredRequest,
  unreadableAnswer,
  type SentRequest,
} from '../failure.ts';

/** The properties of a request that determine the meaning of its failure. */
export type RequestContext = {
  /** Method and route without ids, for example `GET /v1/people/{person}`. */
  readonly route: string;
  readonly isRead: boolean;
  /** The listing continued from a sync token, so a 400 concerns that token. */
  readonly hasSyncToken: boolean;
  /** The minimum wait before the next attempt, in milliseconds, if Google limits a request without a `Retry-After`. */
  readonly limitFloorMs: number;
  /** Epoch milliseconds, to read a `Retry-After` date. */
  readonly nowMs: number;
};

const detailSchema = z.object({
  reason: z.string().exactOptional(),
  fieldViolations: z.array(z.object({ field: z.string().default('') })).default([]),
});
const apiErrorSchema = z.object({
  error: z.object({
    message: z.string().default(''),
    status: z.string().default(''),
    details: z.array(detailSchema.catch({ fieldViolations: [] })).default([]),
    errors: z.array(z.object({ reason: z.string().exactOptional() })).default([]),
  }),
});
const tokenErrorSchema = z.object({ error: z.string(), error_description: z.string().default('') });
/** The headers are those of the fetch in use, which may not be the built-in one. */
const headersSchema = z.custom<Pick<Headers, 'get'>>((value) => typeof value === 'object' && value !== null);
const answeredSchema = z.object({
  response: z.object({ status: z.number(), headers: headersSchema, data: z.unknown().optional() }),
});

type Answer = {
  readonly status: number;
  readonly code: string;
  readonly reasons: readonly string[];
  readonly fields: readonly string[];
  readonly message: string;
  readonly retryAfter: string | null;
  /** The body has content, but is not in the format of the People API. */
  readonly isForeign: boolean;
};

/** Codes and reasons are names. Other text is dropped: a proxy may echo the request in its answer. */
const nameOrNothing = (text: string): string => (/^[\w.:-]{1,60}$/u.test(text) ? text : '');

/** True for missing data, blank text, and an object without keys. */
const isEmpty = (data: unknown): boolean => {
  if (typeof data === 'string') return data.trim() === '';
  return data === undefined || data === null || (typeof data === 'object' && Object.keys(data).length === 0);
};

const answerOf = (error: unknown): Answer | null => {
  const parsed = answeredSchema.safeParse(error);
  if (!parsed.success) return null;
  const { status, headers, data } = parsed.data.response;
  const named = { code: '', reasons: [], fields: [], message: '' };
  const base = { ...named, status, retryAfter: headers.get('retry-after'), isForeign: !isEmpty(data) };
  const token = tokenErrorSchema.safeParse(data);
  if (token.success) return { ...base, code: nameOrNothing(token.data.error), message: token.data.error_description };
  const api = apiErrorSchema.safeParse(data);
  if (!api.success) return base;
  const { details, errors, ...body } = api.data.error;
  return {
    ...base,
    isForeign: false,
    code: nameOrNothing(body.status),
    reasons: [...details, ...errors].map(({ reason = '' }) => nameOrNothing(reason)).filter((reason) => reason !== ''),
    fields: details.flatMap(({ fieldViolations }) => fieldViolations.map(({ field }) => field)),
    message: body.message,
  };
};

/** The rest of a longer message is ignored: searching it would take too long. */
const LONGEST_SEARCHED = 2_000;

/** Google's messages quote refused values. Removes quoted text, addresses, numbers, and long or assigned words. */
const withoutValues = (message: string): string => {
  return message
    .slice(0, LONGEST_SEARCHED)
    .replace(/"[^"]*"|'[^']*'|\S+[@=]\S+|\S{24,}|\+?\d[\d\s()/-]{4,}\d/gu, '…')
    .slice(0, 300);
};

/** Returns Google's answer to a refused request, without possibly personal data, as the cause of a remote error. */
const causeOf = ({ status, code, reasons, message }: Answer): Error => {
  const names = [String(status), code, ...reasons].filter((part) => part !== '');
  return new Error(`${names.join(' ')}: ${withoutValues(message)}`);
};

export const TOKEN_ROUTE = 'POST token';

/** Returns a request as its errors describe it. */
export const sentOf = ({ route, isRead }: Pick<RequestContext, 'route' | 'isRead'>): SentRequest => ({
  remote: 'Google',
  route,
  isRead,
  address: route === TOKEN_ROUTE ? 'GOOGLE_TOKEN_URL' : 'GOOGLE_ROOT_URL',
  credential: 'the access token',
});

/** Classifies a failed People API request. `error` is the error of the client. */
export const toRemoteError = (error: unknown, context: RequestContext): RemoteError => {
  const { route } = context;
  const sent = sentOf(context);
  const answer = answerOf(error);
  if (answer === null) return unanswered(error, sent);
  const { status } = answer;
  const cause = causeOf(answer);
  if (status >= 500 || status === 408) {
    return serverFault(sent, { status, retryAfterMs: retryAfterMsOf(answer, context.nowMs), cause });
  }
  if (status < 400) return redirected(sent, { status, cause });
  return refused(answer, context, { status, route, applied: 'no', cause });
};

const LIMIT_REASONS = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'dailyLimitExceeded',
  'quotaExceeded',
  'RATE_LIMIT_EXCEEDED',
]);

const isLimit = (answer: Answer): boolean =>
  answer.status === 429 ||
  (answer.status === 403 &&
    (answer.code === 'RESOURCE_EXHAUSTED' || answer.reasons.some((reason) => LIMIT_REASONS.has(reason))));

const namesOverflow = (message: string): boolean => message.includes('MY_CONTACTS_OVERFLOW_COUNT');

const full = (base: RemoteErrorOptions): FullError =>
  new FullError('The Google account holds as many contacts as it may: delete some there', base);

const refused = (answer: Answer, context: RequestContext, base: RemoteErrorOptions): RemoteError => {
  if (namesOverflow(answer.message)) return full(base);
  if (isLimit(answer)) {
    const retryAfterMs = retryAfterMsOf(answer, context.nowMs) ?? context.limitFloorMs;
    return new LimitedError(`Google limited ${base.route} (${answer.status})`, { ...base, retryAfterMs });
  }
  if (answer.isForeign && FOREIGN.has(answer.status)) return foreign(answer, context, base);
  // Only the reason identifies it; the status varies (API.md, Expiry).
  if (answer.reasons.includes('EXPIRED_SYNC_TOKEN')) return expired(base);
  switch (answer.status) {
    case 400:
      return badRequest(answer, context, base);
    case 401:
      return new UnauthenticatedError('Google refused the access token', base);
    case 403:
      if (answer.reasons.some((reason) => DISABLED_REASONS.has(reason))) return disabled(answer, base);
      return new RevokedError(`Google refused access (${describe(answer)}): grant access and connect again`, base);
    case 404:
      return new NotFoundError(`Google knows no such thing at ${base.route}${wrongRoot(base.route)}`, base);
    case 409:
      return conflict(answer, base);
    default:
      return invalid(answer, base);
  }
};

/** Status codes of a proxy, or of a page in front of Google: not found, or temporarily closed. */
const FOREIGN: ReadonlySet<number> = new Set([403, 404, 410]);

/** Returns the error for an answer of a proxy or another server. The contact may exist at Google, and a write may be applied. */
const foreign = (answer: Answer, context: RequestContext, base: RemoteErrorOptions): UnreadableError => {
  const text = `The answer to ${base.route} (${answer.status}) is not Google's: check GOOGLE_ROOT_URL`;
  return new UnreadableError(text, { ...base, applied: appliedWhenSent(context) });
};

/** The reasons of a refusal because the project has not enabled the People API. */
const DISABLED_REASONS: ReadonlySet<string> = new Set(['SERVICE_DISABLED', 'accessNotConfigured']);

/** Returns the error of a request that succeeds again when the API is enabled. The credential is not the cause. */
const disabled = (answer: Answer, base: RemoteErrorOptions): UnavailableError => {
  const remedy = 'check that the People API is enabled in the Google Cloud project of GOOGLE_CLIENT_ID';
  return new UnavailableError(`Google refused ${base.route} (${describe(answer)}): ${remedy}`, base);
};

/** Returns a hint for a 404 on a route without an id: such a route always exists at Google. */
const wrongRoot = (route: string): string => (route.includes('{') ? '' : ': check GOOGLE_ROOT_URL');

const expired = (base: RemoteErrorOptions): CursorExpiredError =>
  new CursorExpiredError('The Google sync token has expired: a full listing is needed', base);

const badRequest = (answer: Answer, context: RequestContext, base: RemoteErrorOptions): RemoteError => {
  if (context.hasSyncToken) return expired(base);
  const isStale = answer.code === 'FAILED_PRECONDITION' || /etag is different/iu.test(answer.message);
  // A read sends no etag, so it cannot be stale.
  return isStale && !context.isRead ? stale(base) : invalid(answer, base);
};

/** The requests that give a name to a group. */
const NAMING_ROUTES: ReadonlySet<string> = new Set(['POST /v1/contactGroups', 'PUT /v1/contactGroups/{group}']);

/** 409: a taken group name, an outdated group etag (only the message distinguishes these), or concurrent writes (reference). */
const conflict = (answer: Answer, base: RemoteErrorOptions): RemoteError => {
  if (!NAMING_ROUTES.has(base.route) || /outdated|etag/iu.test(answer.message)) return stale(base);
  return new NameTakenError('Google has a contact group of that name already', base);
};

const stale = (base: RemoteErrorOptions): RemoteError =>
  new StaleError(`What was read at Google has changed since (${base.route})`, base);

const invalid = (answer: Answer, base: RemoteErrorOptions): RemoteError =>
  new InvalidError(`Google refused ${base.route} (${describe(answer)})`, base);

/** Returns the status, the reason and the paths of the refused fields, never their values. */
const describe = (answer: Answer): string => {
  const fields = answer.fields.filter((field) => /^[\w.[\]]+$/u.test(field));
  return [answer.status, answer.reasons[0] ?? answer.code, ...fields.slice(0, 3)]
    .filter((part) => part !== '')
    .join(' ');
};

/** Classifies a failed token request. Nothing was written, because the request that needed the token was not sent. */
export const toTokenError = (error: unknown, context: Pick<RequestContext, 'limitFloorMs' | 'nowMs'>): RemoteError => {
  const route = TOKEN_ROUTE;
  const answer = answerOf(error);
  if (answer === null && !hasNetworkCause(error)) {
    const text = 'The answer of the Google token endpoint has no access token';
    return new UnreadableError(text, { ...notSent(route), cause: error });
  }
  const isRefusal = answer !== null && answer.status >= 400 && answer.status < 500 && answer.status !== 408;
  if (isRefusal && !isLimit(answer)) {
    return refusedToken(answer, { status: answer.status, route, applied: 'no', cause: causeOf(answer) });
  }
  return toRemoteError(error, { ...context, route, isRead: true, hasSyncToken: false });
};

/** Returns the error of a refused token request (RFC 6749, 5.2). */
const refusedToken = (answer: Answer, base: RemoteErrorOptions): RemoteError => {
  const text = `Google refused the token request (${describe(answer)})`;
  switch (answer.code) {
    case 'invalid_grant':
      return new RevokedError('Google no longer accepts the refresh token', base);
    case '':
      return new WrongAddressError(`${text}, but not as a token endpoint does: check GOOGLE_TOKEN_URL`, base);
    case 'invalid_client':
      return new ClientRefusedError(`${text}: GOOGLE_CLIENT_ID or GOOGLE_CLIENT_SECRET is wrong`, base);
    case 'unauthorized_client':
      return new UnauthenticatedError(
        `${text}: the refresh token was issued to another client than GOOGLE_CLIENT_ID`,
        base,
      );
    default:
      return new UnauthenticatedError(`${text}: check the client`, base);
  }
};

/** The client's own error contains the request with its body and token. Its cause does not. */
const unanswered = (error: unknown, sent: SentRequest): RemoteError => {
  const cause = error instanceof Error ? error.cause : error;
  if (cause instanceof CutOffError) return unreadableAnswer(sent, cause.status, cause.message, cause);
  return unansweredRequest(sent, cause);
};

/** Returns whether a request got no answer: the client wraps only errors of fetch. */
const hasNetworkCause = (error: unknown): boolean => error instanceof Error && 'config' in error;

const retryAfterMsOf = (answer: Answer, nowMs: number): number | null =>
  readRetryAfterMs({ 'retry-after': answer.retryAfter ?? undefined }, nowMs);

/** Classifies the status of one item of a batch answer (google.rpc.Code), with its message. */
export const itemError = (code: number, message: string, route: string): RemoteError => {
  const base = answered(route);
  if (namesOverflow(message)) return full(base);
  switch (code) {
    case 5:
      return new NotFoundError(`Google knows no such contact (${route})`, base);
    case 9:
    case 10:
      return stale(base);
    case 3:
      return new InvalidError(`Google refused the contact (${route})`, base);
    case 8:
      return new LimitedError(`Google limited ${route}`, base);
    default:
      return new UnavailableError(`Google failed at the contact (${route}, code ${code})`, {
        ...base,
        applied: 'unknown',
      });
  }
};

/** Returns whether the refusal means that a scope was not granted, rather than that the grant was revoked. */
export const isMissingScope = (error: unknown): boolean =>
  error instanceof RevokedError &&
  error.cause instanceof Error &&
  /ACCESS_TOKEN_SCOPE_INSUFFICIENT|insufficient/iu.test(error.cause.message);
