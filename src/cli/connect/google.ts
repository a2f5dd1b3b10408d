import { randomBytes } from 'node:crypto';
import type { LinkConfig } from '../../config.ts';
import { createTransport } from '../../http/transport.ts';
import {
  authorizationUrl,
  CONTACTS_SCOPE,
  createPkcePair,
  exchangeCode,
} from '../../providers/google/authorization.ts';
import { askForConsent, type ConsentOptions } from './consent.ts';
import { ANSWER_TIMEOUT_MS, type Grant } from './grant.ts';

/**
 * Signs in at Google: consent with PKCE, then the exchange of the code for a refresh token. Contacts is the one scope that
 * all of this program's requests need.
 *
 * @throws {SignInError | RemoteError} where it came to nothing; a RevokedError where contacts were not granted.
 */
export const signInAtGoogle = async ({ google }: LinkConfig, options: ConsentOptions): Promise<Grant> => {
  const { authUrl, tokenUrl, clientId, clientSecret } = google;
  const pkce = createPkcePair(randomBytes);
  const { code, redirectUri } = await askForConsent(
    (request) =>
      authorizationUrl({ ...request, authUrl, clientId, scopes: [CONTACTS_SCOPE], codeChallenge: pkce.challenge }),
    options,
  );
  const timeouts = { headersTimeoutMs: ANSWER_TIMEOUT_MS, bodyTimeoutMs: ANSWER_TIMEOUT_MS };
  const dispatcher = createTransport({ gatesFor: () => [], onAttempt: () => undefined, ...timeouts });
  try {
    const client = { tokenUrl, clientId, clientSecret: clientSecret.reveal() };
    const exchange = { ...client, code, redirectUri, codeVerifier: pkce.verifier, nowMs: options.clock.now() };
    const { refreshToken, scopes } = await exchangeCode({ ...exchange, dispatcher }, options.signal);
    return { token: refreshToken, scopes };
  } finally {
    await dispatcher.destroy();
  }
};
