import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Env } from '../../../../src/daemon/console/access.ts';
import type { PageSession } from '../../../../src/daemon/console/sessions.ts';
import { createProgressStreams } from '../../../../src/daemon/console/link-routes.ts';
import { createVirtualClock } from '../../../support/clocks.ts';

/** Returns the route of the progress, for sessions of the link in the query. */
const routesOf = (live: ReturnType<typeof createProgressStreams>) =>
  new Hono<Env>()
    .use(async (context, next) => {
      context.set('session', { link: context.req.query('of') ?? null } as PageSession);
      await next();
    })
    .get('/live', (context) => live(context, () => ({ text: 'On.', done: 0, total: 0 })));

test('streams of one link do not use up the streams of other links, nor of sessions with access to every link', async () => {
  const routes = routesOf(createProgressStreams(createVirtualClock()));
  const opened: Response[] = [];
  const statusOf = async (query: string): Promise<number> => {
    const answer = await routes.request(`/live${query}`);
    opened.push(answer);
    return answer.status;
  };
  for (let count = 0; count < 20; count += 1) expect(await statusOf('?of=ada')).toBe(200);
  expect([await statusOf('?of=ada'), await statusOf('?of=bob'), await statusOf('')]).toEqual([503, 200, 200]);
  for (let count = 0; count < 30; count += 1) await statusOf('?of=bob');
  expect([await statusOf('?of=cleo'), await statusOf('')]).toEqual([503, 200]);
  for (const answer of opened) await answer.body?.cancel();
});

test('HEAD requests do not use up the streams of pages', async () => {
  const live = createProgressStreams(createVirtualClock());
  const routes = routesOf(live);
  for (let asked = 0; asked < 30; asked += 1) {
    const answer = await routes.request('/live', { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  }
  const answer = await routes.request('/live');
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
});
