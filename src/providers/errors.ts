import type { Side } from '../core/contact/side.ts';

/** The state of a write after an error. `no`: certainly not applied. `unknown`: it may be applied. */
export type Applied = 'no' | 'unknown';

export type RemoteErrorOptions = {
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Method and route, without query and without ids of a person, for example `GET /v2/contacts`. */
  readonly route: string;
  readonly applied: Applied;
  /** The minimum wait before the next attempt that the remote requires, in milliseconds. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
};

/**
 * The base of all errors of a remote. Each subclass has one meaning and defines whether the request may be retried. Messages
 * never contain a token, a name or an address of a person.
 */
export abstract class RemoteError extends Error {
  abstract readonly kind:
    | 'revoked'
    | 'unauthenticated'
    | 'client-refused'
    | 'disabled'
    | 'not-found'
    | 'invalid'
    | 'stale'
    | 'name-taken'
    | 'full'
    | 'limited'
    | 'unavailable'
    | 'unreadable'
    | 'cursor-expired';
  /** `soon`: the same request may be repeated soon. `never`: only after a change. */
  readonly retry: 'soon' | 'never' = 'never';
  /** The side of the link that the remote is; null outside a link, as in `doctor`. */
  side: Side | null = null;
  readonly status: number | null;
  readonly route: string;
  readonly applied: Applied;
  readonly retryAfterMs: number | null;

  constructor(message: string, options: RemoteErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.status = options.status;
    this.route = options.route;
    this.applied = options.applied;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** The user revoked the permission (providers/service/API.md, Errors: 403), or Google returned `invalid_grant`. */
export class RevokedError extends RemoteError {
  readonly kind = 'revoked';
}

/** The credential is missing, wrong or expired (401). */
export class UnauthenticatedError extends RemoteError {
  readonly kind = 'unauthenticated';
}

/** The remote refuses the application: its id or its secret is wrong. Signing in again does not help. */
export class ClientRefusedError extends RemoteError {
  readonly kind = 'client-refused';
}

/** The account itself is disabled (402). */
export class DisabledError extends RemoteError {
  readonly kind = 'disabled';
}

/** The requested resource does not exist on that side (404, 410). */
export class NotFoundError extends RemoteError {
  readonly kind = 'not-found';
}

/** The side refused the request's content (400, 422 and similar). */
export class InvalidError extends RemoteError {
  readonly kind = 'invalid';
}

/** The contact or group changed since it was read (stale etag): read, merge and write again. */
export class StaleError extends RemoteError {
  readonly kind = 'stale';
}

/** A group with that name already exists. */
export class NameTakenError extends RemoteError {
  readonly kind = 'name-taken';
}

/** The account has reached its contact limit; waiting does not help. */
export class FullError extends RemoteError {
  readonly kind = 'full';
}

/** The rate limit was exceeded (429); `retryAfterMs` is the minimum wait. The request was not applied. */
export class LimitedError extends RemoteError {
  readonly kind = 'limited';
  override readonly retry = 'soon';
}

/** No answer, or a fault on the remote's side (5xx, reset, timeout). */
export class UnavailableError extends RemoteError {
  readonly kind = 'unavailable';
  override readonly retry = 'soon';
}

/**
 * Returns whether the remote itself reported a failure, by a 500 or by the status of an item in an answer (200). Such a
 * failure may concern one resource and be permanent. In an outage there is no answer, or one of a proxy.
 */
export const isFault = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && (error.status === 500 || error.status === 200);

/** The answer cannot be parsed: not JSON, truncated, or not of the documented shape. */
export class UnreadableError extends RemoteError {
  readonly kind = 'unreadable';
  override readonly retry: RemoteError['retry'] = 'soon';
}

/** The answer is a redirect. Redirects are not followed, because the request contains a credential and contacts. */
export class RedirectedError extends UnreadableError {
  override readonly retry = 'never';
}

/** The answer is not from the remote: it is from a proxy, or the configured address is wrong. */
export class WrongAddressError extends UnreadableError {
  override readonly retry = 'never';
}

/** Returns whether an answer of the remote itself cannot be parsed. Such a failure may concern one resource and be permanent. */
export const isUnreadable = (error: unknown): error is UnreadableError =>
  error instanceof UnreadableError && !(error instanceof RedirectedError) && !(error instanceof WrongAddressError);

/** Returns whether a failed read may concern one contact or group alone, and be permanent. */
export const mayConcernOne = (error: unknown): error is RemoteError =>
  error instanceof InvalidError || error instanceof RedirectedError || isFault(error) || isUnreadable(error);

/** A listing exceeded a limit of pages, rows or time, or repeated a page token. Its rows are not trusted. */
export class EndlessListingError extends UnreadableError {}

/** The change feed cannot continue from the cursor: a full listing of that side is needed. */
export class CursorExpiredError extends RemoteError {
  readonly kind = 'cursor-expired';
}

/** Returns the error of a write that was refused after a part of it had been applied: it is unknown how much was applied. */
export const leftOpen = (error: RemoteError, message = error.message): UnavailableError => {
  const { route, side, status } = error;
  const open = new UnavailableError(message, { status, route, applied: 'unknown', cause: error });
  open.side = side;
  return open;
};

/** The credential is refused until a user acts (R16). */
export type CredentialError = RevokedError | UnauthenticatedError | ClientRefusedError | DisabledError;

/** Returns whether the error means that the link's credential is no longer valid (R16). */
export const isCredentialError = (error: unknown): error is CredentialError =>
  error instanceof RevokedError ||
  error instanceof UnauthenticatedError ||
  error instanceof ClientRefusedError ||
  error instanceof DisabledError;
