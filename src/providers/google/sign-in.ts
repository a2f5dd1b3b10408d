import { randomBytes } from 'node:crypto';
import { createTransport } from '../../http/transport.ts';
import { SIGN_IN_TIMEOUT_MS, type AskForConsent, type Grant, type SignInContext } from '../sign-in.ts';
import { authorizationUrl, CONTACTS_SCOPE, createPkcePair, exchangeCode } from './authorization.ts';
import type { GoogleSettings } from './settings.ts';

/**
 * Signs in at Google: consent with PKCE, then the exchange of the code for a refresh token. Contacts is the one scope that
 * all of this program's requests need.
 *
 * @throws {SignInError | RemoteError} where it came to nothing; a RevokedError where contacts were not granted.
 */
export const signInAtGoogle = async (
  { authUrl, tokenUrl, clientId, clientSecret }: GoogleSettings,
  ask: AskForConsent,
  { clock, signal }: SignInContext,
): Promise<Grant> => {
  const pkce = createPkcePair(randomBytes);
  const { code, redirectUri } = await ask((request) =>
    authorizationUrl({ ...request, authUrl, clientId, scopes: [CONTACTS_SCOPE], codeChallenge: pkce.challenge }),
  );
  const timeouts = { headersTimeoutMs: SIGN_IN_TIMEOUT_MS, bodyTimeoutMs: SIGN_IN_TIMEOUT_MS };
  const dispatcher = createTransport({ gatesFor: () => [], onAttempt: () => undefined, ...timeouts });
  try {
    const client = { tokenUrl, clientId, clientSecret: clientSecret.reveal() };
    const exchange = { ...client, code, redirectUri, codeVerifier: pkce.verifier, clock };
    const { refreshToken, scopes } = await exchangeCode({ ...exchange, dispatcher }, signal);
    return { token: refreshToken, scopes, asked: [CONTACTS_SCOPE] };
  } finally {
    await dispatcher.destroy();
  }
};
