import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { ownForms, signedIn, type Env } from '../../../../src/daemon/console/access.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import { makePass } from '../../../../src/daemon/console/sign-in-link.ts';
import { signInRoutes } from '../../../../src/daemon/console/sign-in.ts';
import { Secret } from '../../../../src/util/secret.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

const KEY = 'key';
const COOKIE = 'session';
const ORIGIN = 'http://page.test';

test('a session of one link ends when the link is removed, and stays ended when a link of the same name is added', async () => {
  const clock = createVirtualClock();
  let secrets = 0;
  const sessions = createSessions(clock, () => `secret-${(secrets += 1)}`);
  let names = ['ada', 'bob'];
  const links = () => names.map((name) => ({ name }) as LinkConfig);
  const page = new Hono<Env>()
    .use(ownForms)
    .route('/', signInRoutes({ sessions, cookie: COOKIE, key: KEY, token: null, links, clock }))
    .use('/', signedIn(sessions, COOKIE))
    .get('/', (context) => context.text('in'));
  const signIn = async (link: string | null): Promise<string> => {
    const pass = makePass({ key: KEY }, { nowMs: clock.now(), id: `id-${link}`, link });
    const answer = await page.request(`${ORIGIN}/sign-in`, {
      method: 'POST',
      headers: { origin: ORIGIN, host: 'page.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ pass }).toString(),
    });
    return answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  const statusOf = async (cookie: string) => (await page.request(`${ORIGIN}/`, { headers: { cookie } })).status;
  const [ada, all] = [await signIn('ada'), await signIn(null)];
  expect([await statusOf(ada), await statusOf(all)]).toEqual([200, 200]);
  names = ['bob'];
  expect([await statusOf(ada), await statusOf(all)]).toEqual([303, 200]);
  names = ['ada', 'bob'];
  expect([await statusOf(ada), await statusOf(all)]).toEqual([303, 200]);
});

test('after ten wrong tokens in a minute no token signs in, and later tokens do again', async () => {
  const clock = createVirtualClock();
  const sessions = createSessions(clock, () => 'secret');
  const token = new Secret('a-token-of-twenty-four-or-more');
  const page = new Hono<Env>()
    .use(ownForms)
    .route('/', signInRoutes({ sessions, cookie: COOKIE, key: KEY, token, links: () => [], clock }));
  const statusFor = async (guess: string): Promise<number> => {
    const answer = await page.request(`${ORIGIN}/sign-in`, {
      method: 'POST',
      headers: { origin: ORIGIN, host: 'page.test', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: guess }).toString(),
    });
    return answer.status;
  };
  for (let guess = 0; guess < 10; guess += 1) expect(await statusFor('wrong')).toBe(403);
  expect(await statusFor(token.reveal())).toBe(429);
  clock.advance(60_000);
  expect(await statusFor(token.reveal())).toBe(303);
});
