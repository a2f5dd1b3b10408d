import type { Clock } from '../../clock.ts';
import { ConfigError, type LinkConfig } from '../../config.ts';
import { createTransport } from '../../http/transport.ts';
import { RevokedError, UnauthenticatedError } from '../../providers/errors.ts';
import { authorizeUrl, createAuthorizationApi } from '../../providers/service/api/authorization.ts';
import { createSend, type Send } from '../../providers/service/api/send.ts';
import { createServiceApi } from '../../providers/service/api/service-api.ts';
import { EXIT } from '../exit-codes.ts';
import { askForConsent, type ConsentOptions } from './consent.ts';
import { ANSWER_TIMEOUT_MS, type Grant } from './grant.ts';
import { SignInError } from './sign-in-error.ts';

/**
 * What the routes that are used need (service-api-v2.md, Endpoints), and no more:
 * - `user:login`: GET /v2/me;
 * - `contacts:manage`: GET, POST, PATCH and DELETE of /v2/contacts and /v2/contacts/{id};
 * - `buckets:manage`: GET, POST, PATCH and DELETE of /v2/buckets and /v2/buckets/{id}, GET /v2/contacts/{id}/buckets;
 * - both: PUT /v2/contacts/{id}/buckets, POST and DELETE of /v2/buckets/{id}/contacts.
 */
const SCOPES = ['user:login', 'contacts:manage', 'buckets:manage'] as const;

type Application = { readonly authUrl: string; readonly clientId: string };

const notSet = (variable: string, needed: string) => ({
  where: variable,
  what: `is not set. \`connect service\` needs ${needed}.`,
});

/** The registered application; throws {@link ConfigError} with everything that is missing. */
const readApplication = ({ service }: LinkConfig, needsSecret: boolean): Application & { clientSecret: string } => {
  const { authUrl, clientId, clientSecret } = service;
  const problems = [
    ...(authUrl === null ? [notSet('SERVICE_AUTH_URL', 'the root of the authorization endpoints')] : []),
    ...(clientId === null ? [notSet('SERVICE_CLIENT_ID', 'the registered application')] : []),
    ...(clientSecret === null && needsSecret ? [notSet('SERVICE_CLIENT_SECRET', "the application's secret")] : []),
  ];
  if (authUrl === null || clientId === null || problems.length > 0) throw new ConfigError(problems);
  return { authUrl, clientId, clientSecret: clientSecret?.reveal() ?? '' };
};

type Sender = { readonly clock: Clock; readonly signal: AbortSignal };

/** Works with a way to send that lasts as long as the work. */
const sending = async <T>(
  { clock }: Sender,
  to: { readonly baseUrl: string; readonly accessToken: string | null },
  work: (send: Send) => Promise<T>,
): Promise<T> => {
  const timeouts = { headersTimeoutMs: ANSWER_TIMEOUT_MS, bodyTimeoutMs: ANSWER_TIMEOUT_MS };
  const dispatcher = createTransport({ gatesFor: () => [], onAttempt: () => undefined, ...timeouts });
  try {
    return await work(createSend({ ...to, dispatcher, clock }));
  } finally {
    await dispatcher.destroy();
  }
};

/**
 * Signs in at the service: consent, then the exchange of the code for an access token. What was granted the service does
 * not tell.
 *
 * @throws {SignInError | RemoteError | ConfigError} where it came to nothing.
 */
export const signInAtService = async (link: LinkConfig, options: ConsentOptions): Promise<Grant> => {
  const { authUrl, clientId, clientSecret } = readApplication(link, true);
  const { code, redirectUri } = await askForConsent(
    (request) => authorizeUrl(authUrl, { ...request, clientId, scopes: SCOPES, responseType: 'code' }),
    options,
  );
  const exchange = { clientId, clientSecret, code, redirectUri };
  const grant = await sending(options, { baseUrl: authUrl, accessToken: null }, (send) =>
    createAuthorizationApi(send).exchangeCode(exchange, options.signal),
  );
  return { token: grant.access_token, scopes: null };
};

const missingFrom = (granted: readonly string[]): readonly string[] =>
  SCOPES.filter((scope) => scope !== 'user:login' && !granted.includes(scope) && !granted.includes('all:manage'));

/**
 * Exchanges the api_key of a v1 application for an access token with the scopes that the application is set to request.
 *
 * @throws {SignInError | RemoteError | ConfigError} where it came to nothing, or those scopes are not enough.
 */
export const exchangeKeyAtService = async (link: LinkConfig, apiKey: string, options: Sender): Promise<Grant> => {
  const { authUrl, clientId } = readApplication(link, false);
  const { access_token: token, scopes } = await sending(options, { baseUrl: authUrl, accessToken: null }, (send) =>
    createAuthorizationApi(send).exchangeApiKey(apiKey, clientId, options.signal),
  );
  if (scopes === null) return { token, scopes: null };
  const granted = scopes.split(/[\s+,]+/u).filter((scope) => scope !== '');
  const missing = missingFrom(granted);
  if (missing.length > 0) {
    throw new SignInError(
      `The application is not set to request ${missing.join(' and ')}. Nothing was stored. ` +
        "Add that in the application's settings at the service and run the command again.",
      EXIT.credentials,
    );
  }
  return { token, scopes: granted };
};

/** An id that no bucket has. */
const NO_BUCKET = 'bucket_0';

/**
 * Whether the token surely lacks the right to write: adding no contacts to no bucket changes nothing, and is refused with
 * 403 only to those who may not.
 */
export const lacksWriting = ({ service }: LinkConfig, token: string, options: Sender): Promise<boolean> =>
  sending(options, { baseUrl: service.baseUrl, accessToken: token }, async (send) => {
    try {
      await createServiceApi(send).membership.addContacts(NO_BUCKET, [], options.signal);
      return false;
    } catch (error) {
      options.signal.throwIfAborted();
      return error instanceof RevokedError || error instanceof UnauthenticatedError;
    }
  });
