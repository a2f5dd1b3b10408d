import { Hono } from 'hono';
import type { Metrics, Seen } from './metrics.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** `/metrics`, for Prometheus; `look` sees how things are at that moment. */
export const metricsRoutes = (metrics: Metrics, look: () => Promise<Seen>): Hono => {
  const render = oneAtATime(async () => metrics.render(await look()));
  return new Hono().get('/metrics', async (context) =>
    context.body(await render(), 200, { 'content-type': metrics.contentType }),
  );
};
