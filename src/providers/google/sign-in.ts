import { signingIn } from '../connection.ts';
import type { AskForConsent, Grant, SignInContext } from '../sign-in.ts';
import { authorizationUrl, createPkcePair, exchangeCode } from './authorization.ts';
import type { GoogleSettings } from './provider.ts';

/**
 * Signs in at Google: consent with PKCE, then the exchange of the code for a refresh token. All requests of this program
 * need only the contacts scope.
 *
 * @throws {SignInError | RemoteError} if the sign-in failed; a RevokedError if contacts were not granted.
 */
export const signIn = async (
  { authUrl, tokenUrl, clientId, clientSecret }: GoogleSettings,
  ask: AskForConsent,
  { clock, signal }: SignInContext,
): Promise<Grant> => {
  const pkce = createPkcePair();
  const { code, redirectUri } = await ask((request) =>
    authorizationUrl({ ...request, authUrl, clientId, codeChallenge: pkce.challenge }),
  );
  const client = { tokenUrl, clientId, clientSecret: clientSecret.reveal() };
  const exchange = { ...client, code, redirectUri, codeVerifier: pkce.verifier, clock };
  const { refreshToken, scopes } = await signingIn((transport) => exchangeCode({ ...exchange, transport }, signal));
  return { token: refreshToken, scopes };
};
