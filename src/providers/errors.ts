import type { Side } from '../core/contact/side.ts';

/** What is known about a write whose answer was an error: surely not applied, or perhaps applied. */
export type Applied = 'no' | 'unknown';

export type RemoteErrorOptions = {
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** Method and route, without query and without ids of a person, for example `GET /v2/contacts`. */
  readonly route: string;
  readonly applied: Applied;
  /** The floor that the remote set for the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
};

/** Whether the same request may be sent again soon, or never without a change. */
export type Retry = 'soon' | 'never';

/**
 * The base of everything a remote can answer wrongly. Each subclass is one meaning and says itself whether it may be
 * retried. Messages never hold a token, a name or an address of a person.
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
  abstract readonly retry: Retry;
  /** The side of the link that the remote plays; null where it plays none, as in `doctor`. */
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

/** The user took the permission back (providers/service/API.md, Errors: 403), or Google answered `invalid_grant`. */
export class RevokedError extends RemoteError {
  readonly kind = 'revoked';
  readonly retry = 'never';
}

/** The credential is missing, wrong or expired (401). */
export class UnauthenticatedError extends RemoteError {
  readonly kind = 'unauthenticated';
  readonly retry = 'never';
}

/** The remote does not accept the application itself: its id or its secret is wrong. Signing in again does not help. */
export class ClientRefusedError extends RemoteError {
  readonly kind = 'client-refused';
  readonly retry = 'never';
}

/** The account itself is switched off (402). */
export class DisabledError extends RemoteError {
  readonly kind = 'disabled';
  readonly retry = 'never';
}

/** The thing asked for does not exist on that side (404, 410). */
export class NotFoundError extends RemoteError {
  readonly kind = 'not-found';
  readonly retry = 'never';
}

/** The side refused what was sent (400, 422 and their kin). */
export class InvalidError extends RemoteError {
  readonly kind = 'invalid';
  readonly retry = 'never';
}

/** The contact or group changed since it was read (stale etag): read, merge and write again. */
export class StaleError extends RemoteError {
  readonly kind = 'stale';
  readonly retry = 'never';
}

/** A group of that name exists already. */
export class NameTakenError extends RemoteError {
  readonly kind = 'name-taken';
  readonly retry = 'never';
}

/** The account holds as many contacts as it may; waiting does not help. */
export class FullError extends RemoteError {
  readonly kind = 'full';
  readonly retry = 'never';
}

/** The rate limit was exceeded (429); `retryAfterMs` is the floor. The request was not applied. */
export class LimitedError extends RemoteError {
  readonly kind = 'limited';
  readonly retry = 'soon';
}

/** No answer, or a fault on the remote's side (5xx, reset, timeout). */
export class UnavailableError extends RemoteError {
  readonly kind = 'unavailable';
  readonly retry = 'soon';
}

/**
 * Whether the remote itself says that it failed at what it was asked, by a 500 or by the status of an item in an answer (200):
 * it may fail at this one thing for ever. In an outage there is no answer, or one of something in between.
 */
export const isFault = (error: unknown): error is UnavailableError =>
  error instanceof UnavailableError && (error.status === 500 || error.status === 200);

/** An answer came that cannot be understood: not JSON, cut off, or not of the documented shape. */
export class UnreadableError extends RemoteError {
  readonly kind = 'unreadable';
  readonly retry: Retry = 'soon';
}

/** An answer that sends the request elsewhere. No redirect is followed: what is sent holds a credential and contacts. */
export class RedirectedError extends UnreadableError {
  override readonly retry = 'never';
}

/** An answer of something that is not the remote: a proxy, or whatever the address in the configuration leads to. */
export class WrongAddressError extends UnreadableError {
  override readonly retry = 'never';
}

/** A listing that passed a limit of pages, rows or time, or that goes round in a circle: its rows are not trusted. */
export class EndlessListingError extends UnreadableError {}

/**
 * What a redirect says of the request that it answers: 307 and 308 ask to repeat it, so it was not applied; the others
 * may also follow a write that was.
 */
export const appliedBeforeRedirect = (status: number, changes: boolean): Applied =>
  changes && status !== 307 && status !== 308 ? 'unknown' : 'no';

/** The change feed can no longer go on from the cursor: list that side whole. */
export class CursorExpiredError extends RemoteError {
  readonly kind = 'cursor-expired';
  readonly retry = 'never';
}

/**
 * The error of a write that was begun before its credential was refused: how far it came is open, whatever the refusal says.
 */
export const leftOpen = (error: RemoteError, message = error.message): UnavailableError => {
  const { route, side, status } = error;
  const open = new UnavailableError(message, { status, route, applied: 'unknown', cause: error });
  open.side = side;
  return open;
};

/** A credential that is refused until a person does something (R16). */
export type CredentialError = RevokedError | UnauthenticatedError | ClientRefusedError | DisabledError;

/** Whether the error means that the link's credential no longer serves (R16). */
export const isCredentialError = (error: unknown): error is CredentialError =>
  error instanceof RevokedError ||
  error instanceof UnauthenticatedError ||
  error instanceof ClientRefusedError ||
  error instanceof DisabledError;
