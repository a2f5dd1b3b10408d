import { expect, test } from 'vitest';
import { healthRoutes, metricsRoutes } from '../../../../src/daemon/server/http-service.ts';
import { seriesIn } from '../../../support/jobs/metric-series.ts';
import { metricsOf, seen, standing } from './support.ts';

const textOf = async (answer: Response | Promise<Response>): Promise<readonly [status: number, text: string]> => {
  const { status } = await answer;
  return [status, await (await answer).text()];
};

test('/readyz says what the judgement says, and /healthz does not ask for it', async () => {
  const unwell = healthRoutes(() => Promise.resolve({ ok: false, line: 'unhealthy: no completed run: home' }));
  expect(await textOf(unwell.request('/readyz'))).toEqual([503, 'unhealthy: no completed run: home\n']);
  expect(await textOf(unwell.request('/healthz'))).toEqual([200, 'alive\n']);
  const well = healthRoutes(() => Promise.resolve({ ok: true, line: 'healthy: 1 link' }));
  expect(await textOf(well.request('/readyz'))).toEqual([200, 'healthy: 1 link\n']);
});

test('what keeps the daemon from being judged is the reason that /readyz gives', async () => {
  const { request } = healthRoutes(() => Promise.reject(new Error('the queue is down:\nRedis does not answer')));
  expect(await textOf(request('/readyz'))).toEqual([503, 'unhealthy: the queue is down: Redis does not answer\n']);
});

test('who asks at the same time gets one and the same look', async () => {
  const { metrics } = metricsOf('home');
  let looks = 0;
  const { promise: looked, resolve: look } = Promise.withResolvers<void>();
  const routes = metricsRoutes(metrics, async () => {
    looks += 1;
    await looked;
    return seen({ states: [standing('home', { refused: looks })] });
  });
  const asked = Array.from({ length: 100 }, async () => textOf(routes.request('/metrics')));
  look();
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
  expect(looks).toBe(1);
  const [, later] = await textOf(routes.request('/metrics'));
  expect(looks).toBe(2);
  expect(seriesIn(later, 'contact_sync_refused_writes')).toEqual({ 'link="home"': 2 });
});

test('a look that failed is not kept', async () => {
  const { metrics } = metricsOf('home');
  let isBroken = true;
  const routes = metricsRoutes(metrics, async () => {
    if (isBroken) throw new Error('the store cannot be read');
    return seen();
  });
  routes.onError((_error, context) => context.text('broken', 500));
  expect((await routes.request('/metrics')).status).toBe(500);
  isBroken = false;
  const answer = await routes.request('/metrics');
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
});
