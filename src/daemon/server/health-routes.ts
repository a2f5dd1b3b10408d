import { Hono } from 'hono';
import { unhealthyBecause, type Health } from '../jobs/health.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** `/healthz`: the process lives. `/readyz`: it does its work, as `contact-sync health` judges it, with the same line. */
export const healthRoutes = (check: () => Promise<Health>): Hono => {
  const judge = oneAtATime(() => check().catch(unhealthyBecause));
  return new Hono()
    .get('/healthz', (context) => context.text('alive\n'))
    .get('/readyz', async (context) => {
      const { ok, line } = await judge();
      return context.text(`${line}\n`, ok ? 200 : 503);
    });
};
