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
  const parts = {
    sessions,
    cookie: COOKIE,
    key: KEY,
    token: new Secret(TOKEN),
    links: () => names().map((name) => ({ name }) as LinkConfig),
    clock,
  };
  const page = new Hono<Env>()
    .use(ownForms)
    .route('/', signInRoutes(parts))
    .use('/', signedIn(sessions, COOKIE))
    .get('/', (context) => context.text('in'));
  const ask = (path: string, from: string, init: RequestInit = {}) =>
    page.request(`${ORIGIN}${path}`, init, { incoming: { socket: { remoteAddress: from } } });
  const enter = (from: string, fields: Readonly<Record<string, string>>, headers: Headers = {}) =>
    ask('/sign-in', from, {
      method: 'POST',
      headers: { origin: ORIGIN, host: 'page.test', 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  return {
    visit: async (from: string, headers: Headers = {}) => (await ask('/', from, { headers })).status,
    guess: (from: string, token: string, headers?: Headers) => enter(from, { token }, headers),
    open: (link: string | null) => {
      const pass = makePass({ key: KEY }, { nowMs: clock.now(), id: `id-${link}`, link });
      return enter('192.0.2.1', { pass });
    },
  };
};

const statusesOf = async (
  count: number,
  ask: (index: number) => Promise<number>,
): Promise<Readonly<Record<number, number>>> => {
  const statuses: Record<number, number> = {};
  for (let index = 0; index < count; index += 1) {
    const status = await ask(index);
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
  return statuses;
};

const cookieOf = (answer: Response) => ({ cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' });

test('guesses from one address do not use up the guesses of another address', async () => {
  const { guess } = openPage();
  const wrong = await statusesOf(30, async () => (await guess('192.0.2.1', 'wrong')).status);
  expect(wrong).toEqual({ 403: 10, 429: 20 });
  expect((await guess('192.0.2.1', TOKEN)).status).toBe(429);
  expect((await guess('192.0.2.2', TOKEN)).status).toBe(303);
});

test('guesses of one client behind a proxy do not use up the guesses of another client of that proxy', async () => {
  const { guess } = openPage();
  const from = (client: string) => ({ 'x-forwarded-for': `198.51.100.9, ${client}` });
  await statusesOf(30, async () => (await guess('192.0.2.1', 'wrong', from('203.0.113.1'))).status);
  expect((await guess('192.0.2.1', TOKEN, from('203.0.113.2'))).status).toBe(303);
});

test('a client that forges client addresses has at most a hundred guesses at once', async () => {
  const { guess } = openPage();
  const inventing = (index: number) => ({ 'x-forwarded-for': `203.0.113.${index}` });
  const wrong = await statusesOf(200, async (index) => (await guess('192.0.2.1', 'wrong', inventing(index))).status);
  expect(wrong).toEqual({ 403: 100, 429: 100 });
});

test('a session of one link ends when the link is removed, and stays ended when a link of the same name is added', async () => {
  let names = ['ada', 'bob'];
  const { open, visit } = openPage(() => names);
  const [ada, all] = [cookieOf(await open('ada')), cookieOf(await open(null))];
  const statuses = async () => [await visit('192.0.2.1', ada), await visit('192.0.2.1', all)];
  expect(await statuses()).toEqual([200, 200]);
  names = ['bob'];
  expect(await statuses()).toEqual([303, 200]);
  names = ['ada', 'bob'];
  expect(await statuses()).toEqual([303, 200]);
});
