import { ConfigError } from '../../util/config-error.ts';
import { signingIn } from '../connection.ts';
import type { AskForConsent, Grant, SignInContext } from '../sign-in.ts';
import { authorizeUrl, exchangeCode } from './api/authorization.ts';
import { createSend } from './api/send.ts';
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

const notSet = (variable: string, needed: string) => ({
  where: variable,
  what: `is not set. \`connect service\` needs ${needed}.`,
});

/** Returns the registered application. Throws {@link ConfigError} with everything that is missing. */
const readApplication = ({ authUrl, clientId, clientSecret }: ServiceSettings) => {
  if (authUrl !== null && clientId !== null && clientSecret !== null) {
    return { authUrl, clientId, clientSecret: clientSecret.reveal() };
  }
  throw new ConfigError([
    ...(authUrl === null ? [notSet('SERVICE_AUTH_URL', 'the root of the authorization endpoints')] : []),
    ...(clientId === null ? [notSet('SERVICE_CLIENT_ID', 'the registered application')] : []),
    ...(clientSecret === null ? [notSet('SERVICE_CLIENT_SECRET', "the application's secret")] : []),
  ]);
};

/**
 * Signs in at the service: consent, then the exchange of the code for an access token. The service does not report the
 * granted scopes.
 *
 * @throws {SignInError | RemoteError | ConfigError} if the sign-in failed.
 */
export const signIn = async (
  settings: ServiceSettings,
  ask: AskForConsent,
  { clock, signal }: SignInContext,
): Promise<Grant> => {
  const { authUrl, clientId, clientSecret } = readApplication(settings);
  const { code, redirectUri } = await ask((request) =>
    authorizeUrl(authUrl, { ...request, clientId, scopes: [SIGN_IN_SCOPE, ...NEEDED_SCOPES] }),
  );
  const grant = await signingIn((transport) => {
    const send = createSend({ baseUrl: authUrl, accessToken: null, transport, clock })(signal);
    return exchangeCode(send, { clientId, clientSecret, code, redirectUri });
  });
  return { token: grant.access_token, scopes: null };
};
