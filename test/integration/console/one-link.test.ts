import { beforeAll, expect, test } from 'vitest';
import { linkRoutes } from '../../../src/daemon/console/link-routes.ts';
import type { LinkParts } from '../../../src/daemon/console/routing.ts';
import { startDaemonWorld, type DaemonWorld } from '../../support/jobs/daemon-world.ts';
import { completed } from '../../support/jobs/log-lines.ts';
import { formTo, newPass, signIn, startPage, tokenIn, type Visitor } from './page-client.ts';

const SLOW = { syncInterval: '7d', sweepInterval: '7d' };
const LISTENING = { listen: '127.0.0.1:0' };

let world: DaemonWorld;
let daemon: Awaited<ReturnType<typeof startPage>>['daemon'];
let address: string;
/** A session with access to `home` only. */
let visitor: Visitor;
let workRun: string;

beforeAll(async () => {
  world = await startDaemonWorld({ work: SLOW, home: SLOW }, LISTENING);
  ({ daemon, address } = await startPage(world));
  for (const name of ['work', 'home']) await daemon.until(completed(name, 'full'));
  visitor = await signIn(world, address, 'home');
  const allLinks = await signIn(world, address);
  workRun = /runs\/([^"?]+)"/u.exec((await allLinks.get('/links/work/runs')).text)?.[1] ?? '';
  return () => world[Symbol.asyncDispose]();
});

const ROUTES = linkRoutes({ app: {} } as unknown as LinkParts).routes.flatMap(({ method, path }) =>
  method !== 'ALL' && path.startsWith('/links/:link') ? [{ method, path }] : [],
);

const answerOf = async ({ method, path }: (typeof ROUTES)[number], link: string): Promise<unknown> => {
  const at = path.replace(':link', link).replace(':run', workRun);
  const token = tokenIn((await visitor.get('/links/home')).text);
  const sent = await (method === 'GET' ? visitor.get(at) : visitor.post(at, { token }));
  return [sent.status, sent.text, sent.headers['location']];
};

test('the routes under test exist', () => {
  expect(workRun).not.toBe('');
  expect(ROUTES.map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining(['GET /links/:link', 'GET /links/:link/live', 'POST /links/:link/runs/:run/undo']),
  );
});

test.each(ROUTES)('the route $method $path of another link does not exist', async (route) => {
  const answer = await answerOf(route, 'work');
  expect(answer).toEqual([404, expect.stringContaining('The daemon has no link of that name.'), undefined]);
  expect(answer).toEqual(await answerOf(route, 'none'));
  expect((await answerOf(route, 'home')) as readonly unknown[]).not.toEqual(answer);
});

test('the overview leads to the only link of the session, which can be read and controlled', async () => {
  expect((await visitor.get('/')).headers['location']).toBe('/links/home');
  expect((await visitor.get('/links/home')).text).not.toContain('work');
  const pressed = await visitor.press('/links/home', '/links/home/sync');
  expect(pressed.headers['location']).toBe('/links/home');
  await daemon.until(completed('home', 'incremental'));
});

test('the sign-in link of `console LINK` opens that link only, and the link must exist', async () => {
  const one = await signIn(world, address, 'work');
  expect((await one.get('/links/work')).status).toBe(200);
  expect((await one.get('/links/home')).status).toBe(404);
  const pass = await newPass(world, 'work');
  expect((await formTo(address, '/sign-in', { pass: pass.replace('.work.', '.home.') })).status).toBe(403);
  expect((await formTo(address, '/sign-in', { pass: pass.replace('.work.', '.') })).status).toBe(403);
  expect(await world.run('console', 'none')).toMatchObject({ code: 2, stdout: '' });
});
