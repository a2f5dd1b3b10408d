import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed, says } from '../../support/jobs/log-lines.ts';
import { vaultIn } from '../../support/store/vault.ts';
import { consentTo } from '../connect/sign-in.ts';
import { isBrowserMissing, launchBrowser, openContext } from '../oauth/browser.ts';
import { ask, seen, shownAt, signIn, startPage, type Visitor } from './page-client.ts';

let browser: Browser | null = null;
let world: DaemonWorld;
let sandbox: Sandbox;
let daemon: Awaited<ReturnType<typeof startPage>>['daemon'];
let address: string;
let visitor: Visitor;

const LINK = '/links/work';
const SLOW = { syncInterval: '7d', sweepInterval: '7d' };

const connect = async (side: 'google' | 'service'): Promise<void> => {
  const command = world.start('connect', side, 'work', '--no-browser');
  const printed = await command.printed((stdout) => /^http:\/\/127\.0\.0\.1.*(?=\n)/mu.exec(stdout)?.[0] ?? null);
  command.paste((await consentTo(printed)).href);
  expect((await command.end).code).toBe(0);
};

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  const work = { ...SLOW, accessToken: null, refreshToken: null };
  world = starting.use(await startDaemonWorld({ work, home: SLOW }, { listen: '127.0.0.1:0' }));
  sandbox = world.sandbox('work');
  for (const side of ['google', 'service'] as const) await connect(side);
  const started = await startPage(world);
  ({ daemon, address } = started);
  await daemon.until(completed('work', 'full'));
  visitor = await signIn(world, address);
  if (!isBrowserMissing) browser = starting.use(await launchBrowser()).browser;
  const running = starting.move();
  return () => running.disposeAsync();
});

const storedToken = async (side: string): Promise<string> =>
  (await vaultIn(world.dataDir).read('work', side))?.token ?? '';

const consentIn = (page: string): string =>
  (/<a class="button first" href="(https?:[^"]+)"/u.exec(page)?.[1] ?? '').replaceAll('&amp;', '&');

const pause = async (revoke: () => void): Promise<void> => {
  revoke();
  const from = daemon.lines.length;
  await visitor.press(LINK, `${LINK}/sync`, { kind: 'full' });
  await daemon.until(says('link paused', 'work'), from);
};

/** Starts a sign-in and answers its consent page. Returns the path to which the page redirects the browser. */
const nextOf = async (side: 'left' | 'right', approve?: Parameters<typeof consentTo>[1]): Promise<string> => {
  const begun = await visitor.press(LINK, `${LINK}/sign-in`, { side });
  const consent = consentIn(begun.text);
  expect([begun.status, begun.headers['refresh']]).toEqual([200, `0; url=${consent}`]);
  const to = await consentTo(consent, approve);
  expect([to.host, to.pathname]).toEqual([address, '/connected']);
  // The browser sends no cookie of the session with a redirect from another site.
  const answer = await ask(address, `${to.pathname}${to.search}`);
  expect(answer.status).toBe(200);
  const [, next = ''] = /^0; url=(.+)$/u.exec(String(answer.headers['refresh'])) ?? [];
  return next;
};

