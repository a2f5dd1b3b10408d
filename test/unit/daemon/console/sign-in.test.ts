import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { ownForms, signedIn, type Env } from '../../../../src/daemon/console/access.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import { makePass } from '../../../../src/daemon/console/sign-in-link.ts';
import { signInRoutes } from '../../../../src/daemon/console/sign-in.ts';
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
