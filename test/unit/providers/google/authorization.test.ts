import { Agent } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  authorizationUrl,
  CONTACTS_SCOPE,
  createPkcePair,
  exchangeCode,
} from '../../../../src/providers/google/authorization.ts';
import { NEVER, startGoogle, type Reply } from './support.ts';

const GRANT = { access_token: 'access', refresh_token: 'refresh', scope: `openid ${CONTACTS_SCOPE}`, expires_in: 3599 };

/** Starts a token endpoint that always answers with `reply`. */
const startTokenEndpoint = async (reply: Reply) => {
  const google = await startGoogle(
    () => ({}),
    () => reply,
  );
  const dispatcher = new Agent();
  const exchange = {
    tokenUrl: `${google.url}token`,
    clientId: 'client',
    clientSecret: 'hush',
    code: '4/a+b',
    redirectUri: 'http://127.0.0.1:9/callback',
    codeVerifier: 'verifier',
    dispatcher,
    clock: google.clock,
  };
  return {
    forms: () => google.tokenRequests.map(({ body }) => Object.fromEntries(new URLSearchParams(body))),
    exchange: (signal = NEVER) => exchangeCode(exchange, signal),
    [Symbol.asyncDispose]: async () => {
      await dispatcher.destroy();
      await google[Symbol.asyncDispose]();
    },
  };
};

const failureOf = async (reply: Reply): Promise<unknown> => {
  await using endpoint = await startTokenEndpoint(reply);
  const failure: unknown = await endpoint.exchange().then(
    (grant) => grant,
    (error: unknown) => error,
  );
  expect(endpoint.forms()).toHaveLength(1);
  return failure;
};

describe('the authorization URL', () => {
  const request = {
    authUrl: 'https://accounts.example/auth?hl=en',
    clientId: 'client',
    redirectUri: 'http://127.0.0.1:9/callback',
    state: 'a b&c+d',
    codeChallenge: 'challenge',
  };

  test('requests a code, offline access, consent and PKCE', () => {
    const url = new URL(authorizationUrl(request));
    expect(url.origin + url.pathname).toBe('https://accounts.example/auth');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      hl: 'en',
      client_id: 'client',
      redirect_uri: 'http://127.0.0.1:9/callback',
      response_type: 'code',
      scope: CONTACTS_SCOPE,
      state: 'a b&c+d',
      code_challenge: 'challenge',
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
    });
  });
});

test('the PKCE pair equals the example of RFC 7636', () => {
  const octets = [
    116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105, 214, 191, 240, 91,
    88, 5, 88, 83, 132, 141, 121,
  ];
  const pair = createPkcePair((count) => {
    expect(count).toBe(octets.length);
    return Uint8Array.from(octets);
  });
  expect(pair).toEqual({
    verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  });
});

describe('the exchange of a code', () => {
  test('returns the refresh token and the granted scopes', async () => {
    await using endpoint = await startTokenEndpoint({ body: GRANT });
    expect(await endpoint.exchange()).toEqual({ refreshToken: 'refresh', scopes: ['openid', CONTACTS_SCOPE] });
    expect(endpoint.forms()).toEqual([
      {
        grant_type: 'authorization_code',
        client_id: 'client',
        client_secret: 'hush',
        code: '4/a+b',
        redirect_uri: 'http://127.0.0.1:9/callback',
        code_verifier: 'verifier',
      },
    ]);
  });

  test('fails if the user did not grant access to contacts: a read-only scope is not enough', async () => {
    const failure = await failureOf({ body: { ...GRANT, scope: `openid ${CONTACTS_SCOPE}.readonly` } });
    expect(failure).toMatchObject({ kind: 'revoked', message: expect.stringContaining('tick it') });
  });

  test.each([{}, { refresh_token: null }])('fails if the answer has no refresh token: %o', async (fields) => {
    const { refresh_token: _, ...grant } = GRANT;
    const failure = await failureOf({ body: { ...grant, ...fields } });
    expect(failure).toMatchObject({ kind: 'unauthenticated', message: expect.stringContaining('no refresh token') });
  });

  test.each<[string, Reply, object]>([
    ['an invalid code', { status: 400, body: { error: 'invalid_grant' } }, { kind: 'invalid', status: 400 }],
    ['a wrong client', { status: 401, body: { error: 'invalid_client' } }, { kind: 'client-refused', status: 401 }],
    ['a limit', { status: 429, headers: { 'retry-after': '7' } }, { kind: 'limited', retryAfterMs: 7_000 }],
    ['a limit without a time', { status: 429 }, { kind: 'limited', retryAfterMs: 60_000 }],
    ['a server error', { status: 503, body: '<html>' }, { kind: 'unavailable', status: 503 }],
    ['a redirect, which is not followed', { status: 307, headers: { location: '/token' } }, { status: 307 }],
    ['no answer', { drop: true }, { kind: 'unavailable', status: null, applied: 'unknown' }],
    ['an answer that is not JSON', { body: '<html>' }, { kind: 'unreadable', status: 200 }],
    ['an answer without scopes', { body: { refresh_token: 'refresh' } }, { kind: 'unreadable', status: 200 }],
  ])('fails with the right kind for %s', async (_, reply, meaning) => {
    const failure = await failureOf(reply);
    expect(failure).toBeInstanceOf(Error);
    expect(failure).toMatchObject({ ...meaning, side: null, route: 'POST token' });
    expect(String(failure)).not.toMatch(/hush|4\/a|verifier/u);
  });

  test('rejects with the reason of its aborted signal', async () => {
    await using endpoint = await startTokenEndpoint({ body: GRANT });
    const reason = new Error('stopped');
    await expect(endpoint.exchange(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(endpoint.forms()).toEqual([]);
  });
});
