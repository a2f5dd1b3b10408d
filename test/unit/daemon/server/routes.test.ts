import { expect, test } from 'vitest';
import { healthRoutes, metricsRoutes } from '../../../../src/daemon/server/http-service.ts';
import { seriesIn } from '../../../support/jobs/log-lines.ts';
import { metricsOf, seen, standing } from './support.ts';

const textOf = async (answer: Response | Promise<Response>): Promise<readonly [status: number, text: string]> => {
  const { status } = await answer;
  return [status, await (await answer).text()];
};

test('/readyz returns the result of the health check, and /healthz does not run it', async () => {
  const unwell = healthRoutes(() => Promise.resolve({ ok: false, line: 'unhealthy: no completed run: home' }));
  expect(await textOf(unwell.request('/readyz'))).toEqual([503, 'unhealthy: no completed run: home\n']);
  expect(await textOf(unwell.request('/healthz'))).toEqual([200, 'alive\n']);
  const well = healthRoutes(() => Promise.resolve({ ok: true, line: 'healthy: 1 link' }));
  expect(await textOf(well.request('/readyz'))).toEqual([200, 'healthy: 1 link\n']);
});

test('/readyz returns the error of a health check that fails', async () => {
  const { request } = healthRoutes(() => Promise.reject(new Error('the queue is down:\nRedis does not answer')));
  expect(await textOf(request('/readyz'))).toEqual([503, 'unhealthy: the queue is down: Redis does not answer\n']);
});

test('concurrent scrapes share one read of the state', async () => {
  const { metrics } = metricsOf('home');
  let reads = 0;
  const { promise: allowed, resolve: allowRead } = Promise.withResolvers<void>();
  const routes = metricsRoutes(metrics, async () => {
    reads += 1;
    await allowed;
    return seen({ states: [standing('home', { refused: reads })] });
  });
  const scrapes = Array.from({ length: 100 }, async () => textOf(routes.request('/metrics')));
  allowRead();
  const answers = await Promise.all(scrapes);
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
  expect(reads).toBe(1);
  const [, later] = await textOf(routes.request('/metrics'));
  expect(reads).toBe(2);
  expect(seriesIn(later, 'contact_sync_refused_writes')).toEqual({ 'link="home"': 2 });
});

test('a failed read of the state is not cached', async () => {
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
