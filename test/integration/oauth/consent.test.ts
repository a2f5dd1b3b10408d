import { randomBytes } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { Agent, type Dispatcher } from 'undici';
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/util/clock.ts';
import {
  authorizationUrl,
  CONTACTS_SCOPE,
  createPkcePair,
  exchangeCode,
} from '../../../src/providers/google/authorization.ts';
import { createGoogleRemote } from '../../../src/providers/google/google-remote.ts';
import { authorizeUrl, createAuthorizationApi } from '../../../src/providers/service/api/authorization.ts';
import { createSend, type Send } from '../../../src/providers/service/api/send.ts';
import { createServiceApi } from '../../../src/providers/service/api/service-api.ts';
import { startSandbox, type Sandbox } from '../../../src/sandbox/sandbox.ts';
import { isBrowserMissing, launchBrowser, openContext } from './browser.ts';
import { startRedirectListener } from './redirect-listener.ts';

const NEVER = new AbortController().signal;
/** With everything that a query could garble. */
const STATE = 'a b+c&d=é#%2F';

let browser: Browser;
let sandbox: Sandbox;
let dispatcher: Dispatcher;

beforeAll(async () => {
  if (isBrowserMissing) return;
  await using starting = new AsyncDisposableStack();
  sandbox = starting.use(await startSandbox());
  dispatcher = starting.adopt(new Agent(), (agent) => agent.destroy());
  ({ browser } = starting.use(await launchBrowser()));
  const running = starting.move();
  return () => running.disposeAsync();
});

/** Opens a consent page, lets `act` decide on it and gives back where the browser was sent. */
const consent = async (
  urlFor: (redirectUri: string) => string,
  act: (page: Page) => Promise<void>,
): Promise<{ readonly redirectUri: string; readonly result: URLSearchParams; readonly fragment: URLSearchParams }> => {
  await using listener = await startRedirectListener();
  const { redirectUri, redirected } = listener;
  const page = await (await openContext(browser)).newPage();
  const hosts = new Set<string>();
  page.on('request', (request) => hosts.add(new URL(request.url()).hostname));
  await page.goto(urlFor(redirectUri));
  await act(page);
  const result = (await redirected).searchParams;
  await page.waitForURL((url) => url.href.startsWith(redirectUri));
  const fragment = new URLSearchParams(new URL(page.url()).hash.slice(1));
  await page.close();
  expect([...hosts]).toEqual(['127.0.0.1']);
  return { redirectUri, result, fragment };
};

const click = (name: string) => (page: Page) => page.getByRole('button', { name }).click();

describe.skipIf(isBrowserMissing)("the service's consent page", () => {
  const sendWith = (accessToken: string | null): Send => {
    const { url, authUrl } = sandbox.service;
    return createSend({ baseUrl: accessToken === null ? authUrl : url, accessToken, dispatcher, clock: systemClock });
  };
  const urlFor = (responseType: 'code' | 'token') => (redirectUri: string) =>
    authorizeUrl(sandbox.service.authUrl, {
      clientId: sandbox.service.clientId,
      redirectUri,
      scopes: ['user:basic', 'contacts:manage', 'buckets:manage'],
      responseType,
      state: STATE,
    });
  const readEmail = async (accessToken: string): Promise<string | null> =>
    (await createServiceApi(sendWith(accessToken)).user.get(NEVER)).email;

  test('the page shows the application and its scopes', async () => {
    await consent(urlFor('code'), async (page) => {
      const words = await page.locator('body').innerText();
      for (const word of [sandbox.service.clientId, sandbox.service.account.user.email]) expect(words).toContain(word);
      expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
        'user:basic',
        'contacts:manage',
        'buckets:manage',
      ]);
      await click('Reject')(page);
    });
  });

  test('an accepted consent returns a code, which is exchanged once for a valid token', async () => {
    const { redirectUri, result } = await consent(urlFor('code'), click('Accept'));
    expect(result.get('state')).toBe(STATE);
    const { clientId, clientSecret, account } = sandbox.service;
    const exchange = { clientId, clientSecret, code: result.get('code') ?? '', redirectUri };
    const authorization = createAuthorizationApi(sendWith(null));
    const grant = await authorization.exchangeCode(exchange, NEVER);
    expect(await readEmail(grant.access_token)).toBe(account.user.email);
    await expect(authorization.exchangeCode(exchange, NEVER)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('an accepted consent returns a token where the request asks for one', async () => {
    const { result, fragment } = await consent(urlFor('token'), click('Accept'));
    expect([...result]).toEqual([]);
    expect(fragment.get('state')).toBe(STATE);
    expect(await readEmail(fragment.get('access_token') ?? '')).toBe(sandbox.service.account.user.email);
  });

  test('a rejected consent returns an error and the state', async () => {
    const { result } = await consent(urlFor('code'), click('Reject'));
    expect(Object.fromEntries(result)).toEqual({ error: 'access_denied', state: STATE });
  });
});

describe.skipIf(isBrowserMissing)("Google's consent page", () => {
  const pkce = createPkcePair(randomBytes);
  const urlFor = (redirectUri: string): string => {
    const { authUrl, clientId } = sandbox.google;
    return authorizationUrl({ authUrl, clientId, redirectUri, state: STATE, codeChallenge: pkce.challenge });
  };
  const exchange = (code: string | null, redirectUri: string, codeVerifier = pkce.verifier) => {
    const { tokenUrl, clientId, clientSecret } = sandbox.google;
    const request = { tokenUrl, clientId, clientSecret, code: code ?? '', redirectUri, codeVerifier, dispatcher };
    return exchangeCode({ ...request, clock: systemClock }, NEVER);
  };
  const identify = (refreshToken: string): Promise<string | null> => {
    const { url: rootUrl, tokenUrl, clientId, clientSecret } = sandbox.google;
    const connection = { rootUrl, tokenUrl, clientId, clientSecret, refreshToken, dispatcher };
    const policy = { clock: systemClock, random: () => 0, requestCount: () => 0, maxElapsedMs: 0 };
    return createGoogleRemote({ ...connection, ...policy }).identify(NEVER);
  };

  test('an allowed consent returns a code, which is exchanged once for a valid refresh token', async () => {
    const { redirectUri, result } = await consent(urlFor, click('Allow'));
    expect(result.get('state')).toBe(STATE);
    const grant = await exchange(result.get('code'), redirectUri);
    expect(grant.scopes).toEqual([CONTACTS_SCOPE]);
    expect(await identify(grant.refreshToken)).toMatch(/^people\/\d+$/u);
    await expect(exchange(result.get('code'), redirectUri)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('a code is valid only with the verifier of its authorization', async () => {
    const { redirectUri, result } = await consent(urlFor, click('Allow'));
    const { verifier } = createPkcePair(randomBytes);
    await expect(exchange(result.get('code'), redirectUri, verifier)).rejects.toMatchObject({ kind: 'invalid' });
  });

  test('a consent without contacts grants no access to them, and the token response lists the granted scopes', async () => {
    const { redirectUri, result } = await consent(urlFor, async (page) => {
      await page.getByRole('checkbox', { name: CONTACTS_SCOPE }).uncheck();
      await click('Allow')(page);
    });
    await expect(exchange(result.get('code'), redirectUri)).rejects.toMatchObject({ kind: 'revoked' });
  });

  test('a denied consent returns an error and the state', async () => {
    const { result } = await consent(urlFor, click('Deny'));
    expect(Object.fromEntries(result)).toEqual({ error: 'access_denied', state: STATE });
  });
});
