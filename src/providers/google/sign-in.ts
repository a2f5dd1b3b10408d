import { randomBytes } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { createTransport } from '../../net/transport.ts';
import { SIGN_IN_TIMEOUT_MS, type AskForConsent, type Grant, type SignInContext } from '../sign-in.ts';
import { authorizationUrl, createPkcePair, exchangeCode } from './authorization.ts';
import type { GoogleSettings } from './provider.ts';

/** Runs `work` with a transport that is closed afterwards. */
const sending = async <T>(work: (dispatcher: Dispatcher) => Promise<T>): Promise<T> => {
  const dispatcher = createTransport({ timeoutMs: SIGN_IN_TIMEOUT_MS });
  try {
    return await work(dispatcher);
  } finally {
    await dispatcher.destroy();
  }
};

/**
 * Signs in at Google: consent with PKCE, then the exchange of the code for a refresh token. All requests of this program
 * need only the contacts scope.
 *
 * @throws {SignInError | RemoteError} if the sign-in failed; a RevokedError if contacts were not granted.
 */
export const withConsent = async (
  { authUrl, tokenUrl, clientId, clientSecret }: GoogleSettings,
  ask: AskForConsent,
  { clock, signal }: SignInContext,
): Promise<Grant> => {
  const pkce = createPkcePair(randomBytes);
  const { code, redirectUri } = await ask((request) =>
    authorizationUrl({ ...request, authUrl, clientId, codeChallenge: pkce.challenge }),
  );
  const client = { tokenUrl, clientId, clientSecret: clientSecret.reveal() };
  const exchange = { ...client, code, redirectUri, codeVerifier: pkce.verifier, clock };
  const { refreshToken, scopes } = await sending((dispatcher) => exchangeCode({ ...exchange, dispatcher }, signal));
  return { token: refreshToken, scopes };
};
