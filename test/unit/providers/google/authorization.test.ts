import { expect, test } from 'vitest';
import { authorizationUrl, CONTACTS_SCOPE, exchangeCode } from '../../../../src/providers/google/authorization.ts';
import { forever } from '../../../contract/scenes/steps.ts';
import type { Reply } from '../scripted-server.ts';
import { startTokens } from './support.ts';

const redirectUri = 'http://127.0.0.1:9/callback';

test('the authorization URL requests a code, offline access, consent and PKCE', () => {
  const request = { clientId: 'client', redirectUri, state: 'a b&c+d', codeChallenge: 'challenge' };
  const url = new URL(authorizationUrl({ ...request, authUrl: 'https://accounts.example/auth?hl=en' }));
  expect(url.origin + url.pathname).toBe('https://accounts.example/auth');
  const client = { client_id: 'client', redirect_uri: redirectUri, scope: CONTACTS_SCOPE, state: 'a b&c+d' };
  const pkce = { code_challenge: 'challenge', code_challenge_method: 'S256' };
  const consent = { response_type: 'code', access_type: 'offline', prompt: 'consent' };
  expect(Object.fromEntries(url.searchParams)).toEqual({ hl: 'en', ...client, ...pkce, ...consent });
});

const SCOPE = `openid ${CONTACTS_SCOPE}`;
const READ_ONLY = `${SCOPE}.readonly`;
const GRANT = { access_token: 'access', refresh_token: 'refresh', scope: SCOPE, expires_in: 3599 };

/** Exchanges a code at a token endpoint that always answers with `reply`. */
const exchange = async (reply: Reply, signal = forever) => {
  await using google = await startTokens(() => reply);
  const code = { clientId: 'client', clientSecret: 'hush', code: '4/a+b', redirectUri, codeVerifier: 'verifier' };
  const endpoint = { tokenUrl: `${google.url}token`, transport: google.transport, clock: google.clock };
  const outcome: unknown = await exchangeCode({ ...code, ...endpoint }, signal).catch((error: unknown) => error);
  const forms = google.tokenRequests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
  return { outcome, forms };
};

const saying = (text: string) => ({ message: expect.stringContaining(text) as unknown });

test.each<[string, Reply, object]>([
  ['a read-only access', { body: { ...GRANT, scope: READ_ONLY } }, { kind: 'revoked', ...saying('tick it') }],
  ['no refresh token', { body: { scope: SCOPE } }, { kind: 'unauthenticated', ...saying('no refresh token') }],
  ['a refresh token of null', { body: { ...GRANT, refresh_token: null } }, { kind: 'unauthenticated' }],
  ['an invalid code', { status: 400, body: { error: 'invalid_grant' } }, { kind: 'invalid', status: 400 }],
  ['a wrong client', { status: 401, body: { error: 'invalid_client' } }, { kind: 'client-refused', status: 401 }],
  ['a limit without a time', { status: 429 }, { kind: 'limited', retryAfterMs: 60_000 }],
  ['a redirect, which is not followed', { status: 307, headers: { location: '/token' } }, { status: 307 }],
  ['no answer', { breakAfter: '' }, { kind: 'unavailable', status: null, applied: 'unknown' }],
  ['an answer that is not JSON', { body: '<html>' }, { kind: 'unreadable', status: 200 }],
  ['an answer without scopes', { body: { refresh_token: 'refresh' } }, { kind: 'unreadable', status: 200 }],
])('the exchange of a code fails with the right kind for %s, after one request', async (_, reply, meaning) => {
  const { outcome, forms } = await exchange(reply);
  expect(forms).toHaveLength(1);
  expect(outcome).toBeInstanceOf(Error);
  expect(outcome).toMatchObject({ ...meaning, side: null, route: 'POST token' });
  expect(String(outcome)).not.toMatch(/hush|4\/a|verifier/u);
});

test('the exchange of a code rejects with the reason of its aborted signal, without a request', async () => {
  const reason = new Error('stopped');
  expect(await exchange({ body: GRANT }, AbortSignal.abort(reason))).toEqual({ outcome: reason, forms: [] });
});