describe.each([
  { side: 'google', at: 'left', revoke: (token: string) => sandbox.google.revokeRefreshToken(token) },
  { side: 'service', at: 'right', revoke: (token: string) => sandbox.service.revokeToken(token) },
] as const)('the sign-in at $side', ({ side, at, revoke }) => {
  test('[R16] that was revoked pauses the link, and the redirect of its consent page renews it once', async () => {
    const old = await storedToken(side);
    await pause(() => revoke(old));
    const paused = (await visitor.get(LINK)).text;
    expect(seen(paused)).toContain(` ${sandbox.service.account.user.email} `);
    expect(seen(paused)).toMatch(/Sign-in needed .*(?:no longer accepts|refused)/u);
    expect(seen(paused)).not.toMatch(/Sign in again with|contact-sync connect .* work (?!\.)/u);
    expect(paused).toMatch(/class="first">\s*Sign in/u);

    const next = await nextOf(at);
    const finished = await visitor.get(next);
    expect([finished.status, finished.headers['location']]).toEqual([303, LINK]);
    expect(await shownAt(visitor, LINK)).toMatch(
      /Signed in at .* as .*The link work was paused; it is active again\./u,
    );
    const renewed = await storedToken(side);
    expect(renewed).not.toBe(old);
    const after = daemon.lines.length;
    await visitor.press('/links/work', '/links/work/sync', { kind: 'full' });
    await daemon.until(completed('work', 'full'), after);

    // The same redirect again changes nothing.
    expect((await visitor.get(next)).status).toBe(403);
    expect(await storedToken(side)).toBe(renewed);
  });
});

describe('a redirect is refused and nothing is stored', () => {
  const refused = async (client: Visitor, path: string): Promise<void> => {
    const before = await Promise.all(['google', 'service'].map(storedToken));
    const answer = await client.get(path);
    expect([answer.status, seen(answer.text)]).toEqual([403, expect.stringContaining('Nothing was stored.')]);
    expect(await Promise.all(['google', 'service'].map(storedToken))).toEqual(before);
  };

  test.each(['', 'x', 'A'.repeat(43)])('with the forged state %j', async (state) => {
    const next = await nextOf('left');
    const forged = new URLSearchParams(next.slice(next.indexOf('?')));
    forged.set('state', state);
    await refused(visitor, `/connected/finish?${forged.toString()}`);
    await refused(visitor, '/connected/finish');
  });

  test('in another session, of all links or of another link, and the original session can still finish it', async () => {
    const next = await nextOf('left');
    for (const links of [[], ['home'], ['work']]) await refused(await signIn(world, address, ...links), next);
    expect((await visitor.get(next)).headers['location']).toBe(LINK);
    expect(await shownAt(visitor, LINK)).toContain('Signed in at Google');
  });

  test('without a session', async () => {
    const next = await nextOf('left');
    expect((await ask(address, next)).headers['location']).toBe('/sign-in');
    expect((await visitor.get(next)).status).toBe(303);
  });

  test('after the consent was refused, and the page shows that', async () => {
    const before = await storedToken('google');
    const next = await nextOf('left', { google: 'deny', service: 'no' });
    expect((await visitor.get(next)).status).toBe(303);
    expect(await shownAt(visitor, LINK)).toContain('The sign-in was refused (access_denied). Nothing was stored.');
    expect(await storedToken('google')).toBe(before);
  });
});

test('the redirect from a consent page shows nothing of a link, and escapes its parameters', async () => {
  const answer = await ask(address, '/connected?code=%22%3E%3Cscript%3E1%3C/script%3E&state=s&other=1');
  expect(answer.text).not.toMatch(/<script>|other=1|work/u);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
  expect((await ask(address, `/connected?code=${'x'.repeat(5_000)}`)).status).toBe(400);
});

describe.skipIf(isBrowserMissing)('in Chromium', () => {
  test.each([{ javaScriptEnabled: true }, { javaScriptEnabled: false }])(
    'a sign-in is renewed with %j by one press on the page and the consent',
    async (options) => {
      if (browser === null) throw new Error('There is no browser.');
      const context = await openContext(browser, options);
      const page = await context.newPage();
      await page.goto((await world.run('console')).stdout.trim());
      await page.getByRole('button', { name: 'Sign in' }).click();
      const before = await storedToken('google');
      await pause(() => sandbox.google.revokeRefreshToken(before));
      await page.goto(`http://${address}${LINK}`);
      await page.getByRole('button', { name: 'Sign in' }).first().click();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Signed in at Google as').waitFor();
      expect(new URL(page.url()).pathname).toBe(LINK);
      expect(await storedToken('google')).not.toBe(before);
      await context.close();
    },
  );
});
