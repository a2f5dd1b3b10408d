import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { ownForms, signedIn } from '../../../../src/daemon/console/access.ts';
import type { Env } from '../../../../src/daemon/console/env.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import { signInRoutes } from '../../../../src/daemon/console/sign-in.ts';
import { Secret } from '../../../../src/util/secret.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

const HOST = 'page.example';
const TOKEN = 'only-for-this-test';

/** Asks for a page without a session, and signs in with the token. Returns the path to which that leads. */
const signInFrom = async (asked: string, forged?: string): Promise<string> => {
  const clock = createVirtualClock();
  const parts = { sessions: createSessions(clock, () => 'secret'), cookie: 'session' };
  const routes = new Hono<Env>().use(ownForms);
  routes.route('/', signInRoutes({ ...parts, key: 'key', token: new Secret(TOKEN), links: () => [], clock }));
  routes.use(signedIn(parts.sessions, parts.cookie));
  const led = (await routes.request(`http://${HOST}${asked}`)).headers.get('location') ?? '';
  const form = await (await routes.request(`http://${HOST}${led}`)).text();
  const to = forged ?? /name="to" value="([^"]+)"/u.exec(form)?.[1]?.replaceAll('&amp;', '&');
  const answer = await routes.request(`http://${HOST}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: `http://${HOST}`, host: HOST },
    body: new URLSearchParams({ token: TOKEN, ...(to !== undefined && { to }) }).toString(),
  });
  return answer.headers.get('location') ?? '';
};

test.each([
  ['/', '/'],
  ['/links/work/plan', '/links/work/plan'],
  ['/links/work/runs/a?only=updates&find=Ad%C3%A9', '/links/work/runs/a?only=updates&find=Ad%C3%A9'],
  ['/connected/finish?state=a', '/'],
])('a sign-in with CONSOLE_TOKEN leads to the page that was asked for: %s', async (asked, shown) => {
  expect(await signInFrom(asked)).toBe(shown);
});

test.each(['//evil.example/', 'https://evil.example/links/', '/links/a\r\nx: y', `/links/${'a'.repeat(3_000)}`])(
  'a sign-in leads to no other address: %j',
  async (forged) => {
    expect(await signInFrom('/', forged)).toBe('/');
  },
);
