import { expect, test } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { createBrowserSignIns, hasBrowserSignIn } from '../../../src/app/browser-sign-in.ts';
import { loadConfig } from '../../../src/app/config/config.ts';
import type { SideConfig } from '../../../src/app/config/sides.ts';
import { credentialDigest } from '../../../src/app/links.ts';
import { Secret } from '../../../src/util/secret.ts';
import { createVirtualClock } from '../../support/clocks.ts';

const ENV = {
  SERVICE_BASE_URL: 'http://127.0.0.1:9',
  SERVICE_AUTH_URL: 'http://127.0.0.1:9',
  SERVICE_CLIENT_ID: 'service-client',
  SERVICE_CLIENT_SECRET: 'service-secret',
  GOOGLE_CLIENT_ID: 'google-client',
  GOOGLE_CLIENT_SECRET: 'google-secret',
};

const REDIRECT = 'http://127.0.0.1:8377/connected';

const start = (more: Readonly<Record<string, string>> = {}) => {
  const [link] = loadConfig({ env: { ...ENV, ...more }, cwd: '/nonexistent' }).links;
  if (link === undefined) throw new Error('The configuration has a link.');
  const clock = createVirtualClock();
  let secrets = 0;
  const newSecret = () => `state-${(secrets += 1)}`;
  const signIns = createBrowserSignIns({ app: {} as unknown as App, clock, newSecret });
  return { clock, signIns, link, request: { owner: 'one', link, side: 'left', redirectUri: REDIRECT } as const };
};

const answerTo = (address: string): URLSearchParams =>
  new URLSearchParams({ code: 'c', state: new URL(address).searchParams.get('state') ?? '' });

test('the address of the consent page has the state, the redirect of the page and, for Google, a PKCE challenge', async () => {
  const { signIns, request } = start();
  const address = await signIns.begin(request);
  const asked = Object.fromEntries(new URL(address).searchParams);
  expect(asked).toMatchObject({ state: 'state-1', redirect_uri: REDIRECT, code_challenge_method: 'S256' });
  expect(asked['code_challenge']).toMatch(/^[\w-]{43}$/u);
});

test('a sign-in expires after ten minutes', async () => {
  const { signIns, clock, link, request } = start();
  const address = await signIns.begin(request);
  clock.advance(600_000);
  expect(signIns.linkOf('one', 'state-1')).toBe(link.name);
  clock.advance(1);
  expect(signIns.linkOf('one', 'state-1')).toBeNull();
  await expect(signIns.finish('one', link, answerTo(address))).rejects.toThrow('it came too late. Nothing was stored.');
});

test('another owner or another link can neither finish a sign-in nor use it up', async () => {
  const { signIns, link, request } = start();
  const address = await signIns.begin(request);
  await expect(signIns.finish('two', link, answerTo(address))).rejects.toThrow('belongs to no sign-in');
  await expect(signIns.finish('one', { ...link, name: 'other' }, answerTo(address))).rejects.toThrow('belongs to no');
  expect([signIns.linkOf('two', 'state-1'), signIns.linkOf('one', 'state-1')]).toEqual([null, link.name]);
});

test('a second sign-in of one owner and side ends the first one, and a closed page ends all', async () => {
  const { signIns, link, request } = start();
  await signIns.begin({ ...request, owner: 'guest' });
  for (let count = 0; count < 2; count += 1) await signIns.begin(request);
  expect(['state-2', 'state-3'].map((state) => signIns.linkOf('one', state))).toEqual([null, link.name]);
  expect(signIns.linkOf('guest', 'state-1')).toBe(link.name);
  signIns.close();
  expect(signIns.linkOf('one', 'state-3')).toBeNull();
});

test('a side with a token in the configuration has no sign-in in a browser', async () => {
  const { signIns, link, request } = start({ GOOGLE_REFRESH_TOKEN: 'a-token-of-the-configuration' });
  expect([hasBrowserSignIn(link, 'left'), hasBrowserSignIn(link, 'right')]).toEqual([false, true]);
  await expect(signIns.begin(request)).rejects.toThrow('Nothing was stored.');
});

const side = (clientSecret: string, baseUrl = 'https://one.test'): SideConfig =>
  ({ settings: { baseUrl, clientSecret: new Secret(clientSecret) }, token: null }) as unknown as SideConfig;

test('another token, client or address is another credential, so a paused link is retried with it [R16]', () => {
  const digest = credentialDigest(side('right'), 'token');
  expect(credentialDigest(side('right'), 'token')).toBe(digest);
  const others = [
    credentialDigest(side('right'), 'other'),
    credentialDigest(side('wrong'), 'token'),
    credentialDigest(side('right', 'https://two.test'), 'token'),
  ];
  expect(new Set([digest, ...others]).size).toBe(4);
  expect(digest).not.toMatch(/right|token/u);
});
