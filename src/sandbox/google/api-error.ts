import type { GoogleVariants } from './variants.ts';

/** The google.rpc codes of the emulator, each with its number and HTTP status. */
const rpcCodes = {
  INVALID_ARGUMENT: { code: 3, http: 400 },
  FAILED_PRECONDITION: { code: 9, http: 400 },
  UNAUTHENTICATED: { code: 16, http: 401 },
  PERMISSION_DENIED: { code: 7, http: 403 },
  NOT_FOUND: { code: 5, http: 404 },
  ALREADY_EXISTS: { code: 6, http: 409 },
  ABORTED: { code: 10, http: 409 },
  RESOURCE_EXHAUSTED: { code: 8, http: 429 },
  INTERNAL: { code: 13, http: 500 },
  UNAVAILABLE: { code: 14, http: 503 },
} as const;

type RpcStatus = keyof typeof rpcCodes;

type Details = readonly Readonly<Record<string, unknown>>[];

/** A refusal by the API. An operation throws it, and the dispatcher returns it as the HTTP answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: RpcStatus;
  readonly details: Details | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: RpcStatus, message: string, details?: Details, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }

  get httpStatus(): number {
    return rpcCodes[this.status].http;
  }

  /** The JSON body of the HTTP answer. */
  get body(): object {
    const { message, status, details } = this;
    return { error: { code: this.httpStatus, message, status, ...(details && { details }) } };
  }

  /** The google.rpc.Status form, used for one item of a batch. */
  get rpcStatus(): object {
    const { message, details } = this;
    return { code: rpcCodes[this.status].code, message, ...(details && { details }) };
  }
}

/** Returns the answer with an HTTP status, for planned faults. */
export function answerOfStatus(httpStatus: number): Response {
  const found = Object.entries(rpcCodes).find(([, { http }]) => http === httpStatus);
  const messages: Record<number, string> = {
    401: invalidCredentials().message,
    404: notFound().message,
    429: 'Resource has been exhausted (e.g. check quota).',
    500: 'Internal error encountered.',
    503: 'The service is currently unavailable.',
  };
  const message = messages[httpStatus] ?? `Forced answer with status ${httpStatus}.`;
  const error = { code: httpStatus, message, status: found?.[0] ?? 'UNKNOWN' };
  return Response.json({ error }, { status: httpStatus });
}

export function invalidArgument(message: string, details?: Details): ApiError {
  return new ApiError('INVALID_ARGUMENT', message, details);
}

export function badRequest(fieldViolations: readonly { field?: string; description: string }[]): Details {
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
}

export function errorInfo(reason: string, domain: string, metadata?: Readonly<Record<string, string>>): Details {
  return [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain, ...(metadata && { metadata }) }];
}

export function notFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Requested entity was not found.');
}

export function invalidCredentials(): ApiError {
  const message =
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid ' +
    'authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
  const headers = { 'www-authenticate': 'Bearer realm="https://accounts.google.com/", error="invalid_token"' };
  return new ApiError('UNAUTHENTICATED', message, undefined, headers);
}

export function insufficientScopes(): ApiError {
  const details = errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'googleapis.com', { service: 'people.googleapis.com' });
  return new ApiError('PERMISSION_DENIED', 'Request had insufficient authentication scopes.', details);
}

/** Returns the 400 for a request with too many items. */
export function overLimit(field: string, maximum: number): ApiError {
  return invalidArgument(`Request must not have more than ${maximum} ${field}.`);
}

/** Returns the 429 for an account at its contact limit. */
export function contactLimitReached(variants: GoogleVariants): ApiError {
  const details =
    variants.contactLimitBody === 'errorInfo'
      ? errorInfo('MY_CONTACTS_OVERFLOW_COUNT', 'people.googleapis.com')
      : undefined;
  const message = 'Contact cannot be created: MY_CONTACTS_OVERFLOW_COUNT';
  return new ApiError('RESOURCE_EXHAUSTED', message, details);
}

/** Returns the error of get, update and delete for a contact that does not exist. */
export function missingContact(variants: GoogleVariants): ApiError {
  return variants.missingContact === 'notFound' ? notFound() : new ApiError('INTERNAL', 'Internal error encountered.');
}
