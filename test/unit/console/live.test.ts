import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createLive } from '../../../src/console/live.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

test('what asks for the headers alone keeps no page from being kept up to date', async () => {
  const live = createLive(createVirtualClock());
  const routes = new Hono().get('/live', (context) => live(context, () => ({ text: 'On.', done: 0, total: 0 })));
  for (let asked = 0; asked < 30; asked += 1) {
    const answer = await routes.request('/live', { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  }
  const answer = await routes.request('/live');
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
});
