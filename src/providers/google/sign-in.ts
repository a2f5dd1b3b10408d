import { randomBytes } from 'node:crypto';
import { createTransport } from '../../net/transport.ts';
import { clientFaultIn, SIGN_IN_TIMEOUT_MS, type AskForConsent, type Grant, type SignInContext } from '../sign-in.ts';
import { authorizationUrl, CONTACTS_SCOPE, createPkcePair, exchangeCode, revokeToken } from './authorization.ts';
import type { GoogleSettings } from './provider.ts';

/** Opens a transport for one exchange with the token endpoint. */
const openDispatcher = () => createTransport({ timeoutMs: SIGN_IN_TIMEOUT_MS });

/**
 * Revokes the user's grant, with every token that belongs to it.
 *
 * @throws {RemoteError} if Google did not confirm it.
 */
export const revoke = async (
  { tokenUrl }: GoogleSettings,
  token: string,
  { clock, signal }: SignInContext,
): Promise<void> => {
  const dispatcher = openDispatcher();
  try {
    await revokeToken({ tokenUrl, token, dispatcher, clock }, signal);
  } finally {
    await dispatcher.destroy();
  }
};

/**
 * Exchanges an invalid code. Google checks the client first, so a refusal of the code means that the client is valid. Other
 * refusals are left to the sign-in.
 */
export const checkClient = async (
  { tokenUrl, clientId, clientSecret }: GoogleSettings,
  { clock, signal }: SignInContext,
): Promise<string | null> => {
  const dispatcher = openDispatcher();
  const client = { tokenUrl, clientId, clientSecret: clientSecret.reveal() };
  const exchange = { ...client, code: 'none', redirectUri: 'http://127.0.0.1/', codeVerifier: 'none', clock };
  try {
    await exchangeCode({ ...exchange, dispatcher }, signal);
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return clientFaultIn(error);
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
  const dispatcher = openDispatcher();
  try {
    const client = { tokenUrl, clientId, clientSecret: clientSecret.reveal() };
    const exchange = { ...client, code, redirectUri, codeVerifier: pkce.verifier, clock };
    const { refreshToken, scopes } = await exchangeCode({ ...exchange, dispatcher }, signal);
    return { token: refreshToken, scopes, asked: [CONTACTS_SCOPE] };
  } finally {
    await dispatcher.destroy();
  }
};
