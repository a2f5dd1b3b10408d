import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { LinkConfig } from '../../../../src/app/config/link-config.ts';
import { Secret } from '../../../../src/util/secret.ts';
import { ownForms, signedIn } from '../../../../src/daemon/console/access.ts';
import type { Env } from '../../../../src/daemon/console/env.ts';
import { createSessions } from '../../../../src/daemon/console/sessions.ts';
import { makePass } from '../../../../src/daemon/console/sign-in-link.ts';
import { signInRoutes } from '../../../../src/daemon/console/sign-in.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

type Headers = Readonly<Record<string, string>>;
const KEY = 'key';
const COOKIE = 'session';
const ORIGIN = 'http://page.test';
const TOKEN = 'a-token-of-twenty-four-or-more';

const openPage = (names: () => readonly string[] = () => []) => {
  const clock = createVirtualClock();
  let secrets = 0;
  const sessions = createSessions(clock, () => `secret-${(secrets += 1)}`);
  const links = () => names().map((name) => ({ name }) as LinkConfig);
  const parts = { sessions, cookie: COOKIE, key: KEY, token: new Secret(TOKEN), links, clock };
  const page = new Hono<Env>()
    .use(ownForms)
    .route('/', signInRoutes(parts))
    .use(signedIn(sessions, COOKIE))
    .get('/', (context) => context.text('in'));
  const ask = async (path: string, from = '192.0.2.1', init: RequestInit = {}) =>
    page.request(`${ORIGIN}${path}`, init, { incoming: { socket: { remoteAddress: from } } });
  const enter = (fields: Readonly<Record<string, string>>, from?: string, headers: Headers = {}) =>
    ask('/sign-in', from, {
      method: 'POST',
      headers: { origin: ORIGIN, host: 'page.test', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  return {
    ask,
    enter,
    guess: (token: string, from = '192.0.2.1', headers?: Headers) => enter({ token }, from, headers),
    open: (link: string | null) =>
      enter({ pass: makePass({ key: KEY }, { nowMs: clock.now(), id: `id-${link}`, link }) }),
  };
};

const statusesOf = async (count: number, ask: (index: number) => Promise<Response>) => {
  const statuses: Record<number, number> = {};
  for (let index = 0; index < count; index += 1) {
    const { status } = await ask(index);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
};

test('guesses from one address do not use up the guesses of another address', async () => {
  const { guess } = openPage();
  expect(await statusesOf(30, () => guess('wrong'))).toEqual({ 403: 10, 429: 20 });
  expect((await guess(TOKEN)).status).toBe(429);
  expect((await guess(TOKEN, '192.0.2.2')).status).toBe(303);
});

const through = (client: string) => ({ 'x-forwarded-for': client });

test('guesses of one client behind a proxy do not use up the guesses of another client of that proxy', async () => {
  const { guess } = openPage();
  const from = (client: string) => through(`198.51.100.9, ${client}`);
  await statusesOf(30, () => guess('wrong', '192.0.2.1', from('203.0.113.1')));
  expect((await guess(TOKEN, '192.0.2.1', from('203.0.113.2'))).status).toBe(303);
});

test('a client that forges client addresses has at most a hundred guesses at once', async () => {
  const { guess } = openPage();
  const wrong = await statusesOf(200, (index) => guess('wrong', '192.0.2.1', through(`203.0.113.${index}`)));
  expect(wrong).toEqual({ 403: 100, 429: 100 });
});

test('a session of one link ends when the link is removed, and stays ended when a link of the same name is added', async () => {
  let names = ['ada', 'bob'];
  const { open, ask } = openPage(() => names);
  const visits: RequestInit[] = [];
  for (const link of ['ada', null]) {
    const cookie = (await open(link)).headers.get('set-cookie')?.split(';')[0] ?? '';
    visits.push({ headers: { cookie } });
  }
  const statuses = () => Promise.all(visits.map(async (visit) => (await ask('/', undefined, visit)).status));
  expect(await statuses()).toEqual([200, 200]);
  names = ['bob'];
  expect(await statuses()).toEqual([303, 200]);
  names = ['ada', 'bob'];
  expect(await statuses()).toEqual([303, 200]);
});

/** Asks for a page without a session, and signs in with the token. Returns the path to which that leads. */
const signInFrom = async (asked: string, forged?: string): Promise<string | null> => {
  const { ask, enter } = openPage();
  const form = await (await ask((await ask(asked)).headers.get('location') ?? '')).text();
  const to = forged ?? /name="to" value="([^"]+)"/u.exec(form)?.[1]?.replaceAll('&amp;', '&');
  return (await enter({ token: TOKEN, ...(to !== undefined && { to }) })).headers.get('location');
};

const FORGED = ['//evil.example/', 'https://evil.example/links/', '/links/a\r\nx: y', `/links/${'a'.repeat(3_000)}`];

test.each([
  ['/', '/'],
  ['/links/work/plan', '/links/work/plan'],
  ['/links/work/runs/a?only=updates&find=Ad%C3%A9', '/links/work/runs/a?only=updates&find=Ad%C3%A9'],
  ['/connected/finish?state=a', '/'],
  ...FORGED.map((forged) => ['/', '/', forged]),
])('a sign-in with CONSOLE_TOKEN from %s leads to %s, and to no forged address: %j', async (asked = '', to, forged) => {
  expect(await signInFrom(asked, forged)).toBe(to);
});
