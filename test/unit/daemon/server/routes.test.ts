import { expect, test } from 'vitest';
import { healthRoutes, metricsRoutes } from '../../../../src/daemon/server/http-service.ts';
import { seriesIn } from '../../../support/jobs/log-lines.ts';
import { metricsOf, seen, compared } from './support.ts';

const textOf = async (answer: Response | Promise<Response>): Promise<readonly [status: number, text: string]> => {
  const { status } = await answer;
  return [status, await (await answer).text()];
};

test('/readyz returns the result or the error of the health check, and /healthz does not run it', async () => {
  const unwell = healthRoutes(() => Promise.resolve({ ok: false, line: 'unhealthy: no completed run: home' }));
  expect(await textOf(unwell.request('/readyz'))).toEqual([503, 'unhealthy: no completed run: home\n']);
  expect(await textOf(unwell.request('/healthz'))).toEqual([200, 'alive\n']);
  const well = healthRoutes(() => Promise.resolve({ ok: true, line: 'healthy: 1 link' }));
  expect(await textOf(well.request('/readyz'))).toEqual([200, 'healthy: 1 link\n']);
  const broken = healthRoutes(() => Promise.reject(new Error('the disk is full:\nno space is left')));
  expect(await textOf(broken.request('/readyz'))).toEqual([503, 'unhealthy: the disk is full: no space is left\n']);
});

test('concurrent scrapes share one read of the state', async () => {
  const { metrics } = metricsOf('home');
  let reads = 0;
  const { promise: allowed, resolve: allowRead } = Promise.withResolvers<void>();
  const routes = metricsRoutes(metrics, async () => {
    reads += 1;
    await allowed;
    // A failed read is not cached.
    if (reads === 2) throw new Error('the store cannot be read');
    return seen({ states: [compared('home', { refused: reads })] });
  });
  const scrapes = Array.from({ length: 100 }, async () => textOf(routes.request('/metrics')));
  allowRead();
  const answers = await Promise.all(scrapes);
  expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
  expect(reads).toBe(1);
  routes.onError((_error, context) => context.text('broken', 500));
  expect(await textOf(routes.request('/metrics'))).toEqual([500, 'broken']);
  const [, later] = await textOf(routes.request('/metrics'));
  expect(seriesIn(later, 'contact_sync_refused_writes')).toEqual({ 'link="home"': 3 });
});
