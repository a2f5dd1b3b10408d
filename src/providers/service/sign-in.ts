import { ConfigError } from '../../util/config-error.ts';
import { signingIn } from '../connection.ts';
import { RevokedError, UnauthenticatedError } from '../errors.ts';
import { SignInError, type AskForConsent, type Grant, type SignInContext } from '../sign-in.ts';
import { authorizeUrl, exchangeApiKey, exchangeCode } from './api/authorization.ts';
import { createSend, type Send } from './api/send.ts';
import { createServiceApi } from './api/service-api.ts';
import type { ServiceSettings } from './provider.ts';

/** The scope to read the token's account: GET /v2/me. */
const SIGN_IN_SCOPE = 'user:login';

/**
 * The scopes that the other routes in use require (API.md, Endpoints), and no more:
 * - `contacts:manage`: GET, POST, PATCH and DELETE of /v2/contacts and /v2/contacts/{id};
 * - `buckets:manage`: GET, POST, PATCH and DELETE of /v2/buckets and /v2/buckets/{id}, GET /v2/contacts/{id}/buckets;
 * - both: PUT /v2/contacts/{id}/buckets, POST and DELETE of /v2/buckets/{id}/contacts.
 */
const NEEDED_SCOPES = ['contacts:manage', 'buckets:manage'] as const;

type Application = { readonly authUrl: string; readonly clientId: string };

const notSet = (variable: string, needed: string) => ({
  where: variable,
  what: `is not set. \`connect service\` needs ${needed}.`,
});

/** Returns the registered application. Throws {@link ConfigError} with everything that is missing. */
const readApplication = (settings: ServiceSettings, needsSecret: boolean): Application & { clientSecret: string } => {
  const { authUrl, clientId, clientSecret } = settings;
  const problems = [
    ...(authUrl === null ? [notSet('SERVICE_AUTH_URL', 'the root of the authorization endpoints')] : []),
    ...(clientId === null ? [notSet('SERVICE_CLIENT_ID', 'the registered application')] : []),
    ...(clientSecret === null && needsSecret ? [notSet('SERVICE_CLIENT_SECRET', "the application's secret")] : []),
  ];
  if (authUrl === null || clientId === null || problems.length > 0) throw new ConfigError(problems);
  return { authUrl, clientId, clientSecret: clientSecret?.reveal() ?? '' };
};

/** Runs `work` with a function that sends requests of a sign-in. */
const sending = <T>(
  { clock, signal }: SignInContext,
  to: { readonly baseUrl: string; readonly accessToken: string | null },
  work: (send: Send) => Promise<T>,
): Promise<T> => signingIn((transport) => work(createSend({ ...to, transport, clock })(signal)));

/**
 * Signs in at the service: consent, then the exchange of the code for an access token. The service does not report the
 * granted scopes.
 *
 * @throws {SignInError | RemoteError | ConfigError} if the sign-in failed.
 */
export const withConsent = async (
  settings: ServiceSettings,
  ask: AskForConsent,
  context: SignInContext,
): Promise<Grant> => {
  const { authUrl, clientId, clientSecret } = readApplication(settings, true);
  const { code, redirectUri } = await ask((request) =>
    authorizeUrl(authUrl, { ...request, clientId, scopes: [SIGN_IN_SCOPE, ...NEEDED_SCOPES] }),
  );
  const exchange = { clientId, clientSecret, code, redirectUri };
  const grant = await sending(context, { baseUrl: authUrl, accessToken: null }, (send) => exchangeCode(send, exchange));
  return { token: grant.access_token, scopes: null };
};

/**
 * Exchanges the api_key of a v1 application for an access token with the scopes that the application is set to request.
 *
 * @throws {SignInError | RemoteError | ConfigError} if the exchange failed, or those scopes are not enough.
 */
export const withKey = async (settings: ServiceSettings, apiKey: string, context: SignInContext): Promise<Grant> => {
  const { authUrl, clientId } = readApplication(settings, false);
  const { access_token: token, scopes } = await sending(context, { baseUrl: authUrl, accessToken: null }, (send) =>
    exchangeApiKey(send, apiKey, clientId),
  );
  if (scopes === null) return { token, scopes: null };
  const granted = scopes.split(/[\s+,]+/u).filter((scope) => scope !== '');
  const missing = NEEDED_SCOPES.filter((scope) => !granted.includes(scope) && !granted.includes('all:manage'));
  if (missing.length > 0) {
    throw new SignInError(
      `The application is not set to request ${missing.join(' and ')}. Nothing was stored. ` +
        "Add that in the application's settings at the service and run the command again.",
      'rights',
    );
  }
  return { token, scopes: granted };
};

/** An id that no bucket has. */
const NO_BUCKET = 'bucket_0';

/**
 * Returns a message if the token certainly lacks the right to write, else null. It adds no contacts to a bucket that does not
 * exist: that changes nothing, and is refused with 403 only without the right.
 */
export const missingRights = (
  { baseUrl }: ServiceSettings,
  token: string,
  context: SignInContext,
): Promise<string | null> =>
  sending(context, { baseUrl, accessToken: token }, async (send) => {
    try {
      await createServiceApi(send).membership.addContacts(NO_BUCKET, []);
      return null;
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof RevokedError || error instanceof UnauthenticatedError)) return null;
      return (
        'The service refuses writing with this token: contacts:manage or buckets:manage was not granted. ' +
        'Grant both, or a sync will pause the link at its first write.'
      );
    }
  });
