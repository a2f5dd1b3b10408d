import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../util/clock.ts';
import {
  InvalidError,
  RevokedError,
  UnauthenticatedError,
  UnreadableError,
  type RemoteError,
  type RemoteErrorOptions,
} from '../errors.ts';
import { headerNamed } from '../../net/headers.ts';
import type { Transport } from '../../net/transport.ts';
import { sendOnce } from '../send.ts';
import { sentOf, TOKEN_ROUTE, toTokenError } from './failure.ts';

/** The only scope that this program needs: it allows reading and writing contacts and contact groups. */
export const CONTACTS_SCOPE = 'https://www.googleapis.com/auth/contacts';

const VERIFIER_BYTES = 32;

/**
 * Returns the proof that the same client requests and exchanges a code (RFC 7636): the verifier, sent with the code, and the
 * challenge, its SHA-256, sent in the authorization URL.
 */
export const createPkcePair = () => {
  const verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
  return { verifier, challenge: hash('sha256', verifier, 'base64url') };
};

type AuthorizationRequest = {
  /** Google's authorization endpoint. */
  readonly authUrl: string;
  readonly clientId: string;
  /** A loopback address with any port: a desktop client does not register redirect URIs. */
  readonly redirectUri: string;
  /** Google returns it unchanged. Abort if it differs. */
  readonly state: string;
  readonly codeChallenge: string;
};

/**
 * Returns the URL of the page for sign-in and consent. It always requests consent: without it, Google may not issue a
 * refresh token.
 */
export const authorizationUrl = (request: AuthorizationRequest): string => {
  const url = new URL(request.authUrl);
  const parameters = {
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: CONTACTS_SCOPE,
    state: request.state,
    code_challenge: request.codeChallenge,
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};

type CodeExchange = {
  readonly tokenUrl: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly code: string;
  /** The same as in the authorization URL. */
  readonly redirectUri: string;
  readonly codeVerifier: string;
};

const CONNECT_AGAIN = 'connect the account again';
/** The wait after an answer 429 without a `Retry-After`: Google's quotas are per minute. */
const LIMIT_FLOOR_MS = 60_000;

const grantSchema = z.object({
  refresh_token: z.string().min(1).nullish(),
  scope: z.string().transform((text) => text.split(' ').filter((scope) => scope !== '')),
});

/**
 * Exchanges the code of a consent for a refresh token, which is valid until the user revokes it, and the granted scopes. Sends
 * one request, because a code is valid once. Throws a RemoteError: RevokedError if the user did not grant
 * {@link CONTACTS_SCOPE} (single scopes can be unticked), InvalidError if the code is not valid, UnauthenticatedError for a
 * wrong client or a grant without a refresh token. Throws the signal's reason if it is aborted.
 */
export const exchangeCode = async (exchange: CodeExchange, signal: AbortSignal) => {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: exchange.clientId,
    client_secret: exchange.clientSecret,
    code: exchange.code,
    redirect_uri: exchange.redirectUri,
    code_verifier: exchange.codeVerifier,
  });
  const sent = sentOf({ route: TOKEN_ROUTE, isRead: false });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const request = { method: 'POST', url: exchange.tokenUrl, headers, body: form.toString() };
  const answer = await sendOnce(exchange, request, sent, signal);
  if (answer.status >= 300) throw refusal(answer, exchange.clock.now());
  const base: RemoteErrorOptions = { status: answer.status, route: TOKEN_ROUTE, applied: 'unknown' };
  const grant = grantSchema.safeParse(parseJson(answer.text));
  if (!grant.success) {
    const message = `The answer of the Google token endpoint is not of the documented shape: ${CONNECT_AGAIN}`;
    throw new UnreadableError(message, { ...base, cause: grant.error });
  }
  const { refresh_token: refreshToken, scope: scopes } = grant.data;
  if (!scopes.includes(CONTACTS_SCOPE)) {
    throw new RevokedError(`Access to the Google contacts was not granted: ${CONNECT_AGAIN} and tick it`, base);
  }
  if (refreshToken === null || refreshToken === undefined) {
    const remedy = `remove this application at https://myaccount.google.com/connections and ${CONNECT_AGAIN}`;
    throw new UnauthenticatedError(`Google gave no refresh token: ${remedy}`, base);
  }
  return { refreshToken, scopes };
};

const parseJson = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return null;
  }
};

/** Returns the error of a refused code exchange. Here `invalid_grant` refers to the code, not to a refresh token. */
const refusal = ({ status, headers, text }: Awaited<ReturnType<typeof sendOnce>>, nowMs: number): RemoteError => {
  const response = { status, headers: { get: (name: string) => headerNamed(headers, name) }, data: parseJson(text) };
  const error = toTokenError({ response }, { limitFloorMs: LIMIT_FLOOR_MS, nowMs });
  if (!(error instanceof RevokedError)) return error;
  const { route, applied, cause } = error;
  const message = `Google refused the code, which serves once, for minutes and for one redirect URI: ${CONNECT_AGAIN}`;
  return new InvalidError(message, { status, route, applied, cause });
};
